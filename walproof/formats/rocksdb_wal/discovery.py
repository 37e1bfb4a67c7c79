"""RocksDB's and Pebble's logs in a data lake: each is a file, found by its content."""

from __future__ import annotations

from pathlib import Path

from walproof.formats.leveldb_log.discovery import dialect_of
from walproof.lake.format_discovery import Discovery

MAX_BLOCKS = 4
"""Blocks at the start of a file by which it is recognised."""


class RocksDBDiscovery(Discovery):
    """See :class:`Discovery`."""

    def recognises(self, path: Path) -> bool:
        """See :class:`Discovery`: by a sound record after one with a damaged type or length."""
        return path.is_file() and dialect_of(path, MAX_BLOCKS) is not None


DISCOVERY = RocksDBDiscovery()
