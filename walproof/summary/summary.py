"""Read a log once, and return totals, the first and the last record, and the largest losses."""

from __future__ import annotations

import contextlib
import heapq
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from reference_impl.answer import End as ReferenceEnd
from reference_impl.answer import Lost
from reference_impl.formats import Context, named
from walproof.summary.lost_bytes import lost_counter
from walproof.summary.meter import Meter
from walproof.summary.model import (
    SHOWN_RANGES,
    WORTH_A_KERNEL,
    Observer,
    Summary,
    size_of,
)
from walproof.summary.records import Counted

#: Function that receives the number of bytes read so far.
Progress = Callable[[int], None]


def summarise(
    format_id: str,
    path: Path,
    context: Context,
    progress: Progress = lambda at: None,
    observer: Observer | None = None,
) -> Summary:
    """Read a log once, and return its summary. Raises ``OSError`` and ``ValueError``."""
    counted, result = _events(format_id, path, context)
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
            meter.at(event.file, counted.take(summary, event))
    summary.ranges = [gap for _, _, gap in sorted(largest, key=lambda each: (-each[0], -each[1]))]
    counted.finish(summary)
    return summary


def _events(format_id: str, path: Path, context: Context) -> tuple[Counted, Iterable[Any]]:
    """Return the events of a log, and the counter for its records or runs of records."""
    if size_of(path) >= WORTH_A_KERNEL:
        with contextlib.suppress(ModuleNotFoundError):  # without numpy or pyarrow
            from walproof.summary import runs

            return runs.CountedRuns(format_id), runs.events(format_id, path, context)
    return Counted(format_id), named(format_id).read(path, "recover", context)


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
