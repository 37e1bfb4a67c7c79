"""The reader of log directories, which hold index files and the snapshot before them.

Upstream authority: zmq-raft ``lib/server/filelog.js``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from reference_impl.answer import Lost, Record
from reference_impl.zmq_raft import index_file, snapshot
from reference_impl.zmq_raft.index_file import Layout
from reference_impl.zmq_raft.layout import Parts, Place, Refusal

FOLDERS = (re.compile(r"[0-9a-f]{5}"), re.compile(r"[0-9a-f]{2}"), re.compile(r"[0-9a-f]{2}"))


@dataclass(frozen=True)
class Folders:
    """The parts of a log directory. ``snapshot`` is None if there are only index files."""

    root: Path
    log: Path
    snapshot: Path | None

    def name(self, path: Path) -> str:
        """Return a file's name in an answer, which is its path in the log, with ``/``."""
        return path.relative_to(self.root).as_posix()


def folders(root: Path, context: Mapping[str, Any]) -> Folders:
    """Return the parts of a log directory, with default or given names (ZMR-090)."""
    log = root / str(context.get("log", "log"))
    snap = root / str(context.get("snapshot_file", "snap"))
    if log.is_dir() or snap.is_file():
        return Folders(root, log, snap)
    return Folders(root, root, None)


def index_files(log: Path) -> list[Path]:
    """Return the index files sorted by name (ZMR-091).

    The list includes misplaced index files, in a parent of their correct directory.
    """
    files: list[Path] = []
    folders = [log] if log.is_dir() else []
    for pattern in (*FOLDERS, None):
        children = [child for folder in folders for child in folder.iterdir()]
        files += [
            child for child in children if index_file.NAME.fullmatch(child.name) and child.is_file()
        ]
        folders = [
            child
            for child in children
            if pattern is not None and pattern.fullmatch(child.name) and child.is_dir()
        ]
    return sorted(files, key=lambda file: (file.name, file.relative_to(log).as_posix()))


def files_of(root: Path, context: Mapping[str, Any]) -> list[tuple[str, int]]:
    """Return the name and size of each file in log order, with the snapshot first."""
    parts = folders(root, context)
    paths = index_files(parts.log)
    if parts.snapshot is not None and parts.snapshot.is_file():
        paths.insert(0, parts.snapshot)
    return [(parts.name(path), path.stat().st_size) for path in paths]


def read(root: Path, context: Mapping[str, Any]) -> Parts:
    """Read the snapshot, then the entries after it in index order."""
    reader = Reader(folders(root, context), str(context.get("entries")) == "raw")
    yield from reader.snapshot()
    yield from index_file.in_term_order(reader.entries(), reader.term)
    return reader.end


