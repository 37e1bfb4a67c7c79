"""Read and write snapshot files. Upstream: zmq-raft ``lib/common/snapshotfile.js``."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, BinaryIO

from reference_impl.answer import Lost, Record
from reference_impl.zmq_raft.layout import (
    VERSION,
    Parts,
    Place,
    Refusal,
    chunk,
    context_meta,
    find_marker,
    is_meta,
    read_at,
)

# The fields are SNAP, a length, a version, an index, a term and the data size (ZMR-060).
HEADER = struct.Struct("<4sIIQQQ")
BODY = HEADER.size - 8
# JavaScript's largest exact integer limits every index and term.
MAX_NUMBER = 2**53 - 1


def read(file: BinaryIO, size: int) -> Parts:
    """Read the only record of a snapshot.

    The end is always null (ZMR-064). Raises :class:`Refusal`.
    """
    head = read_at(file, 0, HEADER.size)
    if head[:4] != b"SNAP"[: len(head)]:
        raise Refusal("bad-token")  # ZMR-041
    if len(head) < HEADER.size:
        yield Lost(0, size, "torn-header", torn=True)  # ZMR-044
        return Place(None)
    _, length, version, index, term, data_size = HEADER.unpack(head)
    if version != VERSION:
        raise Refusal("unsupported-version")  # ZMR-041
    data = find_marker(file, b"DATA", HEADER.size)
    is_proven = data is not None and size - data == data_size and is_meta(file, HEADER.size)
    if max(index, term) > MAX_NUMBER or (length != BODY and not is_proven):
        yield Lost(0, size, "bad-header")  # ZMR-042
        return Place(None)
    if length != BODY:
        yield Lost(4, 8, "bad-header")
    if data is None:
        yield Lost(0, size, "torn-header", torn=True)  # ZMR-044
    elif data_size == 0 < size - data:
        yield Lost(data, size, "torn-snapshot", torn=True)  # ZMR-062
    elif size - data > data_size:
        yield Lost(data, size, "size-mismatch")  # ZMR-063
    elif len(payload := read_at(file, data, data_size)) < data_size:
        yield Lost(data, data + len(payload), "torn-snapshot", torn=True)  # ZMR-062
    else:
        fields = {"index": str(index), "term": str(term)}
        yield Record(0, data + data_size, payload, fields)  # ZMR-061
    return Place(None)


def snapshot_bytes(index: int, term: int, data: bytes, context: Mapping[str, Any]) -> bytes:
    """Encode a snapshot file (ZMR-060). Raises ``ValueError`` for numbers out of range."""
    for name, value in (("index", index), ("term", term)):
        if not 0 <= value <= MAX_NUMBER:
            raise ValueError(f"{name}: expected 0 to 2^53 - 1, found {value}")
    header = HEADER.pack(b"SNAP", BODY, VERSION, index, term, len(data))
    return header + context_meta(context) + chunk(b"DATA", b"") + data
