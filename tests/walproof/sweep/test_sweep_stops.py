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

from conformance.saving import UNFINISHED
from tests.walproof.sweep.plans import WRONG

SLOW = """
import runpy, sys, time
from pathlib import Path
sys.path.insert(0, {wrong!r})
import breakable_reader
read = breakable_reader.Reader.read
def slowly(reader):
    if not Path({quick!r}).exists():
        time.sleep(0.001)
    read(reader)
breakable_reader.Reader.read = slowly
runpy.run_path({wrong!r} + "/hides_damage.py")
"""
"""A wrong reader that leaves time for a signal, until the file ``quick`` is there."""


def test_a_signal_leaves_a_summary_so_far(tmp_path: Path) -> None:
    reader, quick = tmp_path / "hides_damage.py", tmp_path / "quick"
    reader.write_text(SLOW.format(wrong=str(WRONG), quick=str(quick)))
    program = shlex.join([sys.executable, str(reader)])
    command = [sys.executable, "-m", "walproof", "sweep", "--format", "leveldb-log"]
    command += ["--cmd", program]
    command += ["--control", "three-records", "--cases", "20000", "--out", str(tmp_path / "out")]
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    shards = tmp_path / "out" / "shards"
    deadline = time.monotonic() + 120
    while not (shards.exists() and list(shards.glob("[0-9]*.json"))):
        assert time.monotonic() < deadline and running.poll() is None
        time.sleep(0.02)
    family = psutil.Process(running.pid).children(recursive=True)
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does
    said, _ = running.communicate(timeout=120)
    assert running.returncode == 128 + signal.SIGINT, said
    assert "Stopped by SIGINT" in said and "shards are done" in said
    assert "hides_damage.py passes over a loss in silence" in " ".join(said.split())
    _, alive = psutil.wait_procs(family, timeout=10)
    assert alive == []
    assert not list(tmp_path.rglob(f".*{UNFINISHED}"))
    told = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert told["stopped_by"] == "SIGINT"
    done = told["shards"]["done"]
    assert 0 < done < told["shards"]["of"]
    quick.touch()
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 3, ended.stdout + ended.stderr
    again = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert again["complete"] and again["shards"]["resumed"] == done
