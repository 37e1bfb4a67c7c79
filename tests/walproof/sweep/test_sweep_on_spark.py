"""The same sweep on Spark, the command, and what is left of a job that is cancelled."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest
from click.testing import CliRunner

from tests.walproof.sweep.plans import small_plan, wrong
from tests.walproof.sweep.test_sweep_shards import rows_by_case, swept
from walproof.cli.sweep import sweep
from walproof.sweep import job
from walproof.sweep.children import Limits
from walproof.sweep.store import Store

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.xdist_group("spark")
def test_the_same_rows_as_without_spark(spark: SparkSession, tmp_path: Path) -> None:
    plan = small_plan(wrong("ignores_checksums"), cases=3000, fast=True)
    swept(plan, tmp_path / "here")
    store = Store(str(tmp_path / "there"))
    seen = []
    job.run_on(spark, plan, store, job.begin(plan, store, False), progress=seen.extend)
    assert len(seen) == len(plan.shards)
    assert rows_by_case(tmp_path / "there") == rows_by_case(tmp_path / "here")
    count = spark.read.parquet(str(tmp_path / "there" / "sweep")).count()
    assert count == len(rows_by_case(tmp_path / "here"))


def guards() -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or []
        if any(w.endswith("guard.py") for w in words) and any("hangs.py" in w for w in words):
            found.append(process)
    return found


@pytest.mark.xdist_group("spark")
def test_nothing_is_left_of_a_job_that_is_cancelled(spark: SparkSession, tmp_path: Path) -> None:
    plan = small_plan(wrong("hangs"), limits=Limits(wall_ms=600_000))
    store = Store(str(tmp_path))
    todo = job.begin(plan, store, False)
    errors: list[BaseException] = []

    def run() -> None:
        try:
            job.run_on(spark, plan, store, todo)
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    deadline = time.monotonic() + 60
    while not guards():
        assert time.monotonic() < deadline
        time.sleep(0.1)
    spark.sparkContext.cancelJobGroup(f"walproof-sweep-{plan.digest}")
    thread.join(60)
    assert not thread.is_alive() and errors
    while left := guards():
        assert time.monotonic() < deadline + 30, f"still alive: {left}"
        time.sleep(0.1)


def test_the_command(tmp_path: Path) -> None:
    arguments = ["--format", "leveldb-log", "--control", "three-records", "--master", "none"]
    arguments += ["--impl", "fast", "--cases", "3000", "--out", str(tmp_path)]
    ran = CliRunner().invoke(sweep, arguments, standalone_mode=False)
    assert ran.exception is None, ran.output
    assert ran.return_value == 0
    assert "reference read every case." in ran.output and "No findings." in ran.output
    told = json.loads((tmp_path / "summary.json").read_text())
    assert told["cases"] >= told["distinct"] > 1000
    assert told["cases"] <= 3000 == sum(c["planned"] for c in told["coverage"].values())
    profiles = told["by_profile"]
    assert told["implementations"]["fast"]["outcomes"] == {"agrees": profiles["recover"]}
    assert set(profiles) == {"recover", "strict", "append", "write"}
    assert sum(profiles.values()) == told["cases"]
    again = CliRunner().invoke(sweep, arguments, standalone_mode=False)
    assert "Nothing was left to run." in again.output


def test_the_command_finds(tmp_path: Path) -> None:
    program = wrong("hides_damage").command
    arguments = ["--format", "leveldb-log", "--control", "three-records", "--master", "none"]
    arguments += ["--cmd", " ".join(program), "--cases", "1000", "--out", str(tmp_path)]
    ran = CliRunner().invoke(sweep, arguments, standalone_mode=False)
    assert ran.return_value == 3, ran.output
    assert "passes over a loss in silence" in ran.output
    assert list((tmp_path / "proposals" / "leveldb-log").glob("*.json"))


@pytest.mark.parametrize(
    "arguments",
    [
        ["--format", "leveldb-log", "--impl", "nobody"],
        ["--format", "zmq-raft", "--impl", "leveldb-cpp"],
        ["--format", "leveldb-log", "--control", "no-such-vector", "--master", "none"],
    ],
)
def test_usage_errors(arguments: list[str], tmp_path: Path) -> None:
    ran = CliRunner().invoke(sweep, [*arguments, "--out", str(tmp_path)])
    assert ran.exit_code != 0 and "Error" in ran.output
