"""Parse plain zmq-raft index files and snapshots.

Requirement ids are those of spec/zmq-raft.md.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from walproof.formats.zmq_raft.columns import complete
from walproof.scan.log import Source
from walproof.scan.model import Records, Wanted

HEADER = struct.Struct("<4sIIIQ")  # ZMR-010: RLOG, length, version, capacity, first index
MAX_DATA = 0x3FFFFFFF  # ZMR-013
SNAPSHOT = struct.Struct("<4sIIQQQ")  # ZMR-060: SNAP, length, version, index, term, data size
CHUNK = struct.Struct("<4sI")  # ZMR-001: token, length
#: The reference reads files with a larger table, or with more chunks before the data.
MAX_CAPACITY, MAX_CHUNKS = 1 << 24, 64


@dataclass(frozen=True)
class Index:
    """An index file with a consistent header, all of whose offsets are reliable (ZMR-046)."""

    capacity: int
    first: int
    #: Offset of the first entry.
    data: int
    #: Ends of the committed entries, relative to ``data``.
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
    if (named is not None and named != first) or source.size < table or capacity > MAX_CAPACITY:
        return None
    data = find_marker(source, b"ITMZ", table)
    if data is None:
        return None
    offsets = np.frombuffer(_exactly(source, HEADER.size, 4 * capacity), "<u4")
    offsets = offsets[: int(np.argmax(np.append(offsets, 0) == 0))]  # ZMR-017
    if len(offsets):
        is_there = int(offsets[-1]) <= min(source.size - data, MAX_DATA)
        if not is_there or not (offsets[1:] > offsets[:-1]).all():
            return None
    return Index(capacity, first, data, offsets)


@dataclass(frozen=True)
class Snapshot:
    """A complete snapshot with its data in ``[start, start + size)``."""

    index: int
    term: int
    start: int
    size: int

    def record(self, source: Source, name: str | None, wanted: Wanted) -> Records:
        """Return the record of the snapshot (ZMR-061)."""
        payload, truncated = None, None
        if wanted.payload:
            length = min(self.size, wanted.cap)
            payload = pa.array([_exactly(source, self.start, length)], pa.binary())
            truncated = np.array([True]) if length < self.size else None
        fields = {
            "index": pa.array([self.index], pa.uint64()),
            "term": pa.array([self.term], pa.uint64()),
        }
        at, size = np.zeros(1, np.int64), np.array([source.size], np.int64)
        return Records(at, size, payload, complete(fields, 1, wanted), name, truncated)


def snapshot_of(source: Source) -> Snapshot | None:
    """Return a complete snapshot; None for any other file (ZMR-040, ZMR-062, ZMR-063)."""
    head = source.read(0, SNAPSHOT.size)
    if len(head) < SNAPSHOT.size:
        return None
    token, length, version, index, term, claimed = SNAPSHOT.unpack(head)
    if (token, length, version) != (b"SNAP", SNAPSHOT.size - 8, 1) or max(index, term) >= 2**53:
        return None
    start = find_marker(source, b"DATA", SNAPSHOT.size)
    if start is None or source.size - start != claimed:
        return None
    return Snapshot(index, term, start, claimed)


def find_marker(source: Source, marker: bytes, at: int) -> int | None:
    """Return the offset after the first chunk with this token, or None (ZMR-003)."""
    for _ in range(MAX_CHUNKS):
        head = source.read(at, CHUNK.size)
        if len(head) < CHUNK.size:
            return None
        token, length = CHUNK.unpack(head)
        at += CHUNK.size
        if token == marker:
            return at
        at += length + -length % 4
    return None


def _exactly(source: Source, at: int, length: int) -> bytes:
    data = source.read(at, length)
    if len(data) < length:
        raise OSError(f"at offset {at}: expected {length} bytes, found {len(data)}")
    return data
