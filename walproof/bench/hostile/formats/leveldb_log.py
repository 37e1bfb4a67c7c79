"""Hostile logs of LevelDB."""

from __future__ import annotations

from reference_impl.leveldb_log.layout import BLOCK_SIZE, FULL, HEADER, HEADER_SIZE, masked_crc

NAME = "000003.log"
UNKNOWN = 5


def _of(kind: int, size: int) -> bytes:
    """Blocks of headers without data, all of one type."""
    header = HEADER.pack(masked_crc(bytes([kind])), 0, kind)
    block = (header * (BLOCK_SIZE // HEADER_SIZE)).ljust(BLOCK_SIZE, b"\0")
    return block * max(1, size // BLOCK_SIZE)


def unknown_types(size: int) -> bytes:
    """A lost range for each seven bytes."""
    return _of(UNKNOWN, size)


def empty_records(size: int) -> bytes:
    """A record for each seven bytes."""
    return _of(FULL, size)


LOGS = (unknown_types, empty_records)
