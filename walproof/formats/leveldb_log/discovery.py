"""Find LevelDB logs in directories. Each file is a log, unless it is of RocksDB or Pebble."""

from __future__ import annotations

import itertools
from pathlib import Path

from reference_impl.leveldb_log.layout import BLOCK_SIZE, HEADER, HEADER_SIZE
from reference_impl.rocksdb_wal.layout import (
    HEADER_SIZES,
    LEGACY,
    RECYCLABLE,
    WAL_SYNC,
    any_physical,
)
from walproof.lake.format_discovery import Discovery

PLAIN = "plain"
#: Names of the other dialects by their headers.
_DIALECTS = {
    LEGACY: "RocksDB",
    RECYCLABLE: "recyclable RocksDB or Pebble",
    WAL_SYNC: "WAL-sync Pebble",
}


class LevelDBDiscovery(Discovery):
    """See :class:`Discovery`. A log can be read from the start of any block."""

    restart_bytes = BLOCK_SIZE


def dialect_of(log: Path, most_blocks: int | None = None) -> str | None:
    """Return the dialect of the first valid record of a log, or None for plain LevelDB.

    Raises ``OSError``.
    """
    with log.open("rb") as file:
        for _ in itertools.count() if most_blocks is None else range(most_blocks):
            if not (block := file.read(BLOCK_SIZE)):
                break
            if (result := first_dialect(block)) is not None:
                return None if result == PLAIN else result
    return None


def first_dialect(block: bytes) -> str | None:
    """Return the dialect of the first valid record of a block, or None if there is none."""
    for stride in HEADER_SIZES.values():
        at = 0
        while len(block) - at >= HEADER_SIZE:
            record = any_physical(block, at)
            if record is not None and (record.is_fragment or record.is_metadata):
                headers = record.dialect or LEGACY
                is_plain = record.is_fragment and headers == LEGACY
                return PLAIN if is_plain else _DIALECTS[headers]
            _, length, _ = HEADER.unpack_from(block, at)
            at += stride + length
    return None


DISCOVERY = LevelDBDiscovery()
