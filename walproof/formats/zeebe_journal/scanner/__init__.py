"""The bulk scanner of Zeebe journals.

The reference reader (``reference_impl/zeebe_journal/reader.py``) is authoritative. The scanner
shares only code with the reference that does not read records: which files of a
directory belong to the journal, the flushed index of the context, and the offset of the last
non-zero byte of a damaged segment.

The index and the asqn with which a segment may begin are known only after everything before it was
read: a fault there ends the log. Therefore :func:`plan` reads a journal that is larger than a part
once, with all checks and without columns, which takes at most a fifth of the time of a scan. Parts
begin at records and hold the state at that record. After a fault that ends the log, nothing is
split, so that the last part contains the fault and all its consequences.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reference_impl.answer import End, Lost, Verdict
from reference_impl.zeebe_journal.reader import (
    CONTRADICTIONS,
    CUT,
    NOT_OURS,
    flushed_index,
    journal_name,
    segment_files,
)
from reference_impl.zeebe_journal.segment import written_end
from walproof.formats.zeebe_journal.scanner.segment import (
    LONGEST_DESCRIPTOR,
    Descriptor,
    Memory,
    SegmentPass,
    Unreadable,
    descriptor_in,
)
from walproof.scan.log import LocalSource, Log
from walproof.scan.model import WHOLE, Event, Part, Wanted

NO_LIMIT = 2**62


@dataclass(frozen=True, slots=True)
class Place:
    """A record in the journal and the state at it: the next index and the last asqn."""

    number: int
    at: int
    index: int
    asqn: int


def plan(log: Log, target_bytes: int) -> Sequence[Part]:
    """Return parts of about ``target_bytes``; reads the journal. ``OSError``, ``ValueError``."""
    path = log.local()
    _, files = _files(path, log.context)
    if files is None or sum(file.stat().st_size for file in files) <= target_bytes:
        return [WHOLE]
    journal = _Journal(path, files, Wanted(payload=False, columns=frozenset()), None, None)
    starts = list(journal.part_starts(target_bytes))
    if not starts:
        return [WHOLE]
    parts = []
    for start, stop in zip([None, *starts], [*starts, None], strict=True):
        first = stop is not None and (start is None or start.number == stop.number)
        name = files[start.number].name if start is not None and path.is_dir() else None
        at, end = start.at if start else 0, stop.at if stop is not None and first else None
        names = [files[place.number].name if place else None for place in (start, stop)]
        state = (names[0], start, names[1], stop.at if stop else None)
        parts.append(Part(at, end, name, state))
    return parts


def scan(log: Log, wanted: Wanted, part: Part = WHOLE) -> Iterator[Event]:
    """Yield the events of the journal or a part. ``OSError``; ``ValueError`` for its context."""
    path = log.local()
    name, files = _files(path, log.context)
    if files is None:
        yield End("refused", "ambiguous-journal", None)  # ZBJ-003
        return
    flushed = flushed_index(path, name, log.context)
    start = stop = None
    if part.state is not None:
        start_name, place, stop_name, stop_at = part.state
        numbers = {file.name: number for number, file in enumerate(files)}
        for wanted_name in (start_name, stop_name):
            if wanted_name is not None and wanted_name not in numbers:
                raise FileNotFoundError(2, "the segment is gone", str(path / wanted_name))
        if place is not None:
            start = Place(numbers[start_name], place.at, place.index, place.asqn)
        if stop_name is not None:
            stop = numbers[stop_name], stop_at
    journal = _Journal(path, files, wanted, flushed, stop)
    for event in journal.events(start):
        if not isinstance(event, End) or part.state is None:
            yield event


def _files(path: Path, context: Any) -> tuple[str, list[Path] | None]:
    """Return the journal and its segments in order; None if several journals match."""
    if not path.is_dir():
        return "", [path]
    name = journal_name(path, context)
    return ("", None) if name is None else (name, segment_files(path).get(name, []))


class _Segment:
    """An open file of the journal. ``descriptor`` is None for a prepared segment (ZBJ-014)."""

    def __init__(self, path: Path, number: int, several: bool) -> None:
        self.path, self.number = path, number
        self.file = path.name if several else None
        self.source = source = LocalSource(path)
        self.size = source.size
        self.descriptor: Descriptor | Unreadable | None
        try:
            head = source.read(0, 256)
            descriptor = descriptor_in(head)
            if descriptor == Unreadable("torn-descriptor") and self.size > len(head):
                descriptor = descriptor_in(source.read(0, LONGEST_DESCRIPTOR))
            self.descriptor = descriptor
            if isinstance(descriptor, Unreadable) and (self.size == 0 or written_end(path, 0) == 0):
                self.descriptor = None
        except BaseException:
            source.close()
            raise

    @property
    def index(self) -> int | None:
        return self.descriptor.index if isinstance(self.descriptor, Descriptor) else None


class _Journal:
    """A pass over a journal or a part of it."""

    def __init__(
        self,
        path: Path,
        files: Sequence[Path],
        wanted: Wanted,
        flushed: int | None,
        stop: tuple[int, int] | None,
    ) -> None:
        self.files, self.several = files, path.is_dir()
        self.wanted, self.flushed, self.stop = wanted, flushed, stop
        self.index: int | None = None  # next index; None before the first segment
        self.asqn = -1
        self.over = self.promised = self.stopped = False
        self.memory = Memory(wanted)
        self.open: list[_Segment] = []
        self.first_damage: str | None = None
        self.first_torn: str | None = None
        self.end: tuple[int | None, str | None] = (0, None)
        self.fault: str | None = None  # why reading the last segment stopped
        #: The end of a segment, unless its seal gives the record before it as the last one.
        self.unconfirmed: tuple[_Segment, int] | None = None
        self.every = self.left = NO_LIMIT  # bytes between part starts, and to the next one

    def part_starts(self, every: int) -> Iterator[Place]:
        """Yield starts of parts, about ``every`` bytes apart, up to the end of the readable log."""
        self.every, self.left = every, every
        for event in self._closed(None):
            if isinstance(event, Place):
                yield event

    def events(self, start: Place | None) -> Iterator[Event]:
        """Yield events, with records in runs of columns. Errors are raised after earlier events."""
        for event in self._closed(start):
            if not isinstance(event, Place):
                yield event

    def _closed(self, start: Place | None) -> Iterator[Any]:
        """Yield records and other events and, for a plan, the starts of parts between them."""
        try:
            yield from self._events(start)
        finally:
            for segment in self.open:
                segment.source.close()

    def _events(self, start: Place | None) -> Iterator[Any]:
        number = start.number if start else 0
        segment = self._open(number)
        if start is None and segment is not None:
            descriptor = segment.descriptor
            if isinstance(descriptor, Unreadable) and descriptor.reason in NOT_OURS:
                yield End("refused", descriptor.reason, None)  # ZBJ-011
                return
            self.end = (0, segment.file)
        if start is not None:
            self.index, self.asqn = start.index, start.asqn
        at = start.at if start else None
        while segment is not None and not self.stopped:
            following = self._open(segment.number + 1)
            for event in self._segment(segment, following, at):
                if isinstance(event, Lost):
                    self._note(event)
                yield event
            segment.source.close()
            if self.stop is not None and segment.number == self.stop[0]:
                self.stopped = True  # also if the segment has changed and ends before the stop
            segment, at = following, None
        if self.stopped:
            return
        if not self.over and self.flushed is not None and self.flushed >= self._expected():
            lost = self._missing()
            self._note(lost)
            yield lost
            self.end = (None, None)
        # ZBJ-043, ZBJ-044
        verdict: Verdict = (
            "damaged" if self.first_damage else "torn" if self.first_torn else "intact"
        )
        yield End(verdict, self.first_damage or self.first_torn, *self.end)

    def _open(self, number: int) -> _Segment | None:
        if number >= len(self.files):
            return None
        segment = _Segment(self.files[number], number, self.several)
        self.open = [*self.open[-1:], segment]  # only the previous segment stays open
        return segment

    def _expected(self) -> int:
        return 1 if self.index is None else self.index

    def _segment(
        self, segment: _Segment, following: _Segment | None, at: int | None
    ) -> Iterator[Any]:
        """Read a segment, from a record at ``at`` on or from its start."""
        descriptor = segment.descriptor
        if self.over:
            if descriptor is not None:
                yield self._lost(segment, 0, "segment-gap")  # ZBJ-039
        elif descriptor is None:
            if following is not None and following.descriptor is not None:
                yield from self._at_start(segment, "zero-segment")  # ZBJ-014
        elif isinstance(descriptor, Unreadable):
            yield from self._at_start(segment, descriptor.reason)  # ZBJ-040
        elif at is None and self.index is not None and self.index != descriptor.index:
            gap = descriptor.index > self.index
            reason = "segment-gap" if gap else "segment-overlap"
            yield from self._at_start(segment, reason)  # ZBJ-039
        else:
            if self.index is None:
                self.index = descriptor.index
            yield from self._records(segment, descriptor, at or descriptor.length)
            if self.stopped:
                return
            yield from self._after(segment, descriptor, following)

    def _records(self, segment: _Segment, descriptor: Descriptor, at: int) -> Iterator[Any]:
        reading = SegmentPass(segment.source, descriptor, segment.file, self.memory)
        stop = NO_LIMIT
        if self.stop is not None and self.stop[0] == segment.number:
            stop = self.stop[1]
        while True:
            yield from reading.events(at, self._expected(), self.asqn, min(stop, at + self.left))
            self.left -= reading.at - at
            at, self.index, self.asqn = reading.at, reading.index, reading.asqn
            if not reading.limited or at >= stop:
                break
            yield Place(segment.number, at, self.index, self.asqn)
            self.left = self.every
        self.stopped = reading.limited
        self.end = (at, segment.file)
        self.fault = reading.fault

    def _after(
        self, segment: _Segment, descriptor: Descriptor, following: _Segment | None
    ) -> Iterator[Lost]:
        """Apply the end of the records of a segment to the state of the log."""
        at, next_index = self.end[0] or 0, following.index if following else None
        expected, seal = self._expected(), descriptor.seal
        reason, short = self.fault, seal is not None and seal >= expected
        if reason is None and (not short or next_index == expected):
            self.unconfirmed = None if seal == expected - 1 else (segment, at)
            return
        on = next_index == expected or (short and next_index == (seal or 0) + 1)  # ZBJ-038
        reason = reason or "missing-records"  # ZBJ-037
        yield self._fail(segment, at, reason, on or short or reason in CONTRADICTIONS)
        if on:
            self.index, self.over = next_index, False

    def _at_start(self, segment: _Segment, reason: str) -> Iterator[Lost]:
        """Report a segment with a fault at its start, and records missing before it (ZBJ-060)."""
        fault = self._fail(segment, 0, reason)
        if self.unconfirmed is not None:
            hidden = self._lost(*self.unconfirmed, "missing-records")
            if hidden.start < hidden.end:
                yield hidden
        yield fault

    def _missing(self) -> Lost:
        """Report acknowledged records that are missing after the end of an intact log (ZBJ-042)."""
        at, file = self.end[0] or 0, self.end[1]
        place = next((path for path in self.files if path.name == file), None)
        if place is None and self.files and not self.several:
            place = self.files[0]
        return Lost(at, written_end(place, at) if place else at, "missing-records", file=file)

    def _fail(self, segment: _Segment, at: int, reason: str, promised: bool = False) -> Lost:
        """End the log: promised records that are lost are damage, others an unfinished write."""
        self.over = True
        acknowledged = self.flushed is not None and self.flushed >= self._expected()
        self.promised = promised or acknowledged  # ZBJ-035 to ZBJ-037
        if self.promised:
            self.end = (None, None)
        return self._lost(segment, at, reason)

    def _lost(self, segment: _Segment, at: int, reason: str) -> Lost:
        cut = reason in CUT
        end = max(at, segment.size) if cut else written_end(segment.path, at)  # ZBJ-034
        return Lost(at, end, reason, torn=not self.promised, file=segment.file)

    def _note(self, lost: Lost) -> None:
        if lost.torn:
            self.first_torn = self.first_torn or lost.reason
        else:
            self.first_damage = self.first_damage or lost.reason
