"""Comparing a runner's results with those of the harness."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from conformance.packages.crosscheck import FREE, disagreements, update_lists
from conformance.packages.ecosystems import Ecosystem
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


RUNNER = """
import json, os, pathlib
folder = pathlib.Path(os.environ["WALPROOF_TABLES"])
assert os.environ["WALPROOF_UPDATE_KNOWN"] == "1"
for table in ("one", "two"):
    row = json.loads((folder / f"{table}.json").read_text())
    (folder / f"{table}.fake").write_text(json.dumps(row))
    WRITE
"""
"""A runner of two tables, each of one result; WRITE is what it does with its list."""
RIGHT = """
    file = folder / f"{table}.known"
    file.unlink(missing_ok=True)
    if row["result"] != "pass":
        entry = {**row, "cause": "why"}
        file.write_text(json.dumps({"causes": {"why": ""}, "failures": [entry]}))
"""


@pytest.mark.parametrize(
    ("write", "wrong"),
    [
        (RIGHT, 0),
        ("pass", 2),  # what is missing does not come, and what is too much stays
        (RIGHT.replace("0123abcd", "x").replace("row,", "row, 'difference': 'z [ffffffff]',"), 1),
        ("(folder / f'{table}.fake').unlink()", 2),
        ("raise SystemExit(3)", 1),
    ],
)
def test_lists_that_a_runner_does_not_write_right_are_told(
    write: str, wrong: int, tmp_path: Path
) -> None:
    rows = {
        "one": {"vector": "a/one", "profile": "recover", "result": "fail"},
        "two": {"vector": "a/one", "profile": "recover", "result": "pass"},
    }
    for table_, row in rows.items():
        entry = {**row, "difference": "x [0123abcd]"}
        (tmp_path / f"{table_}.json").write_text(json.dumps(entry))
        if row["result"] == "fail":
            listed = {"causes": {"why": ""}, "failures": [{**entry, "cause": "why"}]}
            (tmp_path / f"{table_}.known").write_text(json.dumps(listed))
    program = RUNNER.replace("WRITE", write.strip())
    fake = Ecosystem("fake", "", "", "", "", (), tables=(sys.executable, "-c", program))
    assert len(update_lists(fake, tmp_path, tmp_path, ["one", "two"])) == wrong
