"""Merge fields and marks in log order: bounds of lost ranges, ``end``, and the limit."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from conformance.kaitai.field_map import Field, ParseStopped
from conformance.text import one_line
from reference_impl.answer import Lost
from walproof.inspection.outline import Outline

#: Fate of bytes → the sign in the margin.
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
    """A mark between two fields.

    ``end`` marks the offset where a writer may continue. ``limit`` marks the end of the output.
    ``stopped`` marks the offset from which the grammar no longer matches.
    """

    type: Literal["lost-begins", "lost-ends", "end", "limit", "stopped"]
    at: int
    lost: Lost | None = None
    text: str = ""


Row = FieldRow | Mark


def marked(
    fields: Iterable[Field], outline: Outline, start: int, end: int, limit: int | None = None
) -> Iterator[Row]:
    """Yield rows for the fields in the window ``[start, end)``, and for the marks between them.

    After ``limit`` fields, the output stops at the next array element.
    """
    marks = _marks(outline, start, end)
    mark = next(marks, None)
    try:
        for number, field in enumerate(fields):
            if limit is not None and number >= limit and field.path.endswith("]"):
                yield Mark("limit", field.start)
                return
            # An empty field belongs to the preceding bytes: an empty payload to its header.
            passed = field.start - (field.start == field.end)
            while mark is not None and mark.at <= passed:
                yield mark
                mark = next(marks, None)
            yield row_of(field, outline)
    except ParseStopped as error:
        yield Mark("stopped", end, text=one_line(str(error)))
        return
    while mark is not None:
        yield mark
        mark = next(marks, None)


def row_of(field: Field, outline: Outline) -> FieldRow:
    """Return the field with the fate of its bytes."""
    start = field.start if field.end > field.start else max(0, field.start - 1)
    return FieldRow(field, outline.lost_of(start, field.end), outline.record_of(start, field.end))


def _marks(outline: Outline, start: int, end: int) -> Iterator[Mark]:
    """Yield the marks of the window; at one offset: ends of ranges, ``end``, starts of ranges."""
    waiting: list[tuple[int, int, int, Mark]] = []  # ends not yet passed
    if outline.end is not None and start <= outline.end <= end:
        waiting.append((outline.end, 1, 0, Mark("end", outline.end)))
    for number, gap in enumerate(outline.lost_between(start, end)):
        begin = max(gap.start, start)
        while waiting and waiting[0][0] <= begin:
            yield heapq.heappop(waiting)[-1]
        yield Mark("lost-begins", begin, gap)
        if gap.end <= end:
            heapq.heappush(waiting, (gap.end, 0, number, Mark("lost-ends", gap.end, gap)))
    while waiting:
        yield heapq.heappop(waiting)[-1]