class Reader:
    """A pass over a log directory."""

    def __init__(self, parts: Folders, raw: bool) -> None:
        self.parts = parts
        self.raw = raw
        self.files = index_files(parts.log)
        # The snapshot covers all entries up to this index.
        self.covered = -1
        # The next entry has this index. None if the index is unknown.
        self.next: int | None = None
        # This is the highest value that ``next`` has had.
        self.highest = 0
        # Term of the snapshot.
        self.term: int | None = None
        #: The position for the next write, set at the end of the pass.
        self.end = Place(None)
        #: True if a writer may start a new file after the last one.
        self.may_follow = True

    def snapshot(self) -> Iterator[Record | Lost]:
        """Yield the snapshot, unless it is the default snapshot that FileLog creates."""
        path = self.parts.snapshot
        if path is None:
            return
        self.covered, self.next = 0, 1
        if not path.is_file():
            return  # Continue as if no entries had been compacted (ZMR-092).
        size = path.stat().st_size
        with path.open("rb") as file:
            try:
                *wrong, event = snapshot.read(file, size)
            except Refusal as refusal:
                wrong, event = [], Lost(0, size, refusal.reason)
        for each in wrong:  # ZMR-042
            yield replace(each, file=self.parts.name(path))
        event = replace(event, file=self.parts.name(path))
        if isinstance(event, Lost):
            self.covered, self.next, self.may_follow = -1, None, False
            yield _elsewhere(event) if self.files else event
            return
        index = int(event.fields["index"])
        self.covered, self.next = index, index + 1
        self.term = int(event.fields["term"])
        if index or event.payload:
            yield event  # ZMR-092

    def entries(self) -> Iterator[Record | Lost]:
        """Read the entries of all index files, and report gaps and overlaps between files."""
        contents = [self._contents(path) for path in self.files]
        count = len(self.files)
        while count > 1 and contents[count - 1] is not None and not contents[count - 1]:
            count -= 1
        files = self.files[:count]
        spare = self.files[count:]  # ZMR-095
        # Writers delete files at the end of the log that have no entries (ZMR-095), and an
        # unfinished first file (ZMR-044).
        self.removable = list(spare)
        limits: list[int | None] = [None] * count
        for number in reversed(range(count - 1)):
            after = number + 1  # ZMR-096
            limits[number] = first_index(files[after]) if contents[after] else limits[after]
        for number, path in enumerate(files):
            yield from self._one_file(path, limits[number], number == 0, number + 1 == count)
        for path in spare:
            yield from self._one_spare(path)

    def _contents(self, path: Path) -> bool | None:
        """Return whether an index file has entries, or None if the whole file is lost."""
        with path.open("rb") as file:
            layout = self.layout(path, file)
        if isinstance(layout, Lost):
            return False if layout.torn else None
        return len(layout.offsets) > 0

    def layout(self, path: Path, file: BinaryIO) -> Layout | Lost:
        """Return an index file's layout, or its range if it is lost or unfinished (ZMR-091)."""
        size = path.stat().st_size
        first = first_index(path)
        if path.relative_to(self.parts.log).as_posix() != index_file.path_of(first):
            return Lost(0, size, "misplaced-file")
        try:
            return index_file.read_layout(file, size, first)
        except Refusal as refusal:
            return Lost(0, size, refusal.reason)

    def _one_file(
        self, path: Path, limit: int | None, is_first: bool, is_last: bool
    ) -> Iterator[Record | Lost]:
        """Read an index file. ``limit`` is the first index of the next file that has entries."""
        name = self.parts.name(path)
        with path.open("rb") as file:
            layout = self.layout(path, file)
            if isinstance(layout, Lost):
                events: Iterator[Record | Lost] = iter([layout])
                self._pass_by(path, layout.torn and is_last)
            else:
                events = self._events(file, layout, limit, is_first)
            for event in events:
                event = replace(event, file=name)
                yield event if is_last else _elsewhere(event)
        if isinstance(layout, Layout):
            self._pass(layout, limit, is_last, name)

    def _events(
        self, file: BinaryIO, layout: Layout, limit: int | None, is_first: bool
    ) -> Iterator[Record | Lost]:
        if self.next is not None and layout.first > self.next:
            yield Lost(0, 0, "snapshot-gap" if is_first else "missing-entries")  # ZMR-093, ZMR-094
        if layout.wrong is not None:
            yield layout.wrong
        for event in index_file.entries(file, layout, raw=self.raw, after=self.covered):
            if (
                isinstance(event, Record)
                and limit is not None
                and int(event.fields["index"]) >= limit
            ):
                event = Lost(event.at, event.at + event.size, "overlapping-files")  # ZMR-096
            yield event

    def _pass(self, layout: Layout, limit: int | None, is_last: bool, name: str) -> None:
        """Set the next index and position after reading a file (ZMR-094, ZMR-101)."""
        following = layout.first + len(layout.offsets)
        for span in index_file.spans(layout):
            if span.torn is not None and is_last:
                following = layout.first + span.torn  # A writer replaces the torn entry.
        if limit is not None:
            following = min(following, limit)
        self.next = self.highest = max(following, self.covered + 1, self.highest)
        self.end = Place(index_file.resume_at(layout) if self.next == following else None, name)
        self.may_follow = True

    def _pass_by(self, path: Path, is_unfinished: bool) -> None:
        """Set the next index and position after a lost or unfinished file."""
        self.may_follow = False
        if not is_unfinished:
            self.next, self.end = None, Place(None)  # ``highest`` stays (ZMR-094)
            return
        self.removable.append(path)
        first = first_index(path)
        self.next = first if self.next is None else self.next
        self.end = Place(0 if self.next == first else None, self.parts.name(path))  # ZMR-044

    def _one_spare(self, path: Path) -> Iterator[Lost]:
        """Process a file without entries at the end, which is torn if unfinished (ZMR-095)."""
        name = self.parts.name(path)
        with path.open("rb") as file:
            layout = self.layout(path, file)
        if self.end.at is None and self.next == first_index(path):
            at = 0 if isinstance(layout, Lost) else index_file.resume_at(layout)
            self.end = Place(at, name)
        if isinstance(layout, Lost):
            yield replace(layout, file=name)


def first_index(path: Path) -> int:
    """Return the first index from an index file's name (ZMR-015)."""
    return int(path.name[:14], 16)


def _elsewhere(event: Record | Lost) -> Record | Lost:
    """Turn a torn range into damage, because the log continues after it (ZMR-097)."""
    if isinstance(event, Lost) and event.torn:
        return replace(event, reason="missing-data", torn=False)
    return event
