"""The log directory: index files, and the snapshot on which they build.

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
    """Where the parts of a log directory are. Without a snapshot it is a bare log folder."""

    root: Path
    log: Path
    snapshot: Path | None

    def name(self, path: Path) -> str:
        """The name of a file in an answer: relative to the log, with ``/``."""
        return path.relative_to(self.root).as_posix()


def folders(root: Path, context: Mapping[str, Any]) -> Folders:
    """The layout of a log directory (ZMR-090).

    The index files lie under ``log``, the snapshot is ``snap``; the context may name others.
    Where there is no folder ``log`` and no ``snap``, the index files lie in the directory itself.
    """
    log = root / str(context.get("log", "log"))
    snap = root / str(context.get("snapshot_file", "snap"))
    if log.is_dir() or snap.is_file():
        return Folders(root, log, snap)
    return Folders(root, root, None)


def index_files(log: Path) -> list[Path]:
    """The index files in the order of their names; everything else is ignored (ZMR-091)."""
    found = [log] if log.is_dir() else []
    for pattern in FOLDERS:
        found = [
            child
            for folder in found
            for child in sorted(folder.iterdir())
            if pattern.fullmatch(child.name) and child.is_dir()
        ]
    return sorted(
        (
            file
            for folder in found
            for file in folder.iterdir()
            if index_file.NAME.fullmatch(file.name) and file.is_file()
        ),
        key=lambda file: file.name,
    )


def files_of(root: Path, context: Mapping[str, Any]) -> list[tuple[str, int]]:
    """The files of a log directory and their sizes, in log order: the snapshot comes first."""
    parts = folders(root, context)
    paths = index_files(parts.log)
    if parts.snapshot is not None and parts.snapshot.is_file():
        paths.insert(0, parts.snapshot)
    return [(parts.name(path), path.stat().st_size) for path in paths]


def read(root: Path, context: Mapping[str, Any]) -> Parts:
    """The snapshot and the entries after it, in order of index."""
    reader = Reader(folders(root, context), str(context.get("entries")) == "raw")
    yield from reader.snapshot()
    yield from index_file.in_term_order(reader.entries(), reader.term)
    return reader.end


class Reader:
    """One pass over a log directory. Holds one entry, and the table of one file.

    After both passes ``end`` says where a writer may resume, ``next`` which index comes next, and
    ``is_full`` whether that index goes into a new file.
    """

    def __init__(self, parts: Folders, raw: bool) -> None:
        self.parts = parts
        self.raw = raw
        self.files = index_files(parts.log)
        self.covered = -1
        """Index of the last entry for which the snapshot stands."""
        self.next: int | None = None
        """Index of the next entry, if it is known."""
        self.term: int | None = None
        """Term of the snapshot."""
        self.end = Place(None)
        self.is_full = True

    def snapshot(self) -> Iterator[Record | Lost]:
        """The snapshot, unless it is the one that FileLog creates by itself."""
        path = self.parts.snapshot
        if path is None:
            return
        self.covered, self.next = 0, 1
        if not path.is_file():
            return  # ZMR-092: as if nothing had been compacted
        size = path.stat().st_size
        with path.open("rb") as file:
            try:
                event = next(snapshot.read(file, size))
            except Refusal as refusal:
                event = Lost(0, size, refusal.reason)
        event = replace(event, file=self.parts.name(path))
        if isinstance(event, Lost):
            self.covered, self.next, self.is_full = -1, None, False
            yield _missing(event) if self.files else event  # ZMR-097
            return
        index = int(event.fields["index"])
        self.covered, self.next = index, index + 1
        self.term = int(event.fields["term"])
        if index or event.payload:
            yield event  # ZMR-092

    def entries(self) -> Iterator[Record | Lost]:
        """The entries of all index files, and what is wrong between the files."""
        files = list(self.files)
        spare = self._drop_trailing_empty(files)
        for number, path in enumerate(files):
            is_last = number + 1 == len(files)
            limit = None if is_last else _first_index(files[number + 1])
            name = self.parts.name(path)
            with path.open("rb") as file:
                layout = self._layout(path, file)
                if isinstance(layout, Lost):
                    self.next, self.is_full = None, False
                    self.end = Place(0 if layout.torn else None, name)
                    events: Iterator[Record | Lost] = iter([layout])
                else:
                    events = self._one_file(file, layout, limit, is_first=number == 0)
                for event in events:
                    event = replace(event, file=name)
                    torn_inside = isinstance(event, Lost) and event.torn and not is_last
                    yield _missing(event) if torn_inside else event  # ZMR-097
        if self.end.at is None:
            self.end = Place(None)
            if spare is not None and spare[0] == self.next:
                self.end = spare[1]

    def _drop_trailing_empty(self, files: list[Path]) -> tuple[int, Place] | None:
        """Empty files at the end are framing (ZMR-095). The first index and end of the first."""
        first = None
        while len(files) > 1:
            path = files[-1]
            with path.open("rb") as file:
                layout = self._layout(path, file)
            if isinstance(layout, Lost) or layout.offsets:
                break
            first = (layout.first, Place(layout.data, self.parts.name(path)))
            files.pop()
        return first

    def _layout(self, path: Path, file: BinaryIO) -> Layout | Lost:
        size = path.stat().st_size
        first = _first_index(path)
        if path.relative_to(self.parts.log).as_posix() != index_file.path_of(first):
            return Lost(0, size, "misplaced-file")  # ZMR-091
        try:
            return index_file.read_layout(file, size, first)
        except Refusal as refusal:
            return Lost(0, size, refusal.reason)

    def _one_file(
        self, file: BinaryIO, layout: Layout, limit: int | None, is_first: bool
    ) -> Iterator[Record | Lost]:
        """The entries of one file; ``limit`` is the first index of the next file."""
        if self.next is not None and layout.first > self.next:
            yield Lost(0, 0, "snapshot-gap" if is_first else "missing-entries")  # ZMR-093, ZMR-094
        for event in index_file.entries(file, layout, raw=self.raw, after=self.covered):
            if (
                isinstance(event, Record)
                and limit is not None
                and int(event.fields["index"]) >= limit
            ):
                event = Lost(event.at, event.at + event.size, "overlapping-files")  # ZMR-096
            yield event
        following = layout.first + len(layout.offsets)
        for span in index_file.spans(layout):
            if span.reason == "torn-entry" and limit is None:
                following = layout.first + span.first  # what is torn is written again
        if limit is not None:
            following = min(following, limit)
        self.next = max(following, self.covered + 1)
        place = index_file.resume_at(layout) if self.next == following else None
        self.end = Place(place, self.parts.name(Path(file.name)))
        is_sound = all(span.reason is None for span in index_file.spans(layout))
        self.is_full = is_sound and self.next == layout.first + layout.capacity


def _first_index(path: Path) -> int:
    return int(path.name[:14], 16)


def _missing(event: Record | Lost) -> Lost:
    """An unfinished write is torn only at the end of the log, elsewhere it is damage (ZMR-097)."""
    assert isinstance(event, Lost)
    return replace(event, reason="missing-data", torn=False) if event.torn else event
