"""Group the answers of implementations to a vector by their difference from the expected one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from conformance.reports.classes import SEVERITY
from conformance.reports.pages import Differing, differing
from lab.site.implementation_page import cause_names
from lab.site.indexed_report import OURS, REAL, TITLES, Implementation, Result, kind_of

#: Maps the name of each implementation to the profiles in which it gave an answer.
Who = dict[str, list[str]]


@dataclass
class DifferingBy(Differing):
    """An unexpected answer, and the implementations that gave it."""

    who: Who = field(default_factory=dict)
    #: Maps the name of an implementation to the name of the cause, if the cause is known.
    causes: dict[str, str] = field(default_factory=dict)


@dataclass
class Answers:
    """The answers of one group of implementations."""

    kind: str
    title: str
    right: Who = field(default_factory=dict)
    differing: list[DifferingBy] = field(default_factory=list)
    #: Maps each reason to the names of the implementations that gave no answer in any profile.
    skipped: dict[str, dict[str, None]] = field(default_factory=dict)


def answers(results: Iterable[tuple[Implementation, Result]]) -> list[Answers]:
    """Return the answers to one vector, first those of real implementations, then those of ours."""
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
            found = differing(implementation, result)
            each = DifferingBy(found.outcome, found.said, found.rows)
            alike = [
                other
                for other in group.differing
                if (other.outcome, other.said, other.rows) == (each.outcome, each.said, each.rows)
            ]
            if not alike:
                group.differing.append(each)
            each = (alike or [each])[0]
            who = each.who
            if cause := cause_names(name).get(str(result.get("cause"))):
                each.causes.setdefault(name, cause)
        who.setdefault(name, []).append(str(result["profile"]))
    for group in groups.values():
        group.differing.sort(key=lambda each: SEVERITY[each.outcome])
    return [each for each in groups.values() if each.right or each.differing or each.skipped]
