"""One running program under a guard, with pipes that never block a worker."""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from conformance.process import describe_exit
from conformance.sandbox import Sandbox

GUARD = Path(__file__).parent / "guard.py"
STDERR_TAIL = 4096
_CHUNK = 1 << 18


class Ended(Exception):
    """The program has ended; the text says how. ``over`` is true when its memory was too much."""

    def __init__(self, text: str, over: bool = False) -> None:
        super().__init__(text)
        self.over = over


class Process:
    """A program under a guard (``guard.py``), in a ``box`` if there is one.

    ``scratch`` is removed when this process dies.
    """

    def __init__(
        self, command: Sequence[str], scratch: Path, memory: int, box: Sandbox | None = None
    ) -> None:
        self.memory = memory
        self.stderr = b""
        self._in = self._out = b""
        status, inherited = os.pipe()
        self._status = status
        environment, folder = None, None
        if box is not None:
            environment, folder, command = box.environment(command), box.work, box.wrapped(command)
        # -I -S: no site, nothing of the caller's environment: it starts in 15 ms.
        self._guard = subprocess.Popen(
            [sys.executable, "-I", "-S", str(GUARD), str(os.getpid()), str(scratch), str(memory),
             str(inherited), *command],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            pass_fds=[inherited], bufsize=0, env=environment, cwd=folder,
        )  # fmt: skip
        os.close(inherited)
        assert self._guard.stdin and self._guard.stdout and self._guard.stderr
        self._to = self._guard.stdin.fileno()
        self._from = self._guard.stdout.fileno()
        self._err = self._guard.stderr.fileno()
        for stream in (self._to, self._from, self._err):
            os.set_blocking(stream, False)
        with contextlib.suppress(OSError, AttributeError):  # not on every system
            fcntl.fcntl(self._from, fcntl.F_SETPIPE_SZ, 1 << 20)
        self._poll = select.poll()
        self._poll.register(self._from, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)

    def send(self, lines: bytes) -> None:
        """Send some lines; :meth:`lines` writes what does not go at once."""
        self._out += lines
        self._write()

    def lines(self, seconds: float, limit: int) -> list[bytes]:
        """The lines received, after waiting at most that long for one. Empty: none came in time.

        Raises :class:`Ended`, also when a line grows beyond ``limit`` bytes.
        """
        deadline = time.monotonic() + seconds
        while True:
            if self._out:
                self._poll.register(self._to, select.POLLOUT)
            ready = self._poll.poll(max(0.0, deadline - time.monotonic()) * 1000)
            if self._out:
                self._poll.unregister(self._to)
                self._write()
            for stream, _ in ready:
                if stream == self._err:
                    self._read_stderr()
                elif stream == self._from:
                    found = self._read(limit)
                    if found:
                        return found
            if time.monotonic() >= deadline:
                return []

    def kill(self) -> None:
        """End the program and everything that it started."""
        if self._guard.poll() is None:
            self._guard.send_signal(signal.SIGTERM)
            try:
                self._guard.wait(5)
            except subprocess.TimeoutExpired:
                self._guard.kill()
        self._close()

    def close(self) -> None:
        """Close its input, give it a moment, then make sure that it is gone."""
        with contextlib.suppress(OSError):
            assert self._guard.stdin
            self._guard.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._guard.wait(1)
        self.kill()

    def _write(self) -> None:
        try:
            while self._out:
                self._out = self._out[os.write(self._to, self._out) :]
        except BlockingIOError:
            pass
        except OSError:  # it died: reading tells how
            self._out = b""

    def _read(self, limit: int) -> list[bytes]:
        try:
            chunk = os.read(self._from, _CHUNK)
        except BlockingIOError:
            return []
        if not chunk:
            raise self._ended()
        self._in += chunk
        if b"\n" not in chunk:
            if len(self._in) > limit:
                self.kill()
                raise Ended(f"a reply of more than {limit} bytes", over=True)
            return []
        *lines, self._in = self._in.split(b"\n")
        return lines

    def _read_stderr(self) -> None:
        with contextlib.suppress(BlockingIOError):
            chunk = os.read(self._err, 65536)
            if not chunk:
                self._poll.unregister(self._err)
            self.stderr = (self.stderr + chunk)[-STDERR_TAIL:]

    def _ended(self) -> Ended:
        try:
            self._guard.wait(5)
        except subprocess.TimeoutExpired:
            # It closed its output and goes on: of no use any more.
            self.kill()
            return Ended("it closed its output")
        with contextlib.suppress(OSError):
            while chunk := os.read(self._err, 65536):
                self.stderr = (self.stderr + chunk)[-STDERR_TAIL:]
        first = os.read(self._status, 4096).decode(errors="replace").partition("\n")[0]
        said = first.split(maxsplit=1)
        self._close()
        if said[:1] == ["over"]:
            return Ended(f"more than {self.memory >> 20} MiB of memory", over=True)
        if said[:1] == ["signal"]:
            return Ended(describe_exit(-int(said[1])))
        if said[:1] == ["exit"]:
            status = int(said[1])  # as a shell does, bwrap adds 128 to a signal
            return Ended(describe_exit(128 - status if 128 < status <= 192 else status))
        return Ended(" ".join(said) or "it was killed from outside")

    def _close(self) -> None:
        for stream in (self._guard.stdin, self._guard.stdout, self._guard.stderr):
            with contextlib.suppress(OSError):
                assert stream is not None
                stream.close()
        with contextlib.suppress(OSError):
            os.close(self._status)
        self._status = -1
