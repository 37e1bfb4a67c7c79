"""Events are collected into one answer, which is converted to JSON."""

from __future__ import annotations

import hashlib

import pytest

from reference_impl.answer import (
    INLINE_PAYLOAD_LIMIT,
    Answer,
    End,
    Lost,
    Record,
    collect,
    end_to_json,
    payload_to_json,
)

INTACT = End("intact", None, 12)


def test_events_become_an_answer() -> None:
    record, gap = Record(0, 12, b"alpha"), Lost(12, 20, "bad-length")
    answer = collect([record, gap, End("damaged", "bad-length", None)])
    assert answer == Answer("damaged", "bad-length", (record,), (gap,), None)


def test_json_of_an_answer() -> None:
    answer = collect([Record(0, 12, b"alpha"), Lost(12, 20, "torn-header", torn=True), INTACT])
    assert answer.to_json() == {
        "verdict": "intact",
        "reason": None,
        "records": [{"at": 0, "size": 12, "payload": "616c706861"}],
        "lost": [{"from": 12, "to": 20, "reason": "torn-header"}],
        "end": 12,
    }


def test_lost_ranges_are_put_in_log_order() -> None:
    late, early = Lost(40, 50, "checksum-mismatch"), Lost(12, 40, "incomplete-record")
    assert collect([late, early, INTACT]).lost == (early, late)


def test_lost_ranges_follow_the_order_of_files() -> None:
    """Lost ranges are in the order in which the files were read, such as seg-10 after seg-9."""
    ranges = [("seg-9", 9), ("seg-10", 5), ("seg-9", 0)]
    events = [Lost(start, start + 1, "x", file=file) for file, start in ranges]
    lost = collect([Record(0, 4, b"x", file="seg-9"), *events, INTACT]).lost
    assert [(gap.file, gap.start) for gap in lost] == [("seg-9", 0), ("seg-9", 9), ("seg-10", 5)]


def test_the_json_has_files_and_fields() -> None:
    record = Record(8, 4, b"x", {"index": "18446744073709551615", "term": 2}, file="seg-1")
    assert record.to_json() == {
        "file": "seg-1",
        "at": 8,
        "size": 4,
        "index": "18446744073709551615",
        "term": 2,
        "payload": "78",
    }
    assert Lost(1, 2, "gap", file="seg-1").to_json()["file"] == "seg-1"
    assert end_to_json(5, "seg-1") == {"file": "seg-1", "at": 5}
    assert end_to_json(5, None) == 5
    assert end_to_json(None, None) is None


def test_long_payloads_are_given_by_their_digest() -> None:
    inline, long = bytes(INLINE_PAYLOAD_LIMIT), bytes(INLINE_PAYLOAD_LIMIT + 1)
    assert payload_to_json(inline) == {"payload": inline.hex()}
    assert payload_to_json(long) == {"payload_sha256": hashlib.sha256(long).hexdigest()}
    assert payload_to_json(b"") == {"payload": ""}


def test_a_reader_without_an_end_is_a_defect() -> None:
    with pytest.raises(ValueError, match="without a verdict"):
        collect([Record(0, 12, b"alpha")])


def test_a_reader_that_continues_after_its_end_is_a_defect() -> None:
    with pytest.raises(ValueError, match="continued after its end"):
        collect([INTACT, Record(0, 12, b"alpha")])
    with pytest.raises(ValueError, match="continued after its end"):
        collect([INTACT, INTACT])
