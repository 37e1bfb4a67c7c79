"""Test that the harness classifies wrong implementations, even those that never exit by themselves.

A row contains the expected result of each vector. The result ``pass`` shows that the implementation
has no other fault.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest


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

ROWS: dict[str, Row] = {
    "hangs_behind_a_daemon": Row({"one-record": "timeout: no reply within 0.3 s"}, SOON),
    "crashes_on_damage": Row(
        {
            **CONTROL,
            "payload-flipped-in-second-record": "crash: killed by SIGABRT",
            "cut-in-a-payload": "pass",
        }
    ),
    "nests_folders": Row(
        {"append-to-three-records": "over-limit: folders are nested more than 32 deep"}, APPEND
    ),
    "changes_the_log": Row(
        {**CONTROL, "cut-in-a-payload": "fail: the reader changed the log it read"}
    ),
    "leaves_a_file_behind": Row(
        {
            "append-to-three-records": "fail: files: append-to-three-records.tmp (0 bytes) should",
            "write-three-records": "fail: files: write-three-records.tmp (0 bytes) should not be",
            "append-behind-damage": "pass",
        },
        {"profiles": ("append", "write")},
    ),
    "changes_the_log_while_refusing": Row(
        {
            **APPENDED,
            "append-behind-damage": "fail: the writer refused, and changed what is there: bytes:"
            " expected 38, found 0",
        },
        APPEND,
    ),
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
