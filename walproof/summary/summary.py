"""Read a log once, and return totals, the first and the last record, and the largest losses.

Memory use does not depend on the size of the log.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from reference_impl.answer import End as ReferenceEnd
from reference_impl.answer import Lost, Record
from reference_impl.formats import Context, named
from walproof.summary.lost_bytes import lost_counter
from walproof.summary.meter import Meter
from walproof.summary.model import (
    SHOWN_RANGES,
    Observer,
    Shown,
    Summary,
    plain_text,
    size_of,
    widen,
)

#: Receives the number of bytes read so far.
Progress = Callable[[int], None]


def summarise(
    format_id: str,
    path: Path,
    context: Context,
    progress: Progress = lambda at: None,
    observer: Observer | None = None,
) -> Summary:
    """Read a log once, with the bulk scanner if it is installed.

    Raises ``OSError``, and ``ValueError`` for a context that the format does not accept.
    """
    try:
        from walproof.summary import runs
    except ModuleNotFoundError:  # without numpy or pyarrow, use the executable specification
        result: Iterable[Any] = named(format_id).read(path, "recover", context)
        take: Callable[[Summary, Any], None] = _take_record
        finish: Callable[[Summary], None] = lambda summary: None  # noqa: E731
    else:
        result = runs.events(format_id, path, context, size_of(path))
        of_runs = runs.OfRuns(format_id)
        take, finish = of_runs.take, of_runs.finish
    summary, meter = Summary(format_id), Meter(path, progress)
    largest: list[tuple[int, int, Lost]] = []
    count_lost = lost_counter(format_id, path)
    for number, event in enumerate(result):
        if isinstance(event, Lost):
            _take_lost(summary, event, number, largest, count_lost(event))
            meter.at(event.file, event.end)
        elif isinstance(event, ReferenceEnd):
            summary.verdict, summary.reason = event.verdict, event.reason
            summary.end, summary.end_file = event.end, event.file
        else:
            if observer is not None:
                observer.take(event.fields)
            meter.at(event.file, _passed(take, summary, event))
    summary.ranges = [gap for _, _, gap in sorted(largest, key=lambda each: (-each[0], -each[1]))]
    finish(summary)
    return summary


def _passed(take: Callable[[Summary, Any], None], summary: Summary, event: Any) -> int:
    """Count a record or a run of records; return its end offset."""
    take(summary, event)
    if isinstance(event, Record):
        return event.at + event.size
    return int(event.at[-1] + event.size[-1]) if len(event) else 0


def _take_lost(
    summary: Summary, gap: Lost, number: int, largest: list[tuple[int, int, Lost]], written: int
) -> None:
    size = gap.end - gap.start
    summary.lost_bytes += written
    summary.unwritten_bytes += size - written
    summary.reasons[gap.reason] += 1
    # Prefer the earlier of two ranges with the same size.
    put = heapq.heappush if len(largest) < SHOWN_RANGES else heapq.heappushpop
    put(largest, (size, -number, gap))


def _take_record(summary: Summary, record: Record) -> None:
    summary.records += 1
    summary.framed_bytes += record.size
    shown = Shown(record.at, record.size, record.file, plain_text(record.payload))
    summary.first = summary.first or shown
    summary.last = shown
    widen(summary, record.fields)
