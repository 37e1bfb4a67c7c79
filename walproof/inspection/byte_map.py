"""Map the bytes of a log to fields, with checksum results and marks for losses and the end."""

from __future__ import annotations

import errno
import heapq
import io
import stat
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from conformance.chapter import Chapter, chapter
from conformance.kaitai.field_map import FIELD_BYTES, Field, ParseStopped, iter_fields
from conformance.kaitai.field_text import counted, shared_prefix
from conformance.kaitai.grammar_docs import grammar_docs
from conformance.kaitai.grammars import grammar_of
from conformance.text import one_line
from reference_impl.answer import End, Event, Lost, Record, Verdict
from walproof.log import Log

if TYPE_CHECKING:
    from walproof.scanners.model import Records

#: Maximum number of bytes to parse, unless the log's elements can be parsed separately
#: (``-stride``).
MAX_PARSED_BYTES = 16 << 20
#: Maximum number of bytes to parse if the number of fields is limited.
WINDOW_BYTES = 256 << 10
#: The margin marks lost bytes with x and torn bytes with ~.
SIGN = {"lost": "x", "torn": "~", "record": " ", "framing": " "}


@dataclass
class Outline:
    """The answer for a log in profile ``recover``, without payloads. ``size`` is that of the log.

    Record ``i`` consists of the bytes ``[record_start[i], record_end[i])``.
    """

    size: int
    verdict: Verdict = "intact"
    reason: str | None = None
    end: int | None = None
    record_start: array[int] = field(default_factory=lambda: array("Q"))
    record_end: array[int] = field(default_factory=lambda: array("Q"))
    lost: Sequence[Lost] = ()

    @property
    def result(self) -> str:
        """The verdict, and its reason if there is one: ``torn (torn-header)``."""
        return f"{self.verdict} ({self.reason})" if self.reason else self.verdict

    def record_of(self, start: int, end: int) -> int | None:
        """Return the number of the record that contains ``[start, end)``."""
        number = bisect_right(self.record_start, start) - 1
        return number if number >= 0 and end <= self.record_end[number] else None

    def lost_of(self, start: int, end: int) -> Lost | None:
        """Return the lost range that contains ``[start, end)``."""
        for gap in self.lost_between(start, max(end, start + 1)):
            if gap.start <= start and end <= gap.end:
                return gap
        return None

    def lost_between(self, start: int, end: int) -> Iterator[Lost]:
        """Yield the lost ranges with bytes in ``[start, end)``."""
        first = bisect_right(self.lost, start, key=lambda gap: gap.end)
        for number in range(first, len(self.lost)):
            if self.lost[number].start >= end:
                return
            yield self.lost[number]

    def lost_bytes(self) -> int:
        """Return the total size of the lost ranges in bytes."""
        return sum(gap.end - gap.start for gap in self.lost)


def outline(events: Iterable[Event | Records], size: int) -> Outline:
    """Return the outline of a log from the events of a reader or scanner.

    ``size`` is the size of the log in bytes.
    """
    result, lost = Outline(size), []
    for event in events:
        if isinstance(event, Record):
            result.record_start.append(event.at)
            result.record_end.append(event.at + event.size)
        elif isinstance(event, Lost):
            lost.append(event)
        elif isinstance(event, End):
            result.verdict, result.reason, result.end = event.verdict, event.reason, event.end
        else:
            result.record_start.frombytes(event.at.tobytes())
            result.record_end.frombytes((event.at + event.size).tobytes())
    result.lost = sorted(lost, key=lambda gap: gap.start)
    return result


class ChecksumResult(NamedTuple):
    """The result of a checksum, for the unit that it covers or for a field that stores it.

    ``matches`` is None if the checksum was not checked. ``stored`` and ``expected`` are empty for a
    unit.
    """

    matches: bool | None
    stored: str = ""
    expected: str = ""


@dataclass(frozen=True)
class MappedField:
    """A field, the lost range or record that contains it, and its checksum result."""

    field: Field
    lost: Lost | None
    record: int | None
    result: ChecksumResult | None

    @property
    def fate(self) -> str:
        """Return the class of the field's bytes: ``lost``, ``torn``, ``record`` or ``framing``."""
        if self.lost is not None:
            return _fate_of(self.lost)
        return "framing" if self.record is None else "record"


@dataclass(frozen=True)
class Mark:
    """A line between two fields. Its style is a fate, ``end``, ``limit`` or ``stopped``."""

    at: int
    text: str
    style: str


