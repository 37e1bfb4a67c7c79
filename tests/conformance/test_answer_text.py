"""The descriptions of different values differ visibly."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest

from conformance.answer_text import (
    cut_around_difference,
    distinct_texts,
    payload_text,
    tail,
)
from conformance.compare import differences
from conformance.reports.failure import explain
from conformance.text import printable

COMPOSED, DECOMPOSED = "caf\u00e9", unicodedata.normalize("NFD", "caf\u00e9")

ALIKE = [
    (5, "5"),
    (None, "None"),
    (None, "nothing"),
    (COMPOSED, DECOMPOSED),
    ("a", "a "),
    ("a b", "a\u00a0b"),
    ("a", "\u0430"),
    ("", "\u200b"),
]


@pytest.mark.parametrize(("first", "other"), ALIKE)
def test_values_that_look_alike_are_escaped(first: Any, other: Any) -> None:
    shown = distinct_texts(first, other, lambda value: "nothing" if value is None else str(value))
    assert shown[0] != shown[1]
    assert all(text.isascii() and text.isprintable() for text in shown)
    assert shown[0].strip() == shown[0]


@pytest.mark.parametrize(("first", "other"), [("alpha", "bravo"), (COMPOSED, "cafes"), (1, 2)])
def test_other_values_are_unchanged(first: Any, other: Any) -> None:
    assert distinct_texts(first, other) == (str(first), str(other))


def test_long_texts_are_cut_around_their_difference() -> None:
    first, other = cut_around_difference(
        "a" * 500 + "one" + "z" * 500, "a" * 500 + "two" + "z" * 500, 30
    )
    assert "one" in first and "two" in other
    assert max(len(first), len(other)) <= 32
    assert cut_around_difference("a", "b", 30) == ("a", "b")


EXPECTED: dict[str, Any] = {
    "verdict": "damaged",
    "reason": "bad",
    "records": [{"at": 0, "size": 9, "payload": "61", "index": "1", "fields": [["M", COMPOSED]]}],
    "lost": [{"from": 9, "to": 12, "reason": "bad", "file": "1.log"}],
    "end": {"file": "1.log", "at": 12},
}
REPORTS = ["records", "at", "size", "index", "fields", "verdict", "reason", "lost", "end"]


def changed(**parts: Any) -> dict[str, Any]:
    record = {**EXPECTED["records"][0], **parts.pop("record", {})}
    return {**EXPECTED, "records": [record], **parts}


@pytest.mark.parametrize(
    "actual",
    [
        changed(end={"file": "1.log ", "at": 12}),
        changed(end={"file": "2.log", "at": 12}),
        changed(end=None),
        changed(lost=[{"from": 9, "to": 12, "reason": "bad"}]),
        changed(lost=[{"from": 9, "to": 12, "reason": "bad", "file": "2.log"}]),
        changed(lost=[{"from": 9, "to": 12, "reason": "bad", "file": "1.log\u200b"}]),
        changed(record={"index": 1}),
        changed(record={"fields": [["M", DECOMPOSED]]}),
        changed(record={"fields": [["M", "x" * 300]]}),
        changed(record={"payload": "62"}),
        changed(reason="bad "),
        changed(reason=None),
    ],
    ids=str,
)
def test_differences_are_visible_in_sentence_and_list(actual: dict[str, Any]) -> None:
    (sentence,) = differences(EXPECTED, actual, REPORTS)
    result = {
        "profile": "recover", "expected": EXPECTED, "actual": actual, "difference": sentence,
    }  # fmt: skip
    for line in (sentence, *map(str, explain({"reports": REPORTS}, result)[1])):
        expected, found = line.partition("expected ")[2].split(", found ")
        assert expected != found


@pytest.mark.parametrize(
    ("payload", "shown"),
    [
        (b"", '""'),
        (b"A" * 97270, '"A" × 97,270'),
        (bytes(32), "00 × 32"),
        (b"\x00\xff", "00ff"),
        (bytes(range(100)), "000102030405060708090a0b…"),
        (b"MESSAGE=a\nUID=0\n", r'"MESSAGE=a\nUID=0\n"'),
        (b"\n\n", "0a0a"),
        (b"The quick brown fox jumps over", '"The quick brown fox j…"'),
    ],
)
def test_payloads_are_short_and_readable(payload: bytes, shown: str) -> None:
    assert payload_text({"payload": payload.hex()}) == shown


def test_external_text_cannot_move_the_cursor() -> None:
    assert printable("a\x1b[2Jb\x00\r\nc\td\ud800") == "a\\x1b[2Jb\\x00\nc\td\\ud800"
    assert tail("x" * 100 + "end\n", 10) == "…xxxxxxend"
