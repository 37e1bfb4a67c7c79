"""Audits are measured as a user waits for them: on a lake, after one log has grown."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from walproof.bench import auditing
from walproof.worker_pool import core_count

SEES = """
import json, sys, pathlib
folder, out = sys.argv[1], pathlib.Path(sys.argv[3])
out.mkdir(exist_ok=True)
sizes = sorted(one.stat().st_size for one in pathlib.Path(folder).rglob("*.log"))
with open({told!r}, "a") as file:
    print(json.dumps([len(list(out.iterdir())), sizes]), file=file)
(out / "seen").touch()
"""


def told_of(lake: auditing.Lake, rounds: int, tmp_path: Path) -> tuple[auditing.Row, list[object]]:
    told = tmp_path / "told"
    command = (sys.executable, "-c", SEES.format(told=str(told)))
    (row,) = auditing.measure([lake], rounds, contenders={"it": command})
    return row, [json.loads(line) for line in told.read_text().splitlines()]


def test_one_log_has_grown_before_the_audit_that_is_measured(tmp_path: Path) -> None:
    one = 32 << 10
    row, told = told_of(auditing.Lake("few", 3, 2 * one, changed=1), 1, tmp_path)
    sizes = [2 * one, 2 * one, 2 * one]
    assert (
        told
        == [
            [0, sizes],
            [1, [*sizes[1:], 3 * one]],  # the second audit, of what the first one left
            [0, [*sizes[1:], 3 * one]],
            [1, [*sizes[1:], 4 * one]],
        ]
    )
    assert row["logs"] == 3 and row["bytes"] == 6 * one
    assert len(row["wall_seconds"]) == len(row["seconds"]) == 1
    assert row["wall_seconds"][0] > 0 and row["ratio_to_peer"] == 1


def test_without_a_change_each_audit_begins_anew(tmp_path: Path) -> None:
    row, told = told_of(auditing.Lake("few", 2, 1), 2, tmp_path)
    assert told == [[0, [32 << 10] * 2]] * 3  # the first one is not counted
    assert len(row["wall_seconds"]) == 2


def test_real_audits_are_measured() -> None:
    without = {name: one for name, one in auditing.CONTENDERS.items() if "none" in name}
    rows = auditing.measure(auditing.QUICK, 1, contenders=without)
    assert [row["contender"] for row in rows] == [*without] * 2
    start, alone, taken = (rows[n]["wall_seconds"][0] for n in (0, 3, 2))
    assert rows[0]["beyond_start"] is None and rows[0]["of_all_processors"] is None
    expected = (taken - start) / (alone / core_count())
    assert rows[2]["beyond_start"] == pytest.approx(expected, abs=0.01)
    beyond = alone - rows[1]["wall_seconds"][0]
    used = (
        round(beyond / (taken - start) / core_count(), 2)
        if min(beyond, taken - start) > 0
        else None
    )
    assert rows[2]["of_all_processors"] == used
    assert all(row["peer"] == auditing.ONE_PROCESSOR for row in rows)


def test_an_audit_that_fails_is_no_measurement() -> None:
    failing = {"it": (sys.executable, "-c", "raise SystemExit(3)")}
    with pytest.raises(OSError, match="it ended with 3"):
        auditing.measure(auditing.QUICK, 1, contenders=failing)
