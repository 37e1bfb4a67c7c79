"""A comparison covers only the reported parts of an answer, and has a rule for each part."""

from __future__ import annotations

import hashlib

import pytest

from conformance.compare import differences, normalise

ALPHA = {"at": 0, "size": 12, "payload": b"alpha".hex()}
BRAVO = {"at": 12, "size": 12, "payload": b"bravo".hex()}
LOST = {"from": 24, "to": 38, "reason": "checksum-mismatch"}
ALL = ["records", "at", "size", "verdict", "reason", "lost", "end", "signals"]

EXPECTED = {
    "verdict": "damaged",
    "reason": "checksum-mismatch",
    "records": [ALPHA, BRAVO],
    "lost": [LOST],
    "end": None,
}
RIGHT = {**EXPECTED, "signals": ["bad checksum"]}


def only(reports, **changes):
    """Return the only difference between the correct answer and an answer with these changes."""
    problems = differences(EXPECTED, {**RIGHT, **changes}, reports)
    assert len(problems) == 1, problems
    return problems[0]


def test_equal_answers_do_not_differ():
    assert differences(EXPECTED, RIGHT, ALL) == []


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([ALPHA], 'expected 2, found 1; missing from record 1 on: "bravo" (5 bytes)'),
        ([], 'expected 2, found 0; missing from record 0 on: "alpha"'),
        ([ALPHA, BRAVO, BRAVO], 'expected 2, found 3; not in the log: "bravo"'),
        ([BRAVO, ALPHA], 'first difference in record 0: expected "alpha" (5 bytes), found "bravo"'),
        ([ALPHA, {**BRAVO, "payload": ""}], "found an empty record"),
        ([ALPHA, {**BRAVO, "payload": "00ff"}], "found 00ff (2 bytes)"),
        ([ALPHA, {**BRAVO, "at": 13}], "at of record 1: expected 12, found 13"),
        ([{**ALPHA, "size": None}, BRAVO], "size of record 0: expected 12, found nothing"),
    ],
)
def test_records_differ(records, message):
    assert message in only(ALL, records=records)


def test_fields_count_only_when_they_are_reported():
    moved = {**RIGHT, "records": [{**ALPHA, "at": 7}, {**BRAVO, "index": "9"}]}
    assert differences(EXPECTED, moved, ["records"]) == []
    assert differences(EXPECTED, moved, ["records", "at"]) != []


@pytest.mark.parametrize("part", ["verdict", "reason", "end"])
def test_a_part_counts_only_when_it_is_reported(part):
    changed = {**RIGHT, part: 99}
    assert differences(EXPECTED, changed, [p for p in ALL if p != part]) == []
    assert only(ALL, **{part: 99}).startswith(f"{part}: expected ")


def test_a_missing_reported_part_differs():
    without = {part: value for part, value in RIGHT.items() if part != "verdict"}
    assert differences(EXPECTED, without, ALL) == ["verdict: expected damaged, found nothing"]


def test_lost_ranges_are_sets_of_bytes_unless_reasons_are_reported():
    halves = [{"from": 30, "to": 38}, {"from": 24, "to": 30}, {"from": 5, "to": 5}]
    assert differences(EXPECTED, {**RIGHT, "lost": halves}, ["lost"]) == []
    assert "lost: expected [24, 38) checksum-mismatch, found [30, 38)" in only(
        ["lost", "reason"], lost=halves
    )
    assert only(["lost"], lost=[]) == "lost: expected [24, 38) checksum-mismatch, found none"


def test_lost_ranges_in_different_files_are_different():
    assert only(["lost"], lost=[{**LOST, "file": "db-1.log"}]).startswith("lost: ")


@pytest.mark.parametrize(
    ("verdict", "signals", "is_right"),
    [
        ("intact", [], True),
        ("intact", ["bad"], False),
        ("torn", [], True),
        ("torn", ["eof"], True),
        ("damaged", ["bad"], True),
        ("damaged", [], False),
        ("refused", ["no"], True),
        ("refused", [], False),
    ],
)
def test_signals(verdict, signals, is_right):
    expected = {**EXPECTED, "verdict": verdict}
    problems = differences(expected, {"records": [], "signals": signals}, ["signals"])
    assert (problems == []) is is_right


def test_long_payloads_are_compared_by_their_hash():
    payload = bytes(4097)
    sent = normalise({"records": [{"at": 0, "payload": payload.hex()}]})
    assert sent == {"records": [{"at": 0, "payload_sha256": hashlib.sha256(payload).hexdigest()}]}
    short = {"records": [{"payload": bytes(4096).hex()}]}
    assert normalise(short) == short


def found(**changes):
    """Return what a list of known failures would store for an answer with these changes."""
    problems = differences(EXPECTED, {**RIGHT, **changes}, ALL)
    return {each.part: each.found for each in problems}


def test_values_of_differing_parts_ignore_the_wording_of_signals():
    assert found(end=5) == {"end": 5} == found(end=5, signals=["at 0x7ffc0001: bad"])
    assert found(end=5, lost=[]) == {"lost": [], "end": 5}


def test_records_are_numbered_if_missing_and_hashed_if_not_expected():
    assert found(records=[BRAVO]) == {"records": {"missing": [0]}}
    assert found(records=[]) == {"records": {"missing": [0, 1]}}
    assert found(records=[BRAVO, ALPHA]) == {
        "records": {
            "missing": [0],
            "extra": 1,
            "sha256": found(records=[BRAVO, ALPHA])["records"]["sha256"],
        }
    }
    # The message names only the first wrong record, but the digest also covers later records.
    wrong = {**ALPHA, "payload": "00"}
    both = [found(records=[wrong, second])["records"] for second in (ALPHA, {**BRAVO, "at": 99})]
    assert both[0]["sha256"] != both[1]["sha256"]
    moved = found(records=[ALPHA, {**BRAVO, "at": 99}])["records"]
    assert moved["missing"] == [1] and moved["extra"] == 1


def test_three_missing_records_in_a_row_are_a_range():
    expected = {**EXPECTED, "records": [{"at": n, "payload": f"{n:02x}"} for n in range(7)]}
    kept = [expected["records"][n] for n in (0, 4)]
    (problem,) = differences(expected, {"records": kept}, ["records"])
    assert problem.found == {"missing": [[1, 3], 5, 6]}
