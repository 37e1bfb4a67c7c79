"""Summarise a log: totals, the first and the last record, and the largest lost ranges."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reference_impl.answer import End, Lost, Record
from walproof.describe import NotDescribed, describe
from walproof.log import Log
from walproof.quoted import quoted

if TYPE_CHECKING:
    from walproof.scanners.model import Records

#: Maximum number of lost ranges to store. The largest ones are stored.
SHOWN_RANGES = 8
#: Maximum number of characters to show of a payload that has no description.
SHOWN_CHARACTERS = 64
#: For each record field, the :class:`Summary` attribute that contains the range of its values.
_SPANS = {"realtime": "times", "index": "indexes"}


@dataclass(frozen=True)
class RecordText:
    """A record as shown on the screen. Offset and size are in bytes."""

    at: int
    size: int
    file: str | None
    text: str


@dataclass
class Summary:
    """The summary of one log."""

    format: str
    records: int = 0
    #: Total size in bytes of all records, including headers.
    framed_bytes: int = 0
    first: RecordText | None = None
    last: RecordText | None = None
    #: Earliest and latest record time, in microseconds since 1970.
    times: tuple[int, int] | None = None
    #: Lowest and highest index.
    indexes: tuple[int, int] | None = None
    lost_bytes: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    #: Largest lost ranges, in descending order of their size.
    ranges: list[Lost] = field(default_factory=list)
    verdict: str = "refused"
    reason: str | None = None
    end: int | None = None
    end_file: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the object that ``walproof PATH --json`` prints. 64-bit numbers are text."""
        return {
            "format": self.format,
            "verdict": self.verdict,
            "reason": self.reason,
            "records": self.records,
            "framed_bytes": self.framed_bytes,
            "first": vars(self.first) if self.first else None,
            "last": vars(self.last) if self.last else None,
            "times": list(map(str, self.times)) if self.times else None,
            "indexes": list(map(str, self.indexes)) if self.indexes else None,
            "lost_bytes": self.lost_bytes,
            "lost_ranges": sum(self.reasons.values()),
            "lost_by_reason": dict(self.reasons.most_common()),
            "largest_lost": [gap.to_json() for gap in self.ranges],
            "end": self.end if self.end_file is None else {"file": self.end_file, "at": self.end},
        }


def summarise(log: Log, progress: Callable[[int], None] = lambda done_bytes: None) -> Summary:
    """Read a log once, and return its summary.

    ``progress`` receives the number of bytes read so far. Raises ``OSError``, and ``ValueError``
    for a context that the format rejects.
    """
    summary, meter = Summary(log.format), Meter(log.readable, progress)
    largest: list[tuple[int, int, Lost]] = []
    last: Record | None = None
    for number, event in enumerate(log.runs()):
        if isinstance(event, Lost):
            _add_lost(summary, event, number, largest)
            meter.at(event.file, event.end)
        elif isinstance(event, End):
            summary.verdict, summary.reason = event.verdict, event.reason
            summary.end, summary.end_file = event.end, event.file
        else:
            first, last = _add(summary, event)
            if summary.first is None:
                summary.first = _record_text(log.format, first())
            meter.at(last.file, last.at + last.size)
    if last is not None:
        summary.last = _record_text(log.format, last)
    summary.ranges = [gap for _, _, gap in sorted(largest, key=lambda each: (-each[0], -each[1]))]
    return summary


def _add(summary: Summary, event: Record | Records) -> tuple[Callable[[], Record], Record]:
    """Count a record or a run of records; return its first and its last record."""
    if isinstance(event, Record):
        summary.records += 1
        summary.framed_bytes += event.size
        for name, span in _SPANS.items():
            if (value := event.fields.get(name)) is not None:
                _widen(summary, span, int(value), int(value))
        return lambda: event, event
    from walproof.scanners.answers import in_full

    def record(n: int) -> Record:
        (full,) = in_full(summary.format, [event.slice(n, n + 1)])
        assert isinstance(full, Record)
        return full

    summary.records += len(event)
    summary.framed_bytes += int(event.size.sum())
    for name, span in _SPANS.items():
        if (limits := _limits(event.fields, name)) is not None:
            _widen(summary, span, *limits)
    return lambda: record(0), record(len(event) - 1)


def _limits(fields: Mapping[str, Any], name: str) -> tuple[int, int] | None:
    """Return the lowest and the highest value of a column, if it has values."""
    import pyarrow.compute as pc

    if name not in fields:
        return None
    limits = pc.min_max(fields[name]).as_py()
    return None if limits["min"] is None else (limits["min"], limits["max"])


def _widen(summary: Summary, span: str, low: int, high: int) -> None:
    before = getattr(summary, span) or (low, high)
    setattr(summary, span, (min(before[0], low), max(before[1], high)))


def _add_lost(
    summary: Summary, gap: Lost, number: int, largest: list[tuple[int, int, Lost]]
) -> None:
    size = gap.end - gap.start
    summary.lost_bytes += size
    summary.reasons[gap.reason] += 1
    # Store a negative number, so that the earlier of two equally large ranges is kept.
    put = heapq.heappush if len(largest) < SHOWN_RANGES else heapq.heappushpop
    put(largest, (size, -number, gap))


def _record_text(format_id: str, record: Record) -> RecordText:
    return RecordText(record.at, record.size, record.file, text_of(format_id, record))


def text_of(format_id: str, record: Record) -> str:
    """Return a description of a record or, without one, the first bytes of its payload.

    Text from the log is not escaped.
    """
    try:
        described = describe(format_id, record)
    except NotDescribed as error:
        return f"{quoted(record.payload, SHOWN_CHARACTERS)}  (payload {error})"
    return quoted(record.payload, SHOWN_CHARACTERS) if described is None else described.text


class Meter:
    """Pass the number of bytes read from a log of one or several files to ``progress``."""

    def __init__(self, log: Path, progress: Callable[[int], None]) -> None:
        self._log, self._progress = log, progress
        self._before: dict[str | None, int] = {}
        self._passed = 0

    def at(self, file: str | None, end: int) -> None:
        """Record the end offset of an event in a file (None for a log of one file)."""
        if file not in self._before:
            self._before[file] = self._passed
            self._passed += self._size(file)
        self._progress(self._before[file] + end)

    def _size(self, file: str | None) -> int:
        try:
            return (self._log / file).stat().st_size if file is not None else 0
        except OSError:  # the file is missing
            return 0
