"""However the harness ends, no child stays behind."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

HANGS = Path(__file__).with_name("hangs.py")
HARNESS = """
import sys
from pathlib import Path
from conformance.cases import cases_of
from conformance.runner import run_subjects
from conformance.subject import Subject
from conformance.vectors import load
cases = cases_of([load(Path(sys.argv[1]))] * 20, ["recover"])
run_subjects([Subject("hangs", "hangs", sys.argv[2:])], lambda _: cases)
"""


def parent_of(process: psutil.Process) -> int | None:
    """Return the id of the parent, None for a process that has ended."""
    try:
        return process.ppid()
    except psutil.NoSuchProcess:
        return None


@pytest.mark.skipif(sys.platform != "linux", reason="death with the parent is a feature of Linux")
@pytest.mark.parametrize("signal_name", ["SIGKILL", "SIGTERM", "SIGINT"])
def test_killed_harness_leaves_no_child(signal_name, marked, wait_until, vectors):
    vector = vectors["leveldb-log/one-record"]
    harness = subprocess.Popen(
        [sys.executable, "-c", HARNESS, vector.path, sys.executable, HANGS],
        stderr=subprocess.DEVNULL,
    )

    def a_child_hangs() -> bool:
        return any(parent_of(process) == harness.pid for process in marked())

    assert wait_until(a_child_hangs, 20)
    harness.send_signal(getattr(signal, signal_name))
    harness.wait(timeout=20)
    assert wait_until(lambda: not marked(), 5), f"still alive: {marked()}"
