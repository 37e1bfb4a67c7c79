"""Test that the intended vectors detect each deliberately wrong implementation.

A row contains the expected result of each vector. The result ``pass`` shows that the implementation
has no other fault.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
SHARED = {
    "breakable_reader",
    "breakable_writer",
    "by_hand",
    "conftest",
    "reaches_out",  # for nothing, unless it is told: tests/conformance/test_reach.py
    "knows_the_vectors",  # right about all of them: tests/conformance/test_fresh.py
    "test_wrong",
}


@dataclass(frozen=True)
class Row:
    """The expected results of one wrong implementation."""

    results: Mapping[str, str]
    options: Mapping[str, Any] = field(default_factory=dict)


CONTROL = {"three-records": "pass", "two-blocks": "pass"}
SOON = {"wall_ms": 300}
ONE_SHOT = {"one_shot": True}
APPEND = {"profiles": ("append",)}
APPENDED = {"append-to-three-records": "pass", "append-in-the-second-block": "pass"}
TORN = "append-behind-a-torn-payload"
GHOST = "append-behind-a-torn-payload-that-holds-a-record"

ROWS: dict[str, Row] = {
    "prints_garbage": Row(
        {
            "one-record": "protocol-error: expected a line of JSON, found b'3 records, all fine!",
            "empty-log": "protocol-error: expected a line of JSON",
        }
    ),
    "hangs": Row({"one-record": "timeout: no reply within 0.3 s"}, SOON),
    "hangs_behind_a_daemon": Row({"one-record": "timeout: no reply within 0.3 s"}, SOON),
    "crashes_on_damage": Row(
        {
            **CONTROL,
            "payload-flipped-in-second-record": "crash: killed by SIGABRT",
            "cut-in-a-payload": "pass",
        }
    ),
    "ignores_checksums": Row(
        {
            **CONTROL,
            "payload-flipped-in-second-record": 'fail: not in the log: "brcvo"',
            "checksum-zeroed": "fail: a damaged log, and not a word of it",
        }
    ),
    "stops_at_the_first_damage": Row(
        {
            **CONTROL,
            "checksum-flipped-in-first-block": "fail: expected 3, found 1",
            "payload-flipped-in-second-record": "pass",
        }
    ),
    "invents_a_record": Row(
        {"one-record": 'fail: not in the log: "the end"', "empty-log": "fail: expected 0, found 1"}
    ),
    "duplicates_records": Row({"one-record": "fail: expected 1, found 2", "empty-log": "pass"}),
    "reorders_records": Row(
        {"three-records": "fail: first difference in record 0", "one-record": "pass"}
    ),
    "hides_damage": Row(
        {
            **CONTROL,
            "payload-flipped-in-second-record": "fail: a damaged log, and not a word of it",
            "rocksdb-recyclable": "fail: a refused log, and not a word of it",
            "cut-in-a-payload": "pass",
        }
    ),
    "cries_wolf": Row(
        {
            "one-record": "fail: signals: expected none for an intact log",
            "payload-flipped-in-second-record": "pass",
        }
    ),
    "nests_folders": Row(
        {"append-to-three-records": "over-limit: folders are nested more than 32 deep"}, APPEND
    ),
    "changes_the_log": Row(
        {**CONTROL, "cut-in-a-payload": "fail: the reader changed the log it read"}
    ),
    "removes_the_log": Row({"three-records": "fail: the reader changed the log it read"}),
    "overwrites_the_torn_tail": Row(
        {
            **APPENDED,
            TORN: "pass",  # what is appended is longer than what was torn
            GHOST: 'fail: not in the log: "ghost" (5 bytes); verdict: expected intact, found torn',
            "append-behind-preallocated-zeros": "fail: expected 61 bytes, found 138",
            "append-behind-damage": "pass",
        },
        APPEND,
    ),
    "appends_behind_the_torn_tail": Row(
        {
            **APPENDED,
            TORN: "fail: expected 4, found 2",
            GHOST: "fail: records: ",
            "append-behind-damage": "fail: the writer says done where it must refuse",
        },
        APPEND,
    ),
    "begins_a_new_block": Row(
        {
            "append-to-three-records": "fail: records: 5; at of record 3: expected 38",
            "append-behind-damage": "pass",
        },
        APPEND,
    ),
    "fills_the_trailer": Row(
        {
            **APPENDED,
            "append-where-a-trailer-is-due": (
                "fail: bytes: append-where-a-trailer-is-due.log: expected sha256"
            ),
        },
        APPEND,
    ),
    "leaves_a_file_behind": Row(
        {
            "append-to-three-records": "fail: files: append-to-three-records.tmp (0 bytes) should",
            "write-three-records": "fail: files: write-three-records.tmp (0 bytes) should not be",
            "append-behind-damage": "pass",
        },
        {"profiles": ("append", "write")},
    ),
    "never_refuses": Row(
        {**APPENDED, "append-behind-damage": "fail: the writer says done where it must refuse"},
        APPEND,
    ),
    "changes_the_log_while_refusing": Row(
        {
            **APPENDED,
            "append-behind-damage": "fail: the writer refused, and changed what is there: bytes:"
            " expected 38, found 0",
        },
        APPEND,
    ),
    "answers_another_request": Row({"one-record": "protocol-error: expected seq 1, found 2"}),
    "answers_twice": Row(
        {
            "one-record": "pass",
            "three-records": "protocol-error: expected seq 2, found 1; alone: pass",
        }
    ),
    "slow_at_first": Row({"one-record": "pass", "three-records": "pass"}, SOON),
    "forgets_bye": Row(CONTROL),
    "leaves_a_grandchild": Row(CONTROL),
    "one_shot_hides_damage": Row(
        {"three-records": "pass", "cut-in-a-payload": "fail: verdict: expected torn, found intact"},
        ONE_SHOT,
    ),
}

#: Implementations with correct answers. Two do not end by themselves, and the harness must end
#: them. One is late once, which must be tolerated.
RIGHT_BUT_RUDE = {"forgets_bye", "leaves_a_grandchild", "slow_at_first"}


@pytest.mark.usefixtures("nobody_left")
@pytest.mark.parametrize("name", ROWS)
def test_wrong_implementation_is_caught(name, run_program):
    row = ROWS[name]
    run = run_program(name, list(row.results), **row.options)
    assert run.status == "ran"
    results = {result["vector"].split("/")[1]: result for result in run.results}
    assert list(results) == list(row.results)
    for slug, expected in row.results.items():
        name_of_class, _, words = expected.partition(": ")
        result = results[slug]
        assert result["class"] == name_of_class, (slug, result["difference"])
        assert words in (result["difference"] or ""), slug
    caught = any(result["class"] != "pass" for result in run.results)
    assert caught or name in RIGHT_BUT_RUDE


def slugs_of(vectors):
    return [id.split("/")[1] for id in vectors if id.startswith("leveldb-log/")]


@pytest.mark.usefixtures("nobody_left")
@pytest.mark.parametrize("name", ["breakable_reader", "by_hand"])
def test_what_is_shared_is_right(name, run_program, vectors):
    """Else the wrong ones would be wrong in more ways than one."""
    slugs = slugs_of(vectors)
    run = run_program(name, slugs)
    wrong = [result for result in run.results if result["class"] != "pass"]
    assert not wrong, [(result["vector"], result["difference"]) for result in wrong]
    assert len(run.results) > 130


@pytest.mark.usefixtures("nobody_left")
def test_the_shared_writer_is_right(run_program, vectors):
    run = run_program("breakable_writer", slugs_of(vectors), profiles=("write", "append"))
    wrong = [result for result in run.results if result["class"] != "pass"]
    assert not wrong, [(result["vector"], result["difference"]) for result in wrong]
    assert len(run.results) >= 20


def test_every_program_has_a_row_and_says_what_is_wrong_with_it():
    others = {path for path in HERE.glob("*.py") if path.name.startswith("test_near_right")}
    programs = {
        path.stem: path for path in {*HERE.glob("*.py")} - others if path.stem not in SHARED
    }
    assert set(programs) == set(ROWS)
    for path in programs.values():
        assert (ast.get_docstring(ast.parse(path.read_text())) or "").startswith("Wrong"), path
