"""What the reference reader finds in a log, without the payloads: small enough to keep whole."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from reference_impl.answer import End, Event, Lost, Record, Verdict


@dataclass
class Outline:
    """An answer of the profile ``recover`` over a log of ``size`` bytes.

    Record number ``i``, counted from 0 as in the answer, is ``[record_start[i], record_end[i])``:
    16 bytes of memory per record. ``lost`` is in log order.
    """

    size: int
    verdict: Verdict = "intact"
    reason: str | None = None
    end: int | None = None
    record_start: array[int] = field(default_factory=lambda: array("Q"))
    record_end: array[int] = field(default_factory=lambda: array("Q"))
    lost: list[Lost] = field(default_factory=list)

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
    for event in events:
        if isinstance(event, Record):
            kept.record_start.append(event.at)
            kept.record_end.append(event.at + event.size)
        elif isinstance(event, Lost):
            kept.lost.append(event)
        elif isinstance(event, End):
            kept.verdict, kept.reason, kept.end = event.verdict, event.reason, event.end
    kept.lost.sort(key=lambda gap: gap.start)
    return kept
