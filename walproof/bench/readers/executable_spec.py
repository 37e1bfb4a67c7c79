"""The executable specification: records as a stream, nothing collected."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from reference_impl.answer import Event, Record
from reference_impl.leveldb_log.reader import read_stream
from walproof.bench.contender import Contender, in_python


def read_once(log: Path) -> tuple[int, int]:
    """Records and bytes of payload of one pass."""
    with log.open("rb") as file:
        return count(read_stream(file))


def count(events: Iterable[Event]) -> tuple[int, int]:
    """Records and bytes of payload of a reader's events."""
    records = payload_bytes = 0
    for event in events:
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
