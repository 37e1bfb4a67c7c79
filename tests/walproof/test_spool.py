"""Records that wait in a scratch file come back as they were, in the order of the log."""

from __future__ import annotations

import tracemalloc

import pytest

from reference_impl.answer import Lost, Record
from walproof.spool import Spool


def test_records_come_back_as_they_were() -> None:
    spool = Spool()
    records = [Record(n, 1, bytes([n]), {"index": str(n), "fields": [["A", n]]}) for n in range(9)]
    for record in records:
        spool.add(record)
    found = spool.records
    assert list(found) == records == list(found)
    assert (len(found), found[0], found[-1]) == (9, records[0], records[8])
    assert found[2:4] == records[2:4]
    with pytest.raises(IndexError):
        found[9]


def test_one_may_be_added_after_reading() -> None:
    spool = Spool()
    for number in range(3):
        spool.add(Record(number, 1, b"x" * number))
        assert [len(record.payload) for record in spool.records] == list(range(number + 1))


def test_lost_ranges_are_in_order_of_their_files_and_offsets() -> None:
    spool = Spool()
    gaps = [Lost(9, 10, "a", file="b"), Lost(5, 6, "b", file="b"), Lost(1, 2, "c", file="a")]
    for gap in gaps:
        spool.add(gap)
    assert list(spool.lost()) == [gaps[1], gaps[0], gaps[2]]


def test_rows_are_in_order_of_a_key_and_the_lost_range_comes_first() -> None:
    spool = Spool()
    for event in (
        Record(0, 5, b"second", {}, "b"),
        Record(5, 5, b"third", {}, "b"),
        Lost(5, 5, "empty", file="b"),
        Record(7, 1, b"first", {}, "a"),
    ):
        spool.add(event)
    found = list(spool.rows(str))
    assert [number for number, _ in found] == [2, 0, -1, 1]
    assert found[:2] == list(spool.rows(str, 2))


@pytest.mark.slow
def test_memory_does_not_grow_with_the_records() -> None:
    tracemalloc.start()
    try:
        spool = Spool()
        for number in range(100_000):
            spool.add(Record(number, 1, b""))
        assert sum(1 for _ in spool.rows(str)) == 100_000
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()
