"""Alignment of records and lost ranges, and the side-by-side view."""

from __future__ import annotations

import hashlib
import time

import pytest

from conformance.describe import (
    payload_difference,
    payload_text,
    place_text,
    printable,
    tail,
)
from conformance.reports.align import align_lost, align_records, fold
from conformance.reports.side_by_side import lines, reported


def rec(at, text, **more):
    return {"at": at, "size": 7 + len(text), "payload": text.encode().hex(), **more}


def bare(text):
    return {"payload": text.encode().hex()}


def row_kinds(rows, expected, actual):
    """Return the kind of each row, and the indexes of its items."""

    def index(items, item):
        return next((number for number, each in enumerate(items) if each is item), None)

    return [(row.kind, index(expected, row.expected), index(actual, row.actual)) for row in rows]


def aligned(expected, actual):
    return row_kinds(align_records(expected, actual), expected, actual)


A, B, C = rec(0, "alpha"), rec(12, "bravo"), rec(24, "charlie")


@pytest.mark.parametrize(
    ("expected", "actual", "expected_rows"),
    [
        ([A, B], [A, B], [("same", 0, 0), ("same", 1, 1)]),
        ([], [], []),
        ([A, B, C], [A, C], [("same", 0, 0), ("missing", 1, None), ("same", 2, 1)]),
        ([A, C], [A, B, C], [("same", 0, 0), ("extra", None, 1), ("same", 1, 2)]),
        ([A, B], [A, rec(12, "brav")], [("same", 0, 0), ("different", 1, 1)]),
        ([A], [rec(5, "zulu")], [("missing", 0, None), ("extra", None, 0)]),
        ([A, B], [], [("missing", 0, None), ("missing", 1, None)]),
        # The reader reports no offsets, so records at the same position are compared.
        ([A, B], [bare("alpha"), bare("brav")], [("same", 0, 0), ("different", 1, 1)]),
        ([A, B, C], [bare("bravo")], [("missing", 0, None), ("same", 1, 0), ("missing", 2, None)]),
    ],
)
def test_records_are_aligned(expected, actual, expected_rows):
    assert aligned(expected, actual) == expected_rows


def test_equal_payloads_are_matched_by_offset():
    same = [rec(at, "x") for at in (0, 8, 16)]
    assert aligned(same, same[1:]) == [
        ("missing", 0, None),
        ("same", 1, 0),
        ("same", 2, 1),
    ]


def test_a_record_at_another_offset_is_different():
    (row,) = align_records([A], [{**A, "at": 3}])
    assert (row.kind, row.fields, row.note) == ("different", ("at",), "")


def test_a_joined_record_matches_neither_half():
    assert aligned([B, C], [rec(0, "alphabravo"), C]) == [
        ("extra", None, 0),
        ("missing", 0, None),
        ("same", 1, 1),
    ]


def test_a_long_payload_is_the_same_in_full_and_as_digest():
    payload = bytes(5000)
    digest = {"at": 0, "size": 5007, "payload_sha256": hashlib.sha256(payload).hexdigest()}
    full = {"at": 0, "size": 5007, "payload": payload.hex()}
    assert aligned([digest], [full]) == [("same", 0, 0)]
    other = {**full, "payload": (b"\1" + payload[1:]).hex()}
    assert aligned([digest], [other]) == [("different", 0, 0)]
    assert aligned([digest], [{**digest, "payload_sha256": "0" * 64}]) == [("different", 0, 0)]


def test_records_without_payload_are_compared_by_their_fields():
    expected = [{"at": 0, "index": 1, "term": 1}, {"at": 9, "index": 2, "term": 1}]
    given = [{"at": 0, "index": 1}, {"at": 9, "index": 3}]
    rows = align_records(expected, given)
    assert row_kinds(rows, expected, given) == [("same", 0, 0), ("different", 1, 1)]
    assert rows[1].fields == ("index",)


def test_many_equal_records_are_aligned_in_reasonable_time():
    started = time.monotonic()
    expected = [bare("x")] * 20_000
    rows = align_records([bare("a"), *expected, bare("b")], [bare("c"), *expected[1:], bare("d")])
    assert len(rows) >= 20_000
    assert time.monotonic() - started < 5


def test_lost_ranges_are_aligned():
    expected = [
        {"from": 0, "to": 10, "reason": "checksum-mismatch"},
        {"from": 20, "to": 30, "reason": "unknown-type"},
        {"from": 50, "to": 60, "reason": "bad-length"},
    ]
    given = [
        {"from": 0, "to": 10},
        {"from": 20, "to": 35, "reason": "zero-gap"},
        {"from": 70, "to": 80, "reason": "bad-length"},
    ]
    rows = align_lost(expected, given)
    assert row_kinds(rows, expected, given) == [
        ("same", 0, 0),
        ("different", 1, 1),
        ("missing", 2, None),
        ("extra", None, 2),
    ]
    assert rows[1].fields == ("to", "reason")


def shown_kinds(expected, actual, limit=40):
    """Return the kind of each line, or the number of rows that share it."""
    lines_of_rows = fold(align_records(expected, actual), limit)
    return [group[0].kind if len(group) == 1 else len(group) for group in lines_of_rows]


