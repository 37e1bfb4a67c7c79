"""The reader of Zeebe journals, which reads segments in order and checks the flushed index.

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

from reference_impl.answer import End, Event, Lost, ReasonCode, Verdict
from reference_impl.zeebe_journal.layout import (
    LARGEST_INT,
    NO_ASQN,
    SEGMENT_NAME,
    SMALLEST_INDEX,
)
from reference_impl.zeebe_journal.meta import read_flushed_index
from reference_impl.zeebe_journal.resuming import (
    Known,
    Tried,
    after_the_descriptor,
    after_the_record,
    search,
)
from reference_impl.zeebe_journal.segment import (
    Cursor,
    Descriptor,
    Fault,
    Parsed,
    SegmentScan,
    read_descriptor,
    written_end,
)

# These faults occur in data with a valid checksum. They end a segment and are always damage
# (ZBJ-035).
CONTRADICTIONS = frozenset({"data-header", "data-length", "index-mismatch"})
# The lost range of such a fault extends to the end of the file.
CUT = frozenset({"torn-record", "torn-descriptor"})
# Such a fault shows that the file has another format, or a version that readers must refuse
# (ZBJ-011).
NOT_OURS = frozenset({"unknown-version", "bad-descriptor"})


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment file. ``file`` is its name in the answer, or None if it is the whole log."""

    path: Path
    file: str | None
    descriptor: Descriptor | Fault | None
    size: int

    @property
    def index(self) -> int | None:
        """Return the index that the first record must have, or None if it is unknown."""
        return self.descriptor.index if isinstance(self.descriptor, Descriptor) else None


def segment_files(folder: Path) -> dict[str, list[Path]]:
    """Return the segment files in a directory by journal name, each list in id order."""
    by_journal: dict[str, list[tuple[int, Path]]] = {}
    with os.scandir(folder) as entries:
        for entry in entries:
            match = SEGMENT_NAME.fullmatch(entry.name)
            if match is not None and entry.is_file() and int(match["id"]) <= LARGEST_INT:
                segment = int(match["id"]), folder / entry.name
                by_journal.setdefault(match["name"], []).append(segment)
    return {name: [path for _, path in sorted(files)] for name, files in by_journal.items()}


def can_name_files(name: str) -> bool:
    """Return whether file names can contain this journal name (ZBJ-001)."""
    return bool(name) and "/" not in name and "\0" not in name


def journal_name(folder: Path, context: Mapping[str, Any]) -> str | None:
    """Return the name of the journal in a directory (ZBJ-003).

    Returns None if there are several candidates, and ``journal`` if there are none.
    """
    if isinstance(context.get("name"), str):
        return str(context["name"])
    names = list(segment_files(folder)) or ["journal"]
    if len(names) > 1:
        names = [name for name in names if (folder / f"{name}.meta").is_file()]
    return names.pop() if len(names) == 1 else None


def flushed_index(path: Path, name: str, context: Mapping[str, Any]) -> int | None:
    """Return the flushed index F, or None if no record is known to be flushed (ZBJ-035).

    Raises ``ValueError`` if the context has an invalid value.
    """
    given = context.get("last_flushed_index", "meta")
    if given == "meta":
        given = _flushed_in_meta(path, name) if path.is_dir() else _flushed_beside(path)
    if given is None:
        return None
    _check_number(given)
    return int(given) if int(given) >= 0 else None


def _flushed_in_meta(folder: Path, name: str) -> int | None:
    """Return the flushed index in a journal's ``.meta`` file, or None (ZBJ-059)."""
    meta = folder / f"{name}.meta"
    is_there = can_name_files(name) and meta.is_file()
    return read_flushed_index(meta.read_bytes()[:256]) if is_there else None


def _flushed_beside(path: Path) -> int | None:
    """Return the flushed index for a lone segment, from the ``.meta`` file beside it (ZBJ-059)."""
    match = SEGMENT_NAME.fullmatch(path.name)
    flushed = _flushed_in_meta(path.parent, match["name"]) if match else None
    if flushed is None:
        return None
    descriptor = open_segment(path, None).descriptor
    if not isinstance(descriptor, Descriptor) or descriptor.seal_at is None:
        return None  # The next segment may contain later records.
    return flushed if descriptor.sealed is None else min(flushed, descriptor.sealed)


def _check_number(given: object) -> None:
    """Raise ``ValueError`` unless a flushed index is a number of at most 20 digits."""
    if isinstance(given, bool) or not re.fullmatch(r"-?[0-9]{1,20}", str(given)):
        raise ValueError(f"last_flushed_index: expected a number, null or meta, found {given!r}")


