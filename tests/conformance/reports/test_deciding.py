"""A failure names the requirements that decide the parts that differ."""

from __future__ import annotations

import pytest

from conformance.reports.deciding import decided_by, requirements_of
from conformance.reports.summary import by_cause

EXPECTED = {
    "verdict": "damaged",
    "reason": "bad-length",
    "records": [],
    "lost": [
        {"from": 0, "to": 9, "reason": "bad-length"},
        {"from": 20, "to": 30, "reason": "zero-gap"},
    ],
    "end": 30,
}


def failure(difference, profile="recover", outcome="fail", **changes):
    return {
        "vector": "leveldb-log/v", "profile": profile, "class": outcome, "difference": difference,
        "found": {part.partition(": ")[0]: None for part in difference.split("; ")},
        "expected": EXPECTED, "actual": {**EXPECTED, **changes},
    }  # fmt: skip


def report(*requirements):
    vector = {"format": "leveldb-log", "requirements": requirements, "damage": [], "size": 50}
    return {"vectors": {"leveldb-log/v": vector}}


@pytest.mark.parametrize(
    ("result", "ids"),
    [
        (failure("verdict: expected damaged, found torn", verdict="torn"),
         ["LDB-024", "LDB-038"]),
        (failure("reason: expected bad-length, found none; end: expected 30, found nothing"),
         ["LDB-024", "LDB-038", "LDB-039"]),
        (failure("lost: expected much, found little", lost=EXPECTED["lost"][:1]), ["LDB-027"]),
        (failure("lost: expected much, found little", "strict", lost=[]),
         ["LDB-040", "LDB-024", "LDB-027"]),
        (failure("records: expected 3, found 0"), []),
        (failure("exit status 1", outcome="crash"), []),
        (failure("end: expected 30, found nothing", "append"), []),
    ],
)  # fmt: skip
def test_the_register_names_the_requirements_that_decide(result, ids):
    assert decided_by(report("LDB-005", "LDB-024"), result) == ids


def test_all_ids_of_a_reason_are_named_if_the_vector_exercises_none():
    result = failure("reason: expected bad-length, found none")
    assert decided_by(report("LDB-005"), result) == ["LDB-023", "LDB-024", "LDB-038"]


def test_other_failures_cite_what_their_vector_exercises():
    assert requirements_of(report("LDB-005"), failure("records: expected 3, found 0")) == [
        "LDB-005"
    ]


def test_failures_are_grouped_by_the_requirement_that_decides():
    reader = {"name": "r"}
    results = [
        failure("end: expected 30, found nothing"),
        failure("end: expected 12, found 9"),
        failure("lost: expected much, found little", lost=[]),
    ]
    groups = by_cause(report(), [(reader, each) for each in results])
    assert [[each for _, each in group] for group in groups] == [results[:2], results[2:]]
