"""Parse the header of a zmq-raft index file and select its reliable offsets.

Requirement ids are those of spec/zmq-raft.md.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from reference_impl.answer import Lost
from walproof.formats.zmq_raft.scanner import kernel
from walproof.scan.log import Source
from walproof.scan.window import Window

HEADER = struct.Struct("<4sIIIQ")  # ZMR-010: RLOG, length, version, capacity, first index
MAX_DATA = 0x3FFFFFFF  # ZMR-013
STRETCH = 1 << 12


class Refused(Exception):
    """The file has another type, or a version that readers must refuse (ZMR-041)."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass
class Index:
    """An index file with a consistent header.

    Entries begin at offset ``data``. ``offsets`` contains the ends of the committed entries,
    relative to ``data``.
    """

    size: int
    capacity: int
    first: int
    data: int
    offsets: NDArray[np.uint32]

    @cached_property
    def is_all_reliable(self) -> bool:
        """Return whether all offsets are reliable (ZMR-046), as in every intact file."""
        if not self.count:
            return True
        is_there = int(self.offsets[-1]) <= min(self.size - self.data, MAX_DATA)
        return is_there and bool(kernel.rises(self.offsets, 0))

    @cached_property
    def reliable(self) -> NDArray[np.int64]:
        """Return the numbers of the reliable offsets; empty if all are reliable."""
        reliable = np.empty(0 if self.is_all_reliable else self.count, np.int64)
        if not self.is_all_reliable:
            available = min(self.size - self.data, MAX_DATA)
            reliable = reliable[: kernel.rely(self.offsets, available, reliable)]
        return reliable

    @property
    def rows(self) -> int:
        """Return the number of reliable offsets."""
        return self.count if self.is_all_reliable else len(self.reliable)

    def number(self, row: int) -> int:
        """Return the entry number of a reliable offset."""
        return row if self.is_all_reliable else int(self.reliable[row])

    def end_of(self, row: int) -> int:
        """Return a reliable offset, relative to the file; row -1 is the start of the entries."""
        return self.data + (int(self.offsets[self.number(row)]) if row >= 0 else 0)

    @property
    def count(self) -> int:
        """Return the number of committed entries."""
        return len(self.offsets)

    @property
    def relied_on(self) -> int:
        """Return the number after the last entry with a reliable end."""
        return self.number(self.rows - 1) + 1 if self.rows else 0

    @property
    def upto(self) -> int:
        """Return the last reliable offset, relative to the file."""
        return self.end_of(self.rows - 1)

    @cached_property
    def tail(self) -> str | None:
        """Return why the entries after the last reliable offset are lost (ZMR-046, ZMR-047)."""
        number = self.relied_on
        if number == self.count:
            return None
        first, last = int(self.offsets[number]), int(self.offsets[-1])
        beyond = max(self.upto - self.data, min(self.size - self.data, MAX_DATA))
        if beyond < first and last <= MAX_DATA and kernel.rises(self.offsets, number):
            return "torn-entry"
        return "bad-offset"

    @property
    def resume_at(self) -> int | None:
        """Return the offset for the next entry (ZMR-101)."""
        is_sound = self.relied_on == self.rows and self.tail != "bad-offset"
        return self.upto if is_sound and self.relied_on < self.capacity else None


def index_of(source: Source, named: int | None) -> Index | Lost:
    """Check the header by ZMR-040, in order. Raises :class:`Refused`."""
    size = source.size
    head = source.read(0, HEADER.size)
    if not b"RLOG".startswith(head[:4]):
        raise Refused("bad-token")  # ZMR-041
    if len(head) < HEADER.size:
        return Lost(0, size, "torn-header", torn=True)  # ZMR-044
    _, length, version, capacity, first = HEADER.unpack(head)
    if version != 1:
        raise Refused("unsupported-version")  # ZMR-041
    if length != 16 + 4 * capacity:
        return Lost(0, size, "bad-header")  # ZMR-042
    if named is not None and named != first:
        return Lost(0, size, "index-mismatch")  # ZMR-043
    table = HEADER.size + 4 * capacity
    has_offsets = any(source.read(HEADER.size, min(4, 4 * capacity)))
    data = find_marker(source, b"ITMZ", table) if size >= table else None
    if data is None:
        if has_offsets:
            return Lost(table if size >= table else HEADER.size, size, "missing-marker")
        return Lost(0, size, "torn-header", torn=True)  # ZMR-044
    return Index(size, capacity, first, data, _committed(source, capacity))


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
