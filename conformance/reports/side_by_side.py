"""Expected and actual answer side by side, as plain lines for any report."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from conformance.compare import without_pin
from conformance.describe import (
    PAYLOAD,
    PLACE,
    cut_around_difference,
    distinct_texts,
    look_alike,
    lost_text,
    payload_text,
    place_text,
)
from conformance.text import json_text, printable

from .align import Kind, Row, align_lost, align_records, fold

Answer = Mapping[str, Any]

NOT_REPORTED = "not reported"
_ROWS = 24
_ONE_SIDED = 8
# The number of characters shown of a differing field.
_FIELD = 60


@dataclass(frozen=True)
class Side:
    """One side of a line: content and, for a record, position. `absent`: there is nothing."""

    what: str
    where: str = ""
    absent: bool = False


NOTHING = Side("", absent=True)
UNREPORTED = Side(NOT_REPORTED, absent=True)


@dataclass(frozen=True)
class Line:
    """A line of the comparison."""

    #: Empty if the line continues the previous line.
    label: str
    kind: Kind
    expected: Side
    actual: Side
    note: str = ""


def reported(implementation: Mapping[str, Any], result: Mapping[str, Any]) -> Answer | None:
    """Return the actual answer, without placeholders for parts that were not reported."""
    answer: Answer | None = result.get("actual")
    if answer is None or result["profile"] not in ("recover", "strict"):
        return answer
    claimed = {"records", *implementation["reports"]}
    return {part: value for part, value in answer.items() if part in claimed or value}


def request_facts(id: str, vector: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return labels and texts for the parts of a request other than the bytes of the log."""
    facts = []
    name = PurePath(vector.get("input") or "").name
    if name and not name.startswith(PurePath(id).name):
        facts.append(("name", name))
    if vector.get("context"):
        facts.append(("context", json_text(vector["context"])))
    if "to_write" in vector:
        facts.append(("to write", "\n".join(vector["to_write"]) or "no records"))
    return facts


_SENTENCE = re.compile(
    r"; (?=(?:records|verdict|reason|end|lost|signals|files|bytes): |the reader changed )"
)


def unsaid(difference: str, compared: Sequence[Line]) -> str:
    """Return the part of a difference that the lines do not show."""
    shown = {line.label for line in _labelled(compared) if line.kind != "same"}
    sentences = _SENTENCE.split(without_pin(difference))
    return "; ".join(
        sentence
        for sentence in sentences
        if sentence.partition(":")[0].split(": ")[-1] not in shown
    )


def _labelled(compared: Sequence[Line]) -> list[Line]:
    """Return the lines, each with the label of its part."""
    labelled: list[Line] = []
    for line in compared:
        label = line.label or (labelled[-1].label if labelled else "")
        labelled.append(replace(line, label=label))
    return labelled


def lines(expected: Answer | None, actual: Answer | None, rows: int = _ROWS) -> list[Line]:
    """Compare two answers part by part.

    `rows` is the approximate number of lines for the records, and also for the lost ranges. If
    there is no actual answer, no difference is marked.
    """
    compared: list[Line] = []
    wanted, given = expected or {}, actual or {}
    for part in ("verdict", "reason", "end", "signals"):
        if part in wanted or part in given:
            agree = actual is None or expected is None or _agree(part, wanted, given)
            left = UNREPORTED if expected is None else _part(part, wanted)
            right = NOTHING if actual is None else _part(part, given)
            if not agree and part in ("verdict", "reason", "end"):
                left, right = map(Side, distinct_texts(wanted.get(part), given.get(part), _value))
            compared.append(Line(part, "same" if agree else "different", left, right))
    for part in ("records", "lost"):
        if part in wanted or part in given:
            compared += _list_lines(part, wanted, given, actual is None, rows)
    return compared


