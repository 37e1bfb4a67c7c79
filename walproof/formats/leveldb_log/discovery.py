"""Find LevelDB logs in directories, and determine their dialects. Each file is one log."""

from __future__ import annotations

import itertools
from pathlib import Path

from reference_impl.leveldb_log.dialects import header_size
from reference_impl.leveldb_log.layout import (
    BLOCK_SIZE,
    FULL,
    HEADER,
    HEADER_SIZE,
    LAST,
    masked_crc,
)
from walproof.lake.format_discovery import Discovery

#: These are the types of physical records, including those that only RocksDB and Pebble write.
_TYPES = frozenset((*range(FULL, 13), 130, 131))
PLAIN = "plain"


class LevelDBDiscovery(Discovery):
    """See :class:`Discovery`. A log can be read from the start of any block."""

    restart_bytes = BLOCK_SIZE


def dialect_of(log: Path, most_blocks: int | None = None) -> str | None:
    """Return a log's dialect, or None for plain LevelDB. Raises ``OSError``."""
    with log.open("rb") as file:
        for _ in itertools.count() if most_blocks is None else range(most_blocks):
            if not (block := file.read(BLOCK_SIZE)):
                break
            if (result := first_dialect(block)) is not None:
                return None if result == PLAIN else result
    return None


def first_dialect(block: bytes) -> str | None:
    """Return the dialect of the first valid record in a block, or None."""
    names = {7: "RocksDB", 11: "recyclable RocksDB or Pebble", 19: "WAL-sync Pebble"}
    for stride in names:
        at = 0
        while len(block) - at >= HEADER_SIZE:
            checksum, length, kind = HEADER.unpack_from(block, at)
            is_plain = FULL <= kind <= LAST
            sizes = {header_size(kind, is_sync) for is_sync in (False, True)}
            for size in sizes if kind in _TYPES else ():
                end = at + size + length
                if end <= len(block) and masked_crc(block[at + 6 : end]) == checksum:
                    return PLAIN if is_plain else names[size]
            at += stride + length
    return None


DISCOVERY = LevelDBDiscovery()
