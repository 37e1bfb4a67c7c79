"""Counting: in any order and in any parts the same; nothing is lost on the way to a plot."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.answer import Lost
from walproof import quantity
from walproof.audit import plots
from walproof.audit.over_time import BARS, over_time
from walproof.audit.tables import rows, times
from walproof.audit.tally import MOST_STEPS, Clock, FileTally, Tally, merged
from walproof.scan.model import Records

MOMENTS = st.lists(st.integers(-(2**62), 2**62), max_size=40)


def clock(moments: Sequence[int]) -> Clock:
    made = Clock()
    made.add(pa.array(moments, pa.int64()))
    return made


@given(MOMENTS, MOMENTS)
def test_a_clock_loses_nothing(first: list[int], second: list[int]) -> None:
    both = clock(first)
    both.merge(clock(second))
    assert both.counts.total() == len(first) + len(second)
    assert Clock.from_json(json.loads(json.dumps(both.to_json()))).counts == both.counts


def test_a_clock_stays_small() -> None:
    made = clock(range(0, 10**6 * 5_000, 10**6))
    assert made.step == 60 and len(made.counts) <= MOST_STEPS and made.counts.total() == 5_000


@given(MOMENTS, MOMENTS)
def test_bars_add_up(own: list[int], by_file: list[int]) -> None:
    body = over_time(clock(own), clock(by_file))
    if body is None:
        assert not own and not by_file
        return
    assert len(body["by_record"]) == len(body["by_file"]) <= BARS + 1
    shown = sum(body["by_record"]) + sum(body["by_file"])
    assert shown + body["outside"] == len(own) + len(by_file)


def test_one_damaged_clock_does_not_squeeze_the_rest() -> None:
    now = 1_700_000_000 * 10**6
    body = over_time(clock([*range(now, now + 3_600 * 10**6, 10**6), 2**62]), Clock())
    assert body is not None and body["outside"] == 1 and body["width"] <= 120


def run(at: Sequence[int], sizes: Sequence[int], realtime: Sequence[int | None]) -> Records:
    fields = {"realtime": pa.array(realtime, pa.uint64())}
    return Records(np.array(at, np.int64), np.array(sizes, np.int64), None, fields)


def test_times_that_no_table_can_hold_are_null() -> None:
    moments = times(run([0, 1, 2, 3], [1] * 4, [2**64 - 1, None, 2**63 - 1, 5]))
    assert moments is not None and moments.to_pylist() == [None, None, 2**63 - 1, 5]
    batch = rows(run([0], [1], [1_700_000_000_000_001]), "f", "f", "systemd-journal", {})
    (row,) = batch.to_pylist()
    assert row["realtime"] == 1_700_000_000_000_001 and row["time"].microsecond == 1


def test_parts_and_the_whole() -> None:
    whole, first, second = FileTally(100), FileTally(100), FileTally(100)
    torn, damage = Lost(90, 100, "torn-header", torn=True), Lost(50, 60, "bad-length")
    for tally in (whole, first):
        tally.add_records(run([0, 20], [20, 3], [7_000_000, 9_000_000]))
        tally.add_lost(torn)
    for tally in (whole, second):
        tally.add_records(run([60], [30], [2_000_000]))
        tally.add_lost(damage)
    parts = merged([Tally("x", {None: first}), Tally("x", {None: second})])
    assert parts.files[None].to_json() == whole.to_json()
    assert (parts.verdict, parts.reason) == ("damaged", "bad-length")
    assert whole.sizes == {5: 2, 2: 1} and (whole.first_time, whole.last_time) == (
        2_000_000,
        9_000_000,
    )
    again = Tally.from_json(json.loads(json.dumps(parts.to_json())))
    assert again == parts


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 KiB"), (1536, "1.5 KiB"), (10**14, "90.9 TiB")],
)
def test_bytes_as_people_read_them(size: int, text: str) -> None:
    assert quantity.in_bytes(size) == text


@given(st.integers(1, 10**15))
def test_the_end_of_an_axis(value: int) -> None:
    assert value <= plots.nice(value) <= 2 * value
    assert float(plots.short(value).rstrip("kMGT") or 0)


@given(st.integers(0, 2**63), st.lists(st.tuples(st.integers(0, 2**63), st.integers(0, 2**63))))
def test_a_lane_never_leaves_its_frame(size: int, places: list[tuple[int, int]]) -> None:
    lane = plots.lane(size, [(min(p), max(p), False) for p in places], 320)
    for part in lane.split("<rect ")[2:]:
        x = float(part.split('x="')[1].split('"')[0])
        width = float(part.split('width="')[1].split('"')[0])
        assert 0 <= x <= 318 and width >= 2 and x + width <= 320.11
