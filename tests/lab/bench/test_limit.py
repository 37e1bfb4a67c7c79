"""The limit copies and sums as much as a log holds, and readers show their share of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from lab.bench import command, limit, reading
from lab.bench.contenders import Contender
from lab.bench.format_bench import Limit, bench_of
from lab.bench.workloads import WORKLOADS, Workload

TINY = Workload("tiny", "leveldb-log", 20, 50)


def test_every_workload_has_a_limit() -> None:
    assert {load.name for load in WORKLOADS if limit.contender_of(load) is None} == set()


@pytest.mark.parametrize(
    "load", [each.smaller(100) for each in WORKLOADS], ids=lambda each: each.name
)
def test_it_copies_all_payloads_of_a_log(load: Workload) -> None:
    each = limit.contender_of(load)
    assert each is not None
    if (why := each.unavailable()) is not None:
        pytest.skip(why)
    message = json.loads(subprocess.check_output(each.command(load.log(), 3)))
    assert (message["records"], message["payload_bytes"]) == (load.count, load.count * load.size)
    assert len(message["all_seconds"]) == len(message["processor_seconds"]) == 3
    assert min(message["processor_seconds"]) > 0


def test_a_record_of_several_fragments_has_a_checksum_for_each() -> None:
    of = bench_of("leveldb-log").limit
    assert of is not None
    assert limit.runs(of, Workload("", "leveldb-log", 10, 100)) == (10, 101)
    assert limit.runs(of, Workload("", "leveldb-log", 10, 65_536)) == (30, 21_846)


def test_one_checksum_may_go_over_many_records() -> None:
    joint = Limit("adler32", lambda size: size + 5, longest=1000, is_joint=True)
    assert limit.runs(joint, Workload("", "x", 100, 95)) == (10, 1000)


def test_without_a_compiler_its_row_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limit, "BUILD", tmp_path)
    monkeypatch.setattr(limit.shutil, "which", lambda _: None)
    limit.program.cache_clear()
    try:
        assert limit.why_not() == "cargo not found"
    finally:
        limit.program.cache_clear()


def reader(name: str, wall: float, worked: list[float] | None) -> Contender:
    message: dict[str, object] = {"records": 20, "payload_bytes": 1000, "all_seconds": [wall]}
    if worked is not None:
        message["processor_seconds"] = worked
    program = f"print({json.dumps(json.dumps(message))})"
    return Contender(name, "", "leveldb-log", lambda log, _: [sys.executable, "-c", program])


def test_a_share_is_one_of_processor_time() -> None:
    """Half the speed of the limit, although the machine let it wait ten times as long."""
    rows = reading.measure(
        [reader("own", 10.0, [2.0, 2.0, 90.0]), reader("foreign", 3.0, None)], [TINY], 2,
        limit_of=lambda _: reader("limit", 1.0, [1.0]),
    )  # fmt: skip
    assert [row["contender"] for row in rows] == ["own", "foreign", "limit"]
    assert [row["of_limit"] for row in rows] == [0.5, None, 1.0]
    with (console := Console(width=100)).capture() as shown:
        command.print_report(command.build_report(rows, [], 2, quick=True), console)
    assert "of the limit" in shown.get() and " 50% " in shown.get()


def test_without_a_limit_no_share_is_shown() -> None:
    (row,) = reading.measure([reader("own", 1.0, [1.0])], [TINY], 1)
    assert row["of_limit"] is None
