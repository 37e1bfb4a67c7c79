"""A shard: what it ran, what it found, and its counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.sandbox import Isolation
from walproof.sweep.judge import Signature
from walproof.sweep.pairs import PAIR


@dataclass
class Found:
    """A signature with its simplest example: one damage, the control's own context, the smallest
    log, then the first number."""

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
        """Simpler ones are smaller."""
        simple = 2 * (self.signature.operation == PAIR) + bool(self.signature.context)
        return (simple, self.size, self.setting, self.number)

    def merge(self, other: Found) -> Found:
        """The same signature from elsewhere: counts add up, the simpler example stays."""
        best = min(self, other, key=lambda found: found.order)
        return Found(**{**vars(best), "count": self.count + other.count})


@dataclass
class Rows:
    """The cases of a shard, as columns of ``sweep``; the outcomes by implementation."""

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
    outcomes: list[bytearray] = field(default_factory=list)


@dataclass
class Outcome:
    """The result of a shard. ``to_json`` is its marker in the output folder."""

    number: int
    rows: Rows
    found: dict[Signature, Found] = field(default_factory=dict)
    cases: Counter[str] = field(default_factory=Counter)
    groups: Counter[str] = field(default_factory=Counter)
    profiles: Counter[str] = field(default_factory=Counter)
    varied: Counter[str] = field(default_factory=Counter)
    void: int = 0
    doubles: int = 0
    again: int = 0
    asked: dict[str, Counter[str]] = field(default_factory=dict)
    unasked: dict[str, Counter[str]] = field(default_factory=dict)
    outcomes: dict[str, Counter[str]] = field(default_factory=dict)
    verdicts: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    hello: dict[str, dict[str, Any]] = field(default_factory=dict)
    fails: dict[str, dict[str, str]] = field(default_factory=dict)
    """By implementation: what is wrong with its answer to an undamaged control, by :func:`at`."""
    left: Counter[str] = field(default_factory=Counter)
    """By implementation: cases that were made from such a control, and not asked."""
    isolation: Isolation | None = None
    """What isolated the programs where it ran; None without a program."""

    def to_json(self) -> dict[str, Any]:
        """Counts and findings, without the rows."""
        return {
            "shard": self.number,
            "cases": dict(self.cases),
            "groups": dict(self.groups),
            "profiles": dict(self.profiles),
            "varied": dict(self.varied),
            "void": self.void,
            "doubles": self.doubles,
            "again": self.again,
            "asked": {name: dict(counts) for name, counts in self.asked.items()},
            "unasked": {name: dict(counts) for name, counts in self.unasked.items()},
            "outcomes": {name: dict(counts) for name, counts in self.outcomes.items()},
            "verdicts": dict(self.verdicts),
            "seconds": {name: round(spent, 3) for name, spent in self.seconds.items()},
            "skipped": self.skipped,
            "hello": self.hello,
            "fails": self.fails,
            "left": dict(self.left),
            "isolation": self.isolation,
            "findings": [
                {**vars(found), "signature": vars(found.signature)} for found in self.found.values()
            ],
        }


def at(control: str, profile: str) -> str:
    """A control in a profile, as a key."""
    return f"{control} {profile}"


def found_from_json(body: Mapping[str, Any]) -> Found:
    """A finding of a marker."""
    return Found(**{**body, "signature": Signature(**body["signature"])})
