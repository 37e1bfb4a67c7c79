"""Find zmq-raft logs in directories. A log is a snapshot and nested directories of index files."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence

from reference_impl.zmq_raft import index_file
from reference_impl.zmq_raft.directory import FOLDERS
from walproof.lake.file_tree import Entry, Tree
from walproof.lake.format_discovery import Discovery, Folder, FoundFiles, is_file
from walproof.lake.option_values import flag


def _raw(text: str) -> str | None:
    return "raw" if flag(text) else None


class ZmqRaftDiscovery(Discovery):
    """See :class:`Discovery`."""

    options = {"rawEntries": ("entries", _raw)}  # noqa: RUF012

    def logs_in(self, folder: Folder) -> Iterator[FoundFiles]:
        """See :class:`Discovery`."""
        by_name = {entry.name: entry for entry in folder.entries}
        log, snapshot = by_name.get("log"), by_name.get("snap")
        inside = [entry for entry in folder.entries if FOLDERS[0].fullmatch(entry.name)]
        files = []
        if log is not None and log.is_folder:
            files = _index_files(folder.tree, [log], *FOLDERS)
        elif inside and not (snapshot and is_file(snapshot)):
            files = _index_files(folder.tree, inside, *FOLDERS[1:])
            files = sorted([*filter(_is_index_file, folder.entries), *files], key=_name)
        if snapshot is not None and is_file(snapshot):
            if files or folder.looks_like([snapshot]):
                yield {}, [snapshot, *files]
        elif files:
            yield {}, files

    def order(self, name: str) -> int:
        """See :class:`Discovery`. The snapshot comes first: it replaces all earlier entries."""
        return int(name[:14], 16) + 1 if index_file.NAME.fullmatch(name) else 0


DISCOVERY = ZmqRaftDiscovery()


def _index_files(tree: Tree, folders: Sequence[Entry], *patterns: re.Pattern[str]) -> list[Entry]:
    files: list[Entry] = []
    for pattern in (*patterns, None):
        entries = list(_inside(tree, folders))
        files += filter(_is_index_file, entries)
        folders = [e for e in entries if pattern is not None and pattern.fullmatch(e.name)]
    return sorted(files, key=_name)


def _is_index_file(entry: Entry) -> bool:
    return index_file.NAME.fullmatch(entry.name) is not None and is_file(entry)


def _name(entry: Entry) -> str:
    return entry.name


def _inside(tree: Tree, folders: Sequence[Entry]) -> Iterator[Entry]:
    for folder in folders:
        if folder.is_folder:
            # Ignore unreadable directories here, because the reader of the log reports them.
            with contextlib.suppress(OSError):
                yield from tree.entries(folder.path)
