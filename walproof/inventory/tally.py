"""Counts of logs, merged over the parts of a log, and the rows with these counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow.compute as pc

from reference_impl.answer import Lost
from walproof.inventory.logs import files_of, microseconds
from walproof.inventory.schemas import FILES, times
from walproof.lake.discovery import FoundLog
from walproof.lake.names import shown
from walproof.scan.model import Records
from walproof.tables.rows import file_name

NOTHING_BUT_ZEROS = "nothing but zeros"


@dataclass
class FileTally:
    """The counters of one file. Times are in microseconds since 1970.

    ``first_fault`` is the verdict and the reason of the first damaged range, or, if no range is
    damaged, of the first torn range.
    """

    records: int = 0
    record_bytes: int = 0
    lost_ranges: int = 0
    lost_bytes: int = 0
    first_fault: tuple[str, str] | None = None
    first_time: int | None = None
    last_time: int | None = None
    is_blank: bool = False

    def add_records(self, run: Records) -> None:
        """Count a run of records."""
        part = FileTally(len(run), int(run.size.sum()))
        moments = times(run)
        if moments is not None and moments.null_count < len(moments):
            first_and_last = pc.min_max(moments).as_py()
            part.first_time, part.last_time = first_and_last["min"], first_and_last["max"]
        self.merge(part)

    def add_lost(self, lost: Lost) -> None:
        """Count a lost range."""
        fault = ("torn" if lost.torn else "damaged", lost.reason)
        self.merge(FileTally(0, 0, 1, lost.end - lost.start, fault))

    def merge(self, later: FileTally) -> None:
        """Add the counts of a later part of the same file."""
        self.records += later.records
        self.record_bytes += later.record_bytes
        self.lost_ranges += later.lost_ranges
        self.lost_bytes += later.lost_bytes
        self.is_blank = self.is_blank or later.is_blank
        is_worse = later.first_fault is not None and later.first_fault[0] == "damaged"
        if self.first_fault is None or (is_worse and self.first_fault[0] == "torn"):
            self.first_fault = later.first_fault
        first = [part.first_time for part in (self, later) if part.first_time is not None]
        last = [part.last_time for part in (self, later) if part.last_time is not None]
        self.first_time, self.last_time = min(first, default=None), max(last, default=None)


@dataclass
class Tally:
    """The counters of a log or of a part of a log, by file; the key of a single file is None.

    ``format`` is None if the file is not a log. ``verdict`` and ``reason`` are None for a part,
    unless the part shows that the log is refused. ``error`` is the reason why reading stopped
    early.
    """

    format: str | None = None
    files: defaultdict[str | None, FileTally] = field(
        default_factory=lambda: defaultdict(FileTally)
    )
    verdict: str | None = None
    reason: str | None = None
    error: str | None = None


def merged(parts: Iterable[Tally]) -> Tally:
    """Return the tally of a log from those of its parts, in log order."""
    parts = list(parts)
    if len(parts) == 1:
        return parts[0]
    total = Tally(parts[0].format)
    for part in parts:
        total.error = total.error or part.error
        for name, tally in part.files.items():
            total.files[name].merge(tally)
    refused = next((part for part in parts if part.verdict == "refused"), None)
    if refused is not None:
        total.verdict, total.reason = refused.verdict, refused.reason
    elif total.error is None:
        faults = [tally.first_fault for tally in total.files.values() if tally.first_fault]
        faults.sort(key=lambda fault: fault[0] == "torn")  # stable: the first damage first
        total.verdict, total.reason = faults[0] if faults else ("intact", None)
    return total


def file_rows(log_name: str, log: FoundLog, tally: Tally) -> Iterator[dict[str, Any]]:
    """Yield a row of ``files`` for each file of a log, also for a missing file of the log."""
    of_log = {
        "log": log_name,
        "format": tally.format,
        "log_verdict": tally.verdict,
        "log_reason": tally.reason,
        "error": tally.error,
    }
    members = files_of(log)
    # A log whose files cannot be listed has one row too.
    for name in dict.fromkeys([*members, *tally.files]) or [None]:
        member, counts = members.get(name), tally.files.get(name, FileTally())
        verdict, reason = _verdict(tally, name, counts) if members or tally.files else (None, None)
        yield {
            **of_log,
            "file": shown(file_name(log.shown_path, name)),
            "size": member.size if member else 0,
            "modified": microseconds(member) if member else None,
            "verdict": verdict,
            "reason": reason,
            **{name: value for name, value in vars(counts).items() if name in FILES.names},
            "remark": NOTHING_BUT_ZEROS if counts.is_blank else None,
        }


def _verdict(tally: Tally, name: str | None, counts: FileTally) -> tuple[str | None, str | None]:
    """Return the verdict and the reason for one file of a log; both are None if unknown.

    The result for a log of one file is that of the reader. In a log of several files, the result
    for a file depends on the first fault in this file.
    """
    if tally.format is None or name is None or tally.verdict == "refused":
        return tally.verdict, tally.reason
    if counts.first_fault is not None:
        return counts.first_fault
    return (None, None) if tally.error else ("intact", None)
