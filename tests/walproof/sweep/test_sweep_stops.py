"""A sweep that is stopped tells what it has, leaves nothing half, and goes on."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tests.walproof.sweep.plans import wrong

CLI = "from walproof.cli import main; main()"


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_leaves_a_summary_so_far(tmp_path: Path, stop: signal.Signals) -> None:
    program = shlex.join(wrong("hides_damage").command)
    command = [sys.executable, "-c", CLI, "sweep", "--format", "leveldb-log", "--cmd", program]
    command += ["--control", "three-records", "--cases", "400000", "--out", str(tmp_path)]
    command += ["--master", "none"]
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    shards = tmp_path / "shards"
    deadline = time.monotonic() + 120
    while not (shards.exists() and list(shards.glob("[0-9]*.json"))):
        assert time.monotonic() < deadline and running.poll() is None
        time.sleep(0.02)
    family = psutil.Process(running.pid).children(recursive=True)
    if stop == signal.SIGINT:
        os.killpg(running.pid, stop)  # as a terminal does
    else:
        running.send_signal(stop)
    said, _ = running.communicate(timeout=120)
    assert running.returncode == 128 + stop, said
    assert f"Stopped by {stop.name}" in said and "shards are done" in said
    assert "hides_damage.py passes over a loss in silence" in " ".join(said.split())
    _, alive = psutil.wait_procs(family, timeout=10)
    assert alive == []
    assert not list(tmp_path.rglob(".tmp-*"))
    told = json.loads((tmp_path / "summary.json").read_text())
    assert told["stopped_by"] == stop.name
    done = told["shards"]["done"]
    assert 0 < done < told["shards"]["of"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 3, ended.stdout + ended.stderr
    again = json.loads((tmp_path / "summary.json").read_text())
    assert again["complete"] and again["shards"]["resumed"] == done
