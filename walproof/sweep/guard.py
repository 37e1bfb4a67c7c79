"""Stands between a worker and a program under test, so that nothing is left behind.

``guard.py PARENT SCRATCH MEMORY FD [PROGRAM ARGUMENT …]`` runs the program with the guard's own
standard streams. The guard ends the program and all that it started when
they hold more than MEMORY bytes, and when the process PARENT is gone, even by ``kill -9``; then it
removes the folder SCRATCH too. Without a program it only waits to do that. Its last words go to
file descriptor FD: ``exit STATUS``, ``signal NUMBER``, ``over BYTES``, ``cannot WHY``.

The guard itself stays outside of a sandbox, where the program cannot end it. It is the standard
library only, and little of it: one of these starts for every program and every crash.
"""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import sys
import time

POLL_SECONDS = 0.05
SHARED_BYTES = 1 << 30
"""So much others may write into memory meanwhile: it is not laid to a program's charge."""
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_WATCHED = (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def main(parent: int, scratch: str, memory: int, fd: int, command: list[str]) -> None:
    """Run until the program has ended or the parent is gone."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _WATCHED)
    _prctl(_PR_SET_PDEATHSIG, signal.SIGHUP)
    # What a killed program leaves becomes ours, so that it can be found and killed.
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    os.set_inheritable(fd, False)
    before = _in_memory()
    child = _start(command, fd) if command else None
    _let_go_of_streams()
    while os.getppid() == parent:
        got = _wait_for_signal()
        if got == signal.SIGTERM:
            break
        if got == signal.SIGHUP:
            # The thread that started us has ended; the rest of the process follows in a moment.
            for _ in range(100):
                if os.getppid() != parent:
                    break
                time.sleep(0.02)
            break
        status = _reap(child)
        if status is not None:
            _kill_all()
            _say(fd, _words(status))
            return
        if child is not None and (used := _resident() + _in_files(before, memory)) > memory:
            _kill_all()
            _say(fd, f"over {used}")
            return
    _kill_all()
    if os.getppid() != parent:
        _remove(scratch)


def _start(command: list[str], fd: int) -> int:
    guard = os.getpid()
    child = os.fork()
    if child:
        return child
    os.setsid()
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != guard:
        os._exit(1)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _WATCHED)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        _say(fd, f"cannot start {command[0]}: {error.strerror}")
        os._exit(127)


def _let_go_of_streams() -> None:
    """The program alone holds the pipes: their ends must be seen."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)


def _wait_for_signal() -> int | None:
    if hasattr(signal, "sigtimedwait"):
        found = signal.sigtimedwait(_WATCHED, POLL_SECONDS)
        return found.si_signo if found else None
    time.sleep(POLL_SECONDS)
    return None


def _reap(child: int | None) -> int | None:
    """The wait status of the program, if it has ended; also reaps its orphans."""
    found = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return found
        if pid == 0:
            return found
        if pid == child:
            found = status


def _kill_all() -> None:
    """Kill every descendant, until none is left: one may start another while it is looked for."""
    for _ in range(100):
        left = _descendants(os.getpid())
        if not left:
            return
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.002)
        _reap(None)


def _remove(scratch: str) -> None:
    """Other guards end their programs meanwhile, which may still write."""
    for _ in range(50):
        shutil.rmtree(scratch, ignore_errors=True)
        if not os.path.exists(scratch):  # noqa: PTH110
            return
        time.sleep(0.1)


def _descendants(pid: int) -> list[int]:
    found: list[int] = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208
            with open(f"/proc/{pid}/task/{task}/children") as children:  # noqa: PTH123
                found += map(int, children.read().split())
    except OSError:  # it is gone, or this is no Linux
        return found
    return found + [below for child in found for below in _descendants(child)]


def _resident() -> int:
    pages = 0
    for pid in _descendants(os.getpid()):
        try:
            with open(f"/proc/{pid}/statm") as statm:  # noqa: PTH123
                pages += int(statm.read().split()[1])
        except (OSError, IndexError):
            continue
    return pages * os.sysconf("SC_PAGESIZE")


def _in_files(before: int, memory: int) -> int:
    """Bytes of memory that were written to files meanwhile, if that is more than others might."""
    written = _in_memory() - before
    return written if written > max(memory, SHARED_BYTES) else 0


def _in_memory() -> int:
    try:
        found = os.statvfs("/dev/shm")
    except OSError:
        return 0
    return (found.f_blocks - found.f_bfree) * found.f_frsize


def _words(status: int) -> str:
    if os.WIFSIGNALED(status):
        return f"signal {os.WTERMSIG(status)}"
    return f"exit {os.WEXITSTATUS(status)}"


def _say(fd: int, words: str) -> None:
    with contextlib.suppress(OSError):
        os.write(fd, words.encode() + b"\n")


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


if __name__ == "__main__":
    first, folder, most, status, *others = sys.argv[1:]
    main(int(first), folder, int(most), int(status), others)
