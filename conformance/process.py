"""Start, limit and stop programs under test. All other modules start programs through this one.

Each program leads its own process group, in a :class:`~conformance.sandbox.Sandbox` if there is
one. If the program exceeds a limit or is cancelled, the whole group is killed.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import psutil

from conformance.sandbox import Sandbox
from conformance.scratch import in_memory_bytes

# The interval at which memory and the exit of the program are checked.
POLL_SECONDS = 0.02
# The time for a program to exit after its input was closed.
EXIT_SECONDS = 2.0
STDERR_TAIL_BYTES = 4096
STDERR_MAX_BYTES = 1 << 20
CHUNK_BYTES = 1 << 18
# A program is not charged for files in memory up to this total size, because other processes may
# have written them.
SHARED_BYTES = 1 << 30
KILL_ROUNDS, KILL_ROUND_SECONDS = 100, 0.001
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
_HAS_CHILDREN_FILES = Path(f"/proc/self/task/{os.getpid()}/children").exists()


@dataclass(frozen=True)
class Limits:
    """The limits of a program."""

    #: Time until the hello message.
    start_seconds: float = 30.0
    #: Resident memory of the program and all its children.
    memory_bytes: int = 2 << 30
    #: Size of one reply.
    output_bytes: int = 64 << 20
    #: Size of each file that the program writes, or None.
    file_bytes: int | None = None


class Crash(Exception):
    """The program ended before it replied.

    ``status`` is the exit status, or the negative signal number. ``output`` is the incomplete
    reply.
    """

    def __init__(self, text: str, status: int | None = None, output: bytes = b"") -> None:
        super().__init__(text)
        self.status = status
        self.output = output


class CannotStart(Crash):
    """The system could not start the program, for example because its interpreter is missing."""


class Timeout(Exception):
    """No reply in time; the program was killed."""


class OverLimit(Exception):
    """Too much memory or output; the program was killed."""


class Cancelled(Exception):
    """The run was stopped; the program was killed."""


class Process:
    """A running program. After any exception, the program and all its children have ended.

    ``variables`` are added to the environment. ``cwd`` is the working directory of a program
    without a sandbox. Another thread can set ``cancelled`` to stop a wait. The program is killed
    when the thread that started it ends.
    """

    def __init__(
        self,
        command: Sequence[str],
        limits: Limits | None = None,
        sandbox: Sandbox | None = None,
        variables: Mapping[str, str] | None = None,
        cancelled: threading.Event | None = None,
        stderr_bytes: int = STDERR_TAIL_BYTES,
        cwd: Path | None = None,
    ) -> None:
        self.limits = limits or Limits()
        # Exit status, or minus the number of a signal; None while it runs.
        self.status: int | None = None
        self._sandbox = sandbox
        self._cancelled = cancelled
        self._stderr, self._stderr_bytes = b"", stderr_bytes
        self._output = bytearray()
        self._input = b""
        self._searched = 0
        self._in_memory_before = in_memory_bytes()
        self._has_ended = self._is_closed = False
        self._watch: Callable[[], None] = lambda: None
        # The largest measured resident memory.
        self.peak_bytes = 0
        self._popen = self._start(command, variables or {}, cwd)
        self.pid = self._popen.pid
        assert self._popen.stdin and self._popen.stdout and self._popen.stderr
        self._to = self._popen.stdin.fileno()
        self._from = self._popen.stdout.fileno()
        self._errors = self._popen.stderr.fileno()
        self._poll = select.poll()
        for stream in (self._to, self._from, self._errors):
            os.set_blocking(stream, False)
        for stream in (self._from, self._errors):
            self._poll.register(stream, select.POLLIN)

    def _start(
        self, command: Sequence[str], variables: Mapping[str, str], cwd: Path | None
    ) -> subprocess.Popen[bytes]:
        argv, environment = [*command], dict(os.environ)
        if self._sandbox is not None:
            argv, cwd = self._sandbox.absolute_command(command), self._sandbox.work
            environment = self._sandbox.environment(argv)
        if os.sep in argv[0]:
            startable = os.access(argv[0], os.X_OK)
        else:
            startable = shutil.which(argv[0]) is not None
        if not startable:
            reason = "Permission denied" if Path(argv[0]).exists() else "No such file or directory"
            raise CannotStart(f"cannot start {argv[0]}: {reason}")
        if self._sandbox is not None:
            argv = self._sandbox.wrapped(argv)
        try:
            return subprocess.Popen(
                argv, cwd=cwd, env={**environment, **variables}, bufsize=0, start_new_session=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                preexec_fn=lambda: prepare_child(self.limits),
            )  # fmt: skip
        except (OSError, subprocess.SubprocessError) as error:
            text = error.strerror if isinstance(error, OSError) else "its limits cannot be set"
            raise CannotStart(f"cannot start {command[0]}: {text}") from None

    @property
    def stderr(self) -> str | None:
        """Return the end of the program's output to standard error, or None."""
        return self._stderr.decode(errors="replace").strip() or None

    def send(self, data: bytes) -> None:
        """Send data without waiting until the program reads it."""
        if not self._is_closed:  # otherwise the descriptors may belong to another file by now
            self._input += data
            self._write()

    def close_input(self) -> None:
        """Close standard input, after the data sent so far."""
        assert self._popen.stdin is not None
        self._forget_input()
        self._popen.stdin.close()

    def read_line(self, seconds: float, max_bytes: int | None = None) -> bytes:
        """Return the next line of output with its newline.

        Raises :class:`Crash` if the output ends first, :class:`Timeout`, :class:`OverLimit` and
        :class:`Cancelled`.
        """
        max_bytes = min(max_bytes or self.limits.output_bytes, self.limits.output_bytes)
        deadline = time.monotonic() + seconds
        if self._is_closed:
            raise self._crash()
        self._wait(deadline, seconds, max_bytes, self._has_line)
        end = self._output.find(b"\n") + 1
        if not end:
            self._wait_for_exit(deadline, seconds)
            raise self._crash()
        if end > max_bytes:
            self._fail(OverLimit(f"a reply of more than {max_bytes} bytes"))
        line = bytes(self._output[:end])
        del self._output[:end]
        self._searched = 0
        return line

    def read_all(self, seconds: float, max_bytes: int | None = None) -> bytes:
        """Return all output of a program that exits by itself. The exit status does not matter.

        Raises the errors of :meth:`read_line`. Raises :class:`Crash` if a signal ended the program,
        or if there was no output.
        """
        max_bytes = min(max_bytes or self.limits.output_bytes, self.limits.output_bytes)
        deadline = time.monotonic() + seconds
        self._wait(deadline, seconds, max_bytes, lambda: False)
        self._wait_for_exit(deadline, seconds)
        if self.status is None or self.status < 0 or not self._output:
            raise self._crash()
        return bytes(self._output)

    def await_exit(
        self, seconds: float, max_bytes: int, watch: Callable[[], None] = lambda: None
    ) -> tuple[int | None, bytes]:
        """Return the remaining output and the exit status (None for a killed program).

        ``watch`` is called at each poll, and may raise an exception to kill the program.
        """
        status = None
        self._watch = watch
        with contextlib.suppress(Timeout, OverLimit):
            deadline = time.monotonic() + seconds
            self._wait(deadline, seconds, max_bytes, lambda: False)
            self._wait_for_exit(deadline, seconds)
            status = self.status
        return status, bytes(self._output)

    def kill(self) -> None:
        """End the program and everything that it started."""
        if self._is_closed:
            return
        self._is_closed = True
        kill_tree(self.pid)
        self._popen.wait()
        self._read_errors()
        self._note_status()
        for stream in (self._popen.stdin, self._popen.stdout, self._popen.stderr):
            assert stream is not None
            stream.close()

    def close(self) -> None:
        """Close the input, wait a moment for the exit, then kill the remaining processes."""
        # After the exit of the program, its children can no longer be found.
        started = _processes(descendants(self.pid))
        self.close_input()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._popen.wait(EXIT_SECONDS)
        self.kill()
        _kill_each(started)

    def _has_line(self) -> bool:
        has_line = self._output.find(b"\n", self._searched) >= 0
        self._searched = 0 if has_line else len(self._output)
        return has_line

    def _wait(
        self, deadline: float, seconds: float, max_bytes: int, complete: Callable[[], bool]
    ) -> None:
        next_check = time.monotonic() + POLL_SECONDS
        while not complete() and not self._has_ended:
            now = time.monotonic()
            if now >= deadline:
                self._fail(Timeout(f"no reply within {seconds:g} s"))
            ready = self._poll.poll(min(POLL_SECONDS, deadline - now) * 1000)
            for stream, _ in ready:
                if stream == self._from:
                    self._read_output()
                elif stream == self._errors:
                    self._read_errors()
                else:
                    self._write()
            if len(self._output) > max_bytes and not complete():
                self._fail(OverLimit(f"a reply of more than {max_bytes} bytes"))
            if not ready or now >= next_check:
                self._check(idle=not ready)
                next_check = now + POLL_SECONDS

    def _check(self, idle: bool) -> None:
        if self._cancelled is not None and self._cancelled.is_set():
            self._fail(Cancelled())
        try:
            self._watch()
        except BaseException:
            self.kill()
            raise
        if idle and self._popen.poll() is not None:
            # Output may have arrived since the last poll, and a child can hold the output open.
            self._has_ended = not self._poll.poll(0)
            return
        used = resident_bytes(self.pid)
        self.peak_bytes = max(self.peak_bytes, used)
        # Scratch copies may be in memory, so files written there count like other memory.
        written = in_memory_bytes() - self._in_memory_before
        if written > max(self.limits.memory_bytes, SHARED_BYTES):
            used += written
        if used > self.limits.memory_bytes:
            mib = self.limits.memory_bytes >> 20
            self._fail(OverLimit(f"more than {mib} MiB of memory"))

    def _wait_for_exit(self, deadline: float, seconds: float) -> None:
        try:
            self._popen.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self._fail(Timeout(f"no reply within {seconds:g} s"))
        self.kill()

    def _fail(self, error: Exception) -> NoReturn:
        self.kill()
        raise error

    def _crash(self) -> Crash:
        stderr = self.stderr or ""
        if self._sandbox is not None and self._sandbox.bwrap and stderr.startswith("bwrap: "):
            reason = stderr.removeprefix("bwrap: ").removeprefix("execvp ")
            return CannotStart(f"cannot start {reason}")
        return Crash(describe_exit(self.status), self.status, bytes(self._output))

    def _note_status(self) -> None:
        status = self._popen.returncode
        if self._sandbox is not None and self._sandbox.bwrap and status > 128:
            # Like a shell, bwrap adds 128 to the signal that ended its program.
            status = 128 - status if status <= 128 + signal.SIGRTMAX else status
        self.status = status

    def _write(self) -> None:
        try:
            while self._input:
                self._input = self._input[os.write(self._to, self._input) :]
            self._forget_input()
        except BlockingIOError:
            self._poll.register(self._to, select.POLLOUT)
        except OSError:  # the program ended; the next read raises the error
            self._forget_input()

    def _forget_input(self) -> None:
        self._input = b""
        with contextlib.suppress(KeyError):
            self._poll.unregister(self._to)

    def _read_output(self) -> None:
        chunk = os.read(self._from, CHUNK_BYTES)
        self._output += chunk
        if not chunk:
            self._poll.unregister(self._from)
            self._has_ended = True

    def _read_errors(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while chunk := os.read(self._errors, CHUNK_BYTES):
                self._stderr = (self._stderr + chunk)[-self._stderr_bytes :]
            with contextlib.suppress(KeyError):
                self._poll.unregister(self._errors)


def run_program(
    command: Sequence[str],
    seconds: float,
    sandbox: Sandbox | None = None,
    variables: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    cwd: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, without input, and end all its children.

    Raises :class:`CannotStart`, :class:`Timeout` and :class:`OverLimit`.
    """
    process = Process(command, limits, sandbox, variables, None, STDERR_MAX_BYTES, cwd)
    try:
        process.close_input()
        output = process.read_all(seconds)
    except CannotStart:
        raise
    except Crash as crash:
        output = crash.output
    finally:
        process.kill()
    assert process.status is not None
    text = output.decode(errors="replace")
    return subprocess.CompletedProcess(command, process.status, text, process.stderr or "")


class NoReply(Exception):
    """A program ended, sent an invalid reply, or took too long. The text states the reason."""


class JsonLinesProgram:
    """A program of this project that replies to each line of JSON with a line of JSON.

    A request starts the program if it is not running.
    """

    def __init__(
        self,
        command: Sequence[str],
        sandbox: Sandbox | None,
        variables: Mapping[str, str],
        seconds: float,
        limits: Limits | None = None,
    ) -> None:
        self.command = command
        self.sandbox = sandbox
        self.variables = variables
        self.seconds = seconds
        self.limits = limits
        self._process: Process | None = None

    def request(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Return the reply to a message. Raises :class:`NoReply`."""
        try:
            if self._process is None:
                self._process = Process(self.command, self.limits, self.sandbox, self.variables)
            self._process.send(json.dumps(message).encode() + b"\n")
            reply = json.loads(self._process.read_line(self.seconds))
        except Timeout:
            self.close()
            raise NoReply(f"no answer within {self.seconds:g} s") from None
        except OverLimit as error:
            self.close()
            raise NoReply(str(error)) from None
        except Crash:
            self.close()
            raise NoReply("it exited without a reply") from None
        except (ValueError, RecursionError):
            reply = None
        if not isinstance(reply, dict):
            self.close()
            raise NoReply("its reply is not a JSON object")
        return reply

    def close(self) -> None:
        """End the program and all that it started."""
        if self._process is not None:
            self._process.kill()
            self._process = None


def describe_exit(status: int | None) -> str:
    """Return an exit status in words."""
    if status is None or status >= 0:
        return f"exit status {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:  # a real-time signal without a name
        return f"killed by signal {-status}"


def prepare_child(limits: Limits) -> None:
    """Set the limits of a child before exec, and kill the child when the harness ends."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if limits.file_bytes is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits.file_bytes, limits.file_bytes))
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        # A subreaper remains the ancestor of its daemons.
        _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1)


def kill_tree(pid: int) -> None:
    """Kill a process that leads a group, its group, and all its children."""
    _signal_group(pid, signal.SIGSTOP)
    before = None
    for _ in range(KILL_ROUNDS):
        found = set(descendants(pid))
        if _kill_each(_processes(found)):
            time.sleep(KILL_ROUND_SECONDS)
        elif found == before:
            break
        before = found  # the children of a process that is ending may be missing the first time
    _signal_group(pid, signal.SIGKILL)


def _signal_group(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


def resident_bytes(pid: int) -> int:
    """Return the resident memory of a process and all its children."""
    total = 0
    for each in (pid, *descendants(pid)):
        with contextlib.suppress(psutil.Error):
            total += psutil.Process(each).memory_info().rss
    return total


def _processes(pids: Iterable[int]) -> list[psutil.Process]:
    processes = []
    for pid in pids:
        with contextlib.suppress(psutil.Error):
            processes.append(psutil.Process(pid))
    return processes


def _kill_each(processes: Sequence[psutil.Process]) -> bool:
    any_alive = False
    for process in processes:
        with contextlib.suppress(psutil.Error):
            if process.status() != psutil.STATUS_ZOMBIE:
                any_alive = True
                process.kill()
    return any_alive


def descendants(pid: int) -> list[int]:
    """Return all descendants of a process. Linux lists the children of a thread."""
    if not _HAS_CHILDREN_FILES:
        with contextlib.suppress(psutil.Error):
            return [child.pid for child in psutil.Process(pid).children(recursive=True)]
        return []
    children: list[int] = []
    with contextlib.suppress(OSError):  # the process may end meanwhile
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - many times a second
            with open(f"/proc/{pid}/task/{thread}/children") as file:  # noqa: PTH123
                children += map(int, file.read().split())
    return children + [pid for child in children for pid in descendants(child)]
