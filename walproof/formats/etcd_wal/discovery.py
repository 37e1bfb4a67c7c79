"""Find etcd's write-ahead logs in directories. All segments in a directory form one log."""

from __future__ import annotations

from collections.abc import Iterator

from reference_impl.etcd_wal.layout import sequence
from walproof.lake.format_discovery import Discovery, Folder, FoundFiles, is_file


class EtcdDiscovery(Discovery):
    """See :class:`Discovery`."""

    def logs_in(self, folder: Folder) -> Iterator[FoundFiles]:
        """See :class:`Discovery`."""
        files = [e for e in folder.entries if sequence(e.name) is not None and is_file(e)]
        if files and folder.looks_like(files):
            yield {}, files

    def order(self, name: str) -> int:
        """See :class:`Discovery`."""
        return sequence(name) or 0


DISCOVERY = EtcdDiscovery()
