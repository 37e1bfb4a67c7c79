"""However the harness ends, no child stays behind."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

HANGS = Path(__file__).with_name("hangs.py")
CHECK = [sys.executable, "-c", "from conformance.cli import main; main()", "check"]


@pytest.mark.skipif(sys.platform != "linux", reason="death with the parent is a feature of Linux")
@pytest.mark.parametrize("signal_name", ["SIGKILL", "SIGTERM", "SIGINT"])
def test_killed_harness_leaves_no_child(signal_name, marked, wait_until, tmp_path):
    command = f"{sys.executable} {HANGS}"
    harness = subprocess.Popen(
        [*CHECK, "--cmd", command, "--vector", "one-record", "--report", tmp_path],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def a_child_hangs() -> bool:
        return any(process.ppid() == harness.pid for process in marked())

    assert wait_until(a_child_hangs, 20)
    harness.send_signal(getattr(signal, signal_name))
    harness.wait(timeout=20)
    assert wait_until(lambda: not marked(), 5), f"still alive: {marked()}"