class FileBytes:
    """The bytes of an open file, as slices. Slices are shorter if the file was truncated."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file

    def __getitem__(self, part: slice) -> bytes:
        start, end, _ = part.indices(1 << 62)
        self.file.seek(start)
        return self.file.read(max(0, end - start))


@dataclass(frozen=True)
class ByteMap:
    """The byte map of a log that is one file. The open ``file`` must stay open."""

    log: Log
    file: BinaryIO
    outline: Outline
    chapter: Chapter

    @property
    def max_offset(self) -> int:
        """Return the offset up to which the log can be mapped."""
        size = self.outline.size
        return size if self._has_stride else min(size, MAX_PARSED_BYTES)

    @property
    def _has_stride(self) -> bool:
        return (
            grammar_docs(grammar_of(self.log.format, FileBytes(self.file)[0:4])).stride is not None
        )

    def rows(
        self, start: int, end: int, depth: int | None = None, limit: int | None = None
    ) -> Iterator[MappedField | Mark]:
        """Yield the fields in the window ``[start, end)`` and the marks between them.

        After ``limit`` fields, the output stops at the next array element. Fields outside
        substreams use at most 64 MiB of memory plus 16 times the size of the log.
        """
        stop = min(end, self.max_offset)
        most = ((64 << 20) + 16 * self.outline.size) // FIELD_BYTES
        if limit is not None and not self._has_stride:
            stop = min(stop, start + WINDOW_BYTES)
        marks = self._marks(start, end)
        mark, at, number = next(marks, None), start, 0
        results: dict[str, ChecksumResult] = {}
        try:
            for each in iter_fields(self.file, self.log.format, "", start, stop, most):
                if depth is not None and each.path.count(".") >= depth:
                    continue
                if limit is not None and number >= limit and each.path.endswith("]"):
                    yield from self._marks_of_limit(each.start, end)
                    return
                # An empty field belongs to the bytes before it. For example, an empty payload
                # belongs to its header.
                passed = each.start - (each.start == each.end)
                while mark is not None and mark.at <= passed:
                    yield mark
                    mark = next(marks, None)
                results.update(self._check(each))
                yield self._mapped(each, results.pop(each.path, None))
                at, number = max(at, each.end), number + 1
        except ParseStopped as error:
            text = f"! the parser stopped: {one_line(str(error))}"
            yield Mark(end, text, "stopped")
            return
        while mark is not None and (stop == end or mark.at <= at):
            yield mark
            mark = next(marks, None)
        if stop < end and at < end:
            yield from self._marks_of_limit(at, end)

    def records(self) -> Iterator[Record]:
        """Read the log again, and yield its records. Raises ``OSError``."""
        return self.log.records

    def _check(self, unit: Field) -> Iterator[tuple[str, ChecksumResult]]:
        """Yield checksum results, by path, for a unit and the fields that store its checksum."""
        if (checksum := unit.checksum) is None:
            return
        expected = checksum.expected(FileBytes(self.file)) if checksum.applies else None
        yield unit.path, ChecksumResult(None if expected is None else expected == checksum.stored)
        for number, ((start, end), stored) in enumerate(
            zip(checksum.spans, checksum.stored, strict=True)
        ):
            values = [stored, stored if expected is None else expected[number]]
            texts = [f"0x{value:0{2 * (end - start)}x}" for value in values]
            matches = None if expected is None else values[0] == values[1]
            yield checksum.paths[number], ChecksumResult(matches, *texts)

    def _mapped(self, each: Field, result: ChecksumResult | None) -> MappedField:
        start = each.start if each.end > each.start else max(0, each.start - 1)
        lost = self.outline.lost_of(start, each.end)
        return MappedField(each, lost, self.outline.record_of(start, each.end), result)

    def _marks(self, start: int, end: int) -> Iterator[Mark]:
        """Yield the marks in the window, sorted by offset.

        At equal offsets, ends of lost ranges come first, then ``end``, then starts of lost ranges.
        """
        waiting: list[tuple[int, int, int, Mark]] = []  # marks not yielded yet
        if self.outline.end is not None and start <= self.outline.end <= end:
            text = f"= end {self.outline.end}: safe to truncate here and append"
            waiting.append((self.outline.end, 1, 0, Mark(self.outline.end, text, "end")))
        for number, gap in enumerate(self.outline.lost_between(start, end)):
            begin, fate = max(gap.start, start), _fate_of(gap)
            while waiting and waiting[0][0] <= begin:
                yield heapq.heappop(waiting)[-1]
            size = counted(gap.end - gap.start, "byte")
            ids = shared_prefix(self.chapter.reasons.get(gap.reason, ()))
            text = f"{SIGN[fate]} ┌─ {fate} [{gap.start}, {gap.end}) {gap.reason}, {size}  {ids}"
            yield Mark(begin, text.rstrip(), fate)
            if gap.end <= end:
                mark = Mark(gap.end, f"{SIGN[fate]} └─ {fate} up to {gap.end}", fate)
                heapq.heappush(waiting, (gap.end, 0, number, mark))
        while waiting:
            yield heapq.heappop(waiting)[-1]

    def _marks_of_limit(self, at: int, end: int) -> Iterator[Mark]:
        how = f"continue with --from {at}, or show all with --limit 0"
        if at >= self.max_offset:
            how = f"of a {self.log.format}, only the first {MAX_PARSED_BYTES} bytes are mapped"
        yield Mark(at, f"… {counted(end - at, 'byte')} not shown: {how}", "limit")
        if later := sum(gap.start >= at for gap in self.outline.lost_between(at, end)):
            ranges = counted(later, "lost range")
            yield Mark(at, f"x not shown: {ranges} (see walproof read --lost-only)", "lost")


def byte_map(log: Log, file: BinaryIO) -> ByteMap:
    """Read a log that is open as ``file``, and return its byte map. Raises ``OSError``."""
    if not stat.S_ISREG(log.path.stat().st_mode):
        raise OSError(errno.EINVAL, "not a regular file", str(log.path))
    answer = outline(log.runs(payloads=False), file.seek(0, io.SEEK_END))
    return ByteMap(log, file, answer, chapter(log.format))


def _fate_of(gap: Lost) -> str:
    """Return the fate of bytes in a lost range: ``torn`` or ``lost``."""
    return "torn" if gap.torn else "lost"
