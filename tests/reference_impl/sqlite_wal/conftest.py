"""The example log, answers and real logs for the tests of sqlite-wal."""

from __future__ import annotations

import io
import lzma

from conformance import VECTORS
from reference_impl.answer import Answer, collect
from reference_impl.sqlite_wal.reader import read_file
from tests.real_files import DATA

EXAMPLE = (VECTORS / "sqlite-wal" / "five-transactions.db-wal").read_bytes()
SLOT_BYTES = 536
REAL_LOGS = {path.name.split(".db")[0]: path for path in sorted(DATA.glob("sqlite/*.xz"))}


def answer(log: bytes, profile: str = "recover") -> Answer:
    """Return the answer of the executable specification."""
    return collect(read_file(io.BytesIO(log), len(log), profile))


def real_log(name: str) -> bytes:
    """Return a log that SQLite wrote. Its name begins with the version of SQLite."""
    return lzma.decompress(REAL_LOGS[name].read_bytes())


def at(slot: int) -> int:
    """Return the offset of a slot of the example log."""
    return 32 + (slot - 1) * SLOT_BYTES


def flipped(log: bytes, byte: int, bit: int) -> bytes:
    """Return a copy of the log with one bit flipped."""
    return log[:byte] + bytes([log[byte] ^ 1 << bit]) + log[byte + 1 :]
