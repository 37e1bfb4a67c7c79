"""Find KahaDB journals in directories: the data files of a directory are one log."""

from __future__ import annotations

from collections.abc import Iterator

from reference_impl.kahadb_journal.layout import file_id
from walproof.lake.format_discovery import Discovery, Folder, FoundFiles, is_file


class KahaDBDiscovery(Discovery):
    """See :class:`Discovery`."""

    def logs_in(self, folder: Folder) -> Iterator[FoundFiles]:
        """See :class:`Discovery`. Data files are also a log if all of them are empty."""
        files = [e for e in folder.entries if file_id(e.name) is not None and is_file(e)]
        written = [entry for entry in files if entry.size]
        if files and (not written or folder.looks_like(written)):
            yield {}, files

    def order(self, name: str) -> int:
        """See :class:`Discovery`."""
        return file_id(name) or 0


DISCOVERY = KahaDBDiscovery()
