"""Find the proven records after a fault in a segment (ZBJ-062 to ZBJ-065)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from reference_impl.zeebe_journal.layout import (
    RECORD_FRAME,
    RECORD_OVERHEAD,
    SMALLEST_DATA,
)
from reference_impl.zeebe_journal.segment import CHUNK, Parsed, SegmentScan, extents

# ZBJ-064 tries data messages up to this multiple of the file size.
SKIP_FACTOR = 8
# A descriptor has one of these lengths (ZBJ-006).
LENGTHS = (29, 45, 57)
# This pattern matches a frame byte of 1 and a RecordMetadata header with any block length.
_START = re.compile(rb"\x01..\x01\x00\x07\x00", re.DOTALL)
_START_SIZE = 7
# A frame byte and a RecordMetadata have this total size in bytes.
_HEAD = 21


@dataclass(frozen=True, slots=True)
class Known:
    """The index of a record that a segment must contain (ZBJ-062)."""

    index: int
    #: The offset of this record, or None if it is unknown.
    position: int | None = None
    #: True if this is the last record of the segment.
    is_last: bool = False

    @property
    def is_flushed(self) -> bool:
        """Return whether only the flushed index shows that this record exists."""
        return not self.is_last and self.position is None


@dataclass(slots=True)
class Tried:
    """The total size in bytes of the data messages that failed their checks (ZBJ-064)."""

    size: int = 0


def after_the_record(scan: SegmentScan, at: int, known: Known, tried: Tried) -> Parsed | None:
    """Skip faulty records by their two lengths, and return the next record (ZBJ-064).

    The scan has parsed the record at ``at``. ``tried`` is that of the segment.
    """
    for index in range(scan.cursor.index, known.index + 1):
        tried.size += scan.wrong_bytes
        if tried.size > SKIP_FACTOR * scan.size:
            return None
        ends = _ends(scan.log, at)
        if len(ends) > 1:
            ends = {end for end in ends if scan.may_end_before(end)}
        if len(ends) != 1:
            return None
        at = ends.pop()
        record = scan.parse(at)
        if (
            isinstance(record, Parsed)
            and record.index in (index, index + 1)
            and _frame(scan.log, at)
        ):
            return record
    return None


def after_the_descriptor(scan: SegmentScan, index: int | None, known: Known) -> Parsed | None:
    """Return the first record of a segment with a faulty descriptor (ZBJ-040)."""
    for at in LENGTHS:
        record = scan.parse(at) if _frame(scan.log, at) else None
        if not isinstance(record, Parsed) or record.index > known.index:
            continue
        if index in (None, record.index):
            return record
    return None


def _ends(log: BinaryIO, at: int) -> set[int]:
    """Return the offsets at which the record's two length fields say that it ends.

    If the file ends before the length fields do, no record follows at these offsets.
    """
    log.seek(at)
    head = log.read(RECORD_OVERHEAD)
    length = int.from_bytes(head[_HEAD - 4 : _HEAD], "little")
    if length < SMALLEST_DATA:
        # Every record is longer, so the field may have been zeroed.
        return set()
    payload_length = int.from_bytes(head[-4:], "little")
    return {at + _HEAD + length, at + RECORD_OVERHEAD + payload_length}


def search(scan: SegmentScan, start: int, known: Known) -> Parsed | None:
    """Return the first record of the proven chain at or after ``start``, or None (ZBJ-065)."""
    record = scan.parse(start)
    if isinstance(record, Parsed) and scan.is_in_order(record):
        chain = _chain(scan, record, known.index)
        if chain.has(known, scan.cursor.index):
            return record
    if scan.size < scan.descriptor.max_segment_size:
        return None  # A truncation may have removed the true chain.
    found: _Chain | None = None
    below, above = -math.inf, math.inf
    budget = scan.size
    for at in (starts := _Starts(scan.log, start)):
        record = scan.parse(at)
        budget -= scan.wrong_bytes
        if budget < 0:
            return None
        if not isinstance(record, Parsed):
            continue
        chain = _chain(scan, record, known.index)
        starts.at = chain.last.end
        if chain.last.index < known.index:
            below = max(below, chain.last.index)
        elif chain.first.index > known.index:
            above = min(above, chain.first.index)
        elif found is not None:
            return None
        else:
            found = chain
    if found is None or not below < found.first.index <= found.last.index < above:
        return None
    is_proven = found.has(known, scan.cursor.index) and found.is_proven(known)
    return found.first if is_proven else None


@dataclass(frozen=True, slots=True)
class _Chain:
    """A maximal run of adjacent whole records with consecutive indexes (ZBJ-065)."""

    first: Parsed
    last: Parsed
    #: The offset of the known record. None if the chain does not contain it.
    known_at: int | None

    def has(self, known: Known, expected: int) -> bool:
        """Return whether the known record, and none before the expected one, is in the chain."""
        return expected <= self.first.index <= known.index <= self.last.index

    def is_proven(self, known: Known) -> bool:
        """Return whether this chain is proven, provided that there is no other chain."""
        if known.position is not None:
            return known.position == self.known_at
        is_long = self.first is not self.last
        return is_long and (not known.is_last or self.last.index == known.index)


def _chain(scan: SegmentScan, first: Parsed, known: int) -> _Chain:
    last: Parsed = first
    following: Parsed | None = first
    known_at = None
    while following is not None:
        last = following
        if last.index == known:
            known_at = last.at
        following = _after(scan, last)
    return _Chain(first, last, known_at)


def _after(scan: SegmentScan, record: Parsed) -> Parsed | None:
    """Return the record directly after this one if it is whole and has the next index."""
    found = scan.parse(record.end) if _frame(scan.log, record.end) else None
    if isinstance(found, Parsed) and found.index == record.index + 1:
        return found
    return None


class _Starts:
    """Finds offsets, from ``at`` on, where a record may begin. Callers may increase ``at``."""

    def __init__(self, log: BinaryIO, at: int) -> None:
        self.log, self.at = log, at

    def __iter__(self) -> Iterator[int]:
        for begin, end in extents(self.log.fileno(), self.at):
            for chunk_at in range(begin, end, CHUNK):
                yield from self._in_chunk(chunk_at, min(chunk_at + CHUNK, end))

    def _in_chunk(self, begin: int, end: int) -> Iterator[int]:
        """Yield the offsets in ``[begin, end)``. Headers may extend beyond ``end``."""
        if self.at >= end:
            return
        self.log.seek(begin)
        chunk = self.log.read(end - begin + _START_SIZE - 1)
        self.at = max(self.at, begin)
        while (match := _START.search(chunk, self.at - begin)) is not None:
            self.at = begin + match.start()
            if self.at >= end:
                return
            self.at += 1
            yield self.at - 1


def _frame(log: BinaryIO, at: int) -> bool:
    log.seek(at)
    return log.read(1) == RECORD_FRAME
