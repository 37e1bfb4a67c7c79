"""A failure cites the requirements that decide the differing parts of the answer."""

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


DECIDED_BY = {
    "expect": {
        "verdict": "LDB-038", "reason": "LDB-023", "lost": ["LDB-023", "LDB-027"], "end": "LDB-039",
    },
    "expect_strict": {
        "strict": "LDB-040", "verdict": "LDB-038", "reason": "LDB-023",
        "lost": ["LDB-023", "LDB-027"],
    },
    "table": {"0": None, "1": "LDB-021", "7": "LDB-022"},
}  # fmt: skip


def report(*requirements, decided_by=DECIDED_BY):
    vector = {"format": "leveldb-log", "requirements": requirements, "damage": [], "size": 50}
    vector |= {"decided_by": decided_by} if decided_by else {}
    return {"vectors": {"leveldb-log/v": vector}}


@pytest.mark.parametrize(
    ("result", "ids"),
    [
        (failure("verdict: expected damaged, found torn", verdict="torn"),
         ["LDB-038", "LDB-023"]),
        (failure("reason: expected bad-length, found zero-gap", reason="zero-gap"),
         ["LDB-038", "LDB-023"]),
        (failure("reason: expected bad-length, found none; end: expected 30, found nothing",
                 reason=None),
         ["LDB-023", "LDB-038", "LDB-039"]),
        (failure("lost: expected much, found little", lost=EXPECTED["lost"][:1]), ["LDB-027"]),
        (failure("lost: expected much, found little", lost=[{"from": 20, "to": 30}]), ["LDB-023"]),
        (failure("lost: expected much, found little", "strict", lost=[]),
         ["LDB-040", "LDB-023", "LDB-027"]),
        (failure("end: expected nothing, found 30", "strict"), ["LDB-040"]),
        (failure("records: expected 3, found 0"), []),
        (failure("exit status 1", outcome="crash"), []),
        (failure("end: expected 30, found nothing", "append"), []),
    ],
)  # fmt: skip
def test_the_vector_names_the_requirements_that_decide(result, ids):
    assert decided_by(report("LDB-005"), result) == ids


@pytest.mark.parametrize(("length", "ids"), [
    (0, ["LDB-038"]), (6, ["LDB-021", "LDB-038"]), (9, ["LDB-022", "LDB-038"]),
])  # fmt: skip
def test_the_length_of_a_prefix_selects_the_requirement(length, ids):
    result = failure("reason: expected torn-header, found none", reason=None)
    result["found"] = {"prefix": length, **result["found"]}
    assert decided_by(report("LDB-005"), result) == ids


def test_an_intact_prefix_has_no_lost_range():
    result = failure("lost: expected nothing, found 1 range", lost=[{"from": 0, "to": 6}])
    result["found"] = {"prefix": 0, "lost": {}}
    result["expected"] = {**result["expected"], "reason": None, "lost": []}
    assert decided_by(report("LDB-005"), result) == []


def test_strict_is_not_cited_if_its_answer_is_that_of_recover():
    same = {"expect": DECIDED_BY["expect"]}
    result = failure("end: expected 30, found nothing", "strict")
    assert decided_by(report("LDB-005", decided_by=same), result) == ["LDB-039"]


def test_a_vector_without_deciding_requirements_cites_what_it_exercises():
    result = failure("reason: expected bad-length, found none")
    assert requirements_of(report("LDB-005", decided_by=None), result) == ["LDB-005"]


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
