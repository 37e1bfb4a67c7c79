"""The two small files beside a Zeebe journal: ``<name>.meta`` and ``<name>.conf``.

Upstream authority: camunda/zeebe ``raft/storage/system/MetaStore.java`` and
``raft/storage/serializer/MetaStoreSerializer.java``. Neither has a checksum.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

META, RAFT_SCHEMA = 6, 8
_HEADER = struct.Struct("<BHHHH")
_NULL = 0xFFFFFFFFFFFFFFFF
_LARGEST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Meta:
    """What a raft node must remember; ``None`` is SBE's null value."""

    term: int
    last_flushed_index: int | None
    commit_index: int | None
    voted_for: bytes


def read_meta(data: bytes) -> Meta | None:
    """The contents of a ``.meta`` file (ZBJ-059); ``None`` if they cannot be read."""
    if len(data) < _HEADER.size:
        return None
    version, length, template, schema, _ = _HEADER.unpack_from(data)
    if (version, template, schema) != (1, META, RAFT_SCHEMA) or length < 16:
        return None
    at = _HEADER.size + length
    if len(data) < at + 4:
        return None
    numbers = struct.unpack_from(f"<{min(length // 8, 3)}Q", data, _HEADER.size)
    term, flushed, commit = (*numbers, _NULL)[:3]
    voted = int.from_bytes(data[at : at + 4], "little")
    if voted > len(data) - at - 4:
        return None
    voted_for = data[at + 4 : at + 4 + voted]
    return Meta(
        term,
        None if flushed > _LARGEST else flushed,  # negative, as Zeebe reads it
        None if commit == _NULL else commit,
        voted_for,
    )


def write_meta(meta: Meta, version: int = 4) -> bytes:
    """The 256 bytes of a ``.meta`` file, in a raft schema version from 1 to 4."""
    numbers = [meta.term, _NULL if meta.last_flushed_index is None else meta.last_flushed_index]
    if version >= 4:
        numbers.append(_NULL if meta.commit_index is None else meta.commit_index)
    header = _HEADER.pack(1, 8 * len(numbers), META, RAFT_SCHEMA, version)
    voted = struct.pack("<I", len(meta.voted_for)) + meta.voted_for
    return (header + struct.pack(f"<{len(numbers)}Q", *numbers) + voted).ljust(256, b"\0")
