"""Hostile index files cost neither time nor memory."""

from __future__ import annotations

import struct
import time

from .conftest import INDEX_FILE

HEADER, TABLE, CHUNKS, MARKER, DATA = 0, 24, 36, 96, 104


def changed(at: int, new: bytes, of: bytes = INDEX_FILE) -> bytes:
    return of[:at] + new + of[at + len(new) :]


def test_a_wrong_table_costs_no_memory(read):
    """A capacity of 2^30 - 16 in a file of 150 bytes takes neither 4 GiB nor time."""
    data = changed(4, struct.pack("<I", 16 + 4 * 0x3FFFFFF0))
    data = changed(12, struct.pack("<I", 0x3FFFFFF0), data)
    started = time.monotonic()
    assert read(data).reason == "missing-marker"
    assert time.monotonic() - started < 1


def test_many_chunks_take_linear_time(read):
    data = INDEX_FILE[:CHUNKS] + bytes(8) * 50_000 + INDEX_FILE[MARKER:]
    started = time.monotonic()
    assert len(read(data).records) == 2
    assert time.monotonic() - started < 3
