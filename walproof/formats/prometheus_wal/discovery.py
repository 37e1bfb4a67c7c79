"""Find Prometheus write-ahead logs. All segments and checkpoints in a directory form one log."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator

from reference_impl.prometheus_wal.layout import CHECKPOINT, number_of
from walproof.lake.file_tree import Entry
from walproof.lake.format_discovery import Discovery, Folder, FoundFiles, is_file


class PrometheusDiscovery(Discovery):
    """See :class:`Discovery`."""

    def logs_in(self, folder: Folder) -> Iterator[FoundFiles]:
        """See :class:`Discovery`."""
        files = _segments(folder.entries)
        for entry in folder.entries:
            # Prometheus skips older and unfinished checkpoints, but they belong to the log.
            if entry.is_folder and entry.name.startswith(CHECKPOINT):
                # Ignore unreadable directories here, because the reader of the log reports them.
                with contextlib.suppress(OSError):
                    files += _segments(folder.tree.entries(entry.path))
        if files and folder.looks_like(files):
            yield {}, files

    def order(self, name: str) -> int:
        """See :class:`Discovery`."""
        return number_of(name) or 0


DISCOVERY = PrometheusDiscovery()


def _segments(entries: Iterable[Entry]) -> list[Entry]:
    return [each for each in entries if number_of(each.name) is not None and is_file(each)]
