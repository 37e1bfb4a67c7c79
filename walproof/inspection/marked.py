"""Merge the fields of a log with marks for the bounds of lost ranges, the end, and the limit."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from conformance.kaitai.field_map import Field, ParseStopped
from conformance.text import one_line
from reference_impl.answer import Lost
from walproof.inspection.outline import Outline
from walproof.inspection.show import counted, shared_prefix

#: The sign in the margin for each fate of bytes.
SIGN = {"lost": "x", "torn": "~", "record": " ", "framing": " "}


@dataclass(frozen=True)
class FieldRow:
    """A field, the lost range that contains it, and the number of its record."""

    field: Field
    lost: Lost | None
    record: int | None

    @property
    def fate(self) -> str:
        """``lost``, ``torn``, ``record`` or ``framing``."""
        if self.lost is not None:
            return fate_of(self.lost)
        return "framing" if self.record is None else "record"


def fate_of(gap: Lost) -> str:
    """Return ``torn`` or ``lost``."""
    return "torn" if gap.torn else "lost"


@dataclass(frozen=True)
class Mark:
    """A line between two fields, with its style: a fate, ``end``, ``limit`` or ``stopped``."""

    at: int
    text: str
    style: str


Row = FieldRow | Mark


def marked(
    fields: Iterable[Field],
    outline: Outline,
    reasons: Mapping[str, tuple[str, ...]],
    start: int,
    end: int,
    limit: int | None = None,
) -> Iterator[Row]:
    """Yield rows for the fields in the window ``[start, end)``, and for the marks between them.

    After ``limit`` fields, the output stops at the next array element. ``reasons`` maps reason
    codes to requirement ids.
    """
    marks = _marks(outline, reasons, start, end)
    mark = next(marks, None)
    try:
        for number, field in enumerate(fields):
            if limit is not None and number >= limit and field.path.endswith("]"):
                yield from _marks_of_limit(outline, field.start, end)
                return
            # An empty field belongs to the preceding bytes, as an empty payload to its header.
            passed = field.start - (field.start == field.end)
            while mark is not None and mark.at <= passed:
                yield mark
                mark = next(marks, None)
            yield row_of(field, outline)
    except ParseStopped as error:
        text = f"! the grammar does not fit further: {one_line(str(error))}"
        yield Mark(end, text, "stopped")
        return
    while mark is not None:
        yield mark
        mark = next(marks, None)


def row_of(field: Field, outline: Outline) -> FieldRow:
    """Return the row of a field, with the lost range or the record that contains the field."""
    start = field.start if field.end > field.start else max(0, field.start - 1)
    return FieldRow(field, outline.lost_of(start, field.end), outline.record_of(start, field.end))


def _marks(
    outline: Outline, reasons: Mapping[str, tuple[str, ...]], start: int, end: int
) -> Iterator[Mark]:
    """Yield the marks of the window, sorted by offset.

    At the same offset, the ends of lost ranges come first, then ``end``, then starts of ranges.
    """
    waiting: list[tuple[int, int, int, Mark]] = []  # marks that are not yet yielded
    if outline.end is not None and start <= outline.end <= end:
        text = f"= end {outline.end}: safe to truncate here and append"
        waiting.append((outline.end, 1, 0, Mark(outline.end, text, "end")))
    for number, gap in enumerate(outline.lost_between(start, end)):
        begin, fate = max(gap.start, start), fate_of(gap)
        while waiting and waiting[0][0] <= begin:
            yield heapq.heappop(waiting)[-1]
        size = counted(gap.end - gap.start, "byte")
        ids = shared_prefix(reasons.get(gap.reason, ()))
        text = f"{SIGN[fate]} ┌─ {fate} [{gap.start}, {gap.end}) {gap.reason}, {size}  {ids}"
        yield Mark(begin, text.rstrip(), fate)
        if gap.end <= end:
            mark = Mark(gap.end, f"{SIGN[fate]} └─ {fate} up to {gap.end}", fate)
            heapq.heappush(waiting, (gap.end, 0, number, mark))
    while waiting:
        yield heapq.heappop(waiting)[-1]


def _marks_of_limit(outline: Outline, at: int, end: int) -> Iterator[Mark]:
    how = f"continue with --from {at}, or show all with --limit 0"
    yield Mark(at, f"… {counted(end - at, 'byte')} not shown: {how}", "limit")
    if later := sum(gap.start >= at for gap in outline.lost_between(at, end)):
        ranges = counted(later, "lost range")
        yield Mark(at, f"x not shown: {ranges} (see walproof read --lost-only)", "lost")
