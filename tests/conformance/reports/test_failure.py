"""A failure lists the records and lost ranges that differ."""

from __future__ import annotations

import time
from typing import Any

import pytest

from conformance.compare import differences
from conformance.reports.failure import _requirement_lines, explain

READER = ["records", "at", "size", "index", "verdict", "lost", "reason", "end"]


def rec(at: int, text: str, **more: Any) -> dict[str, Any]:
    return {"at": at, "size": 7 + len(text), "payload": text.encode().hex(), **more}


def bare(text: str) -> dict[str, Any]:
    return {"payload": text.encode().hex()}


def lost(start: int, end: int, reason: str, **more: Any) -> dict[str, Any]:
    return {"from": start, "to": end, "reason": reason, **more}


def lines(
    expected: dict[str, Any], actual: dict[str, Any], reports: list[str] = READER
) -> list[str]:
    nothing = {"verdict": "damaged", "reason": "bad", "records": [], "lost": [], "end": 0}
    expected, actual = nothing | expected, nothing | actual
    result = {
        "profile": "recover", "expected": expected, "actual": actual,
        "difference": "; ".join(differences(expected, actual, reports)),
    }  # fmt: skip
    sentences, items = explain({"reports": reports}, result)
    return [*sentences, *map(str, items)]


def test_a_requirement_with_a_table_names_the_command_that_shows_it() -> None:
    shown = _requirement_lines("leveldb-log", ["LDB-006", "LDB-043"]).splitlines()
    assert "explain" not in shown[0]
    assert shown[1].endswith("Table: walproof explain LDB-043")


A, B, C = rec(0, "alpha"), rec(12, "bravo"), rec(24, "charlie")


@pytest.mark.parametrize(
    ("expected", "actual", "reports", "shown"),
    [
        ([A, B, C], [A, C], READER, ['record at 12, 12 B: expected "bravo", found nothing']),
        ([A, C], [A, B, C], READER, ['record at 12, 12 B: expected nothing, found "bravo"']),
        ([A, B], [A, {**B, "payload": "6272"}], READER,
         ['record at 12, 12 B: expected "bravo", found "br"']),
        ([A], [{**A, "at": 3}], READER,
         ['record at 0, 12 B: expected "alpha", found nothing',
          'record at 3, 12 B: expected nothing, found "alpha"']),
        ([A, B], [B, A], READER,
         ['record at 0, 12 B: expected "alpha", at 0, found "bravo", at 12',
          'record at 12, 12 B: expected "bravo", at 12, found "alpha", at 0']),
        ([{**A, "index": 1}], [{**A, "index": 2}], READER,
         ["record at 0, 12 B: expected index 1, found index 2"]),
        ([{"at": 0, "index": 1}], [{"at": 0}], READER,
         ["record at 0: expected index 1, found index nothing"]),
        ([A, B, C], [bare("alpha"), bare("charlie")], ["records"],
         ['record at 12, 12 B: expected "bravo", found nothing']),
        ([A, B], [bare("alpha"), bare("brav")], ["records"],
         ['record at 12, 12 B: expected "bravo", found "brav"']),
        ([A], [bare("alpha"), bare("zulu")], ["records"],
         ['record 1: expected nothing, found "zulu"']),
        ([rec(0, "xy" * 20)], [bare("xy" * 19 + "xz")], ["records"],
         ['record at 0, 47 B: expected "xyxyxyxyxyxyxyxyxyxyx…", found "xyxyxyxyxyxyxyxyxyxyx…",'
          " which differs from byte 39 of the payload"]),
    ],
)  # fmt: skip
def test_differing_records_are_listed(expected, actual, reports, shown):
    assert lines({"records": expected}, {"records": actual}, reports) == shown


@pytest.mark.parametrize(
    ("expected", "actual", "shown"),
    [
        ([lost(0, 9, "a"), lost(20, 30, "b")], [lost(0, 9, "a"), lost(20, 35, "c")],
         ["lost: expected [20, 30) b, found [20, 35) c"]),
        ([lost(0, 9, "a")], [lost(5, 9, "a")],
         ["lost: expected [0, 9) a, found nothing", "lost: expected nothing, found [5, 9) a"]),
        ([lost(0, 9, "a", file="1")], [lost(0, 9, "a", file="1\u200b")],
         ["lost: expected 1 [0, 9) a, found nothing",
          "lost: expected nothing, found 1\\u200b [0, 9) a"]),
    ],
)  # fmt: skip
def test_differing_lost_ranges_are_listed(expected, actual, shown):
    assert lines({"lost": expected}, {"lost": actual}) == shown


def test_without_reasons_lost_bytes_match_in_any_ranges():
    expected = {"records": [A], "lost": [lost(0, 5, "a"), lost(5, 9, "b")]}
    actual = {"lost": [{"from": 0, "to": 9}]}
    missing = 'record at 0, 12 B: expected "alpha", found nothing'
    reports = ["records", "lost"]
    assert lines(expected, actual, reports) == [missing]
    actual["lost"][0]["to"] = 8
    assert lines(expected, actual, reports) == [
        missing, "lost: expected [0, 5) a, found [0, 8)", "lost: expected [5, 9) b, found nothing",
    ]  # fmt: skip


def test_other_differences_stay_as_sentences():
    shown = lines({"records": [A], "end": 12}, {"end": 9, "verdict": "intact"})
    assert shown == [
        "verdict: expected damaged, found intact", "end: expected 12, found 9",
        'record at 0, 12 B: expected "alpha", found nothing',
    ]  # fmt: skip
    for text in ("no reply within 2 s", "the writer refused: records: none; lost: none"):
        result = {"profile": "append", "difference": text, "expected": {}, "actual": None}
        assert explain({"reports": READER}, result) == ([*text.split("; ")], [])


def test_unreported_parts_are_not_listed():
    expected = {"records": [A, B], "lost": [lost(12, 40, "bad")]}
    assert lines(expected, {"records": [{**A, "at": 5}]}, ["records"]) == [
        'record at 12, 12 B: expected "bravo", found nothing'
    ]


def test_the_records_of_other_bytes_are_listed():
    result = {
        "profile": "write", "difference": "bytes: expected 24, found 12",
        "expected": {"records": [A, B], "lost": []}, "actual": {"records": [A], "lost": []},
    }  # fmt: skip
    sentences, items = explain({"reports": []}, result)
    assert sentences == [result["difference"]] and len(items) == 1


def test_many_equal_records_are_compared_in_reasonable_time():
    started = time.process_time()
    same = [rec(0, "x")] * 20_000
    expected = {"records": [rec(0, "a"), *same]}
    shown = lines(expected, {"records": [*same[1:], bare("d")]}, ["records"])
    assert shown == [
        'record at 0, 8 B: expected "a", found "d"',
        'record at 0, 8 B: expected "x", found nothing',
    ]
    assert time.process_time() - started < 5
