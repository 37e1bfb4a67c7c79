"""What the first query waits for is measured in sessions of their own. No time is judged here."""

from __future__ import annotations

import sys

import pytest

from pyspark_journal import bench_start

pytestmark = pytest.mark.xdist_group("spark")


def test_each_step_of_a_round() -> None:
    (row,) = bench_start.measure(1, ["ours"])
    assert list(row["seconds"]) == list(bench_start.STEPS)
    assert all(len(one) == 1 and one[0] > 0 for one in row["seconds"].values())


def test_a_session_that_fails_is_no_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(OSError, match="a session of Spark ended with 1"):
        bench_start.measure(1, ["ours"])
