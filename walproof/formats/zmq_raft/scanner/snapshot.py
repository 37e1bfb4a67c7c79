"""Read zmq-raft snapshots: one record each. The data is read only on demand."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from reference_impl.answer import Lost
from walproof.formats.zmq_raft.columns import complete
from walproof.formats.zmq_raft.scanner.index_file import Refused, find_marker
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


def snapshot_head(source: Source, name: str | None) -> Snapshot | Lost:
    """Check the head of a snapshot by ZMR-040. Raises :class:`Refused`."""
    size = source.size
    head = source.read(0, SNAPSHOT.size)
    if not b"SNAP".startswith(head[:4]):
        raise Refused("bad-token")  # ZMR-041
    if len(head) < SNAPSHOT.size:
        return Lost(0, size, "torn-header", torn=True, file=name)  # ZMR-044
    _, length, version, index, term, claimed = SNAPSHOT.unpack(head)
    if version != 1:
        raise Refused("unsupported-version")  # ZMR-041
    if length != SNAPSHOT.size - 8 or max(index, term) >= 2**53:
        return Lost(0, size, "bad-header", file=name)  # ZMR-042
    start = find_marker(source, b"DATA", SNAPSHOT.size)
    if start is None:
        return Lost(0, size, "torn-header", torn=True, file=name)  # ZMR-044
    there = size - start
    if there < claimed or (claimed == 0 and there):
        return Lost(start, size, "torn-snapshot", torn=True, file=name)  # ZMR-062
    if there > claimed:
        return Lost(start, size, "size-mismatch", file=name)  # ZMR-063
    return Snapshot(index, term, start, claimed)


def snapshot_in_directory(source: Source, name: str) -> Snapshot | Lost:
    """Check a snapshot in a log directory, in which no file is refused (ZMR-091)."""
    try:
        return snapshot_head(source, name)
    except Refused as refused:
        return Lost(0, source.size, refused.reason, file=name)
