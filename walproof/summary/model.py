"""What a summary holds, and how a record widens it."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from reference_impl.answer import Lost
from walproof.quoted import quoted

WORTH_A_KERNEL = 4 << 20
"""Bytes from which on a compiled kernel is worth loading, and, the first time, compiling."""
MOST_BYTES = 32
"""Bytes of a payload without a meaning that are shown."""
SHOWN_RANGES = 8
"""Lost ranges that are kept, the largest ones."""
_TIME = "realtime"
_INDEX = "index"


@dataclass(frozen=True)
class Shown:
    """A record as the screen shows it: where it is, and what it says."""

    at: int
    size: int
    file: str | None
    text: str


@dataclass
class Summary:
    """What there is to say of one log.

    ``framed_bytes`` are those of the records with their headers; ``times`` are microseconds since
    1970, of the earliest and the latest record where records have a time; ``indexes`` the lowest
    and the highest index where records have one, and ``with_index`` how many records have it.
    ``ranges`` are the largest lost ranges, largest first. ``lost_bytes`` are those of all lost
    ranges that may have held content, ``unwritten_bytes`` the others.
    """

    format: str
    records: int = 0
    framed_bytes: int = 0
    first: Shown | None = None
    last: Shown | None = None
    times: tuple[int, int] | None = None
    indexes: tuple[int, int] | None = None
    with_index: int = 0
    lost_bytes: int = 0
    unwritten_bytes: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    ranges: list[Lost] = field(default_factory=list)
    verdict: str = "refused"
    reason: str | None = None
    end: int | None = None
    end_file: str | None = None

    @property
    def missing(self) -> int:
        """Records between the lowest and the highest index that are not there, by their number."""
        if self.indexes is None:
            return 0
        return max(0, self.indexes[1] - self.indexes[0] + 1 - self.with_index)

    def to_json(self) -> dict[str, Any]:
        """The summary as ``walproof PATH --json`` prints it, numbers of 64 bits as text."""
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
    """Let the spans of times and indexes reach a record's."""
    if fields.get(_TIME) is not None:
        at = int(fields[_TIME])
        summary.times = wider(summary.times, at, at)
    if fields.get(_INDEX) is not None:
        index = int(fields[_INDEX])
        summary.indexes = wider(summary.indexes, index, index)
        summary.with_index += 1


def wider(span: tuple[int, int] | None, low: int, high: int) -> tuple[int, int]:
    """The span that also reaches from ``low`` to ``high``."""
    return (low, high) if span is None else (min(span[0], low), max(span[1], high))


def plain_text(payload: bytes) -> str:
    """What a record says without a decoder: its text, else its first bytes in hexadecimal."""
    return quoted(payload, 2 * MOST_BYTES)


class Observer(Protocol):
    """Looks at what is read on the way: records one by one, or runs of columns, by their fields."""

    def take(self, fields: Mapping[str, Any]) -> None:
        """Fields of a record, or the columns of a run, by their names."""


def size_of(path: Path) -> int:
    """Bytes of a file, or of all files in a folder; a file that is gone by then counts nothing."""
    if not path.is_dir():
        return path.stat().st_size
    total = 0
    for file in path.rglob("*"):
        with contextlib.suppress(OSError):
            total += file.stat().st_size if file.is_file() else 0
    return total
