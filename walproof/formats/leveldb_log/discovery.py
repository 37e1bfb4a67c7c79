"""LevelDB logs in a data lake: each is a file. Logs of RocksDB or Pebble are told from them."""

from __future__ import annotations

import itertools
from pathlib import Path

from reference_impl.leveldb_log.layout import (
    BLOCK_SIZE,
    FULL,
    HEADER,
    HEADER_SIZE,
    LAST,
    masked_crc,
)
from walproof.lake.format_discovery import Discovery

_FOREIGN_HEADERS = {
    **dict.fromkeys((5, 6, 7, 8, 131), (11,)),
    **dict.fromkeys((9, 10), (19, 7)),
    11: (11, 19),
    12: (19,),
    130: (7,),
}
"""Sizes of the header by type, the likelier first, in the dialects of RocksDB and Pebble."""
PLAIN = "plain"


class LevelDBDiscovery(Discovery):
    """See :class:`Discovery`. A log can be read from each block on."""

    restart_bytes = BLOCK_SIZE


def dialect_of(log: Path, most_blocks: int | None = None) -> str | None:
    """The dialect of a log that is not plain LevelDB's, by its first sound record.

    Unlike LDB-043, which looks at the first record alone: that one may be damaged. Raises
    ``OSError``.
    """
    with log.open("rb") as file:
        for _ in itertools.count() if most_blocks is None else range(most_blocks):
            if not (block := file.read(BLOCK_SIZE)):
                break
            if (found := first_dialect(block)) is not None:
                return None if found == PLAIN else found
    return None


def first_dialect(block: bytes) -> str | None:
    """The dialect of the first record of a block whose checksum holds; None if there is none.

    It passes over damaged records by their lengths, with the header sizes of each dialect in turn.
    """
    names = {7: "RocksDB", 11: "recyclable RocksDB or Pebble", 19: "WAL-sync Pebble"}
    for stride in names:
        at = 0
        while len(block) - at >= HEADER_SIZE:
            checksum, length, kind = HEADER.unpack_from(block, at)
            is_plain = FULL <= kind <= LAST
            for size in (HEADER_SIZE,) if is_plain else _FOREIGN_HEADERS.get(kind, ()):
                end = at + size + length
                if end <= len(block) and masked_crc(block[at + 6 : end]) == checksum:
                    return PLAIN if is_plain else names[size]
            at += stride + length
    return None


DISCOVERY = LevelDBDiscovery()
