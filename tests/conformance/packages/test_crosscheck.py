"""Comparing a runner's results with those of the harness."""

from __future__ import annotations

import pytest

from conformance.packages.crosscheck import FREE, disagreements
from conformance.packages.tables import key, table
from conformance.vectors import Vector

READ = ("a/one", "recover")
FAIL = {"class": "fail", "profile": "recover", "difference": "records: 1 [0123abcd]"}


def of(**said: object) -> dict[str, object]:
    return {**FAIL, **said}


@pytest.mark.parametrize(
    ("harness", "runner", "agree"),
    [
        (of(), of(difference="in other words [0123abcd]"), True),
        (of(), of(difference="records: 1 [ffffffff]"), False),
        (of(), of(difference="records: 1"), False),
        (of(), of(**{"class": "pass"}), False),
        (
            of(difference="prefix of 3: x [0123abcd]"),
            of(difference="prefix of 3: y [ffffffff]"),
            True,
        ),
        (of(profile="append"), of(profile="append", difference="files"), True),
        (of(profile="append"), of(**{"class": "skipped", "difference": FREE}), True),
        (of(), of(**{"class": "skipped", "difference": FREE}), False),
        (of(**{"class": "crash"}), of(**{"class": "skipped", "difference": FREE}), False),
        (of(), {}, False),
        ({}, of(), False),
    ],
)
def test_what_agrees(harness: dict, runner: dict, agree: bool) -> None:
    found = disagreements("t", {READ: harness} if harness else {}, {READ: runner} if runner else {})
    assert (found == []) is agree


def test_a_table_is_right_or_wrong_and_the_same_every_time(vectors: dict[str, Vector]) -> None:
    chosen = [one for one in vectors.values() if one.body["format"] == "leveldb-log"][::20]
    made = [table("t", ["records"], ["recover"], chosen, wrong) for wrong in (0, 2, 2)]
    assert made[1] == made[2] and made[0]["acts"] != made[1]["acts"]
    assert made[0]["acts"].keys() == made[1]["acts"].keys()
    assert all("answer" in act for act in made[0]["acts"].values())


def test_a_table_tells_logs_apart_by_all_that_a_reader_is_told() -> None:
    asked = {"context": {}, "records": []}
    found = {
        key("a", "recover", "case.log", asked, b"1"),
        key("b", "recover", "case.log", asked, b"1"),
        key("a", "strict", "case.log", asked, b"1"),
        key("a", "recover", "case", asked, b"1"),
        key("a", "recover", "case.log", {**asked, "context": {"n": 1}}, b"1"),
        key("a", "recover", "case.log", {**asked, "records": [{"payload": ""}]}, b"1"),
        key("a", "recover", "case.log", asked, b"2"),
        key("a", "recover", "case.log", asked, {"1": b"1"}),
        key("a", "recover", "case.log", asked, None),
    }
    assert len(found) == 9
