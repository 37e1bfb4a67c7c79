"""The outline of a log: positions of records and losses, without payloads."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from reference_impl.answer import End, Event, Lost, Record, Verdict
from walproof.spool import Spool


@dataclass
class Outline:
    """The answer for a log of ``size`` bytes in profile ``recover``, without payloads.

    Record ``i`` has the bytes ``[record_start[i], record_end[i])``.
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


def outline(events: Iterable[Event], size: int) -> Outline:
    """Return the outline of a log of ``size`` bytes from the events of a reader."""
    result = Outline(size)
    stored = Spool()
    for event in events:
        if isinstance(event, Record):
            result.record_start.append(event.at)
            result.record_end.append(event.at + event.size)
        elif isinstance(event, Lost):
            stored.add(event)
        elif isinstance(event, End):
            result.verdict, result.reason, result.end = event.verdict, event.reason, event.end
    result.lost = stored.lost()
    return result
