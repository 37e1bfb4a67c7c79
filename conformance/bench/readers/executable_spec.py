"""The executable specification: records as a stream, nothing collected."""

from __future__ import annotations

from pathlib import Path

from conformance.bench.contender import Contender, in_python
from reference_impl.answer import Record
from reference_impl.leveldb_log import read


def read_once(log: Path) -> tuple[int, int]:
    """Records and bytes of payload of one pass."""
    records = payload_bytes = 0
    with log.open("rb") as file:
        for event in read(file):
            if isinstance(event, Record):
                records += 1
                payload_bytes += len(event.payload)
    return records, payload_bytes


CONTENDER = Contender(
    name="executable-spec",
    title="the executable specification (reference_impl)",
    format="leveldb-log",
    command=in_python(__name__),
)
