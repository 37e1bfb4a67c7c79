"""Programs of ours in a box, that work on what is somebody else's: run once, or asked in lines."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import resource
import signal
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance.isolation.box import Box

LIMITS = {resource.RLIMIT_FSIZE: 1 << 30, resource.RLIMIT_CPU: 3600, resource.RLIMIT_CORE: 0}
"""Bytes of one file, seconds of work, and no core files."""
MEMORY = 8 << 30
"""Bytes of addresses, for what does not reserve them in plenty, as Node.js does."""
MOST_REPLY = 64 << 20

SYSTEM = tuple(
    Path(name)
    for name in (
        "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt", "/nix/store",
        "/gnu/store", "/proc", "/sys",
    )
)  # fmt: skip


class TookTooLong(Exception):
    """A program did not end in time, and was ended."""


class NoReply(Exception):
    """A program died, said something that is no reply, or took too long; the text says which."""


def python_places() -> list[Path]:
    """What Python and the packages that are installed need to be read for."""
    own = [sys.prefix, sys.base_prefix, sysconfig.get_path("stdlib"), sysconfig.get_path("purelib")]
    return [*SYSTEM, *map(Path, own), Path(sys.executable).resolve().parent]


def once(
    command: Sequence[str], box: Box | None, environment: Mapping[str, str], seconds: float
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, and all that it started. Raises :class:`TookTooLong`.

    Without a box it runs where the caller does; what mounts folders of its own fits in none.
    """
    if box is not None:
        box.prepare()
    try:
        process = subprocess.Popen(
            command, cwd=box.work if box else None, env=dict(environment), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
            start_new_session=True, preexec_fn=box.enter if box else None,
        )  # fmt: skip
        try:
            out, said = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            raise TookTooLong from None
        finally:
            _end(process)
    finally:
        if box is not None:
            box.close()
    return subprocess.CompletedProcess(command, process.returncode, out, said)


class Boxed:
    """A program in a box that answers lines of JSON with lines of JSON; started when it is asked.

    A reply takes ``seconds`` and ``most`` bytes, no more.
    """

    def __init__(
        self,
        command: Sequence[str],
        box: Box,
        environment: Mapping[str, str],
        seconds: float,
        most: int = MOST_REPLY,
    ) -> None:
        self.command = command
        self.box = box
        self.environment = environment
        self.seconds = seconds
        self.most = most
        self._process: subprocess.Popen[bytes] | None = None
        self._replies: queue.Queue[bytes] = queue.Queue()

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The reply. Raises :class:`NoReply`; the next request starts the program anew."""
        process = self._started()
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            line = self._replies.get(timeout=self.seconds)
        except queue.Empty:
            self._stop()
            raise NoReply(f"no answer within {self.seconds:g} s") from None
        except OSError:
            line = b""
        if not line.endswith(b"\n"):
            self._stop()
            raise NoReply("it died" if len(line) < self.most else "its answer is too long")
        try:
            reply = json.loads(line)
        except (ValueError, RecursionError):
            reply = None
        if not isinstance(reply, dict):
            self._stop()
            raise NoReply("what it said is no answer")
        return reply

    def close(self) -> None:
        """End the program and all that it started in its group."""
        self._stop()
        self.box.close()

    def _stop(self) -> None:
        if self._process is not None:
            _end(self._process)
            self._process = None

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self.box.prepare()
            self._process = subprocess.Popen(
                self.command, cwd=self.box.work, env=dict(self.environment), stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
                preexec_fn=self.box.enter,
            )  # fmt: skip
            self._replies = queue.Queue(maxsize=4)
            pumped = (self._process, self._replies, self.most)
            threading.Thread(target=_pump, args=pumped, daemon=True).start()
        return self._process


def _pump(process: subprocess.Popen[bytes], replies: queue.Queue[bytes], most: int) -> None:
    assert process.stdout is not None
    with contextlib.suppress(OSError, ValueError):
        while (line := process.stdout.readline(most)).endswith(b"\n"):
            replies.put(line)
        replies.put(line)
        process.stdout.close()  # not by whoever ends the process: a daemon may hold it open


def _end(process: subprocess.Popen[Any]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    with contextlib.suppress(OSError):
        if process.stdin is not None:
            process.stdin.close()
