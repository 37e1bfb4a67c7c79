"""The executable specification on ``zmq-raft``: records as a stream, nothing collected."""

from __future__ import annotations

from pathlib import Path

from reference_impl.formats import named
from walproof.bench.contender import Contender, in_python
from walproof.bench.readers.executable_spec import count


def read_once(log: Path) -> tuple[int, int]:
    """Records and bytes of payload of one pass."""
    return count(named("zmq-raft").read(log, "recover", {}))


CONTENDER = Contender(
    name="executable-spec",
    title="the executable specification (reference_impl)",
    format="zmq-raft",
    command=in_python(__name__),
)
