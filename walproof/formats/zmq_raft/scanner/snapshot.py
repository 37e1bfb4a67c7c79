"""Read zmq-raft snapshots: one record each. The data is read only on demand."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from walproof.formats.zmq_raft.columns import complete
from walproof.formats.zmq_raft.scanner.index_file import find_marker
from walproof.scan.log import Source
from walproof.scan.model import Records, Wanted

SNAPSHOT = struct.Struct("<4sIIQQQ")  # ZMR-060: SNAP, length, version, index, term, data size


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
            data = source.read(self.start, length)
            if len(data) < length:
                raise OSError(f"at offset {self.start}: {length} bytes of data are missing")
            payload = pa.array([data], pa.binary())
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
