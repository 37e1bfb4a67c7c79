"""Find logs of RocksDB and Pebble in directories by their content."""

from __future__ import annotations

from pathlib import Path

from walproof.formats.leveldb_log.discovery import dialect_of
from walproof.lake.format_discovery import Discovery

#: Maximum number of blocks of a file to search for a valid record.
MAX_BLOCKS = 4


class RocksDBDiscovery(Discovery):
    """See :class:`Discovery`."""

    def recognises(self, path: Path) -> bool:
        """See :class:`Discovery`. Damaged records before the first valid one are skipped."""
        return path.is_file() and dialect_of(path, MAX_BLOCKS) is not None


DISCOVERY = RocksDBDiscovery()
