"""Describe the damage, differences and cause of a failed result, for every report."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from itertools import groupby, zip_longest
from pathlib import PurePath
from typing import Any, NamedTuple

from conformance.answer_text import (
    cut_around_difference,
    distinct_texts,
    look_alike,
    lost_text,
    payload_difference,
    payload_key,
    payload_text,
    place_text,
    tail,
)
from conformance.chapter import Requirement, chapter
from conformance.compare import ANSWER_PARTS, merged_ranges, sentences_of
from conformance.score import WRITING
from conformance.text import json_text, one_line

from .classes import BY_NAME
from .deciding import requirements_of
from .json_report import Report

Entry = Mapping[str, Any]

MAX_SHOWN_ITEMS = 24
STDERR_CHARACTERS = 1200
MAX_FIELD_CHARACTERS = 60
_NOTHING = "nothing"


class ItemDifference(NamedTuple):
    """A record or lost range that is missing, not expected, or different."""

    item: str
    expected: str
    found: str

    def __str__(self) -> str:
        return f"{self.item}: expected {self.expected}, found {self.found}"


def heading(report: Report, result: Entry) -> str:
    """Return the vector of a result and its title, on one line."""
    return one_line(f"{result['vector']}: {report['vectors'][result['vector']]['title']}")


def facts(report: Report, implementation: Entry, result: Entry) -> list[tuple[str, list[str]]]:
    """Return labels and lines about one result of an implementation. Every line is escaped."""
    vector = report["vectors"][result["vector"]]
    name = " ".join(filter(None, (implementation["name"], implementation["version"])))
    decisive = requirements_of(report, result)
    others = [id for id in vector["requirements"] if id not in decisive]
    shown = [
        ("implementation", f"{name}, profile {result['profile']}"),
        ("requirement", _requirement_lines(vector["format"], decisive)),
        ("also exercised", ", ".join(others)),
        ("damaged", "\n".join(vector["damage"])),
        ("control", _control(vector["control"], implementation["results"], result["profile"])),
        *request_facts(result["vector"], vector),
        ("difference", "\n".join(map(one_line, _difference_lines(implementation, result)))),
        ("cause", result.get("cause")),
    ]
    return [
        (label, [one_line(line) for line in text.splitlines()]) for label, text in shown if text
    ]


def _requirement_lines(format: str, ids: Sequence[str]) -> str:
    known = chapter(format).requirements
    return "\n".join(_requirement_line(known[id]) if id in known else id for id in ids)


def _requirement_line(requirement: Requirement) -> str:
    table = f" Table: walproof explain {requirement.id}" * ("\n|" in requirement.markdown)
    return f"{requirement.id} {requirement.text}{table}"


def commands(report: Report, result: Entry) -> list[tuple[str, str]]:
    """Return the path of the log and the commands that repeat a case, with their labels."""
    written = "the expected log" if result["profile"] == "write" else "the log"
    shown = [
        (written, report["vectors"][result["vector"]].get("input")),
        ("repeat it with", result["repeat"]),
        ("see its messages", result.get("ask")),
    ]
    return [(label, one_line(text)) for label, text in shown if text]


def failure_text(report: Report, implementation: Entry, result: Entry) -> str:
    """Return everything about one result as plain text.

    Every line begins with a label or a bar, because GitHub may interpret a line of a program's
    output as a command, even if spaces precede it.
    """
    parts = facts(report, implementation, result)
    if result.get("stderr"):
        parts.append(("stderr", tail(result["stderr"], STDERR_CHARACTERS).splitlines()))
    parts += [(label, [text]) for label, text in commands(report, result)]
    return "\n".join("\n  | ".join((f"{label}: {lines[0]}", *lines[1:])) for label, lines in parts)


def request_facts(id: str, vector: Entry) -> list[tuple[str, str]]:
    """Return labels and texts for the parts of a request other than the bytes of the log."""
    shown = []
    name = PurePath(vector.get("input") or "").name
    if name and not name.startswith(PurePath(id).name):
        shown.append(("name", name))
    if vector.get("context"):
        shown.append(("context", json_text(vector["context"])))
    if "to_write" in vector:
        shown.append(("to write", "\n".join(vector["to_write"]) or "no records"))
    return shown


def _control(control: str | None, results: Sequence[Entry], profile: str) -> str:
    if control is None:
        return ""
    classes = (each["class"] for each in results
               if (each["vector"], each["profile"]) == (control, profile))  # fmt: skip
    of_control = next(classes, None)
    return f"{control}: {BY_NAME[of_control].label if of_control else 'not run'}"


def _difference_lines(implementation: Entry, result: Entry) -> list[str]:
    sentences, items = explain(implementation, result)
    lines = [*sentences, *map(str, items[:MAX_SHOWN_ITEMS])]
    if (more := len(items) - MAX_SHOWN_ITEMS) > 0:
        lines.append(f"and {more:,} more")
    return lines


def explain(implementation: Entry, result: Entry) -> tuple[list[str], list[ItemDifference]]:
    """Return the sentences of a difference, and the differing records and lost ranges.

    The items replace the sentences on records and lost ranges.
    """
    sentences = sentences_of(result.get("difference") or "")
    expected, actual = result.get("expected"), result.get("actual")
    if not expected or not actual:
        return sentences, []
    reports = ANSWER_PARTS if result["profile"] in WRITING else implementation["reports"]
    kept, items = [], []
    for sentence in sentences:
        part = sentence.partition(": ")[0]
        differing: list[ItemDifference] = []
        if part in ("records", "bytes"):
            differing += _record_differences(expected["records"], actual["records"], reports)
        if part in ("lost", "bytes"):
            differing += _lost_differences(expected["lost"], actual.get("lost", []), reports)
        items += differing
        if not differing or part == "bytes":
            kept.append(sentence)
    return kept, items


def _record_differences(
    expected: Sequence[Entry], actual: Sequence[Entry], reports: Collection[str]
) -> Iterator[ItemDifference]:
    fields = sorted(set(reports) - ANSWER_PARTS)

    def identity(record: Entry) -> Hashable:
        return payload_key(record), _json([record.get(name) for name in fields])

    place = _record_place if "at" in fields else None
    numbers = {
        id(item): number for items in (expected, actual) for number, item in enumerate(items)
    }
    for wanted, given in _differing(expected, actual, identity, place):
        shown = wanted or given or {}
        item = f"record {place_text(shown) or numbers[id(shown)]}"
        if wanted is None or given is None:
            texts = [payload_text(each) if each else _NOTHING for each in (wanted, given)]
        else:
            parts = zip(*_field_differences(wanted, given, fields), strict=True)
            texts = [", ".join(part) for part in parts]
        yield ItemDifference(item, *texts)


def _record_place(record: Entry) -> tuple[str, int]:
    return record.get("file", ""), record.get("at", -1)


def _field_differences(
    wanted: Entry, given: Entry, fields: Sequence[str]
) -> Iterator[tuple[str, str]]:
    if payload_key(wanted) != payload_key(given):
        texts = payload_text(wanted), payload_text(given)
        why = f", which {payload_difference(wanted, given)}" if look_alike(*texts) else ""
        yield texts[0], texts[1] + why
    for name in fields:
        values = wanted.get(name), given.get(name)
        if _json(values[0]) != _json(values[1]):
            texts = cut_around_difference(*distinct_texts(*values, _value), MAX_FIELD_CHARACTERS)
            yield f"{name} {texts[0]}", f"{name} {texts[1]}"


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _value(value: Any) -> str:
    if value is None:
        return _NOTHING
    return one_line(value) if isinstance(value, str) else json_text(value)


def _lost_differences(
    expected: Sequence[Entry], actual: Sequence[Entry], reports: Collection[str]
) -> Iterator[ItemDifference]:
    fields = ["file", "from", "to"]
    if "reason" in reports:
        fields.append("reason")
    elif merged_ranges(expected) == merged_ranges(actual):
        return

    def identity(lost: Entry) -> Hashable:
        return tuple(lost.get(name) for name in fields)

    for pair in _differing(expected, actual, identity, lambda x: (x.get("file", ""), x["from"])):
        yield ItemDifference("lost", *(lost_text(each) if each else _NOTHING for each in pair))


def _differing(
    expected: Sequence[Entry],
    actual: Sequence[Entry],
    identity: Callable[[Entry], Hashable],
    place: Callable[[Entry], tuple[str, int]] | None,
) -> Iterator[tuple[Entry | None, Entry | None]]:
    """Yield pairs of an expected and an actual item that differ.

    Items with the same place form a pair. Without places, items form pairs in list order. If the
    lists differ only in their order, pairs have the same position in both lists.
    """
    missing = _only_in(expected, actual, identity)
    extra = _only_in(actual, expected, identity)
    if not missing and not extra:
        pairs = zip(expected, actual, strict=True)
        yield from (pair for pair in pairs if identity(pair[0]) != identity(pair[1]))
    elif place is None:
        yield from zip_longest(missing, extra)
    else:
        sides = [(place(item), 0, item) for item in missing]
        sides += [(place(item), 1, item) for item in extra]
        sides.sort(key=lambda side: side[:2])
        for _, group in groupby(sides, key=lambda side: side[0]):
            here = list(group)
            yield from zip_longest(*([x for _, n, x in here if n == side] for side in (0, 1)))


def _only_in(
    items: Sequence[Entry], others: Sequence[Entry], identity: Callable[[Entry], Hashable]
) -> list[Entry]:
    left = Counter(map(identity, others))
    only = []
    for item in items:
        left[identity(item)] -= 1
        if left[identity(item)] < 0:
            only.append(item)
    return only
