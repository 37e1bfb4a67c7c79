"""Find SQLite's logs in directories. Each file is a log, found by its content and its name."""

from __future__ import annotations

from pathlib import Path

from reference_impl.sqlite_wal.opening import NoHeader, Refused, open_log
from walproof.lake.format_discovery import Discovery

#: Bytes at the start of a file in which two linked frames are looked for.
LOOKED_AT_BYTES = 1 << 20


class SqliteDiscovery(Discovery):
    """See :class:`Discovery`."""

    def recognises(self, path: Path) -> bool:
        """See :class:`Discovery`: by its name and two linked frames, if its start is lost."""
        if not path.name.endswith("-wal") or not path.is_file():
            return False
        size = min(path.stat().st_size, LOOKED_AT_BYTES)
        with path.open("rb") as file:
            try:
                open_log(file, size)
            except (NoHeader, Refused):
                return False
        return True


DISCOVERY = SqliteDiscovery()
