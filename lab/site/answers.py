"""Group the answers of all readers to one vector by their differences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from conformance.reports.classes import SEVERITY
from conformance.reports.failure import ItemDifference, explain
from conformance.text import printable
from lab.site.indexed_report import OURS, REAL, TITLES, Implementation, Result, kind_of

#: Characters and lines that are shown of one side of a comparison.
MAX_CHARACTERS, MAX_LINES = 240, 6

#: The profiles in which each implementation gave an answer, by name of the implementation.
Who = dict[str, list[str]]


@dataclass
class Differing:
    """An unexpected answer: result class, remark, and differing records and lost ranges."""

    outcome: str
    said: str
    rows: Sequence[ItemDifference]
    who: Who = field(default_factory=dict)


@dataclass
class Answers:
    """The answers of the implementations of one kind."""

    kind: str
    title: str
    right: Who = field(default_factory=dict)
    differing: list[Differing] = field(default_factory=list)
    #: Names of implementations by cause.
    causes: dict[str, dict[str, None]] = field(default_factory=dict)
    #: Names of implementations without an answer in any profile, by reason.
    skipped: dict[str, dict[str, None]] = field(default_factory=dict)


def answers(results: Iterable[tuple[Implementation, Result]]) -> list[Answers]:
    """Return the answers to one vector: of real implementations, then of our own."""
    results = [each for each in results if not each[0]["baseline"]]
    groups = {kind: Answers(kind, TITLES[kind]) for kind in (REAL, OURS)}
    answered = {each["name"] for each, result in results if result["class"] != "skipped"}
    for implementation, result in results:
        group, name = groups[kind_of(implementation)], str(implementation["name"])
        if result["class"] == "skipped":
            if name not in answered:
                group.skipped.setdefault(str(result["difference"]), {})[name] = None
            continue
        who = group.right
        if result["class"] != "pass":
            each = _differing(implementation, result)
            alike = [
                other
                for other in group.differing
                if (other.outcome, other.said, other.rows) == (each.outcome, each.said, each.rows)
            ]
            if not alike:
                group.differing.append(each)
            who = (alike or [each])[0].who
            if cause := result.get("cause"):
                group.causes.setdefault(str(cause), {})[name] = None
        who.setdefault(name, []).append(str(result["profile"]))
    for group in groups.values():
        group.differing.sort(key=lambda each: SEVERITY[each.outcome])
    return [each for each in groups.values() if each.right or each.differing or each.skipped]


def _differing(implementation: Implementation, result: Result) -> Differing:
    sentences, items = explain(implementation, result)
    rows = [ItemDifference(*(_cut(printable(text)) for text in each)) for each in items[:MAX_LINES]]
    if (more := len(items) - MAX_LINES) > 0:
        sentences.append(f"{more:,} more records or lost ranges differ")
    return Differing(str(result["class"]), _cut(printable("; ".join(sentences))), rows)


def _cut(text: str) -> str:
    return text if len(text) <= MAX_CHARACTERS else text[: MAX_CHARACTERS - 1] + "…"
