"""Compare the parts of an answer that an implementation reports with the expected answer."""

from __future__ import annotations

import hashlib
import json
import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from conformance.answer_text import (
    distinct_texts,
    lost_text,
    payload_difference,
    payload_key,
    sized_payload_text,
)
from reference_impl.answer import INLINE_PAYLOAD_LIMIT, payload_to_json
from reference_impl.register import registers

ANSWER_PARTS = frozenset({"records", "verdict", "reason", "lost", "end", "signals"})

Json = Mapping[str, Any]

_SENTENCE = re.compile(
    r"; (?=(?:records|verdict|reason|end|lost|signals|files|bytes): |the reader changed )"
)


class Difference(str):
    """A sentence about a difference in one part of a reply, with the part and the value found."""

    part: str
    found: Any

    def __new__(cls, part: str, found: Any, sentence: str) -> Difference:
        """Return the sentence with its part and its value."""
        self = super().__new__(cls, sentence)
        self.part, self.found = part, found
        return self


def every_part(formats: Iterable[str]) -> list[str]:
    """Return the ``reports`` of an implementation that gives complete answers for these formats."""
    known = registers()
    fields = [name for format_id in formats for name in known[format_id].fields]
    named = [name for name in dict.fromkeys(fields) if name != "payload"]
    return ["records", *named, "verdict", "reason", "lost", "end"]


def normalise(answer: Json) -> dict[str, Any]:
    """Return an answer with long payloads replaced by their SHA-256, as in vectors."""
    return {**answer, "records": [_normalised(record) for record in answer["records"]]}


def _normalised(record: Json) -> Json:
    if len(record.get("payload", "")) <= 2 * INLINE_PAYLOAD_LIMIT:
        return record
    rest = {name: value for name, value in record.items() if name != "payload"}
    return rest | payload_to_json(bytes.fromhex(record["payload"]))


def differences(expected: Json, actual: Json, reports: Collection[str]) -> list[Difference]:
    """Return the differences between two answers, one short sentence for each part.

    ``reports`` lists the parts and record fields to compare.
    """
    found: list[Difference] = []
    fields = [part for part in reports if part not in ANSWER_PARTS]
    if "records" in reports:
        sentence = _record_difference(expected["records"], actual["records"], fields)
        if sentence:
            values = _found_records(expected["records"], actual["records"], fields)
            found.append(Difference("records", values, sentence))
    for part in ("verdict", "reason", "end"):
        if part in reports and actual.get(part) != expected[part]:
            sentence = f"{part}: {_expected_found(expected[part], actual.get(part))}"
            found.append(Difference(part, actual.get(part), sentence))
    if "lost" in reports:
        found += _lost_differences(expected["lost"], actual.get("lost", []), "reason" in reports)
    if "signals" in reports:
        found += _signal_differences(expected["verdict"], actual.get("signals", []))
    return found


def sentences_of(difference: str) -> list[str]:
    """Return the sentences of a difference, one for each part."""
    return _SENTENCE.split(difference)


def _record_difference(
    expected: Sequence[Json], actual: Sequence[Json], fields: Sequence[str]
) -> str:
    if expected == actual:
        return ""
    if len(expected) != len(actual):
        count = f"expected {len(expected)}, found {len(actual)}"
    else:
        count = f"{len(expected)}"
    for number, (want, got) in enumerate(zip(expected, actual, strict=False)):
        if payload_key(want) != payload_key(got):
            texts = sized_payload_text(want), sized_payload_text(got)
            more = f", which {payload_difference(want, got)}" if texts[0] == texts[1] else ""
            return (
                f"records: {count}; first difference in record {number}:"
                f" expected {texts[0]}, found {texts[1]}{more}"
            )
        for name in fields:
            if got.get(name) != want.get(name):
                return (
                    f"records: {count}; {name} of record {number}:"
                    f" {_expected_found(want.get(name), got.get(name))}"
                )
    if len(expected) > len(actual):
        first = sized_payload_text(expected[len(actual)])
        return f"records: {count}; missing from record {len(actual)} on: {first}"
    if len(expected) < len(actual):
        return f"records: {count}; not in the log: {sized_payload_text(actual[len(expected)])}"
    return ""


