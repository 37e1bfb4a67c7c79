"""The results of a sweep: counts, and differences by signature."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace

from walproof.sweep.effects import Signature
from walproof.sweep.enumeration import PAIR

#: Properties by which cases are counted; ``varied`` names the changed context keys.
COUNTED = ("group", "operation", "profile", "varied", "verdict")


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

    @property
    def order(self) -> tuple[int, int, int, int]:
        """Sort key: simpler cases are smaller."""
        simple = 2 * (self.signature.operation == PAIR) + bool(self.signature.context)
        return (simple, self.size, self.setting, self.number)


def _counters() -> defaultdict[str, Counter[str]]:
    return defaultdict(Counter)


@dataclass
class Result:
    """The counts and the differences of a set of cases."""

    #: Number of cases that ran.
    cases: int = 0
    #: Number of cases that did not run: ``void`` and ``doubles``.
    skipped_cases: Counter[str] = field(default_factory=Counter)
    #: Number of cases by each property in ``COUNTED``.
    counts: defaultdict[str, Counter[str]] = field(default_factory=_counters)
    #: Number of cases by implementation and outcome.
    outcomes: defaultdict[str, Counter[str]] = field(default_factory=_counters)
    #: Number of cases that were not sent, by implementation and reason.
    unsent: defaultdict[str, Counter[str]] = field(default_factory=_counters)
    occurrences: dict[Signature, Occurrence] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    #: Failures of undamaged controls by implementation, then by control and profile.
    fails: defaultdict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))

    def add_occurrence(self, occurrence: Occurrence) -> None:
        """Count an occurrence, and store the simpler case of equal signatures."""
        if before := self.occurrences.get(occurrence.signature):
            best = min(before, occurrence, key=lambda each: each.order)
            occurrence = replace(best, count=before.count + occurrence.count)
        self.occurrences[occurrence.signature] = occurrence

    def add(self, other: Result) -> None:
        """Add the result of other cases."""
        self.cases += other.cases
        self.skipped_cases.update(other.skipped_cases)
        for mine, theirs in (
            (self.counts, other.counts), (self.outcomes, other.outcomes),
            (self.unsent, other.unsent),
        ):  # fmt: skip
            for name, counter in theirs.items():
                mine[name].update(counter)
        for occurrence in other.occurrences.values():
            self.add_occurrence(occurrence)
        self.skipped |= other.skipped
        self.versions |= other.versions
        for name, failed in other.fails.items():
            self.fails[name] |= failed
