"""Snapshots (ZMR-060 to ZMR-064)."""

from __future__ import annotations

from conformance.adapterkit import record
from conformance.kaitai.compile import compiled

from .file import File

Snapshot = compiled("zmq_raft_snapshot").ZmqRaftSnapshot


def snapshot_file(data: bytes) -> File:
    """Read a snapshot, which has at most one record."""
    file = File(len(data))
    if not b"SNAP".startswith(data[:4]):
        file.refused = "bad-token"
        return file
    parsed = Snapshot.from_bytes(data)
    if not parsed.has_header:
        return file.lose(0, len(data), "torn-header")
    if parsed.header.version != 1:
        file.refused = "unsupported-version"
        return file
    is_marked = hasattr(parsed, "chunks") and parsed.chunks[-1].is_marker
    if parsed.header.len_body != 28:  # ZMR-042
        whole = is_marked and len(parsed.data) == parsed.header.len_data
        if not whole or not data.startswith(b"META", 36):
            return file.lose(0, len(data), "bad-header")
    if max(parsed.header.index, parsed.header.term) >= 2**53:
        return file.lose(0, len(data), "bad-header")
    if parsed.header.len_body != 28:
        file.lose(4, 8, "bad-header")
    if not is_marked:
        return file.lose(0, len(data), "torn-header")
    at = len(data) - len(parsed.data)
    if len(parsed.data) == parsed.header.len_data:
        file.first, file.capacity = parsed.header.index, parsed.header.term
        known = {"index": file.first, "term": file.capacity}
        file.records.append({**record(parsed.data, 0, len(data)), **known})
        return file
    torn = len(parsed.data) < parsed.header.len_data or parsed.header.len_data == 0
    return file.lose(at, len(data), "torn-snapshot" if torn else "size-mismatch")
