"""A command that is stopped while it runs programs leaves no process or folder behind."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from conformance import ROOT
from conformance.sandbox import bubblewrap
from conformance.scratch import PREFIX, clear_abandoned
from tests.conftest import unavailable

pytestmark = pytest.mark.slow

COMMANDS = {
    "check": ["--vector", "leveldb-log/one-record"],
    "check --smoke": ["--seconds", "60", "--format", "leveldb-log"],
    "ask": ["--vector", "leveldb-log/one-record"],
    "sweep": ["--wall-ms", "60000", "--cases", "100", "--control", "one-record", "--format",
              "leveldb-log"],
}  # fmt: skip
OUT = {"check": "--out", "sweep": "--out"}


def scratch_below(folder: Path) -> list[Path]:
    return list(folder.glob(f"{PREFIX}*"))


def as_usual() -> None:
    """Reset signals to the defaults of a foreground job, in case the tests run under ``nohup``."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def said(process: psutil.Process) -> str:
    """Return the last two words of a process's command line, or "" if the process has ended."""
    try:
        return " ".join(process.cmdline()[-2:])
    except psutil.Error:
        return ""


#: A correct reader that hangs on its fifth log.
HANGS_LATE = """
import runpy, sys, time
sys.path.insert(0, {wrong!r})
import breakable_reader
read, logs = breakable_reader.Reader.read, []
def read_four(reader):
    logs.append(reader)
    if len(logs) > 4:
        open({hangs!r}, "w").close()
        time.sleep(3600)
    read(reader)
breakable_reader.Reader.read = read_four
runpy.run_path({wrong!r} + "/ignores_checksums.py")
"""


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_check_prints_the_results_so_far(tmp_path: Path, stop: signal.Signals) -> None:
    reader, hangs, out = tmp_path / "reader.py", tmp_path / "hangs", tmp_path / "out"
    reader.write_text(HANGS_LATE.format(wrong=str(ROOT / "tests" / "wrong"), hangs=str(hangs)))
    command = [sys.executable, "-m", "walproof", "check", "--jobs", "1", "--no-isolation"]
    command += ["--cmd", shlex.join([sys.executable, str(reader)]), "--out", str(out)]
    command += ["--format", "leveldb-log", "--group", "checksum", "--profile", "recover"]
    running = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True, preexec_fn=as_usual,
    )  # fmt: skip
    deadline = time.monotonic() + 120
    while not hangs.exists():
        assert time.monotonic() < deadline and running.poll() is None
        time.sleep(0.02)
    running.send_signal(stop)
    shown, errors = running.communicate(timeout=60)
    assert running.returncode == 128 + stop, errors
    assert "1 implementation, 4 vectors, 4 results" in " ".join(shown.split())
    assert "repeat it with" in shown and "All is as expected" not in shown
    assert "Interrupted. These are the results so far. No report was written." in errors
    assert not out.exists()


@pytest.mark.parametrize(
    ("command", "stop"),
    [
        ("check", signal.SIGINT),
        ("check", signal.SIGKILL),
        ("check --smoke", signal.SIGTERM),
        ("ask", signal.SIGHUP),
        ("sweep", signal.SIGKILL),
    ],
)
def test_no_process_or_folder_is_left(tmp_path: Path, command: str, stop: signal.Signals) -> None:
    # After SIGKILL, the harness cannot clean up, and a daemon has left its process group. Only the
    # kernel can end all programs, because it ends everything in the PID namespace of a sandbox.
    daemon = bubblewrap() is not None
    if stop == signal.SIGKILL and not daemon:
        unavailable("bubblewrap was not found: only a namespace ends programs after SIGKILL")
    program = ROOT / "tests" / "wrong" / ("hangs_behind_a_daemon.py" if daemon else "hangs.py")
    words = [*command.split(), "--cmd", shlex.join([sys.executable, str(program)])]
    words += COMMANDS[command]
    words += [OUT[command], str(tmp_path / "out")] if command in OUT else []
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    running = subprocess.Popen(
        [sys.executable, "-m", "walproof", *words], cwd=ROOT, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, start_new_session=True,
        env={**os.environ, "TMPDIR": str(scratch)}, preexec_fn=as_usual,
    )  # fmt: skip
    mine: list[psutil.Process] = []
    try:
        deadline = time.monotonic() + 120
        awaited = "-c import time; time.sleep(3600)" if daemon else "hangs.py"
        while not (scratch_below(scratch) and any(said(each).endswith(awaited) for each in mine)):
            assert time.monotonic() < deadline and running.poll() is None
            time.sleep(0.05)
            mine = psutil.Process(running.pid).children(recursive=True)
        if stop == signal.SIGINT:
            os.killpg(running.pid, stop)
        else:
            running.send_signal(stop)
        status = running.wait(60)
        _, alive = psutil.wait_procs(mine, timeout=20)
        if stop == signal.SIGKILL or command == "sweep":
            # A killed process, such as a sweep worker, leaves its folder behind. The next start of
            # the harness removes the folder.
            clear_abandoned(scratch)
        assert alive == []
        deadline = time.monotonic() + 20
        while scratch_below(scratch):
            assert time.monotonic() < deadline, scratch_below(scratch)
            time.sleep(0.05)
        assert status == (-stop if stop == signal.SIGKILL else 128 + stop)
    finally:
        for each in mine:
            if each.is_running():
                each.kill()
