"""Group the answers of all readers to one vector: those that agree, and those that differ alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from conformance.reports.classes import SEVERITY
from conformance.reports.side_by_side import Line, lines, reported, unsaid
from conformance.text import printable
from lab.site.run import KINDS, NULL, Implementation, Result, kind_of

LONGEST = 240
"""Characters that are shown of one side of a line."""
_ROWS = 6


@dataclass
class Who:
    """An implementation, and the profiles in which it answered so."""

    name: str
    profiles: list[str]


@dataclass
class Differing:
    """An unexpected answer, and the readers that gave it."""

    outcome: str
    """The result class."""
    #: Remarks beside the rows.
    said: str
    #: Part, expected value, actual value.
    rows: Sequence[tuple[str, str, str]]
    who: list[Who] = field(default_factory=list)


@dataclass
class Answers:
    """The answers of the implementations of one kind."""

    kind: str
    title: str
    right: list[Who] = field(default_factory=list)
    differing: list[Differing] = field(default_factory=list)
    causes: dict[str, list[str]] = field(default_factory=dict)
    """Why, as far as it is known: by the sentence, those to whom it applies."""
    skipped: dict[str, list[str]] = field(default_factory=dict)
    """By reason, those that did not answer at all."""


def answers(results: Iterable[tuple[Implementation, Result]]) -> list[Answers]:
    """The answers to one vector, by :data:`lab.site.run.KINDS`."""
    matches = {kind: Answers(kind, title) for kind, title in KINDS.items()}
    differing: dict[object, Differing] = {}
    for implementation, result in results:
        of_kind = matches[kind_of(implementation)]
        name, profile = str(implementation["name"]), str(result["profile"])
        if result["class"] == "pass":
            _add(of_kind.right, Who(name, [profile]))
        elif result["class"] == "skipped":
            names = of_kind.skipped.setdefault(str(result["difference"]), [])
            if name not in names:
                names.append(name)
        else:
            each = _differing(implementation, result, of_kind.kind)
            key = (of_kind.kind, each.outcome, each.said, tuple(each.rows))
            if key not in differing:
                differing[key] = each
                of_kind.differing.append(each)
            _add(differing[key].who, Who(name, [profile]))
            if cause := result.get("cause"):
                who = of_kind.causes.setdefault(str(cause), [])
                who += [name] * (name not in who)
    for of_kind in matches.values():
        of_kind.differing.sort(key=lambda each: SEVERITY[each.outcome])
        _forget_answered(of_kind)
    return [each for each in matches.values() if each.right or each.differing or each.skipped]


def _add(known: list[Who], each: Who) -> None:
    same = next((it for it in known if it.name == each.name), None)
    if same is None:
        known.append(each)
    else:
        same.profiles += each.profiles


def _forget_answered(of_kind: Answers) -> None:
    """A reader that answered in one profile is not listed as missing in another."""
    answered = {each.name for each in of_kind.right}
    answered |= {each.name for group in of_kind.differing for each in group.who}
    for reason, names in list(of_kind.skipped.items()):
        left = [name for name in names if name not in answered]
        if left:
            of_kind.skipped[reason] = left
        else:
            del of_kind.skipped[reason]


def _differing(implementation: Implementation, result: Result, kind: str) -> Differing:
    if kind == NULL:  # what those say that look at nothing is in their names
        return Differing(str(result["class"]), "", [])
    compared = lines(result.get("expected"), reported(implementation, result), rows=_ROWS)
    message = unsaid(str(result.get("difference") or ""), compared)
    has_answer = result.get("actual") is not None
    rows = list(_rows(compared)) if has_answer else []
    return Differing(str(result["class"]), _cut(printable(message)), rows)


def _rows(compared: Sequence[Line]) -> Iterable[tuple[str, str, str]]:
    """The lines that differ, each with its part."""
    part = ""
    for line in compared:
        part = line.label or part
        if line.kind != "same":
            expected, given = (
                _cut(" ".join(filter(None, (each.where, each.what))))
                for each in (line.expected, line.actual)
            )
            yield part, expected, f"{given}; {line.note}" if line.note else given


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
