"""Merged counts of parts equal those of the whole log."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from reference_impl.answer import Lost
from walproof.inventory.schemas import RECORDS, record_rows, times
from walproof.inventory.tally import FileTally, Tally, merged
from walproof.scan.model import Records

from .lakes import options


def run(at: Sequence[int], sizes: Sequence[int], realtime: Sequence[int | None]) -> Records:
    fields = {"realtime": pa.array(realtime, pa.uint64())}
    return Records(np.array(at, np.int64), np.array(sizes, np.int64), None, fields)


def test_times_out_of_range_are_null() -> None:
    moments = times(run([0, 1, 2, 3], [1] * 4, [2**64 - 1, None, 2**63 - 1, 5]))
    assert moments is not None and moments.to_pylist() == [None, None, 2**63 - 1, 5]
    one = run([0], [1], [1_700_000_000_000_001])
    (batch,) = record_rows(one, "f", "f", "systemd-journal", options(), RECORDS)
    (row,) = batch.to_pylist()
    assert row["realtime"] == 1_700_000_000_000_001 and row["time"].microsecond == 1


def test_merged_parts_equal_the_whole() -> None:
    total, first, second = FileTally(), FileTally(), FileTally()
    torn, damage = Lost(90, 100, "torn-header", torn=True), Lost(50, 60, "bad-length")
    for tally in (total, first):
        tally.add_records(run([0, 20], [20, 3], [7_000_000, 9_000_000]))
        tally.add_lost(torn)
    for tally in (total, second):
        tally.add_records(run([60], [30], [2_000_000]))
        tally.add_lost(damage)
    parts = merged([Tally("x", {None: first}), Tally("x", {None: second})])
    assert parts.files[None] == total
    assert (parts.verdict, parts.reason) == ("damaged", "bad-length")
    assert (total.records, total.record_bytes, total.lost_ranges, total.lost_bytes) == (
        3,
        53,
        2,
        20,
    )
    assert (total.first_time, total.last_time) == (2_000_000, 9_000_000)
