"""A Zeebe journal, executable: its segments in order, and what the flushed index promises.

spec/zeebe-journal.md says the same in prose. Upstream authority: camunda/zeebe
``journal/file/SegmentsManager.java`` (``loadSegments``, ``handleSegmentCorruption``) and
``journal/file/SegmentedJournalReader.java``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reference_impl.answer import End, Event, Lost, Record
from reference_impl.zeebe_journal.layout import LARGEST_ID, NO_ASQN, SEGMENT_NAME
from reference_impl.zeebe_journal.meta import read_meta
from reference_impl.zeebe_journal.segment import (
    Cursor,
    Descriptor,
    Fault,
    SegmentScan,
    read_descriptor,
    written_end,
)

CONTRADICTIONS = frozenset({"data-header", "data-length", "index-mismatch", "asqn-order"})
"""Faults under a checksum that holds: no unfinished write leaves them (ZBJ-036)."""
CUT = frozenset({"torn-record", "torn-descriptor"})
"""Faults whose range reaches to the end of the file."""
NOT_OURS = frozenset({"unknown-version", "bad-descriptor"})
"""Faults that mean another format, or a version that must not be guessed at (ZBJ-011)."""


@dataclass(frozen=True, slots=True)
class Segment:
    """One segment file. ``file`` is its name in the answer: ``None`` in a log of one file."""

    path: Path
    file: str | None
    descriptor: Descriptor | Fault | None
    size: int

    @property
    def index(self) -> int | None:
        """The index that its first record must have."""
        return self.descriptor.index if isinstance(self.descriptor, Descriptor) else None


def segment_files(folder: Path, name: str | None = None) -> dict[str, list[Path]]:
    """The segment files of every journal in a folder, by journal and in order of their ids."""
    found: dict[str, list[tuple[int, Path]]] = {}
    for path in folder.iterdir():
        match = SEGMENT_NAME.fullmatch(path.name)
        if match is None or not path.is_file() or len(match["id"]) > 10:
            continue
        if int(match["id"]) <= LARGEST_ID and name in (None, match["name"]):
            found.setdefault(match["name"], []).append((int(match["id"]), path))
    return {key: [path for _, path in sorted(files)] for key, files in sorted(found.items())}


def journal_name(folder: Path, context: Mapping[str, Any]) -> str | None:
    """The journal in a folder: the one named, the only one, or the only one with a ``.meta``.

    ``None`` if that does not decide (ZBJ-003); ``journal`` if there is none at all.
    """
    if isinstance(context.get("name"), str):
        return str(context["name"])
    names = list(segment_files(folder))
    if len(names) > 1:
        names = [name for name in names if (folder / f"{name}.meta").is_file()]
        return names[0] if len(names) == 1 else None
    return names[0] if names else "journal"


def flushed_index(path: Path, name: str, context: Mapping[str, Any]) -> int | None:
    """F of the chapter (ZBJ-035): a number, absent or null, or ``meta`` to read the ``.meta`` file.

    Raises ``ValueError`` for anything else.
    """
    given = context.get("last_flushed_index")
    if given == "meta":
        meta = path / f"{name}.meta"
        known = read_meta(meta.read_bytes()[:256]) if meta.is_file() else None
        given = known.last_flushed_index if known else None  # ZBJ-059
    if given is None:
        return None
    if isinstance(given, bool) or not re.fullmatch(r"-?[0-9]{1,20}", str(given)):
        raise ValueError(f"last_flushed_index: expected a number, null or meta, found {given!r}")
    return int(given) if int(given) >= 0 else None


def open_segment(path: Path, file: str | None) -> Segment:
    """A segment and its descriptor; ``None`` stands for one that was only prepared (ZBJ-014)."""
    size = path.stat().st_size
    with path.open("rb") as log:
        descriptor = read_descriptor(log)
    # Only a file that starts with a zero can be one that was never written.
    if isinstance(descriptor, Fault) and (size == 0 or written_end(path, 0) == 0):
        return Segment(path, file, None, size)
    return Segment(path, file, descriptor, size)


class _Journal:
    """One pass over a journal in the profile ``recover``."""

    def __init__(self, segments: Sequence[Path], several: bool, flushed: int | None) -> None:
        self.paths = segments
        self.several = several
        self.flushed = flushed
        self.cursor: Cursor | None = None
        self.first_damage: str | None = None
        self.first_torn: str | None = None
        self.end: tuple[int | None, str | None] = (0, None)
        self.over = False
        self.unconfirmed: tuple[Segment, int] | None = None
        """Where the last segment ended, if no seal says that its last record stands there."""

    def events(self) -> Iterator[Event]:
        files = iter(self.paths)
        path = next(files, None)
        segment = self._open(path) if path else None
        first = True
        while segment is not None:
            path = next(files, None)
            following = self._open(path) if path else None
            fault = segment.descriptor.reason if isinstance(segment.descriptor, Fault) else None
            if first and fault in NOT_OURS:
                yield End("refused", fault, None)  # ZBJ-011
                return
            if first:
                self.end = (0, segment.file)  # ZBJ-044
            for event in self._segment(segment, following):
                self._note(event)
                yield event
            segment, first = following, False
        if not self.over and self.flushed is not None and self.flushed >= self._expected():
            where, file = self.end  # ZBJ-041, ZBJ-042
            place = next((p for p in self.paths if p.name == file), None) or (
                self.paths[0] if self.paths and not self.several else None
            )
            start = where or 0
            lost = Lost(start, written_end(place, start) if place else start, "missing-records")
            lost = Lost(lost.start, lost.end, lost.reason, file=file)
            self._note(lost)
            yield lost
            self.end = (None, None)
        # ZBJ-043, ZBJ-044
        verdict = "damaged" if self.first_damage else "torn" if self.first_torn else "intact"
        yield End(verdict, self.first_damage or self.first_torn, *self.end)  # type: ignore[arg-type]

    def _open(self, path: Path) -> Segment:
        return open_segment(path, path.name if self.several else None)

    def _expected(self) -> int:
        """The index that comes next; 1 if nothing was read (ZBJ-035)."""
        return self.cursor.index if self.cursor else 1

    def _segment(self, segment: Segment, following: Segment | None) -> Iterator[Event]:
        """One segment in its turn.

        ``following`` tells whether the log can go on after a damaged one.
        """
        if self.over:
            if segment.descriptor is not None:
                yield self._lost(segment, 0, "segment-gap")  # ZBJ-039
            return
        descriptor = segment.descriptor
        if descriptor is None:
            # Prepared for what comes next: no other segment may follow it (ZBJ-014).
            if following is not None and following.descriptor is not None:
                yield from self._not_here(segment, "zero-segment")
            return
        if isinstance(descriptor, Fault):
            yield from self._not_here(segment, descriptor.reason)  # ZBJ-040
            return
        if self.cursor is None:
            self.cursor = Cursor(descriptor.index)
        elif descriptor.index != self.cursor.index:  # ZBJ-039
            gap = descriptor.index > self.cursor.index
            yield from self._not_here(segment, "segment-gap" if gap else "segment-overlap")
            return
        yield from self._records(segment, descriptor, self.cursor, following)

    def _records(
        self, segment: Segment, descriptor: Descriptor, cursor: Cursor, following: Segment | None
    ) -> Iterator[Event]:
        with segment.path.open("rb") as log:
            log.seek(descriptor.length)
            scan = SegmentScan(log, segment.size, descriptor, cursor, segment.file)
            yield from scan.events()
        self.end = (scan.at, segment.file)
        expected, sealed = cursor.index, descriptor.sealed
        next_index = following.index if following else None
        promised = sealed is not None and sealed >= expected
        reason = scan.fault
        if reason is None and promised and next_index != expected:
            reason = "missing-records"  # ZBJ-037: the seal promises more
        if reason is None:
            self.unconfirmed = None if sealed == expected - 1 else (segment, scan.at)
            return
        # The next segment takes over where this one stopped, or where its seal says (ZBJ-038).
        takes_over = (expected, sealed + 1) if sealed is not None and promised else (expected,)
        goes_on = next_index in takes_over
        promised = promised or goes_on or reason in CONTRADICTIONS
        yield self._stop(segment, scan.at, reason, promised)
        if next_index is not None and goes_on:
            cursor.index = next_index
            self.over = False

    def _not_here(self, segment: Segment, reason: str) -> Iterator[Lost]:
        """A fault at the start of a segment; what the one before it may have lost (ZBJ-060)."""
        stop = self._stop(segment, 0, reason)
        if self.unconfirmed is not None:
            missing = self._lost(*self.unconfirmed, "missing-records")
            if missing.end > missing.start:
                yield missing
        yield stop

    def _stop(self, segment: Segment, at: int, reason: str, promised: bool = False) -> Lost:
        """The log ends here. What was acknowledged is damage; the rest is an unfinished write."""
        self.over = True
        self.promised = promised or (
            self.flushed is not None and self.flushed >= self._expected()
        )  # ZBJ-035 to ZBJ-037
        if self.promised:
            self.end = (None, None)
        return self._lost(segment, at, reason)

    def _lost(self, segment: Segment, at: int, reason: str) -> Lost:
        cut = reason in CUT
        end = max(at, segment.size) if cut else written_end(segment.path, at)  # ZBJ-034
        return Lost(at, end, reason, torn=not self.promised, file=segment.file)

    def _note(self, event: Event) -> None:
        if not isinstance(event, Lost):
            return
        if event.torn:
            self.first_torn = self.first_torn or event.reason
        else:
            self.first_damage = self.first_damage or event.reason


def read(path: Path, profile: str, context: Mapping[str, Any]) -> Iterator[Event]:
    """Read a segment file or a journal folder: records and lost ranges, then the end.

    ``context`` may hold ``last_flushed_index`` (a number, decimal text, null, or ``meta``) and,
    for a folder, ``name``. Raises ``ValueError`` for a context that says something else, and
    ``OSError``, but nothing because of what the log holds.
    """
    if profile not in ("recover", "strict"):
        raise ValueError(f"unknown profile {profile!r}: expected 'recover' or 'strict'")
    several = path.is_dir()
    name = journal_name(path, context) if several else ""
    if name is None:
        yield End("refused", "ambiguous-journal", None)  # ZBJ-003
        return
    paths = segment_files(path, name).get(name, []) if several else [path]
    events = _Journal(paths, several, flushed_index(path, name, context)).events()
    yield from events if profile == "recover" else _stop_at_first_damage(paths, several, events)


def _stop_at_first_damage(
    paths: Sequence[Path], several: bool, events: Iterator[Event]
) -> Iterator[Event]:
    """Profile ``strict`` (ZBJ-045): all from the first damage on is lost, one range per file."""
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
    """Whether a file is a segment, or a folder holds one, by the descriptor's SBE headers.

    The eight bytes that name schema and template decide, so one damaged field does no harm. Text
    never has such bytes, and no other journal has them in this place.
    """
    if path.is_dir():
        return any(recognise(file) for files in segment_files(path).values() for file in files)
    with path.open("rb") as log:
        head = log.read(25)
    metadata, descriptor = b"\x04\x00\x07\x00", b"\x03\x00\x07\x00"
    if head[:1] == b"\x01":
        return head[1:7] == b"\x14\x00" + descriptor
    return head[3:7] == metadata or (head[:1] == b"\x02" and head[19:23] == descriptor)


@dataclass(frozen=True, slots=True)
class Tail:
    """What a writer must know to go on where ``end`` is.

    ``count`` is the number of records in the segment that holds ``end``, with those that were lost
    as ``asqn-order``, and ``last_at`` where the last of them stands. ``asqn`` is the largest one of
    the log, -1 for none.
    """

    count: int
    last_at: int
    asqn: int
    end: End


def tail(events: Iterator[Event]) -> Tail:
    """The tail of a log, from all of its events."""
    count, last_at, asqn, file = 0, 0, NO_ASQN, None
    for event in events:
        if isinstance(event, End):
            return (
                Tail(count, last_at, asqn, event) if event.file == file else Tail(0, 0, asqn, event)
            )
        if isinstance(event, Lost) and event.reason != "asqn-order":
            continue
        count, file = count + 1 if event.file == file else 1, event.file
        last_at = event.at if isinstance(event, Record) else event.start
        if isinstance(event, Record):
            asqn = max(asqn, int(event.fields["asqn"]))
    raise AssertionError("the reader stopped without a verdict")
