"""Read Zeebe journals: read the segments in order and check the flushed index.

See spec/zeebe-journal.md. Upstream authority: camunda/zeebe ``journal/file/SegmentsManager.java``
(``loadSegments``, ``handleSegmentCorruption``) and ``journal/file/SegmentedJournalReader.java``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reference_impl.answer import End, Event, Lost, Record, Verdict
from reference_impl.zeebe_journal.layout import LARGEST_INT, NO_ASQN, SEGMENT_NAME
from reference_impl.zeebe_journal.meta import read_flushed_index
from reference_impl.zeebe_journal.segment import (
    Cursor,
    Descriptor,
    Fault,
    SegmentScan,
    read_descriptor,
    written_end,
)

# Faults under a valid checksum, which end a segment and are always damage (ZBJ-036).
CONTRADICTIONS = frozenset({"data-header", "data-length", "index-mismatch"})
# Faults whose range extends to the end of the file.
CUT = frozenset({"torn-record", "torn-descriptor"})
# Faults that mean another format, or a version that a reader must refuse (ZBJ-011).
NOT_OURS = frozenset({"unknown-version", "bad-descriptor"})


@dataclass(frozen=True, slots=True)
class Segment:
    """One segment file. ``file`` is its name in the answer, ``None`` in a log of one file."""

    path: Path
    file: str | None
    descriptor: Descriptor | Fault | None
    size: int

    @property
    def index(self) -> int | None:
        """Return the index that the first record must have."""
        return self.descriptor.index if isinstance(self.descriptor, Descriptor) else None


def segment_files(folder: Path) -> dict[str, list[Path]]:
    """Return the segment files of every journal in a directory, by journal and in id order."""
    by_journal: dict[str, list[tuple[int, Path]]] = {}
    with os.scandir(folder) as entries:
        for entry in entries:
            match = SEGMENT_NAME.fullmatch(entry.name)
            if match is not None and entry.is_file() and int(match["id"]) <= LARGEST_INT:
                segment = int(match["id"]), folder / entry.name
                by_journal.setdefault(match["name"], []).append(segment)
    return {name: [path for _, path in sorted(files)] for name, files in by_journal.items()}


def can_name_files(name: str) -> bool:
    """Return whether a journal of this name can have files (ZBJ-001)."""
    return bool(name) and "/" not in name and "\0" not in name


def journal_name(folder: Path, context: Mapping[str, Any]) -> str | None:
    """Return the name of the journal in a directory (ZBJ-003).

    Returns ``None`` if there are several candidates, and ``journal`` if there is no journal.
    """
    if isinstance(context.get("name"), str):
        return str(context["name"])
    names = list(segment_files(folder)) or ["journal"]
    if len(names) > 1:
        names = [name for name in names if (folder / f"{name}.meta").is_file()]
    return names.pop() if len(names) == 1 else None


def flushed_index(path: Path, name: str, context: Mapping[str, Any]) -> int | None:
    """Return the flushed index F, or None if no record is known to be flushed (ZBJ-035).

    Raises ``ValueError`` if the value in the context is invalid.
    """
    given = context.get("last_flushed_index")
    if given == "meta":
        meta = path / f"{name}.meta"
        is_there = can_name_files(name) and meta.is_file()
        given = read_flushed_index(meta.read_bytes()[:256]) if is_there else None
    if given is None:
        return None
    _check_number(given)
    return int(given) if int(given) >= 0 else None


def _check_number(given: object) -> None:
    """Raise ``ValueError`` for a flushed index that is not a number of at most 20 digits."""
    if isinstance(given, bool) or not re.fullmatch(r"-?[0-9]{1,20}", str(given)):
        raise ValueError(f"last_flushed_index: expected a number, null or meta, found {given!r}")


def open_segment(path: Path, file: str | None) -> Segment:
    """Open a segment; its descriptor is ``None`` if it was only prepared (ZBJ-014)."""
    size = path.stat().st_size
    with path.open("rb") as log:
        descriptor = read_descriptor(log)
    # A segment with a readable descriptor is not all zeros, so a search for its data is not needed.
    if isinstance(descriptor, Fault) and written_end(path, 0) == 0:
        return Segment(path, file, None, size)
    return Segment(path, file, descriptor, size)


class Journal:
    """One pass over a journal in the profile ``recover``."""

    def __init__(self, segments: Sequence[Path], several: bool, flushed: int | None) -> None:
        self.paths = segments
        self.several = several
        self.flushed = flushed
        self.cursor: Cursor | None = None
        self.first_damage: str | None = None
        self.first_torn: str | None = None
        # The end of the last segment that was searched for records, or the start of the first
        # segment.
        self.last: tuple[Segment | None, int]
        self.over = False
        # At the end of the pass: true if an acknowledged record is missing.
        self.promised: bool
        # The end of the last segment, unless a seal confirms that its last record is there.
        self.unconfirmed: tuple[Segment, int] | None = None

    def events(self) -> Iterator[Event]:
        """Yield records and lost ranges, then the end."""
        files = iter(self.paths)
        path = next(files, None)
        segment = self._open(path) if path else None
        self.last = (segment, 0)  # ZBJ-044
        first = segment
        while segment is not None:
            path = next(files, None)
            following = self._open(path) if path else None
            fault = segment.descriptor.reason if isinstance(segment.descriptor, Fault) else None
            if segment is first and fault in NOT_OURS:
                yield End("refused", fault, None)  # ZBJ-011
                return
            for event in self._segment(segment, following):
                self._note(event)
                yield event
            segment = following
        if not self.over and self._is_flushed():  # ZBJ-041, ZBJ-042
            lost = self._stop(*self.last, "missing-records")
            self._note(lost)
            yield lost
        yield self._end()

    def _end(self) -> End:
        """Return the verdict (ZBJ-043) and the end of the log (ZBJ-044)."""
        verdict: Verdict = (
            "damaged" if self.first_damage else "torn" if self.first_torn else "intact"
        )
        reason = self.first_damage or self.first_torn
        if self.over and self.promised:
            return End(verdict, reason, None)
        segment, at = self.last
        return End(verdict, reason, at, segment.file if segment else None)

    def _open(self, path: Path) -> Segment:
        return open_segment(path, path.name if self.several else None)

    def _expected(self) -> int:
        """Return the next expected index, 1 if nothing was read (ZBJ-035)."""
        return self.cursor.index if self.cursor else 1

    def _is_flushed(self) -> bool:
        """Return whether the next record was acknowledged (ZBJ-035)."""
        return self.flushed is not None and self.flushed >= self._expected()

    def _segment(self, segment: Segment, following: Segment | None) -> Iterator[Event]:
        """Process the next segment.

        ``following`` is the segment after it, at which the log may continue after damage.
        """
        if self.over:
            if segment.descriptor is not None:
                yield self._lost(segment, 0, "segment-gap")  # ZBJ-039
            return
        descriptor = segment.descriptor
        if descriptor is None:
            # The segment was prepared for later records, so no used segment may follow (ZBJ-014).
            if following is not None and following.descriptor is not None:
                yield from self._not_here(segment, "zero-segment")
            return
        if isinstance(descriptor, Fault):
            yield from self._not_here(segment, descriptor.reason)  # ZBJ-040
            return
        if self.cursor is None:
            self.cursor = Cursor(descriptor.index)
        if descriptor.index > self.cursor.index:
            yield from self._not_here(segment, "segment-gap")  # ZBJ-039
        elif descriptor.index < self.cursor.index:
            yield from self._not_here(segment, "segment-overlap")
        else:
            yield from self._records(segment, descriptor, self.cursor, following)

    def _records(
        self, segment: Segment, descriptor: Descriptor, cursor: Cursor, following: Segment | None
    ) -> Iterator[Event]:
        at, reason = yield from self.scan(segment, descriptor, cursor)
        self.last = (segment, at)
        expected, sealed = cursor.index, descriptor.sealed
        # The next segment begins at the expected index, or after the index in the seal (ZBJ-038).
        after = expected if sealed is None else max(expected, sealed + 1)
        begins = following.index if following else None
        if reason is None and after > expected and begins != expected:
            reason = "missing-records"  # ZBJ-037: the seal states more records
        if reason is None:
            self.unconfirmed = None if sealed == expected - 1 else (segment, at)
            return
        goes_on = begins in (expected, after)
        promised = after > expected or goes_on or reason in CONTRADICTIONS
        yield self._stop(segment, at, reason, promised)
        if goes_on:
            cursor.index = expected if begins == expected else after
            self.over = False

    def scan(
        self, segment: Segment, descriptor: Descriptor, cursor: Cursor
    ) -> Generator[Event, None, tuple[int, str | None]]:
        """Yield the records of a segment; return the offset after them, and the fault there."""
        with segment.path.open("rb") as log:
            log.seek(descriptor.length)
            scan = SegmentScan(log, segment.size, descriptor, cursor, segment.file)
            yield from scan.events()
        return scan.at, scan.fault

    def _not_here(self, segment: Segment, reason: str) -> Iterator[Lost]:
        """Report a fault at the start of a segment, and lost records before it (ZBJ-060)."""
        stop = self._stop(segment, 0, reason)
        if self.unconfirmed is not None:
            missing = self._lost(*self.unconfirmed, "missing-records")
            if missing.end > missing.start:
                yield missing
        yield stop

    def _stop(self, segment: Segment | None, at: int, reason: str, promised: bool = False) -> Lost:
        """End the log. Lost acknowledged records are damage, other records an unfinished write."""
        self.over = True
        self.promised = promised or self._is_flushed()  # ZBJ-035 to ZBJ-037
        return self._lost(segment, at, reason)

    def _lost(self, segment: Segment | None, at: int, reason: str) -> Lost:
        if segment is None:
            return Lost(at, at, reason, not self.promised)  # ZBJ-042
        # ZBJ-034
        end = max(at, segment.size) if reason in CUT else written_end(segment.path, at)
        return Lost(at, end, reason, not self.promised, segment.file)

    def _note(self, event: Event) -> None:
        if not isinstance(event, Lost):
            return
        if event.torn:
            self.first_torn = self.first_torn or event.reason
        else:
            self.first_damage = self.first_damage or event.reason


def read(path: Path, profile: str, context: Mapping[str, Any]) -> Iterator[Event]:
    """Yield the records and lost ranges of a segment file or journal directory, then the end.

    ``context`` may have ``last_flushed_index`` (a number, decimal text, null, or ``meta``) and
    ``name``. Raises ``OSError``, and ``ValueError`` for an invalid context.
    """
    _check_profile(profile)
    several = path.is_dir()
    name = journal_name(path, context) if several else ""
    if name is None:
        yield End("refused", "ambiguous-journal", None)  # ZBJ-003
        return
    paths = segment_files(path).get(name, []) if several else [path]
    events = Journal(paths, several, flushed_index(path, name, context)).events()
    yield from events if profile == "recover" else _stop_at_first_damage(paths, several, events)


def _check_profile(profile: str) -> None:
    """Raise ``ValueError`` for an unknown profile."""
    if profile not in ("recover", "strict"):
        raise ValueError(f"unknown profile {profile!r}: expected 'recover' or 'strict'")


def _stop_at_first_damage(
    paths: Sequence[Path], several: bool, events: Iterator[Event]
) -> Iterator[Event]:
    """Report everything from the first damage on, one range per file, for ``strict`` (ZBJ-045)."""
    for event in events:
        if not isinstance(event, Lost) or event.torn:
            yield event
            continue
        reached = not several
        for path in paths:
            reached = reached or path.name == event.file
            if reached:
                start = event.start if not several or path.name == event.file else 0
                end = max(path.stat().st_size, start)
                yield Lost(start, end, event.reason, file=event.file and path.name)
        if not paths:
            yield event
        yield End("damaged", event.reason, None)
        return


def recognise(path: Path) -> bool:
    """Return whether a path is a segment or a directory with a segment.

    The function compares the SBE headers. It also recognises a segment with one damaged field.
    """
    if path.is_dir():
        return any(recognise(file) for files in segment_files(path).values() for file in files)
    with path.open("rb") as log:
        head = log.read(23)
    metadata, descriptor = b"\x04\x00\x07\x00", b"\x03\x00\x07\x00"
    if head[:1] == b"\x01":
        return head[1:7] == b"\x14\x00" + descriptor
    return head[3:7] == metadata or (head[:1] == b"\x02" and head[19:] == descriptor)


@dataclass(frozen=True, slots=True)
class Tail:
    """The state that a writer needs to continue at ``end``."""

    #: The number of records in the segment that contains ``end``, including records that are lost
    #: as ``asqn-order``.
    count: int
    #: The offset of the last counted record.
    last_at: int | None
    #: The largest asqn of the log, or -1.
    asqn: int
    end: End


def tail(events: Iterator[Event]) -> Tail:
    """Return the tail of a log, from all of its events."""
    count, last_at, asqn, file = 0, None, NO_ASQN, None
    while not isinstance(event := next(events), End):
        if isinstance(event, Lost) and event.reason != "asqn-order":
            continue
        count, file = count + 1 if event.file == file else 1, event.file
        last_at = event.at if isinstance(event, Record) else event.start
        if isinstance(event, Record):
            asqn = max(asqn, int(event.fields["asqn"]))
    return Tail(count, last_at, asqn, event) if event.file == file else Tail(0, None, asqn, event)
