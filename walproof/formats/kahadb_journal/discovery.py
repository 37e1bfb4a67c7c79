"""Find KahaDB journals in directories. All data files in a directory form one log."""

from __future__ import annotations

from collections.abc import Iterator

from reference_impl.kahadb_journal.layout import file_id
from walproof.lake.format_discovery import Discovery, Folder, FoundFiles, is_file


class KahaDBDiscovery(Discovery):
    """See :class:`Discovery`."""

    def logs_in(self, folder: Folder) -> Iterator[FoundFiles]:
        """See :class:`Discovery`. Data files form a log even if all of them are empty."""
        files = [e for e in folder.entries if file_id(e.name) is not None and is_file(e)]
        written = [entry for entry in files if entry.size]
        if files and (not written or folder.looks_like(written)):
            yield {}, files

    def order(self, name: str) -> int:
        """See :class:`Discovery`."""
        return file_id(name) or 0


DISCOVERY = KahaDBDiscovery()
