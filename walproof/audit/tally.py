"""Counts made while logs are read: small, kept as JSON, and added up in any order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from reference_impl.answer import Lost
from walproof.audit.tables import times
from walproof.scan.model import Records

STEPS = (1, 60, 3_600, 86_400, 30 * 86_400, 3_600 * 86_400)
"""Seconds. Records are counted over time in the finest steps that stay few."""
MOST_STEPS = 1_000
RANGES = 100
"""So many lost ranges of a file are kept for the plots; all are in the table ``damage``."""


@dataclass
class Clock:
    """Records over time: how many in each step of ``step`` seconds since 1970."""

    step: int = STEPS[0]
    counts: Counter[int] = field(default_factory=Counter)

    def add(self, microseconds: pa.Array) -> None:
        """Count records in."""
        seconds = microseconds.drop_null().to_numpy() // 1_000_000
        found, counts = np.unique(seconds // self.step, return_counts=True)
        self.counts.update(dict(zip(found.tolist(), counts.tolist(), strict=True)))
        self._keep_few()

    def merge(self, other: Clock) -> None:
        """Take in another clock, in the coarser steps of the two."""
        self.to_step(max(self.step, other.step))
        for at, count in other.counts.items():
            self.counts[at * other.step // self.step] += count
        self._keep_few()

    def to_step(self, step: int) -> None:
        """Go over to coarser steps."""
        if step != self.step:
            merged: Counter[int] = Counter()
            for at, count in self.counts.items():
                merged[at * self.step // step] += count
            self.step, self.counts = step, merged

    def _keep_few(self) -> None:
        while len(self.counts) > MOST_STEPS and self.step < STEPS[-1]:
            self.to_step(next(step for step in STEPS if step > self.step))

    def to_json(self) -> dict[str, Any] | None:
        """As JSON; None when nothing was counted."""
        if not self.counts:
            return None
        return {"step": self.step, "counts": {str(at): n for at, n in self.counts.items()}}

    @classmethod
    def from_json(cls, body: Mapping[str, Any] | None) -> Clock:
        """The clock that :meth:`to_json` wrote."""
        if body is None:
            return cls()
        return cls(body["step"], Counter({int(at): n for at, n in body["counts"].items()}))


@dataclass
class FileTally:
    """What was read of one file. ``lost`` counts ranges and bytes by (verdict, reason).

    ``is_blank``: all of its bytes are zero.
    """

    size: int = 0
    records: int = 0
    record_bytes: int = 0
    lost: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    ranges: list[tuple[int, int, bool]] = field(default_factory=list)
    first_fault: tuple[str, str] | None = None
    sizes: Counter[int] = field(default_factory=Counter)
    clock: Clock = field(default_factory=Clock)
    first_time: int | None = None
    last_time: int | None = None
    is_blank: bool = False

    def add_records(self, run: Records) -> None:
        """Count a run of records in."""
        self.records += len(run)
        self.record_bytes += int(run.size.sum())
        # Bit length: 1 for 1, 7 for 64 to 127.
        lengths = np.frexp(np.maximum(run.size, 0).astype(np.float64))[1]
        found, counts = np.unique(lengths, return_counts=True)
        self.sizes.update(dict(zip(found.tolist(), counts.tolist(), strict=True)))
        moments = times(run)
        if moments is None or moments.null_count == len(moments):
            return
        self.clock.add(moments)
        known = moments.drop_null().to_numpy()
        self._span(int(known.min()), int(known.max()))

    def _span(self, first: int | None, last: int | None) -> None:
        if first is not None:
            self.first_time = first if self.first_time is None else min(self.first_time, first)
        if last is not None:
            self.last_time = last if self.last_time is None else max(self.last_time, last)

    def add_lost(self, lost: Lost) -> None:
        """Count a lost range in."""
        key = ("torn" if lost.torn else "damaged", lost.reason)
        count = self.lost.setdefault(key, [0, 0])
        count[0] += 1
        count[1] += lost.end - lost.start
        if len(self.ranges) < RANGES:
            self.ranges.append((lost.start, lost.end, lost.torn))
        if self.first_fault is None or (self.first_fault[0] == "torn" and not lost.torn):
            self.first_fault = key

    def merge(self, other: FileTally) -> None:
        """Add the tally of a later part of the same file."""
        self.size = max(self.size, other.size)
        self.is_blank = self.is_blank or other.is_blank
        self.records += other.records
        self.record_bytes += other.record_bytes
        for key, (ranges, size) in other.lost.items():
            count = self.lost.setdefault(key, [0, 0])
            count[0] += ranges
            count[1] += size
        self.ranges = (self.ranges + other.ranges)[:RANGES]
        if other.first_fault and (
            self.first_fault is None
            or (self.first_fault[0] == "torn" and other.first_fault[0] == "damaged")
        ):
            self.first_fault = other.first_fault
        self.sizes.update(other.sizes)
        self.clock.merge(other.clock)
        self._span(other.first_time, other.last_time)

    @property
    def lost_ranges(self) -> int:
        """Number of lost ranges."""
        return sum(count[0] for count in self.lost.values())

    @property
    def lost_bytes(self) -> int:
        """Bytes in lost ranges."""
        return sum(count[1] for count in self.lost.values())

    def to_json(self) -> dict[str, Any]:
        """As JSON, short where there is little to say."""
        body: dict[str, Any] = {"size": self.size, "records": self.records}
        if self.records:
            body["record_bytes"] = self.record_bytes
            body["sizes"] = {str(bits): n for bits, n in self.sizes.items()}
        if self.lost:
            body["lost"] = [[*key, *count] for key, count in self.lost.items()]
            body["ranges"] = self.ranges
            body["first_fault"] = self.first_fault
        if self.first_time is not None:
            body["clock"] = self.clock.to_json()
            body["span"] = [self.first_time, self.last_time]
        if self.is_blank:
            body["blank"] = True
        return body

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> FileTally:
        """The tally that :meth:`to_json` wrote."""
        first, last = body.get("span", (None, None))
        fault = body.get("first_fault")
        return cls(
            body["size"],
            body["records"],
            body.get("record_bytes", 0),
            {(verdict, reason): [n, size] for verdict, reason, n, size in body.get("lost", ())},
            [(start, end, torn) for start, end, torn in body.get("ranges", ())],
            (fault[0], fault[1]) if fault else None,
            Counter({int(bits): n for bits, n in body.get("sizes", {}).items()}),
            Clock.from_json(body.get("clock")),
            first,
            last,
            body.get("blank", False),
        )


@dataclass
class Tally:
    """What was read of a log, or of a part of it, by file (None in a log of one file).

    ``format`` is None when it is no log. ``verdict`` and ``reason`` are the reader's, and None
    for a part: :func:`merged` derives them. ``error`` says why reading came to an end early, and
    ``may_pass`` that it may come further the next time; that is not kept.
    """

    format: str | None = None
    files: dict[str | None, FileTally] = field(default_factory=dict)
    verdict: str | None = None
    reason: str | None = None
    error: str | None = None
    may_pass: bool = False

    def to_json(self) -> dict[str, Any]:
        """As JSON."""
        files = [[name, tally.to_json()] for name, tally in self.files.items()]
        known = {name: getattr(self, name) for name in ("format", "verdict", "reason", "error")}
        return {"files": files, **{name: text for name, text in known.items() if text is not None}}

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Tally:
        """The tally that :meth:`to_json` wrote."""
        files = {name: FileTally.from_json(of_file) for name, of_file in body["files"]}
        texts = (body.get(name) for name in ("verdict", "reason", "error"))
        verdict, reason, error = texts
        return cls(body.get("format"), files, verdict, reason, error)


def merged(parts: Iterable[Tally]) -> Tally:
    """The tally of a log from those of its parts, in log order."""
    parts = list(parts)
    if len(parts) == 1:
        return parts[0]
    whole = Tally(parts[0].format)
    for part in parts:
        whole.error = whole.error or part.error
        for name, tally in part.files.items():
            whole.files.setdefault(name, FileTally(tally.size)).merge(tally)
    refused = next((part for part in parts if part.verdict == "refused"), None)
    if refused is not None:
        whole.verdict, whole.reason = refused.verdict, refused.reason
    elif whole.error is None:
        faults = [tally.first_fault for tally in whole.files.values() if tally.first_fault]
        faults.sort(key=lambda fault: fault[0] == "torn")  # stable: the first damage, else torn
        whole.verdict, whole.reason = faults[0] if faults else ("intact", None)
    return whole