def test_equal_rows_are_folded_except_their_context():
    records = [rec(8 * n, str(n)) for n in range(100)]
    shown = shown_kinds(records, records[:50] + records[51:])
    assert shown == [49, "same", "missing", "same", 48]


@pytest.mark.parametrize(
    ("alike", "expected"), [(5, ["same"] * 5 + ["missing"]), (6, [5, "same", "missing"])]
)
def test_a_short_list_is_shown_whole(alike, expected):
    records = [rec(8 * n, str(n)) for n in range(alike + 1)]
    assert shown_kinds(records, records[:-1]) == expected


def test_no_row_is_hidden_without_being_counted():
    records = [rec(8 * n, str(n)) for n in range(500)]
    lines_of_rows = fold(align_records(records, records[:10]), limit=20)
    assert sum(map(len, lines_of_rows)) == 500 and len(lines_of_rows) == 21
    compared = lines({"records": records}, {"records": records[:10]})
    assert compared[-1].expected.what == "… 468 missing …"


@pytest.mark.parametrize(
    ("given", "description"),
    [
        ("brav", "cut short by 1 B"),
        ("bravo!!", "2 B too long"),
        ("brbvo", "differs from byte 2 of the payload"),
    ],
)
def test_a_payload_difference_is_described(given, description):
    assert payload_difference(bare("bravo"), bare(given)) == description


@pytest.mark.parametrize(
    ("payload", "shown"),
    [
        (b"", '""'),
        (b"alpha", '"alpha"'),
        (b"A" * 97270, '"A" × 97,270'),
        (bytes(32), "00 × 32"),
        (b"\x00\xff", "00ff"),
        (bytes(range(100)), "000102030405060708090a0b…"),
        (b"MESSAGE=a\nUID=0\n", r'"MESSAGE=a\nUID=0\n"'),
        (b"\n\n", "0a0a"),
        (b"The quick brown fox jumps over", '"The quick brown fox j…"'),
    ],
)
def test_payloads_are_short_and_readable(payload, shown):
    assert payload_text({"payload": payload.hex()}) == shown


def test_external_text_cannot_move_the_cursor():
    assert printable("a\x1b[2Jb\x00\r\nc\td\ud800") == "a\\x1b[2Jb\\x00\nc\td\\ud800"
    assert tail("x" * 100 + "end\n", 10) == "…xxxxxxend"
    assert place_text({"file": "db-1.log", "at": 4, "size": 9}) == "db-1.log, at 4, 9 B"


def _by_label(shown_lines):
    return {line.label: line for line in shown_lines if line.label}


def test_unreported_parts_are_not_differences():
    expected = {
        "verdict": "damaged", "reason": "checksum-mismatch", "records": [A], "end": 40,
        "lost": [{"from": 12, "to": 40, "reason": "checksum-mismatch"}],
    }  # fmt: skip
    compared = lines(expected, {"records": [bare("alpha")], "signals": ["bad record"]})
    assert {line.kind for line in compared} == {"same"}
    assert _by_label(compared)["lost"].actual.what == "not reported"
    assert _by_label(compared)["signals"].expected.what == "at least one"


@pytest.mark.parametrize(
    ("verdict", "signals", "kind"),
    [
        ("intact", [], "same"),
        ("intact", ["oops"], "different"),
        ("damaged", [], "different"),
        ("damaged", ["oops"], "same"),
        ("refused", [], "different"),
        ("torn", [], "same"),
        ("torn", ["oops"], "same"),
    ],
)
def test_signals_are_judged_by_the_expected_verdict(verdict, signals, kind):
    compared = lines({"verdict": verdict, "records": []}, {"records": [], "signals": signals})
    assert _by_label(compared)["signals"].kind == kind


def test_without_an_answer_nothing_is_marked():
    compared = lines({"verdict": "intact", "records": [A, B], "lost": []}, None)
    assert {line.kind for line in compared} == {"same"}
    assert not any(line.actual.what for line in compared)
    assert [line.expected.what for line in compared] == ["intact", '"alpha"', '"bravo"', "none"]


def test_an_empty_placeholder_is_not_an_answer():
    implementation = {"reports": ["records", "verdict"]}
    actual = {"verdict": "intact", "reason": None, "records": [], "lost": [], "signals": []}
    result = {"profile": "recover", "actual": actual}
    assert reported(implementation, result) == {"verdict": "intact", "records": []}
    assert reported(implementation, {**result, "profile": "append"}) == actual
    claims_all = {"reports": ["verdict", "reason", "lost", "signals"]}
    assert reported(claims_all, result) == actual
    assert reported(implementation, {**result, "actual": None}) is None


def test_without_reasons_lost_bytes_match_in_any_ranges():
    expected = {"lost": [{"from": 0, "to": 5, "reason": "a"}, {"from": 5, "to": 9, "reason": "b"}]}
    given = {"lost": [{"from": 0, "to": 9}]}
    assert {line.kind for line in lines(expected, given)} == {"same"}
    given["lost"][0]["to"] = 8
    assert "different" in {line.kind for line in lines(expected, given)}
