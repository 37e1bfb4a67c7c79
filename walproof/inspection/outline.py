"""What the reference reader finds in a log, without the payloads: small enough to keep whole."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import overload

from reference_impl.answer import End, Event, Lost, Record, Verdict
from walproof.spool import Spool


class Gaps(Sequence[Lost]):
    """Lost ranges of one file by their offsets: 18 bytes of memory for each."""

    def __init__(self, gaps: Iterable[Lost] = ()) -> None:
        self._starts, self._ends, self._kinds = array("Q"), array("Q"), array("H")
        self._numbers: dict[tuple[str, bool], int] = {}
        self._names: list[tuple[str, bool]] = []
        self._is_sorted = True
        for gap in gaps:
            self.append(gap)

    def append(self, gap: Lost) -> None:
        """Put one at the end."""
        kind = (gap.reason, gap.torn)
        if kind not in self._numbers:
            self._numbers[kind] = len(self._names)
            self._names.append(kind)
        self._is_sorted &= not self._starts or self._starts[-1] <= gap.start
        self._starts.append(gap.start)
        self._ends.append(gap.end)
        self._kinds.append(self._numbers[kind])

    def in_order(self) -> Gaps:
        """The same ones in order of their offsets."""
        if self._is_sorted:
            return self
        spool = Spool()
        for gap in self:
            spool.add(gap)
        return Gaps(spool.lost())

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, at: int) -> Lost: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Lost]: ...
    def __getitem__(self, at: int | slice) -> Lost | Sequence[Lost]:
        if isinstance(at, slice):
            return [self[number] for number in range(*at.indices(len(self)))]
        return Lost(self._starts[at], self._ends[at], *self._names[self._kinds[at]])


@dataclass
class Outline:
    """An answer of the profile ``recover`` over a log of ``size`` bytes.

    Record number ``i``, counted from 0 as in the answer, is ``[record_start[i], record_end[i])``:
    16 bytes of memory for each. ``lost`` is in log order.
    """

    size: int
    verdict: Verdict = "intact"
    reason: str | None = None
    end: int | None = None
    record_start: array[int] = field(default_factory=lambda: array("Q"))
    record_end: array[int] = field(default_factory=lambda: array("Q"))
    lost: Sequence[Lost] = ()

    def record_of(self, start: int, end: int) -> int | None:
        """The number of the record in which ``[start, end)`` lies."""
        number = bisect_right(self.record_start, start) - 1
        return number if number >= 0 and end <= self.record_end[number] else None

    def records_between(self, start: int, end: int) -> range:
        """The numbers of the records that have bytes in ``[start, end)``."""
        return range(bisect_right(self.record_end, start), bisect_left(self.record_start, end))

    def lost_of(self, start: int, end: int) -> Lost | None:
        """The lost range in which ``[start, end)`` lies."""
        for gap in self.lost_between(start, max(end, start + 1)):
            if gap.start <= start and end <= gap.end:
                return gap
        return None

    def lost_between(self, start: int, end: int) -> Iterator[Lost]:
        """The lost ranges that have bytes in ``[start, end)``."""
        first = bisect_right(self.lost, start, key=lambda gap: gap.end)
        for number in range(first, len(self.lost)):
            if self.lost[number].start >= end:
                return
            yield self.lost[number]

    def lost_bytes(self) -> int:
        """How many bytes yielded no record, not counting framing."""
        return sum(gap.end - gap.start for gap in self.lost)

    def zero_fill(self) -> tuple[int, int] | None:
        """The preallocated zeros at the end of the log; ``None`` if there are none."""
        if self.end is None:
            return None
        start = max(self.end, self.lost[-1].end if self.lost else 0)
        return (start, self.size) if start < self.size else None


def outline(events: Iterable[Event], size: int) -> Outline:
    """Run a reader over a log of ``size`` bytes and note where its records and losses are."""
    kept = Outline(size)
    gaps = Gaps()
    for event in events:
        if isinstance(event, Record):
            kept.record_start.append(event.at)
            kept.record_end.append(event.at + event.size)
        elif isinstance(event, Lost):
            gaps.append(event)
        elif isinstance(event, End):
            kept.verdict, kept.reason, kept.end = event.verdict, event.reason, event.end
    kept.lost = gaps.in_order()
    return kept
