"""The bulk scanner of ``zmq-raft``; ``reference_impl.zmq_raft`` is authoritative.

Compiled kernels (``kernel``) read index files, alone or in a log directory; a snapshot is one
record. Both share no code with the reference, except for the meaning of file and directory names.
State files are small (they rotate at 512 KiB) and consist of MessagePack; the reference reads them.

A log directory is split by file after one pass over the tables of all files. Each part holds the
state shared with other files:

* the entries that the snapshot covers (ZMR-092) and those that the next file claims (ZMR-096);
* whether entries are missing in front (ZMR-093, ZMR-094);
* the terms next to the first and the last entry (ZMR-050);
* whether a tail is torn or missing (ZMR-097).

Empty files at the end are no part (ZMR-095). Logs of other types are one part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from reference_impl.answer import End, Lost
from reference_impl.zmq_raft.directory import Folders, folders, index_files
from reference_impl.zmq_raft.index_file import index_in, path_of
from reference_impl.zmq_raft.reader import KINDS_OF_FILES, SNAPSHOT_NAME
from walproof.formats.zmq_raft.scanner.entries import Entries, Frame
from walproof.formats.zmq_raft.scanner.index_file import Index, Refused, index_of
from walproof.formats.zmq_raft.scanner.snapshot import snapshot_head, snapshot_in_directory
from walproof.scan.log import LocalSource, Log, Source
from walproof.scan.model import WHOLE, Event, Part, Records, Wanted
from walproof.scan.reference import ReferenceScanner

#: Offset at which a writer may resume, and its file.
Place = tuple[int | None, str | None]


def plan(log: Log, target_bytes: int) -> Sequence[Part]:
    """Return one part for each file of a log directory, or a single part if the log is small."""
    if not log.is_folder():
        return [WHOLE]
    directory = _Directory(log)
    total = sum(part.end or 0 for part in directory.parts)
    if len(directory.parts) < 2 or total <= target_bytes:
        return [WHOLE]
    return directory.parts


def scan(log: Log, wanted: Wanted, part: Part = WHOLE) -> Iterator[Event]:
    """Yield the events of a part. Raises ``OSError``, also if a file shrinks while it is read."""
    if part.file is not None:
        yield from _part(folders(log.local(), log.context), wanted, part)
        return
    if log.is_folder():
        yield from _whole_directory(log, wanted)
        return
    source = log.open()
    try:
        kind = _kind_of(log, source)
        if kind == "index":
            yield from _index_alone(log, source, wanted)
        elif kind == "snapshot":
            yield from _snapshot_alone(source, wanted)
    finally:
        source.close()
    if kind == "state":
        yield from ReferenceScanner("zmq-raft").scan(log, wanted)


def _kind_of(log: Log, source: Source) -> str:
    """Return the type of a file (ZMR-105)."""
    if log.context.get("kind") in KINDS_OF_FILES:
        return str(log.context["kind"])
    token = source.read(0, 4)
    if token == b"RLOG" or log.path.name.endswith(".rlog"):
        return "index"
    return "snapshot" if token == b"SNAP" or SNAPSHOT_NAME.fullmatch(log.path.name) else "state"


class _Verdict:
    """The state that decides the verdict: the losses so far (ZMR-100)."""

    def __init__(self) -> None:
        self.damage: str | None = None
        self.torn: str | None = None

    def of(self, event: Event) -> Event:
        """Return the event unchanged and record its loss."""
        if isinstance(event, Lost):
            if event.torn:
                self.torn = self.torn or event.reason
            else:
                self.damage = self.damage or event.reason
        return event

    def end(self, place: Place) -> End:
        """Return the last event."""
        verdict = "damaged" if self.damage else "torn" if self.torn else "intact"
        at, file = place
        file = file if at is not None else None
        return End(verdict, self.damage or self.torn, at, file)  # type: ignore[arg-type]


# Single files


def _index_alone(log: Log, source: Source, wanted: Wanted) -> Iterator[Event]:
    first_index = log.context.get("first_index")
    named = index_in(log.path.name) if first_index is None else int(first_index)
    verdict = _Verdict()
    try:
        index = index_of(source, named)
    except Refused as refused:
        yield End("refused", refused.reason, None)
        return
    if isinstance(index, Lost):
        yield verdict.of(index)
        yield verdict.end((0 if index.torn else None, None))
        return
    for event in Entries(source, index, Frame(_is_raw(log)), wanted).events(None):
        yield verdict.of(event)
    yield verdict.end((index.resume_at, None))


def _snapshot_alone(source: Source, wanted: Wanted) -> Iterator[Event]:
    verdict = _Verdict()
    try:
        head = snapshot_head(source, None)
    except Refused as refused:
        yield End("refused", refused.reason, None)
        return
    yield verdict.of(head if isinstance(head, Lost) else head.record(source, None, wanted))
    yield verdict.end((None, None))  # ZMR-064


def _is_raw(log: Log) -> bool:
    return str(log.context.get("entries")) == "raw"  # ZMR-032


# Directories


@dataclass(frozen=True)
class _State:
    """The state for the part of an index file. ``gap``: entries are missing in front of it."""

    frame: Frame
    gap: str | None
    is_last: bool


class _Directory:
    """A pass over a log directory that reads the start of its snapshot and all index tables.

    Only the first and the last entry of each file are read. ``parts`` are in log order. ``end`` is
    the position at which a writer may continue (ZMR-101).
    """

    def __init__(self, log: Log) -> None:
        self.folders = folders(log.local(), log.context)
        self.raw = _is_raw(log)
        self.paths = index_files(self.folders.log)
        self.parts: list[Part] = []
        self.end: Place = (None, None)
        self._covered = -1
        self._next: int | None = None
        self._term: int | None = None
        self._look_at_snapshot()
        has_snapshot = bool(self.parts)
        self._look_at_files(list(self.paths))
        self._tell_neighbours(1 if has_snapshot else 0)

    def _look_at_snapshot(self) -> None:
        path = self.folders.snapshot
        if path is None:
            return
        self._covered, self._next = 0, 1  # ZMR-092: as if nothing had been compacted
        if not path.is_file():
            return
        name = self.folders.name(path)
        with _opened(path) as source:
            head = snapshot_in_directory(source, name)
            part = Part(0, source.size, name, bool(self.paths))
        if isinstance(head, Lost):
            self._covered, self._next = -1, None
        else:
            self._covered, self._next, self._term = head.index, head.index + 1, head.term
            if not head.index and not head.size:
                return
        self.parts.append(part)

    def _look_at_files(self, paths: list[Path]) -> None:
        spare = self._without_spare(paths)
        self._seen: list[tuple[bool, int | None, int | None]] = []
        limits: list[int | None] = [None]
        for path in reversed(paths[1:]):
            with _opened(path) as source:
                index = _index_in(self.folders, path, source)
            claims = isinstance(index, Index) and index.count
            limits.append(_named(path) if claims else limits[-1])  # ZMR-096
        for path in paths:
            with _opened(path) as source:
                self._look_at_file(path, source, limits.pop(), path is paths[0], path is paths[-1])
        for path in reversed(spare):
            self._look_at_spare(path)

    def _without_spare(self, paths: list[Path]) -> list[Path]:
        """Remove the files without entries from the end, and return them (ZMR-095)."""
        spare = []
        while len(paths) > 1:
            with _opened(paths[-1]) as source:
                index = _index_in(self.folders, paths[-1], source)
            if not index.torn if isinstance(index, Lost) else index.count:
                break
            spare.append(paths.pop())
        return spare

    def _look_at_spare(self, path: Path) -> None:
        name = self.folders.name(path)
        with _opened(path) as source:
            index = _index_in(self.folders, path, source)
            size = source.size
        if self.end[0] is None and self._next == _named(path):
            self.end = (0 if isinstance(index, Lost) else index.resume_at, name)
        if isinstance(index, Lost):
            self._seen.append((True, None, None))
            self.parts.append(Part(0, size, name, _State(Frame(self.raw), None, True)))

    def _look_at_file(
        self, path: Path, source: Source, limit: int | None, is_first: bool, is_last: bool
    ) -> None:
        name = self.folders.name(path)
        index = _index_in(self.folders, path, source)
        frame = Frame(self.raw, self._covered, limit)
        gap = None
        if isinstance(index, Lost):
            if index.torn and is_last:
                self._next = _named(path) if self._next is None else self._next
                self.end = (0 if self._next == _named(path) else None, name)  # ZMR-044
            else:
                self._next, self.end = None, (None, None)
            self._seen.append((True, None, None))
        else:
            if self._next is not None and index.first > self._next:
                gap = "snapshot-gap" if is_first else "missing-entries"  # ZMR-093, ZMR-094
            entries = Entries(source, index, frame, Wanted())
            is_there, first = entries.first_term()
            last = entries.last_term()
            self._seen.append((is_there or gap is not None, None if gap else first, last))
            after = index.first + index.count
            if is_last and index.tail == "torn-entry":
                after = index.first + index.relied_on  # torn entries will be overwritten
            if limit is not None:
                after = min(after, limit)
            self._next = max(after, self._covered + 1, self._next or 0)
            self.end = (index.resume_at if self._next == after else None, name)
        self.parts.append(Part(0, source.size, name, _State(frame, gap, is_last)))

    def _tell_neighbours(self, start: int) -> None:
        """Set the terms next to the first and last entry of each file (ZMR-050)."""
        before, afters = self._term, []
        after: int | None = None
        for is_there, first, _ in reversed(self._seen):
            afters.append(after)
            after = first if is_there else after
        for number, (is_there, _, last) in enumerate(self._seen):
            part = self.parts[start + number]
            if part.state.gap is not None:
                before = None
            frame = replace(part.state.frame, before=before, after=afters[-1 - number])
            state = replace(part.state, frame=frame)
            self.parts[start + number] = replace(part, state=state)
            if is_there:
                before = last


def _opened(path: Path) -> closing[LocalSource]:
    return closing(LocalSource(path))


def _named(path: Path) -> int:
    return int(path.name[:14], 16)


def _index_in(parts: Folders, path: Path, source: Source) -> Index | Lost:
    """Return the layout of an index file in a directory, in which no file is refused (ZMR-091)."""
    first = _named(path)
    if path.relative_to(parts.log).as_posix() != path_of(first):
        return Lost(0, source.size, "misplaced-file")
    try:
        return index_of(source, first)
    except Refused as refused:
        return Lost(0, source.size, refused.reason)


def _whole_directory(log: Log, wanted: Wanted) -> Iterator[Event]:
    directory = _Directory(log)
    verdict = _Verdict()
    for part in directory.parts:
        for event in _part(directory.folders, wanted, part):
            yield verdict.of(event)
    yield verdict.end(directory.end)


def _part(parts: Folders, wanted: Wanted, part: Part) -> Iterator[Records | Lost]:
    """Yield the events of a file of a directory."""
    assert part.file is not None
    path = parts.root / part.file
    with _opened(path) as source:
        if isinstance(part.state, _State):
            for event in _entries(parts, path, source, wanted, part):
                inside = isinstance(event, Lost) and event.torn and not part.state.is_last
                yield _missing(event) if inside else event  # ZMR-097
            return
        head = snapshot_in_directory(source, part.file)
        if isinstance(head, Lost):
            yield _missing(head) if part.state and head.torn else head  # ZMR-097
        else:
            yield head.record(source, part.file, wanted)


def _entries(
    parts: Folders, path: Path, source: Source, wanted: Wanted, part: Part
) -> Iterator[Records | Lost]:
    state: _State = part.state
    index = _index_in(parts, path, source)
    if isinstance(index, Lost):
        yield replace(index, file=part.file)
        return
    if state.gap is not None:
        yield Lost(0, 0, state.gap, file=part.file)
    yield from Entries(source, index, state.frame, wanted).events(part.file)


def _missing(event: Records | Lost) -> Lost:
    """Convert an unfinished write at the end of a file to damage, because the log continues."""
    assert isinstance(event, Lost)
    return replace(event, reason="missing-data", torn=False)
