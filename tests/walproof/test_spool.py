"""A scratch file returns its records unchanged and in log order."""

from __future__ import annotations

import tracemalloc

import pytest

from reference_impl.answer import Lost, Record
from walproof.spool import Shelf, Spool


def test_records_are_returned_unchanged() -> None:
    stored: Shelf[Record] = Shelf()
    records = [Record(n, 1, bytes([n]), {"index": str(n), "fields": [["A", n]]}) for n in range(9)]
    for record in records:
        stored.append(record)
    assert list(stored) == records == list(stored)
    assert (len(stored), stored[0], stored[-1]) == (9, records[0], records[8])
    assert stored[2:4] == records[2:4]
    with pytest.raises(IndexError):
        stored[9]


def test_records_can_be_added_after_reading() -> None:
    stored: Shelf[bytes] = Shelf()
    for number in range(3):
        stored.append(b"x" * number)
        assert [len(each) for each in stored] == list(range(number + 1))


def test_lost_ranges_are_ordered_by_file_and_offset() -> None:
    spool = Spool()
    gaps = [Lost(9, 10, "a", file="b"), Lost(5, 6, "b", file="b"), Lost(1, 2, "c", file="a")]
    for gap in gaps:
        spool.add(gap, gap.reason)
    assert list(spool.rows()) == ["b", "a", "c"]


def test_rows_are_in_log_order_with_lost_ranges_before_records() -> None:
    spool = Spool()
    for event, row in (
        (Record(0, 5, b"first", {}, "b"), 0),
        (Record(5, 5, b"second", {}, "b"), 1),
        (Lost(5, 5, "empty", file="b"), -1),
        (Record(7, 1, b"third", {}, "a"), 2),
    ):
        spool.add(event, row)
    assert list(spool.rows()) == [0, -1, 1, 2]


@pytest.mark.slow
def test_memory_is_bounded() -> None:
    tracemalloc.start()
    try:
        spool = Spool()
        for number in range(20_000):
            spool.add(Record(number, 1, b""), "row")
        assert sum(1 for _ in spool.rows()) == 20_000
        assert tracemalloc.get_traced_memory()[1] < 3 << 20
    finally:
        tracemalloc.stop()
