"""The result of a shard: rows, counts, and differences by signature."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from conformance.sandbox import Isolation
from walproof.sweep.effects import Signature
from walproof.sweep.enumeration import PAIR


@dataclass
class Occurrence:
    """A signature with its number of cases and the simplest case."""

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


@dataclass
class ShardResult:
    """The result of a shard; ``to_json`` returns the content of its marker file."""

    number: int
    #: Rows of the table ``sweep``.
    rows: list[dict[str, Any]] = field(default_factory=list)
    occurrences: dict[Signature, Occurrence] = field(default_factory=dict)
    #: Number of void and duplicate cases.
    cases: Counter[str] = field(default_factory=Counter)
    #: Number of cases that were not sent, by implementation and reason.
    unsent: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    skipped: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    #: Failures of undamaged controls, by control and profile.
    fails: dict[str, dict[str, str]] = field(default_factory=dict)
    #: None without a program.
    isolation: Isolation | None = None

    def to_json(self) -> dict[str, Any]:
        """Return counts and differences, without the rows."""
        body = {name: value for name, value in vars(self).items() if name != "rows"}
        del body["occurrences"]
        return body | {
            "findings": [
                {**vars(each), "signature": vars(each.signature)}
                for each in self.occurrences.values()
            ]
        }

    def table(self, names: Sequence[str]) -> pa.Table:
        """Return a table with one row per case and an outcome column per implementation."""
        outcomes = [(f"outcome_{name}", pa.string()) for name in names]
        return pa.Table.from_pylist(self.rows, pa.schema([*_COLUMNS, *outcomes]))


def add_occurrence(occurrences: dict[Signature, Occurrence], occurrence: Occurrence) -> None:
    """Add an occurrence to a mapping by signature, which keeps the simpler case."""
    if before := occurrences.get(occurrence.signature):
        best = min(before, occurrence, key=lambda each: each.order)
        occurrence = replace(best, count=before.count + occurrence.count)
    occurrences[occurrence.signature] = occurrence


def occurrence_from_json(body: Mapping[str, Any]) -> Occurrence:
    """Return an occurrence from its JSON in a marker."""
    return Occurrence(**{**body, "signature": Signature(**body["signature"])})


_COLUMNS = [
    ("shard", pa.int32()),
    ("group", pa.string()),
    ("control", pa.string()),
    ("operation", pa.string()),
    ("family", pa.int32()),
    ("number", pa.int64()),
    ("profile", pa.string()),
    ("context", pa.string()),
    ("varied", pa.string()),
    ("size", pa.int64()),
    ("fingerprint", pa.int64()),
    ("verdict", pa.string()),
    ("reason", pa.string()),
    ("records", pa.int32()),
]
