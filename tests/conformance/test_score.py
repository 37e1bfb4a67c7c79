"""The score counts pairs of a vector and its control. Null baselines pass no pair."""

from __future__ import annotations

import pytest

from conformance.baselines import BASELINES
from conformance.case_runner import run_programs
from conformance.checked_program import checked_baselines
from conformance.reports.summary import unexpected
from conformance.run_report import RunPlan, describe_vector, run_plan
from conformance.score import score
from conformance.vector_cases import cases_of

VECTORS = {
    "whole": {"control": None, "group": "layout"},
    "flip": {"control": "whole", "group": "checksum"},
    "cut": {"control": "whole", "group": "torn-tail"},
}


def results(**classes):
    return [
        {"vector": name.rstrip("_"), "profile": "strict" if name.endswith("_") else "recover"}
        | {"class": outcome}
        for name, outcome in classes.items()
    ]


@pytest.mark.parametrize(
    ("classes", "pairs"),
    [
        ({"whole": "pass", "flip": "pass", "cut": "pass"}, (2, 2)),
        ({"whole": "pass", "flip": "fail", "cut": "pass"}, (1, 2)),
        ({"whole": "fail", "flip": "pass", "cut": "pass"}, (0, 2)),
        ({"whole": "pass", "flip": "known-failure", "cut": "timeout"}, (0, 2)),
        ({"whole": "known-failure", "flip": "pass", "cut": "pass"}, (0, 2)),
        ({"whole": "pass", "flip": "unexpected-pass", "cut": "crash"}, (0, 2)),
        ({"whole": "pass", "flip": "skipped", "cut": "pass"}, (1, 1)),
        ({"whole": "skipped", "flip": "pass", "cut": "pass"}, (0, 2)),
        ({"flip": "pass"}, (0, 1)),
        ({"whole": "pass"}, (0, 0)),
    ],
)
def test_a_damaged_vector_counts_only_with_its_control(classes, pairs):
    scores = score(results(**classes), VECTORS)
    assert (scores["pairs_passed"], scores["pairs_total"]) == pairs


def test_both_halves_must_pass_in_the_same_profile():
    scores = score(results(whole="pass", flip_="pass"), VECTORS)
    assert (scores["pairs_passed"], scores["pairs_total"]) == (0, 1)
    scores = score(results(whole="pass", flip_="pass"), VECTORS, is_complete=False)
    assert scores["pairs_total"] == 0


def test_groups_add_up():
    scores = score(results(whole="pass", flip="pass", cut="fail"), VECTORS)
    assert scores["by_group"] == {
        "layout": {"passed": 1, "total": 1, "pairs_passed": 0, "pairs_total": 0},
        "checksum": {"passed": 1, "total": 1, "pairs_passed": 1, "pairs_total": 1},
        "torn-tail": {"passed": 0, "total": 1, "pairs_passed": 0, "pairs_total": 1},
    }


def test_writes_and_appends_are_not_pairs():
    every = [
        {"vector": "whole", "profile": "append", "class": "pass"},
        {"vector": "flip", "profile": "append", "class": "pass"},
        {"vector": "cut", "profile": "append", "class": "known-failure"},
        {"vector": "whole", "profile": "write", "class": "pass"},
        {"vector": "cut", "profile": "write", "class": "skipped"},
        *results(whole="pass", flip="pass"),
    ]
    scores = score(every, VECTORS)
    assert (scores["pairs_passed"], scores["pairs_total"]) == (1, 1)
    assert (scores["written_passed"], scores["written_total"]) == (3, 4)
    append, write = scores["by_profile"]["append"], scores["by_profile"]["write"]
    assert (append["passed"], append["total"], append["pairs_total"]) == (2, 3, 0)
    assert (write["passed"], write["total"], write["skipped"]) == (1, 1, 1)


def test_the_null_baselines_score_no_pair(vectors):
    cases = cases_of(list(vectors.values()))
    described = {vector.id: describe_vector(vector) for vector in vectors.values()}
    runs = run_programs(checked_baselines(), lambda _: cases)
    assert [run_result.subject.name for run_result in runs] == [
        baseline.name for baseline in BASELINES
    ]
    for run_result in runs:
        scores = score(run_result.results, described)
        assert scores["pairs_passed"] == 0, run_result.subject.name
        assert scores["pairs_total"] > 150
        assert scores["written_total"] >= 20
        assert scores["written_passed"] / scores["written_total"] < 0.5


def test_controls_and_baselines_run_too(vectors, vector):
    report = run_plan(RunPlan.of([], vectors, [vector("cut-in-a-payload")], ["recover"]))
    assert list(report["vectors"]) == ["leveldb-log/cut-in-a-payload", "leveldb-log/three-records"]
    assert all(implementation["baseline"] for implementation in report["implementations"])
    assert unexpected(report) == []
