"""The result of a shard: rows, counts, and differences by signature."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from conformance.sandbox import Isolation
from walproof.sweep.effects import Signature
from walproof.sweep.enumeration import PAIR
from walproof.sweep.settings import Setting


@dataclass
class Occurrence:
    """A signature with its number of cases and the simplest case.

    The simplest case has a single damage, the control's own context, the smallest log and the
    lowest number, in this order of priority.
    """

    signature: Signature
    count: int
    control: str
    family: int
    setting: int
    number: int
    size: int
    text: str
    alone: bool = True

    @property
    def order(self) -> tuple[int, int, int, int]:
        """Sort key: simpler cases are smaller."""
        simple = 2 * (self.signature.operation == PAIR) + bool(self.signature.context)
        return (simple, self.size, self.setting, self.number)

    def merge(self, other: Occurrence) -> Occurrence:
        """Return the sum of two occurrences of a signature, with the simpler case."""
        best = min(self, other, key=lambda each: each.order)
        return Occurrence(**{**vars(best), "count": self.count + other.count})


class ShardResult:
    """The result of a shard; ``to_json`` returns the content of its marker file.

    ``rows`` are rows of the table ``sweep``. ``counts`` contains counters by topic. The topics
    ``operations``, ``groups``, ``profiles``, ``varied`` and ``verdicts`` count the cases that ran,
    and ``cases`` counts void, duplicate and repeated cases. ``outcomes NAME``, ``sent NAME`` and
    ``unsent NAME`` belong to an implementation. ``left`` counts the cases that were not sent to an
    implementation because it fails the undamaged control; ``fails`` contains these failures by
    control and profile. ``isolation`` is None without a program.
    """

    def __init__(self, number: int, names: Sequence[str]) -> None:
        self.number = number
        self.names = names
        self.rows: list[dict[str, Any]] = []
        self.occurrences: dict[Signature, Occurrence] = {}
        self.counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.skipped: dict[str, str] = {}
        self.versions: dict[str, str] = {}
        self.fails: dict[str, dict[str, str]] = {}
        self.isolation: Isolation | None = None

    def add_row(self, setting: Setting, **columns: Any) -> None:
        """Add a case."""
        context = json.dumps(dict(setting.context)) if setting.varied else None
        self.rows.append(
            {"shard": self.number, "profile": setting.profile, "context": context, **columns}
        )

    def set_outcome(self, name: str, outcome: str) -> None:
        """Set the outcome of an implementation in the last case."""
        self.rows[-1][f"outcome_{name}"] = outcome

    def add(self, occurrence: Occurrence) -> None:
        """Add a difference."""
        add_occurrence(self.occurrences, occurrence)

    def count_rows(self, first: int, group: str, setting: Setting) -> None:
        """Count the rows from number ``first`` on."""
        rows = self.rows[first:]
        self.counts["operations"].update(row["operation"] for row in rows)
        self.counts["groups"][group] += len(rows)
        self.counts["profiles"][setting.profile] += len(rows)
        self.counts["varied"].update(dict.fromkeys(setting.varied, len(rows)))
        self.counts["verdicts"].update(row["verdict"] for row in rows)

    def count_outcomes(self) -> None:
        """Count the outcomes of each implementation."""
        for name in self.names:
            outcomes = (row.get(f"outcome_{name}") or "not sent" for row in self.rows)
            self.counts[f"outcomes {name}"].update(outcomes)

    def to_json(self) -> dict[str, Any]:
        """Return counts and differences, without the rows."""
        return {
            "shard": self.number,
            "counts": {topic: dict(counts) for topic, counts in self.counts.items()},
            "seconds": {name: round(spent, 3) for name, spent in self.seconds.items()},
            "skipped": self.skipped,
            "versions": self.versions,
            "fails": self.fails,
            "isolation": self.isolation,
            "findings": [
                {**vars(each), "signature": vars(each.signature)}
                for each in self.occurrences.values()
            ],
        }

    def table(self) -> pa.Table:
        """Return a table with one row per case and an outcome column per implementation."""
        outcomes = [(f"outcome_{name}", pa.string()) for name in self.names]
        return pa.Table.from_pylist(self.rows, pa.schema([*_COLUMNS, *outcomes]))


def add_occurrence(occurrences: dict[Signature, Occurrence], occurrence: Occurrence) -> None:
    """Add an occurrence to a mapping by signature."""
    before = occurrences.get(occurrence.signature)
    occurrences[occurrence.signature] = before.merge(occurrence) if before else occurrence


def occurrence_from_json(body: Mapping[str, Any]) -> Occurrence:
    """Return an occurrence from its JSON in a marker."""
    return Occurrence(**{**body, "signature": Signature(**body["signature"])})


_COLUMNS = [
    ("shard", pa.int32()),
    ("control", pa.string()),
    ("operation", pa.string()),
    ("family", pa.int32()),
    ("number", pa.int64()),
    ("profile", pa.string()),
    ("context", pa.string()),
    ("size", pa.int64()),
    ("fingerprint", pa.int64()),
    ("verdict", pa.string()),
    ("reason", pa.string()),
    ("records", pa.int32()),
]
