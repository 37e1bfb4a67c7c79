"""The chunks that index files and snapshots consist of: token, length and data."""

from __future__ import annotations

import struct
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from reference_impl.answer import Lost, Record
from reference_impl.zmq_raft import message_pack

# The fields are a token and the length of the data without padding (ZMR-001).
CHUNK = struct.Struct("<4sI")
VERSION = 1
CREATED = "2018-09-26T14:59:36.817Z"
HOSTNAME = "walproof"


@dataclass(frozen=True, slots=True)
class Place:
    """The position for the next write. ``at`` is None if the writer must start a new file."""

    at: int | None
    file: str | None = None


# The reader of a file type yields records and lost ranges in log order, and returns the place (file
# and offset) at which to append.
Parts = Generator[Record | Lost, None, Place]


class Refusal(Exception):
    """Raised if readers must refuse the file because of its format or version (ZMR-041)."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def padded(size: int) -> int:
    """Round a length up to a multiple of four (ZMR-001)."""
    return size + -size % 4


def chunk(token: bytes, data: bytes) -> bytes:
    """Encode a chunk with its padding."""
    return CHUNK.pack(token, len(data)) + data + bytes(-len(data) % 4)


def meta(created: str, hostname: str) -> bytes:
    """Encode the META chunk, which holds the file's creation time and host (ZMR-005)."""
    return chunk(b"META", message_pack.encode({"created": created, "hostname": hostname}))


def find_marker(file: BinaryIO, marker: bytes, at: int) -> int | None:
    """Return the offset at which the data after a marker begins, or None (ZMR-003, ZMR-004)."""
    while True:
        head = read_at(file, at, CHUNK.size)
        if len(head) < CHUNK.size:
            return None
        token, length = CHUNK.unpack(head)
        if token == marker:
            return at + CHUNK.size
        at += CHUNK.size + padded(length)


def is_meta(file: BinaryIO, at: int) -> bool:
    """Return whether a META chunk begins at this offset (ZMR-042)."""
    return read_at(file, at, 4) == b"META"


def read_at(file: BinaryIO, at: int, size: int) -> bytes:
    """Return ``size`` bytes at an offset, or fewer at the end of the file."""
    file.seek(at)
    parts = []
    while size:
        part = file.read(min(size, 1 << 20))
        if not part:
            break
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def context_meta(context: Mapping[str, Any]) -> bytes:
    """Return the META chunk that the context specifies for a new file."""
    return meta(str(context.get("created", CREATED)), str(context.get("hostname", HOSTNAME)))
