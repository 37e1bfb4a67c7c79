"""Find SQLite logs in directories by content and name. Each file is one log."""

from __future__ import annotations

from pathlib import Path

from reference_impl.sqlite_wal.opening import NoHeader, Refused, open_log
from walproof.lake.format_discovery import Discovery

#: Maximum number of bytes of a file to search for two linked frames.
LOOKED_AT_BYTES = 1 << 20


class SqliteDiscovery(Discovery):
    """See :class:`Discovery`."""

    def recognises(self, path: Path) -> bool:
        """See :class:`Discovery`.

        A log without a header is recognised by a ``-wal`` name and two linked frames.
        """
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
