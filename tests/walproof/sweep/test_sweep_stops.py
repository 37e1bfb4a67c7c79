"""A stopped sweep reports its results and leaves no partial files."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import psutil
import pytest
from click import ClickException
from click.testing import CliRunner

from conformance.saving import UNFINISHED
from tests.walproof.sweep.plans import WRONG
from walproof.cli.sweep import sweep
from walproof.sweep import plan
from walproof.sweep.plan import SHARD_CASES, DamageCase
from walproof.sweep.sweep_runner import SweepResult, SweepRunner
from walproof.worker_pool import core_count

#: An incorrect reader that is slow and counts the logs that it reads.
SLOW = """
import runpy, sys, time
sys.path.insert(0, {wrong!r})
import breakable_reader
read = breakable_reader.Reader.read
def slowly(reader):
    with open({count!r}, "ab") as file:
        file.write(b".")
    time.sleep(0.001)
    read(reader)
breakable_reader.Reader.read = slowly
runpy.run_path({wrong!r} + "/hides_damage.py")
"""


def test_signal_stops_with_a_partial_summary(tmp_path: Path) -> None:
    reader, count = tmp_path / "hides_damage.py", tmp_path / "count"
    count.touch()
    reader.write_text(SLOW.format(wrong=str(WRONG), count=str(count)))
    program = shlex.join([sys.executable, str(reader)])
    command = [sys.executable, "-m", "walproof", "sweep", "--format", "leveldb-log"]
    command += ["--cmd", program, "--no-isolation", "--control", "three-records"]
    command += ["--cases", str(SHARD_CASES * (core_count() + 4)), "--out", str(tmp_path / "out")]
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    deadline = time.monotonic() + 120
    # After this many logs, at least one shard is complete.
    while count.stat().st_size < SHARD_CASES * (core_count() + 0.2):
        assert time.monotonic() < deadline and running.poll() is None
        time.sleep(0.02)
    family = psutil.Process(running.pid).children(recursive=True)
    # A terminal sends the signal to the whole process group.
    os.killpg(running.pid, signal.SIGINT)
    output, _ = running.communicate(timeout=120)
    assert running.returncode == 128 + signal.SIGINT, output
    assert "Stopped by SIGINT" in output and "The plan has" in output
    assert "hides_damage.py does not report a loss" in " ".join(output.split())
    _, alive = psutil.wait_procs(family, timeout=10)
    assert alive == []
    assert not list(tmp_path.rglob(f".*{UNFINISHED}"))
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["stopped_by"] == "SIGINT" and not summary["complete"]
    assert summary["cases"] > 0


def test_a_dead_worker_leaves_the_results_of_the_finished_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, run = tmp_path / "begun", SweepRunner.run

    def dies(runner: SweepRunner, shard: Iterable[DamageCase | None]) -> SweepResult:
        with begun.open("ab") as file:
            file.write(b".")
        if begun.stat().st_size > core_count():
            # After this many shards have begun, at least one is complete.
            os.kill(os.getpid(), signal.SIGKILL)
        return run(runner, shard)

    monkeypatch.setattr(SweepRunner, "run", dies)
    monkeypatch.setattr(plan, "SHARD_CASES", 10)
    out = tmp_path / "out"
    arguments = ["--format", "leveldb-log", "--control", "three-records", "--out", str(out)]
    arguments += ["--cases", str(10 * (core_count() + 4))]
    result = CliRunner().invoke(sweep, arguments, standalone_mode=False)
    assert isinstance(result.exception, ClickException)
    assert "a worker process died" in str(result.exception)
    assert "Stopped by a dead worker process" in result.output
    summary = json.loads((out / "summary.json").read_text())
    assert summary["cases"] > 0 and not summary["complete"]