def open_segment(path: Path, file: str | None) -> Segment:
    """Open a segment. Its descriptor is None if the segment was only prepared (ZBJ-014)."""
    size = path.stat().st_size
    with path.open("rb") as log:
        descriptor = read_descriptor(log)
    # If the descriptor is readable, the file is not all zeros, so do not search it for data.
    if isinstance(descriptor, Fault) and written_end(path, 0) == 0:
        return Segment(path, file, None, size)
    return Segment(path, file, descriptor, size)


def _indexes_after(segments: Sequence[Segment]) -> Iterator[tuple[int | None, int | None]]:
    """For each segment, yield the highest and the first index among later segments, or None."""
    after: list[tuple[int | None, int | None]] = [(None, None)]
    for segment in reversed(segments):
        highest, first = after[-1]
        index = segment.index
        if index is not None:
            highest, first = index if highest is None else max(highest, index), index
        after.append((highest, first))
    return reversed(after[:-1])


class Journal:
    """A pass over a journal in the ``recover`` profile."""

    def __init__(self, segments: Sequence[Path], several: bool, flushed: int | None) -> None:
        self.paths = segments
        self.several = several
        self.flushed = flushed
        self.cursor: Cursor | None = None
        self.first_damage: str | None = None
        self.first_torn: str | None = None
        # The last segment that was searched for records, and the end of its records. At first, the
        # start of the first segment.
        self.last: tuple[Segment | None, int]
        # True if the last segment up to here had a fault at its start or end.
        self.over = False
        # True if the fault of ``over`` is damage. Valid only if ``over`` is true.
        self.promised: bool
        # The fault of ``over`` explains why records below this index are missing. If the value is
        # None, it explains any missing records.
        self.explained: int | None = None
        # The highest index that is missing. None if no index is missing.
        self.missing: int | None = None
        # The highest index with which one of the later segments begins. None if no later segment is
        # readable.
        self.highest: int | None = None
        # The index with which the next readable segment begins. None if no later segment is
        # readable.
        self.next_index: int | None
        # True if a writer must not continue in the last segment that was searched (ZBJ-044).
        self.is_mended = False
        # The last segment and the end of its records. None if a seal confirms that no record is
        # missing.
        self.unconfirmed: tuple[Segment, int] | None = None

    def events(self) -> Iterator[Event]:
        """Yield records and lost ranges, then the end."""
        segments = [self._open(path) for path in self.paths]
        self.last = (segments[0] if segments else None, 0)  # ZBJ-044
        first = segments[0].descriptor if segments else None
        reason = first.reason if isinstance(first, Fault) else None
        if reason in NOT_OURS and all(segment.index is None for segment in segments):
            yield End("refused", ReasonCode(reason, "ZBJ-011"), None)
            return
        followings = [*segments[1:], None][: len(segments)]
        for segment, following, (self.highest, self.next_index) in zip(
            segments, followings, _indexes_after(segments), strict=True
        ):
            for event in self._segment(segment, following):
                self._note(event)
                yield event
        if not self.over and self._is_flushed():
            lost = self._stop(*self.last, ReasonCode("missing-records", "ZBJ-041"))
            self._note(lost)
            yield lost
        yield self._end()

    def _end(self) -> End:
        """Return the last event, with the verdict (ZBJ-043) and the log's end (ZBJ-044)."""
        verdict: Verdict = (
            "damaged" if self.first_damage else "torn" if self.first_torn else "intact"
        )
        reason = self.first_damage or self.first_torn
        if self.is_mended or (self.over and self.promised):
            return End(verdict, reason, None)
        segment, at = self.last
        return End(verdict, reason, at, segment.file if segment else None)

    def _open(self, path: Path) -> Segment:
        return open_segment(path, path.name if self.several else None)

    def _expected(self) -> int:
        """Return the next expected index, or 1 if nothing has been read (ZBJ-035)."""
        return self.cursor.index if self.cursor else 1

    def _is_flushed(self) -> bool:
        """Return whether the next record was acknowledged (ZBJ-035)."""
        return self.flushed is not None and self.flushed >= self._expected()

    def _is_promised(self) -> bool:
        """Return whether the next record was flushed or a later segment reaches it (ZBJ-035)."""
        if self.highest is None:
            return self._is_flushed()
        return self.cursor is None or self.highest >= self.cursor.index or self._is_flushed()

    def _segment(self, segment: Segment, following: Segment | None) -> Iterator[Event]:
        """Process the next segment. ``following`` is the segment after it, or None."""
        descriptor = segment.descriptor
        if descriptor is None:
            # The segment was prepared in advance, so no segment with records may follow it
            # (ZBJ-014).
            if following is not None and following.descriptor is not None:
                yield from self._not_here(segment, "zero-segment")
            return
        if isinstance(descriptor, Fault):
            code = ReasonCode(descriptor.reason, "ZBJ-061")
            yield from self._undescribed(segment, code, following)
            return
        if self.cursor is None:
            # If an earlier segment could not be read, the missing indexes begin with 1 (ZBJ-066).
            self.cursor = Cursor(min(1, descriptor.index) if self.over else descriptor.index)
        if descriptor.index < self.cursor.index:
            yield from self._not_here(segment, "segment-overlap")  # ZBJ-039
            return
        if descriptor.index > self.cursor.index:
            if not self.over or descriptor.index > (self.explained or descriptor.index):
                yield from self._confirmed(True)  # ZBJ-060
                yield Lost(0, 0, "segment-gap", file=segment.file)  # ZBJ-039
            self._skip_to(self.cursor, descriptor.index)
        yield from self._records(segment, descriptor, self.cursor, following)

    def _skip_to(self, cursor: Cursor, index: int) -> None:
        """Continue at ``index``, and note that the records before it are missing."""
        if index > cursor.index:
            cursor.index, cursor.after_loss, self.missing = index, True, index - 1

    def _undescribed(
        self, segment: Segment, reason: str, following: Segment | None
    ) -> Iterator[Event]:
        """Process a segment without a readable descriptor (ZBJ-040)."""
        found = None
        # An unreadable descriptor does not show the seal and the full size.
        undescribed = Descriptor(SMALLEST_INDEX, 0, 0)
        known = self._known(undescribed, following)
        if known is not None:
            with segment.path.open("rb") as log:
                cursor = self.cursor or Cursor(self._expected())
                scan = SegmentScan(log, segment.size, undescribed, cursor, None)
                expected = self.cursor.index if self.cursor else None
                found = after_the_descriptor(scan, expected, known)
                found = found or search(scan, 0, known)
        if found is None:
            yield from self._not_here(segment, reason)
            return
        if self.cursor is None:
            self.cursor = Cursor(min(1, found.index))
        if found.index > self.cursor.index:
            yield from self._confirmed(True)
        yield Lost(0, found.at, reason, file=segment.file)
        self._skip_to(self.cursor, found.index)
        descriptor = Descriptor(found.index, 0, found.at)
        yield from self._records(segment, descriptor, self.cursor, following, found.at)
        self.is_mended = True

    def _known(self, descriptor: Descriptor, following: Segment | None) -> Known | None:
        """Return the last record that a segment must contain, if known (ZBJ-062)."""
        if descriptor.sealed is not None:
            return Known(descriptor.sealed, descriptor.last_position)
        after = following.index if following else None
        if after is not None and after > descriptor.index:
            return Known(after - 1, is_last=True)
        if self.highest is not None and self.highest > descriptor.index:
            return None
        return None if self.flushed is None else Known(self.flushed)

    def _records(
        self,
        segment: Segment,
        descriptor: Descriptor,
        cursor: Cursor,
        following: Segment | None,
        any_frame_at: int | None = None,
    ) -> Iterator[Event]:
        """Read a segment's records. The record at ``any_frame_at`` may have any frame byte."""
        begins, limit = following.index if following else None, self.next_index
        if limit is not None and limit <= descriptor.index:
            limit = None
        if limit is not None and descriptor.sealed is not None and descriptor.sealed >= limit:
            limit = None  # ZBJ-031
        known = self._known(descriptor, following)
        at, tried = descriptor.length, Tried()
        self.is_mended = False
        while True:
            at, reason = yield from self.scan(segment, descriptor, cursor, limit, at, any_frame_at)
            # A descriptor without seal fields does not show that the segment has ended. Only a
            # later segment shows it.
            if reason is None and (descriptor.seal_at is None or begins == cursor.index):
                break
            found = self._resumed(segment, descriptor, cursor, limit, at, reason, known, tried)
            if found is None:
                break
            self.is_mended = True
            any_frame_at = found.at
            if found.at == at and found.index == cursor.index:
                reason = ReasonCode("unknown-frame", "ZBJ-063")
                yield Lost(at, at + 1, reason, file=segment.file)
            else:
                reason = reason or ReasonCode("missing-records", "ZBJ-066")
                yield Lost(at, found.at, reason, file=segment.file)
                self._skip_to(cursor, found.index)
                at = found.at
        self.last = (segment, at)
        expected, sealed = cursor.index, descriptor.sealed
        after = expected if sealed is None else max(expected, sealed + 1)
        if after > expected:
            self.missing = sealed  # ZBJ-037
        if reason is None and after > expected and begins != expected:
            # According to the seal, the segment has more records.
            reason = ReasonCode("missing-records", "ZBJ-037")
        self.over, self.unconfirmed = False, None
        if reason is not None:
            promised = after > expected or reason in CONTRADICTIONS
            yield self._stop(segment, at, reason, promised)
            self.explained = after if sealed is not None else None
        elif sealed != expected - 1:
            self.unconfirmed = (segment, at)

    def scan(
        self,
        segment: Segment,
        descriptor: Descriptor,
        cursor: Cursor,
        limit: int | None,
        at: int,
        any_frame_at: int | None,
    ) -> Generator[Event, None, tuple[int, str | None]]:
        """Yield a segment's records from ``at`` on.

        Returns the offset after them, and the reason code of a fault there, if any.
        """
        with segment.path.open("rb") as log:
            scan = SegmentScan(log, segment.size, descriptor, cursor, segment.file, limit)
            scan.at, scan.any_frame_at = at, any_frame_at
            yield from scan.events()
        return scan.at, scan.fault

    def _resumed(
        self,
        segment: Segment,
        descriptor: Descriptor,
        cursor: Cursor,
        limit: int | None,
        at: int,
        reason: str | None,
        known: Known | None,
        tried: Tried,
    ) -> Parsed | None:
        """Return the next proven record after a fault at ``at``, or None (ZBJ-063 to ZBJ-065)."""
        is_truncated = False
        if known is not None and cursor.index <= known.index:
            # If flushed records should follow, a frame byte of 0 may come from a truncation
            # (ZBJ-062).
            is_truncated = reason is None and known.is_flushed
        elif reason != "unknown-frame":
            return None
        with segment.path.open("rb") as log:
            scan = SegmentScan(log, segment.size, descriptor, cursor, None, limit)
            if not is_truncated:
                record = scan.parse(at)
                if isinstance(record, Parsed) and scan.is_next(record) and scan.is_in_order(record):
                    return record
            if known is None:
                return None
            found = None if is_truncated else after_the_record(scan, at, known, tried)
            return found or search(scan, at, known)

    def _confirmed(self, promised: bool) -> Iterator[Lost]:
        """Report the bytes after a segment's records, which may hold missing ones (ZBJ-060)."""
        if self.unconfirmed is not None:
            code = ReasonCode("missing-records", "ZBJ-060")
            missing = self._lost(*self.unconfirmed, code, promised)
            self.unconfirmed = None
            if missing.end > missing.start:
                yield missing

    def _not_here(self, segment: Segment, reason: str) -> Iterator[Lost]:
        """Report a segment as lost from its start, and records missing before it (ZBJ-060)."""
        index = segment.index
        promised = index is not None and self.missing is not None and index <= self.missing
        stop = self._stop(segment, 0, reason, promised)
        yield from self._confirmed(self.promised)
        yield stop
        self.explained = None

    def _stop(self, segment: Segment | None, at: int, reason: str, promised: bool = False) -> Lost:
        """End the log. Losing acknowledged records is damage, otherwise a write was unfinished."""
        self.over = True
        self.promised = promised or self._is_promised()  # ZBJ-035 to ZBJ-037
        return self._lost(segment, at, reason, self.promised)

    def _lost(self, segment: Segment | None, at: int, reason: str, promised: bool) -> Lost:
        if segment is None:
            return Lost(at, at, reason, not promised)  # ZBJ-041
        # ZBJ-034
        end = max(at, segment.size) if reason in CUT else written_end(segment.path, at)
        return Lost(at, end, reason, not promised, segment.file)

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
    ``name``. Raises ``OSError``, and ``ValueError`` for an invalid context or profile.
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
    """Report the log from the first damage on, for ``strict``, one range per file (ZBJ-045)."""
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
    """Return whether a path is a segment, or a directory that contains a segment.

    The SBE headers decide. A segment is recognised even if one of their fields is damaged.
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

    #: The number of records in the segment that contains ``end``.
    count: int
    #: The offset of the last of these records.
    last_at: int | None
    #: The largest asqn of the log, or -1.
    asqn: int
    end: End


def tail(events: Iterator[Event]) -> Tail:
    """Return the tail of a log by consuming its events."""
    count, last_at, asqn, file = 0, None, NO_ASQN, None
    while not isinstance(event := next(events), End):
        if isinstance(event, Lost):
            continue
        count, file = count + 1 if event.file == file else 1, event.file
        last_at = event.at
        asqn = max(asqn, int(event.fields["asqn"]))
    return Tail(count, last_at, asqn, event) if event.file == file else Tail(0, None, asqn, event)
