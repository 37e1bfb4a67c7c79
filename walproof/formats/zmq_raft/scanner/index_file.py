"""Parse the header of a plain zmq-raft index file.

Requirement ids are those of spec/zmq-raft.md.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from walproof.formats.zmq_raft.scanner import kernel
from walproof.scan.log import Source
from walproof.scan.window import Window

HEADER = struct.Struct("<4sIIIQ")  # ZMR-010: RLOG, length, version, capacity, first index
MAX_DATA = 0x3FFFFFFF  # ZMR-013
STRETCH = 1 << 12


@dataclass(frozen=True)
class Index:
    """An index file with a consistent header, all of whose offsets are reliable (ZMR-046).

    Entries begin at offset ``data``. ``offsets`` contains the ends of the committed entries,
    relative to ``data``.
    """

    capacity: int
    first: int
    data: int
    offsets: NDArray[np.uint32]

    @property
    def count(self) -> int:
        """Return the number of committed entries."""
        return len(self.offsets)

    def start_of(self, number: int) -> int:
        """Return the offset of an entry in the file; that of entry ``count`` is the end."""
        return self.data + (int(self.offsets[number - 1]) if number else 0)

    @property
    def resume_at(self) -> int | None:
        """Return the offset for the next entry (ZMR-101)."""
        return self.start_of(self.count) if self.count < self.capacity else None


def index_of(source: Source, named: int | None) -> Index | None:
    """Return the layout of a plain index file; None for any other file (ZMR-040 to ZMR-047)."""
    head = source.read(0, HEADER.size)
    if len(head) < HEADER.size:
        return None
    token, length, version, capacity, first = HEADER.unpack(head)
    if (token, length, version) != (b"RLOG", 16 + 4 * capacity, 1):
        return None
    table = HEADER.size + 4 * capacity
    if (named is not None and named != first) or source.size < table:
        return None
    data = find_marker(source, b"ITMZ", table)
    if data is None:
        return None
    offsets = _committed(source, capacity)
    if len(offsets):
        is_there = int(offsets[-1]) <= min(source.size - data, MAX_DATA)
        if not is_there or not kernel.rises(offsets):
            return None
    return Index(capacity, first, data, offsets)


def _committed(source: Source, capacity: int) -> NDArray[np.uint32]:
    """Return the offsets in front of the first zero (ZMR-017); reads no more of the table."""
    runs, upto = [], HEADER.size + 4 * capacity
    for at in range(HEADER.size, upto, 1 << 20):
        window = Window(source, 0)  # a new one each time, because its memory stays in use
        window.hold(at, min(1 << 20, upto - at))
        table = window.array.view("<u4").astype(np.uint32, copy=False)
        runs.append(table[: kernel.committed(table)])
        if len(runs[-1]) < len(table):
            break
    if len(runs) == 1:
        return runs[0]
    return np.concatenate(runs) if runs else np.empty(0, np.uint32)


def find_marker(source: Source, marker: bytes, at: int) -> int | None:
    """Return the offset after the first chunk with this token, or None (ZMR-003)."""
    window = Window(source, STRETCH)
    number = np.uint64(int.from_bytes(marker, "little"))
    while (
        result := int(kernel.find_marker(window.array, window.base, source.size, number, at))
    ) < -1:
        at = -2 - result
        window.stretch = 2 * window.stretch if at <= window.end else STRETCH
        window.hold(at, kernel.CHUNK_HEAD)
    return result if result >= 0 else None
