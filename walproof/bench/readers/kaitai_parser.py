"""The Kaitai parser alone: fields only, no checksums, fragments not joined, all in memory."""

from __future__ import annotations

from pathlib import Path

from conformance.kaitai.compile import ToolMissing, compiled
from walproof.bench.contender import Contender, in_python

FULL, LAST = 1, 4


def prepare() -> None:
    """Compile the grammar, unless that was done, and import the parser."""
    compiled("leveldb_log")


def unavailable() -> str | None:
    """Why it cannot run: what compiles the grammar is missing."""
    try:
        prepare()
    except ToolMissing as missing:
        return str(missing)
    return None


def read_once(log: Path) -> tuple[int, int]:
    """Records, counted by their last fragment, and bytes of data."""
    records = payload_bytes = 0
    for block in compiled("leveldb_log").LeveldbLog.from_bytes(log.read_bytes()).blocks:
        for physical in block.records:
            records += physical.header.type.value in (FULL, LAST)
            payload_bytes += len(physical.data)
    return records, payload_bytes


CONTENDER = Contender(
    name="kaitai-parser",
    title="Kaitai parser (Python): structure only, no checksums",
    format="leveldb-log",
    command=in_python(__name__),
    unavailable=unavailable,
)
