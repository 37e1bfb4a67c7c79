"""The worker pool runs each task once, and no worker outlives its parent."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import psutil
import pytest

from reference_impl.paths import ROOT
from walproof.worker_pool import core_count, map_unordered

_added = 0


def add(number: int) -> None:
    global _added
    _added = number


def added_and_process(task: int) -> tuple[int, int]:
    return task + _added, os.getpid()


def dies(task: int) -> int:
    if task == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return task


def fails(task: int) -> int:
    if task == 2:
        raise FileNotFoundError(2, "No such file", "/nowhere")
    return task


def test_each_task_runs_once_in_an_initialised_process() -> None:
    results = list(map_unordered(added_and_process, range(60), add, (100,)))
    assert sorted(result for result, _ in results) == list(range(100, 160))
    processes = {process for _, process in results}
    assert os.getpid() not in processes and len(processes) <= core_count()


def test_no_task_starts_after_the_deadline() -> None:
    assert list(map_unordered(dies, range(60), deadline=time.monotonic())) == []


@pytest.mark.parametrize(("work", "error"), [(dies, BrokenProcessPool), (fails, FileNotFoundError)])
def test_an_error_is_raised_and_no_process_remains(work: object, error: type[Exception]) -> None:
    before = set(psutil.Process().children())
    with pytest.raises(error):
        list(map_unordered(work, range(8)))  # type: ignore[arg-type]
    assert set(psutil.Process().children()) <= before


def holds_the_interpreter(folder: Path) -> None:
    """Hold the interpreter lock for half a minute, as compiled code may do."""
    (folder / str(os.getpid())).touch()
    ctypes.PyDLL(None).sleep(30)


@pytest.mark.skipif(sys.platform != "linux", reason="Linux ends orphans")
def test_no_process_outlives_a_killed_parent(tmp_path: Path) -> None:
    program = (
        "import pathlib\n"
        "from tests.walproof.test_worker_pool import holds_the_interpreter\n"
        "from walproof.worker_pool import map_unordered\n"
        f"list(map_unordered(holds_the_interpreter, [pathlib.Path({str(tmp_path)!r})] * 2))\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    deadline = time.monotonic() + 60
    while not (pids := [int(path.name) for path in tmp_path.iterdir()]):
        assert parent.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)
    parent.kill()
    parent.wait()
    # The workers sleep twice as long as this deadline.
    deadline = time.monotonic() + 15
    while any(psutil.pid_exists(pid) for pid in pids):
        assert time.monotonic() < deadline
        time.sleep(0.01)
