"""The outcome of a shard: rows, counts, and disagreements by signature."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.sandbox import Isolation
from walproof.sweep import judge
from walproof.sweep.judge import Signature
from walproof.sweep.pairs import PAIR
from walproof.sweep.settings import Setting


@dataclass
class Occurrence:
    """A signature, how many cases show it, and the simplest of them.

    That is one with one damage, the control's own context, the smallest log, the first number.
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
        """A key for sorting: simpler cases are smaller."""
        simple = 2 * (self.signature.operation == PAIR) + bool(self.signature.context)
        return (simple, self.size, self.setting, self.number)

    def merge(self, other: Occurrence) -> Occurrence:
        """Add the same signature from elsewhere: counts add up, the simpler case stays."""
        best = min(self, other, key=lambda each: each.order)
        return Occurrence(**{**vars(best), "count": self.count + other.count})


def occurrence_from_json(body: Mapping[str, Any]) -> Occurrence:
    """Return an occurrence as a marker holds it."""
    return Occurrence(**{**body, "signature": Signature(**body["signature"])})


@dataclass
class Rows:
    """The cases of a shard, as columns of ``sweep``; the outcomes by implementation."""

    outcomes: dict[str, bytearray]
    control: list[int] = field(default_factory=list)
    family: list[int] = field(default_factory=list)
    setting: list[int] = field(default_factory=list)
    number: list[int] = field(default_factory=list)
    operation: list[str] = field(default_factory=list)
    size: list[int] = field(default_factory=list)
    fingerprint: list[int] = field(default_factory=list)
    verdict: list[str] = field(default_factory=list)
    reason: list[str | None] = field(default_factory=list)
    records: list[int] = field(default_factory=list)


@dataclass
class Outcome:
    """The result of a shard. ``to_json`` is its marker in the output folder.

    ``fails`` says by implementation what is wrong with its answer to an undamaged control, by
    :func:`at`; ``left`` counts the cases made from such controls, which it did not get.
    ``isolation`` is None without a program.
    """

    number: int
    rows: Rows
    occurrences: dict[Signature, Occurrence] = field(default_factory=dict)
    cases: Counter[str] = field(default_factory=Counter)
    groups: Counter[str] = field(default_factory=Counter)
    profiles: Counter[str] = field(default_factory=Counter)
    varied: Counter[str] = field(default_factory=Counter)
    void: int = 0
    doubles: int = 0
    again: int = 0
    sent: dict[str, Counter[str]] = field(default_factory=dict)
    unsent: dict[str, Counter[str]] = field(default_factory=dict)
    outcomes: dict[str, Counter[str]] = field(default_factory=dict)
    verdicts: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    hello: dict[str, dict[str, Any]] = field(default_factory=dict)
    fails: dict[str, dict[str, str]] = field(default_factory=dict)
    left: Counter[str] = field(default_factory=Counter)
    isolation: Isolation | None = None

    @classmethod
    def empty(cls, number: int, columns: Sequence[str]) -> Outcome:
        """Return the outcome of a shard of which nothing has run."""
        return cls(number, Rows({name: bytearray() for name in columns}))

    def add(self, occurrence: Occurrence) -> None:
        """Add a disagreement."""
        before = self.occurrences.get(occurrence.signature)
        self.occurrences[occurrence.signature] = before.merge(occurrence) if before else occurrence

    def count_rows(self, first: int, group: str, setting: Setting) -> None:
        """Count the rows from the number ``first`` on."""
        count = len(self.rows.number) - first
        self.cases.update(self.rows.operation[first:])
        self.groups[group] += count
        self.profiles[setting.profile] += count
        self.varied.update(dict.fromkeys(setting.varied, count))
        self.verdicts.update(self.rows.verdict[first:])

    def count_outcomes(self, columns: Sequence[str]) -> None:
        """Count the outcomes of each implementation."""
        for name in columns:
            counts = Counter(self.rows.outcomes[name])
            self.outcomes[name] = Counter(
                {judge.OUTCOMES[code] or "not sent": n for code, n in counts.items()}
            )

    def to_json(self) -> dict[str, Any]:
        """Return counts and disagreements, without the rows."""
        return {
            "shard": self.number,
            "cases": dict(self.cases),
            "groups": dict(self.groups),
            "profiles": dict(self.profiles),
            "varied": dict(self.varied),
            "void": self.void,
            "doubles": self.doubles,
            "again": self.again,
            "sent": {name: dict(counts) for name, counts in self.sent.items()},
            "unsent": {name: dict(counts) for name, counts in self.unsent.items()},
            "outcomes": {name: dict(counts) for name, counts in self.outcomes.items()},
            "verdicts": dict(self.verdicts),
            "seconds": {name: round(spent, 3) for name, spent in self.seconds.items()},
            "skipped": self.skipped,
            "hello": self.hello,
            "fails": self.fails,
            "left": dict(self.left),
            "isolation": self.isolation,
            "findings": [
                {**vars(each), "signature": vars(each.signature)}
                for each in self.occurrences.values()
            ],
        }


def at(control: str, profile: str) -> str:
    """A control in a profile, as a key."""
    return f"{control} {profile}"
