"""Programs run to their end, and this project's own programs answer JSON lines."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from conformance import process
from conformance.process import (
    JsonLinesProgram,
    Limits,
    NoReply,
    OverLimit,
    Timeout,
    run_program,
)
from conformance.sandbox import Sandbox


def test_output_and_status_are_returned() -> None:
    done = run_program(["sh", "-c", "echo told; echo said >&2; exit 3"], 30)
    assert (done.stdout, done.stderr, done.returncode) == ("told\n", "said", 3)


def test_a_killed_program_has_a_negative_status() -> None:
    assert run_program(["sh", "-c", "echo told; kill -ABRT $$"], 30).returncode == -6


def test_output_between_the_last_poll_and_the_exit_is_returned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # ``poll`` is replaced with ``wait``, so it returns only after the program has written its
    # output and ended.
    monkeypatch.setattr(subprocess.Popen, "poll", subprocess.Popen.wait)
    assert run_program(["sh", "-c", "sleep 0.3; echo late"], 30).stdout == "late\n"


@pytest.mark.parametrize("last", ["wait", "exit 0"])
def test_children_end_with_the_program(tmp_path: Path, last: str) -> None:
    child = tmp_path / "child"
    command = ["sh", "-c", f"sleep 600 >{tmp_path}/out 2>&1 & echo $! > {child}; {last}"]
    if last == "wait":
        with pytest.raises(Timeout):
            run_program(command, 3)
    else:
        run_program(command, 30)
    assert _has_ended(Path("/proc", child.read_text().strip()))


def _has_ended(process: Path) -> bool:
    """Return whether a process ends within five seconds. A zombie has an empty command line."""
    for _ in range(100):
        with contextlib.suppress(FileNotFoundError):
            if (process / "cmdline").read_bytes():
                time.sleep(0.05)
                continue
        return True
    return False


def test_file_sizes_are_limited(tmp_path: Path) -> None:
    command = ["dd", "if=/dev/zero", f"of={tmp_path / 'file'}", "bs=1024", "count=9"]
    assert run_program(command, 30, limits=Limits(file_bytes=4096)).returncode != 0
    assert (tmp_path / "file").stat().st_size == 4096


def test_crashes_and_timeouts_are_reported(tmp_path: Path) -> None:
    code = "import sys, time\nfor line in sys.stdin:\n exec(line[1:-2])"
    command = [sys.executable, "-S", "-u", "-c", code]
    program = JsonLinesProgram(command, Sandbox(tmp_path), {}, 2, Limits(output_bytes=100))
    try:
        for sent, why in (
            ("sys.exit()", "exited without a reply"),
            ("print(123)", "not a JSON object"),
            ("print('['*90)", "not a JSON object"),
            ("print('x'*5000)", "more than 100 bytes"),
            ("time.sleep(60)", "no answer within 2 s"),
        ):
            with pytest.raises(NoReply, match=why):
                program.request(sent)  # type: ignore[arg-type]
    finally:
        program.close()


def test_a_program_that_cannot_be_killed_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """The harness does not wait forever for a program that it has no right to kill."""
    kill = os.killpg
    running: list[int] = []
    monkeypatch.setattr(process, "KILL_SECONDS", 0.1)
    monkeypatch.setattr(os, "killpg", lambda group, _: running.append(group))
    try:
        with pytest.raises(Timeout):
            run_program(["sleep", "20"], 0.2)
        assert len(running) == 1 and psutil.pid_exists(running[0])
    finally:
        for group in running:
            kill(group, signal.SIGKILL)


def test_a_program_that_has_closed_its_output_is_still_limited() -> None:
    """A build redirects its output to a log."""
    program = "x = bytes([1]) * (1 << 28); import time; time.sleep(60)"
    script = f"exec >/dev/null 2>&1; exec python3 -c '{program}'"
    with pytest.raises(OverLimit, match="64 MiB of memory"):
        run_program(["/bin/sh", "-c", script], 60, limits=Limits(memory_bytes=64 << 20))
