"""The data of a summary, and functions that add a record to a summary."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from reference_impl.answer import Lost
from walproof.quoted import quoted

#: Size in bytes from which loading, and possibly compiling, a kernel pays off.
WORTH_A_KERNEL = 4 << 20
#: Largest number of bytes shown of a payload that is not decoded.
MOST_BYTES = 32
#: Number of lost ranges that are stored, largest first.
SHOWN_RANGES = 8
_TIME = "realtime"
_INDEX = "index"


@dataclass(frozen=True)
class Shown:
    """A record on the screen: its offset and size in bytes, its file if it has one, its text."""

    at: int
    size: int
    file: str | None
    text: str


@dataclass
class Summary:
    """The summary of one log."""

    format: str
    records: int = 0
    #: Size of the records with their headers.
    framed_bytes: int = 0
    first: Shown | None = None
    last: Shown | None = None
    #: Earliest and latest time of a record, in microseconds since 1970.
    times: tuple[int, int] | None = None
    #: Lowest and highest index.
    indexes: tuple[int, int] | None = None
    #: Number of records with an index.
    with_index: int = 0
    #: Size of all lost ranges that may have contained data.
    lost_bytes: int = 0
    #: Size of the other lost ranges.
    unwritten_bytes: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    #: Largest lost ranges, in descending order.
    ranges: list[Lost] = field(default_factory=list)
    verdict: str = "refused"
    reason: str | None = None
    end: int | None = None
    end_file: str | None = None

    @property
    def missing(self) -> int:
        """The number of records missing between the lowest and the highest index."""
        if self.indexes is None:
            return 0
        return max(0, self.indexes[1] - self.indexes[0] + 1 - self.with_index)

    def to_json(self) -> dict[str, Any]:
        """Return the ``walproof PATH --json`` object; 64-bit numbers are text."""
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
            "missing_indexes": self.missing,
            "lost_bytes": self.lost_bytes,
            "unwritten_bytes": self.unwritten_bytes,
            "lost_ranges": sum(self.reasons.values()),
            "lost_by_reason": dict(self.reasons.most_common()),
            "largest_lost": [gap.to_json() for gap in self.ranges],
            "end": self.end if self.end_file is None else {"file": self.end_file, "at": self.end},
        }


def widen(summary: Summary, fields: Mapping[str, Any]) -> None:
    """Extend the ranges of times and indexes to include those of a record."""
    if fields.get(_TIME) is not None:
        at = int(fields[_TIME])
        summary.times = wider(summary.times, at, at)
    if fields.get(_INDEX) is not None:
        index = int(fields[_INDEX])
        summary.indexes = wider(summary.indexes, index, index)
        summary.with_index += 1


def wider(span: tuple[int, int] | None, low: int, high: int) -> tuple[int, int]:
    """Extend a range to include ``low`` and ``high``."""
    return (low, high) if span is None else (min(span[0], low), max(span[1], high))


def plain_text(payload: bytes) -> str:
    """Return a payload without a decoder as text, or its first bytes in hexadecimal."""
    return quoted(payload, 2 * MOST_BYTES)


class Observer(Protocol):
    """A collector of facts about a group of logs, which gets each record while a log is read."""

    def take(self, fields: Mapping[str, Any]) -> None:
        """Process the fields of a record, or the columns of a run of records, by name."""

    def lines(self) -> list[str]:
        """Return the collected facts, one per line."""


def size_of(path: Path) -> int:
    """Return the size of a file, or of all files in a folder; a deleted file counts as 0."""
    if not path.is_dir():
        return path.stat().st_size
    total = 0
    for file in path.rglob("*"):
        with contextlib.suppress(OSError):
            total += file.stat().st_size if file.is_file() else 0
    return total