def _agree(part: str, wanted: Answer, given: Answer) -> bool:
    if part not in given:
        return True
    if part == "signals" and "signals" not in wanted:
        # Damage must be signalled, an intact log must not be; for a torn tail both are correct.
        rule = {"intact": False, "damaged": True, "refused": True}.get(wanted.get("verdict") or "")
        return rule is None or rule == bool(given["signals"])
    return part not in wanted or bool(wanted[part] == given[part])


def _part(part: str, answer: Answer) -> Side:
    if part == "signals" and part not in answer and answer.get("verdict"):
        rules = {"intact": "none", "damaged": "at least one", "refused": "at least one"}
        return Side(rules.get(answer["verdict"], "any or none"))
    if part not in answer:
        return UNREPORTED
    value = answer[part]
    if part == "signals":
        return Side("\n".join(printable(each) for each in value) or "none")
    return Side(_value(value))


def _value(value: Any) -> str:
    """Return a value for people; :func:`distinct_texts` separates values that look the same."""
    if value is None:
        return "nothing"
    if isinstance(value, dict) and set(value) == {"file", "at"}:
        return printable(f"{value['file']} at {value['at']}")
    return printable(value if isinstance(value, str) else json_text(value))


def _list_lines(
    part: str, wanted: Answer, given: Answer, no_answer: bool, limit: int
) -> list[Line]:
    left, right = wanted.get(part), given.get(part)
    if right is None:
        absent = NOTHING if no_answer else UNREPORTED
        sides = [(_item(part, item), NOTHING) for item in left or ()] or [(Side("none"), absent)]
        return _one_sided(part, [(sides[0][0], absent), *sides[1:]])
    if left is None:
        sides = [(NOTHING, _item(part, item)) for item in right] or [(UNREPORTED, Side("none"))]
        return _one_sided(part, [(UNREPORTED, sides[0][1]), *sides[1:]])
    rows = (align_records if part == "records" else align_lost)(left, right)
    if not rows:
        return [Line(part, "same", Side("none"), Side("none"))]
    compared = []
    for number, group in enumerate(fold(rows, limit)):
        label, row = "" if number else part, group[0]
        if len(group) > 1:
            counts = Counter(each.kind for each in group)
            text = ", ".join(f"{count:,} {kind}" for kind, count in counts.items())
            compared.append(Line(label, "same", Side(f"… {text} …", absent=True), NOTHING))
            continue
        shown = (
            Side("not expected", absent=True)
            if row.expected is None
            else _item(part, row.expected),
            Side("missing", absent=True) if row.actual is None else _item(part, row.actual),
        )
        if row.kind == "different":
            shown = _with_hidden_differences(part, *shown, row)
        compared.append(Line(label, row.kind, *shown, row.note))
    return compared


def _one_sided(part: str, sides: Sequence[tuple[Side, Side]]) -> list[Line]:
    """Return lines for items of which only one side is known."""
    compared = [
        Line("" if number else part, "same", *both)
        for number, both in enumerate(sides[:_ONE_SIDED])
    ]
    if (more := len(sides) - _ONE_SIDED) > 0:
        compared.append(Line("", "same", Side(f"… {more:,} more …", absent=True), NOTHING))
    return compared


def _with_hidden_differences(part: str, left: Side, right: Side, row: Row) -> tuple[Side, Side]:
    """Return both sides with differences that are not visible in them yet."""
    seen: tuple[str, ...] = (*PLACE, *PAYLOAD, "from", "to", "reason")
    if look_alike(left.where, right.where) and (part == "records" or left.what == right.what):
        seen = PAYLOAD
    hidden = [name for name in row.fields if name not in seen]
    wanted, given = row.expected or {}, row.actual or {}
    for name in hidden:
        texts = cut_around_difference(
            *distinct_texts(wanted.get(name), given.get(name), _value), _FIELD
        )
        left = replace(left, where=f"{left.where}\n{name} {texts[0]}".strip())
        right = replace(right, where=f"{right.where}\n{name} {texts[1]}".strip())
    return left, right


def _item(part: str, item: Mapping[str, Any]) -> Side:
    if part == "lost":
        return Side(lost_text(item))
    return Side(payload_text(item), place_text(item))
