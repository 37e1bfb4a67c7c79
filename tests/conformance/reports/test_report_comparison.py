"""The comparison of two runs lists regressions and other changes."""

from __future__ import annotations

import copy
import io

import pytest
from rich.console import Console

from conformance.reports import terminal
from conformance.reports.comparison import compare_runs


@pytest.fixture
def run(builder):
    """Return a run in which one implementation has one result, of the given class."""

    def make(outcome="pass", difference=None):
        return (
            builder()
            .vector("whole", "framing")
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
    diff = compare_runs(run(old), run(new))
    (change,) = [each for each in diff.changes if each.vector]
    assert (change.old, change.new, change.effect) == (old, new, effect)
    assert change.vector == "leveldb-log/flip"
    assert bool(diff.regressions) == (effect == "regression")


def test_a_changed_difference_is_a_change(run):
    (change,) = compare_runs(run("fail", "1 missing"), run("fail", "2 missing")).changes
    assert (change.effect, change.difference) == ("changed", "2 missing")


def test_added_and_removed_items_are_listed_without_regression(run):
    old, new = run(), run()
    del new["vectors"]["leveldb-log/flip"]
    flip = new["implementations"][0]["results"].pop()
    new["vectors"]["leveldb-log/new"] = old["vectors"]["leveldb-log/flip"]
    new["implementations"][0]["results"].append({**flip, "vector": "leveldb-log/new"})
    new["implementations"].append({**old["implementations"][0], "name": "other", "title": "other"})
    diff = compare_runs(old, new)
    assert diff.added == {"vectors": ["leveldb-log/new"], "implementations": ["other"]}
    assert diff.removed == {"vectors": ["leveldb-log/flip"], "implementations": []}
    assert diff.changes == []
    assert compare_runs(new, old).removed["implementations"] == ["other"]
    console = Console(file=io.StringIO())
    terminal.print_diff(diff, console)
    assert "1 implementation added: other" in console.file.getvalue()


def test_a_missing_result_of_a_shared_vector_is_counted(run):
    new = run()
    new["implementations"][0]["results"].pop()
    diff = compare_runs(run(), new)
    (change,) = diff.changes
    assert (change.effect, change.old, change.new) == ("changed", "1 results", "not run")
    console = Console(file=io.StringIO(), width=80)
    terminal.print_diff(diff, console)
    assert "1 results → not run  reader  recover" in console.file.getvalue()


def test_an_implementation_is_recognised_by_its_title(run):
    new = run("fail")
    new["implementations"][0]["name"] = "renamed"
    diff = compare_runs(run(), new)
    assert diff.removed["implementations"] == []
    assert {each.implementation for each in diff.regressions} == {"renamed"}


@pytest.mark.parametrize("status", ["unavailable", "broken"])
def test_an_implementation_that_stopped_running_is_a_regression(run, status):
    new = run()
    new["implementations"][0].update(status=status, because="no compiler", results=[], score=None)
    (change,) = compare_runs(run(), new).regressions
    assert (change.old, change.new, change.difference) == ("ran", status, "no compiler")
    back = compare_runs(new, run())
    assert "improvement" in {each.effect for each in back.changes}
    assert back.regressions == []


def test_a_baseline_is_judged_by_its_score_alone(run):
    old, new = run("fail"), run("pass")
    for each in (old, new):
        each["implementations"][0]["baseline"] = True
    (easier,) = compare_runs(old, new).changes
    assert (easier.effect, easier.old, easier.new) == ("regression", "0/1 pairs", "1/1 pairs")
    assert compare_runs(new, old).regressions == []


def test_changes_are_printed(run):
    diff = compare_runs(run("pass"), run("crash", "exit status 134"))
    console = Console(file=io.StringIO(), width=80)
    terminal.print_diff(diff, console)
    text = console.file.getvalue()
    for line in (
        "1 regression",
        "pass → crash  reader  leveldb-log/flip  recover",
        "exit status 134",
        "walproof check --impl reader --vector leveldb-log/flip",
        "1/1 pairs → 0/1 pairs  reader",
    ):
        assert line in text


def test_equal_runs_print_no_regression(report):
    console = Console(file=io.StringIO(), width=80)
    terminal.print_diff(compare_runs(report, copy.deepcopy(report)), console)
    assert console.file.getvalue() == "No regressions.\n"
