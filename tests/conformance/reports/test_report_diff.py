"""The difference of two runs: regressions and other changes."""

from __future__ import annotations

import copy
import io
import json

import pytest
from rich.console import Console

from conformance.reports import terminal
from conformance.reports.diff import Diff, compare


@pytest.fixture
def run(builder):
    """Return a run of one implementation with one result of the given class."""

    def make(outcome="pass", difference=None):
        return (
            builder()
            .vector("whole", "framing", kind="valid")
            .vector("flip", "checksum", control="whole")
            .implementation("reader")
            .result("whole")
            .result("flip", outcome, difference=difference)
            .build()
        )

    return make


REGRESSIONS = [
    ("pass", "fail"), ("pass", "crash"), ("pass", "known-failure"), ("pass", "skipped"),
    ("known-failure", "fail"), ("skipped", "fail"), ("fail", "timeout"), ("fail", "crash"),
    ("unexpected-pass", "fail"), ("fail", "protocol-error"), ("over-limit", "timeout"),
]  # fmt: skip
IMPROVEMENTS = [
    ("fail", "pass"), ("known-failure", "pass"), ("known-failure", "unexpected-pass"),
    ("skipped", "pass"), ("crash", "fail"), ("timeout", "pass"),
]  # fmt: skip
CHANGES = [
    ("fail", "known-failure"), ("crash", "known-failure"), ("fail", "skipped"),
    ("known-failure", "skipped"), ("crash", "timeout"), ("unexpected-pass", "pass"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "effect"),
    [(*pair, "regression") for pair in REGRESSIONS]
    + [(*pair, "improvement") for pair in IMPROVEMENTS]
    + [(*pair, "changed") for pair in CHANGES],
)
def test_a_change_of_class_is_classified(run, old, new, effect):
    diff = compare(run(old), run(new))
    (change,) = diff.results
    assert (change.old, change.new, change.effect) == (old, new, effect)
    assert change.vector == "leveldb-log/flip"
    assert bool(diff.regressions) == (effect == "regression")


def test_equal_runs_have_no_difference(report):
    assert compare(report, copy.deepcopy(report)) == Diff()


def test_a_changed_difference_is_a_change(run):
    (change,) = compare(run("fail", "1 missing"), run("fail", "2 missing")).results
    assert (change.effect, change.difference) == ("changed", "2 missing")


def test_scores_in_pairs_are_compared(run):
    (score,) = compare(run("pass"), run("fail")).scores
    assert (score.old, score.new, score.effect) == ((1, 1), (0, 1), "changed")


def test_added_and_removed_items_are_listed_without_regression(run, builder):
    old = run()
    new = run()
    del new["vectors"]["leveldb-log/flip"]
    new["implementations"][0]["results"].pop()
    new["vectors"]["leveldb-log/new"] = old["vectors"]["leveldb-log/flip"]
    new["implementations"][0]["results"].append(
        {**old["implementations"][0]["results"][1], "vector": "leveldb-log/new", "class": "fail"}
    )
    new["implementations"].append({**old["implementations"][0], "name": "other"})
    diff = compare(old, new)
    assert diff.vectors_added == ["leveldb-log/new"]
    assert diff.vectors_removed == ["leveldb-log/flip"]
    assert diff.implementations_added == ["other"]
    assert diff.new_results == {"reader": {"fail": 1}}
    assert diff.gone_results == {}
    assert diff.regressions == []
    assert compare(new, old).implementations_removed == ["other"]


def test_a_missing_result_of_a_shared_vector_is_counted(run):
    new = run()
    new["implementations"][0]["results"].pop()
    assert compare(run(), new).gone_results == {"reader": 1}


@pytest.mark.parametrize("status", ["unavailable", "broken"])
def test_an_implementation_that_stopped_running_is_a_regression(run, status):
    new = run()
    new["implementations"][0].update(status=status, because="no compiler", results=[], score=None)
    diff = compare(run(), new)
    assert [each.effect for each in diff.statuses] == ["regression"]
    assert len(diff.regressions) == 1
    back = compare(new, run())
    assert [each.effect for each in back.statuses] == ["improvement"]
    assert back.regressions == []


def test_a_baseline_is_judged_by_its_score_alone(run):
    old, new = run("fail"), run("pass")
    for each in (old, new):
        each["implementations"][0]["baseline"] = True
    easier = compare(old, new)
    assert easier.results == []
    assert [each.effect for each in easier.scores] == ["regression"]
    assert len(easier.regressions) == 1
    assert compare(new, old).regressions == []


def test_json_and_text_agree(run):
    diff = compare(run("pass"), run("crash", "exit status 134"))
    assert json.loads(json.dumps(diff.to_json()))["results"][0]["new"] == "crash"
    assert diff.to_json()["regressions"] == 1
    console = Console(file=io.StringIO(), width=80)
    terminal.print_diff(diff, console)
    text = console.file.getvalue()
    for line in (
        "1 regression",
        "pass → crash  reader  leveldb-log/flip  recover",
        "exit status 134",
        "walproof check --impl reader --vector leveldb-log/flip",
        "reader  1/1 → 0/1",
    ):
        assert line in text


def test_equal_runs_print_no_difference(report):
    console = Console(file=io.StringIO(), width=80)
    terminal.print_diff(Diff(), console)
    assert console.file.getvalue() == "No difference.\n"