def _found_records(
    expected: Sequence[Json], actual: Sequence[Json], fields: Sequence[str]
) -> dict[str, Any]:
    """Return which expected records are missing, and the number and digest of unexpected ones.

    A record with the same payload but another field counts both as missing and as unexpected.
    """

    def key_of(record: Json) -> str:
        return json.dumps([payload_key(record), *map(record.get, fields)], sort_keys=True)

    numbers: dict[str, list[int]] = {}
    for number, record in enumerate(expected):
        numbers.setdefault(key_of(record), []).append(number)
    seen, others, start = set(), [], 0
    for key in map(key_of, actual):
        same = numbers.get(key, [])
        at = bisect_left(same, start)
        if at < len(same):
            seen.add(same[at])
            start = same[at] + 1
        else:
            others.append(key)
    found: dict[str, Any] = {}
    if missing := [number for number in range(len(expected)) if number not in seen]:
        found["missing"] = _ranges(missing)
    if others:
        digest = hashlib.sha256("\n".join(others).encode()).hexdigest()[:8]
        found |= {"extra": len(others), "sha256": digest}
    return found


def _ranges(numbers: Sequence[int]) -> list[int | list[int]]:
    """Return ascending numbers in which a range replaces three or more consecutive ones."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    shown: list[int | list[int]] = []
    for run in runs:
        shown += [[run[0], run[-1]]] if len(run) > 2 else run
    return shown


def _lost_differences(
    expected: Sequence[Json], actual: Sequence[Json], reasons: bool
) -> list[Difference]:
    """Compare ranges as sets of bytes, or range by range if reasons are also reported."""
    if reasons:
        keys = [(x.get("file"), x["from"], x["to"], x.get("reason")) for x in expected]
        same = keys == [(x.get("file"), x["from"], x["to"], x.get("reason")) for x in actual]
    else:
        same = merged_ranges(expected) == merged_ranges(actual)
    if same:
        return []
    texts = _show_ranges(expected), _show_ranges(actual)
    if texts[0] == texts[1]:  # only the files differ
        texts = _show_ranges(expected, lost_text), _show_ranges(actual, lost_text)
    names = ("file", "from", "to", "reason") if reasons else ("file", "from", "to")
    found = [[gap[name] for name in names if name in gap] for gap in actual]
    return [Difference("lost", found, f"lost: expected {texts[0]}, found {texts[1]}")]


def merged_ranges(ranges: Sequence[Json]) -> list[tuple[str, int, int]]:
    """Return lost ranges as sorted ranges (file, from, to) that do not touch each other."""
    merged: list[tuple[str, int, int]] = []
    for file, start, end in sorted((x.get("file", ""), x["from"], x["to"]) for x in ranges):
        if merged and merged[-1][0] == file and start <= merged[-1][2]:
            merged[-1] = (file, merged[-1][1], max(end, merged[-1][2]))
        elif start < end:
            merged.append((file, start, end))
    return merged


def _signal_differences(verdict: str, signals: Sequence[str]) -> list[Difference]:
    """Require a signal for damage, and none for an intact log. Both are correct for a torn log."""
    if verdict == "intact" and signals:
        text = "signals: expected none for an intact log, found some"
        return [Difference("signals", True, text)]
    if verdict in ("damaged", "refused") and not signals:
        text = f"signals: expected one for a {verdict} log, found none"
        return [Difference("signals", False, text)]
    return []


def _show(value: Any) -> str:
    return "nothing" if value is None else str(value)


def _expected_found(expected: Any, actual: Any) -> str:
    texts = distinct_texts(expected, actual, _show)
    return f"expected {texts[0]}, found {texts[1]}"


def _range_text(lost: Json) -> str:
    return f"[{lost['from']}, {lost['to']}) {lost.get('reason', '')}".strip()


def _show_ranges(ranges: Sequence[Json], text: Callable[[Json], str] = _range_text) -> str:
    return ", ".join(map(text, ranges)) or "none"
