"""The ``<name>.meta`` file, in which a Zeebe journal stores its flushed index.

Upstream authority: camunda/zeebe ``raft/storage/system/MetaStore.java`` and
``raft/storage/serializer/MetaStoreSerializer.java``.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from reference_impl.zeebe_journal.layout import SBE_HEADER

META, RAFT_SCHEMA = 6, 8
_KIND = b"\1" + struct.pack("<HH", META, RAFT_SCHEMA)
_NULL = 0xFFFFFFFFFFFFFFFF


@dataclass(frozen=True, slots=True)
class Meta:
    """The persistent state of a raft node. ``None`` stands for SBE's null value."""

    term: int
    last_flushed_index: int | None
    commit_index: int | None
    voted_for: bytes


def read_flushed_index(data: bytes) -> int | None:
    """Return the flushed index in a ``.meta`` file, or None if it is unreadable (ZBJ-059).

    An index of -1 means null.
    """
    length = int.from_bytes(data[1:3], "little")
    vote = 9 + length
    voted = int.from_bytes(data[vote : vote + 4], "little")
    if data[:1] + data[3:7] != _KIND or length < 16 or vote + 4 + voted > len(data):
        return None
    return int.from_bytes(data[17:25], "little", signed=True)


def write_meta(meta: Meta, version: int = 4) -> bytes:
    """Encode a ``.meta`` file of 256 bytes, in raft schema version 1 to 4."""
    numbers = [meta.term, _NULL if meta.last_flushed_index is None else meta.last_flushed_index]
    if version >= 4:
        numbers.append(_NULL if meta.commit_index is None else meta.commit_index)
    header = b"\1" + SBE_HEADER.pack(8 * len(numbers), META, RAFT_SCHEMA, version)
    voted = struct.pack("<I", len(meta.voted_for)) + meta.voted_for
    return (header + struct.pack(f"<{len(numbers)}Q", *numbers) + voted).ljust(256, b"\0")
