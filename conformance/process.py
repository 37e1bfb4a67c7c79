"""Start, limit and stop programs. All other modules start programs through this one.

A program in a :class:`~conformance.sandbox.Sandbox` with bubblewrap ends together with everything
that it started, because it has its own PID namespace. Any other program leads a process group, and
the group is killed. A process that leaves its group then survives; reports state that the program
is not isolated.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import psutil

from conformance.sandbox import Sandbox
from conformance.scratch import in_memory_bytes

# Interval between two checks of the program's memory and exit.
POLL_SECONDS = 0.02
# Maximum time that a program may take to exit after its input is closed.
EXIT_SECONDS = 2.0
STDERR_TAIL_BYTES = 4096
STDERR_MAX_BYTES = 1 << 20
CHUNK_BYTES = 1 << 18
# Files in memory up to this total size do not count towards a program's limit, because other
# processes may have written them.
SHARED_BYTES = 1 << 30
# Maximum time that killed processes may take to end. A broken file system may block a process.
KILL_SECONDS = 10
# The shell that sets the limits and starts the program begins its errors with this text.
_CANNOT_START = "cannot start"
_EXEC_ERRORS = {126: "it cannot be executed", 127: "No such file or directory"}


@dataclass(frozen=True)
class Limits:
    """The limits of a program."""

    #: Maximum time until the hello message.
    start_seconds: float = 30.0
    #: Maximum resident memory of the program and all its children.
    memory_bytes: int = 2 << 30
    #: Maximum size of one reply.
    output_bytes: int = 64 << 20
    #: Maximum size of each file that the program writes, or None for no limit.
    file_bytes: int | None = None

    def command(self, command: Sequence[str]) -> list[str]:
        """Return a command that runs another with a limit on file sizes and without core files."""
        limits = "ulimit -c 0"
        if self.file_bytes is not None:
            limits += f"; ulimit -f {self.file_bytes // 512}"
        return ["/bin/sh", "-c", f'{limits}; exec "$@"', _CANNOT_START, *command]


class ProgramCrash(Exception):
    """The program ended before it replied.

    ``status`` is the exit status, or the negative signal number. ``output`` is the incomplete
    reply.
    """

    def __init__(self, text: str, status: int | None = None, output: bytes = b"") -> None:
        super().__init__(text)
        self.status = status
        self.output = output


class CannotStart(ProgramCrash):
    """The system could not start the program, for example because its interpreter is missing."""


class Timeout(Exception):
    """Raised if no reply arrives in time. The program was killed."""


class OverLimit(Exception):
    """Raised if the program used too much memory or output. The program was killed."""


class Cancelled(Exception):
    """Raised if the run was stopped. The program was killed."""


class Process:
    """A running program. After any exception, the program has ended.

    ``variables`` are added to the environment. ``cwd`` is the working directory of a program
    without a sandbox. Another thread can set ``cancelled`` to stop a wait.
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
        # The exit status, or the negative number of the signal that ended the process. None while
        # the process runs.
        self.status: int | None = None
        # The largest measured resident memory.
        self.peak_bytes = 0
        self._command, self._sandbox, self._cancelled = command, sandbox, cancelled
        self._stderr, self._stderr_bytes = b"", stderr_bytes
        self._output, self._line_count = bytearray(), 0
        self._input = b""
        self._in_memory_before = in_memory_bytes()
        self._has_ended = self._is_closed = False
        self._watch: Callable[[], None] = lambda: None
        self._namespace: int | None = None
        self._popen = self._start(variables or {}, cwd)
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

    def _start(self, variables: Mapping[str, str], cwd: Path | None) -> subprocess.Popen[bytes]:
        argv, environment, sandbox = [*self._command], dict(os.environ), self._sandbox
        if sandbox is not None:
            argv, cwd = sandbox.absolute_command(argv), sandbox.work
            environment = sandbox.environment(argv)
        if os.sep in argv[0]:
            startable = os.access(argv[0], os.X_OK)
        else:
            startable = shutil.which(argv[0]) is not None
        if not startable:
            reason = "Permission denied" if Path(argv[0]).exists() else "No such file or directory"
            raise CannotStart(f"cannot start {argv[0]}: {reason}")
        info, info_for_program = os.pipe()
        try:
            if sandbox is not None:
                argv = sandbox.wrapped(argv, info_for_program)
            process = subprocess.Popen(
                self.limits.command(argv), cwd=cwd, env={**environment, **variables}, bufsize=0,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                start_new_session=True,
                pass_fds=[info_for_program] if sandbox is not None and sandbox.bwrap else (),
            )  # fmt: skip
        except OSError as error:
            os.close(info)
            raise CannotStart(f"cannot start {self._command[0]}: {error.strerror}") from None
        finally:
            os.close(info_for_program)
        with open(info, "rb") as file, contextlib.suppress(ValueError, OSError, AttributeError):  # noqa: PTH123
            # Reading does not block: bubblewrap closes the pipe before the program starts. Without
            # bubblewrap, the pipe is empty.
            self._namespace = os.pidfd_open(json.load(file)["child-pid"])
        return process

    @property
    def stderr(self) -> str | None:
        """Return the end of the program's output to standard error, or None."""
        return self._stderr.decode(errors="replace").strip() or None

    def send(self, data: bytes) -> None:
        """Send data without waiting for the program to read it."""
        if not self._is_closed:  # a closed descriptor may already belong to another file
            self._input += data
            self._write()

    def close_input(self) -> None:
        """Close standard input after the data that has been sent so far."""
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
        self._wait(deadline, seconds, max_bytes, lambda: self._line_count > 0)
        end = self._output.find(b"\n") + 1
        if not end:
            self._wait_for_exit(deadline, seconds)
            raise self._crash()
        if end > max_bytes:
            self._fail(OverLimit(f"a reply of more than {max_bytes} bytes"))
        line = bytes(self._output[:end])
        del self._output[:end]
        self._line_count -= 1
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
        """End the program, and everything in its PID namespace or process group."""
        if self._is_closed:
            return
        self._is_closed = True
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        if self._namespace is not None:
            # The descriptor becomes readable when the first process of the namespace has ended,
            # which also ends all others.
            select.select([self._namespace], [], [], KILL_SECONDS)
            os.close(self._namespace)
        # A program of another user, such as sudo, cannot be killed, so the wait may time out.
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._popen.wait(KILL_SECONDS)
        self._read_errors()
        self._note_status()
        for stream in (self._popen.stdin, self._popen.stdout, self._popen.stderr):
            assert stream is not None
            stream.close()

    def close(self) -> None:
        """Close the input, wait a moment for the exit, then kill the remaining processes."""
        self.close_input()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._popen.wait(EXIT_SECONDS)
        self.kill()

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
            # Output may have arrived since the last poll, so continue if there is any. Do not wait
            # for its end, because a child may hold the output open.
            self._has_ended = not self._poll.poll(0)
            return
        used = resident_bytes(self.pid)
        self.peak_bytes = max(self.peak_bytes, used)
        # Scratch copies may be in memory, so files that are written there count as memory.
        written = in_memory_bytes() - self._in_memory_before
        if written > max(self.limits.memory_bytes, SHARED_BYTES):
            used += written
        if used > self.limits.memory_bytes:
            mib = self.limits.memory_bytes >> 20
            self._fail(OverLimit(f"more than {mib} MiB of memory"))

    def _wait_for_exit(self, deadline: float, seconds: float) -> None:
        # A program may close its output long before it exits, as builds do.
        while True:
            left = max(0.0, deadline - time.monotonic())
            try:
                self._popen.wait(min(POLL_SECONDS, left))
            except subprocess.TimeoutExpired:
                if not left:
                    self._fail(Timeout(f"no reply within {seconds:g} s"))
                self._check(idle=False)
            else:
                return self.kill()

    def _fail(self, error: Exception) -> NoReturn:
        self.kill()
        raise error

    def _crash(self) -> ProgramCrash:
        stderr = self.stderr or ""
        if self._sandbox is not None and self._sandbox.bwrap and stderr.startswith("bwrap: "):
            reason = stderr.removeprefix("bwrap: ").removeprefix("execvp ")
            return CannotStart(f"cannot start {reason}")
        if stderr.startswith(f"{_CANNOT_START}: ") and self.status in _EXEC_ERRORS:
            return CannotStart(f"cannot start {self._command[0]}: {_EXEC_ERRORS[self.status]}")
        return ProgramCrash(describe_exit(self.status), self.status, bytes(self._output))

    def _note_status(self) -> None:
        status = self._popen.returncode
        if status is not None and self._sandbox and self._sandbox.bwrap and status > 128:
            # Like a shell, bwrap exits with 128 plus the number of the signal that ended its
            # program.
            status = 128 - status if status <= 128 + signal.SIGRTMAX else status
        self.status = status

    def _write(self) -> None:
        try:
            while self._input:
                self._input = self._input[os.write(self._to, self._input) :]
            self._forget_input()
        except BlockingIOError:
            self._poll.register(self._to, select.POLLOUT)
        except OSError:  # the program has ended, and the next read raises the error
            self._forget_input()

    def _forget_input(self) -> None:
        self._input = b""
        with contextlib.suppress(KeyError):
            self._poll.unregister(self._to)

    def _read_output(self) -> None:
        chunk = os.read(self._from, CHUNK_BYTES)
        self._output += chunk
        self._line_count += chunk.count(b"\n")
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
    cancelled: threading.Event | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, without input.

    Raises :class:`CannotStart`, :class:`Timeout`, :class:`OverLimit` and :class:`Cancelled`.
    """
    process = Process(command, limits, sandbox, variables, cancelled, STDERR_MAX_BYTES, cwd)
    try:
        process.close_input()
        output = process.read_all(seconds)
    except CannotStart:
        raise
    except ProgramCrash as crash:
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
        except ProgramCrash:
            self.close()
            raise NoReply("it exited without a reply") from None
        except (ValueError, RecursionError):
            reply = None
        if not isinstance(reply, dict):
            self.close()
            raise NoReply("its reply is not a JSON object")
        return reply

    def close(self) -> None:
        """End the program."""
        if self._process is not None:
            self._process.kill()
            self._process = None


def describe_exit(status: int | None) -> str:
    """Return an exit status in words."""
    if status is None or status >= 0:
        return f"exit status {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:  # real-time signals have no names
        return f"killed by signal {-status}"


def resident_bytes(pid: int) -> int:
    """Return the resident memory of a process and all its children."""
    total = 0
    with contextlib.suppress(psutil.Error):
        total = psutil.Process(pid).memory_info().rss
    return total + sum(map(resident_bytes, _children(pid)))


def _children(pid: int) -> list[int]:
    """Return the children of a process; this is much faster than a search of all processes."""
    children: list[int] = []
    with contextlib.suppress(OSError):  # the process may end meanwhile
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - many times a second
            with open(f"/proc/{pid}/task/{thread}/children") as file:  # noqa: PTH123
                children += map(int, file.read().split())
    return children
