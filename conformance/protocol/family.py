"""A program and whatever it starts: found, counted, and ended together."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import sys
import time
from pathlib import Path

import psutil

ROUNDS, ROUND_SECONDS = 100, 0.001
"""How often, and how far apart, it is looked for who is left."""


class Family:
    """The process ``pid``, which leads a group of its own, and its descendants.

    What left the group, as a daemon does, is found by its ancestry, even when its parent is gone:
    :func:`prepare_child` sees to that.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._descendants: set[psutil.Process] = set()

    def note(self) -> None:
        """Look who is there now. Who was noted is known as long as it runs."""
        self._descendants = {each for each in self._descendants if each.is_running()}
        known = {each.pid for each in self._descendants}
        for pid in descendants(self.pid):
            if pid not in known:
                with contextlib.suppress(psutil.Error):
                    self._descendants.add(psutil.Process(pid))

    def memory(self) -> int:
        """Bytes resident, of all that were noted. Raises ``psutil.Error`` once the first ended."""
        used = int(psutil.Process(self.pid).memory_info().rss)
        for descendant in self._descendants:
            with contextlib.suppress(psutil.Error):
                used += descendant.memory_info().rss
        return used

    def end(self) -> None:
        """End all of them, the first one last: it is the parent of whoever loses its own.

        The group is stopped meanwhile. What flees from it by starting another one is looked for
        again and again, though not for ever.
        """
        self.signal_group(signal.SIGSTOP)
        for _ in range(ROUNDS):
            self.note()
            if not self._kill_noted():
                break
            time.sleep(ROUND_SECONDS)
        self.signal_group(signal.SIGKILL)

    def end_noted(self) -> None:
        """End the group and all that were noted, where the first one is gone already."""
        self.signal_group(signal.SIGKILL)
        self._kill_noted()

    def _kill_noted(self) -> bool:
        """Kill whoever was noted and is not dead; says whether there was anybody."""
        found = False
        for descendant in self._descendants:
            with contextlib.suppress(psutil.Error):
                if descendant.status() != psutil.STATUS_ZOMBIE:
                    found = True
                    descendant.kill()
        return found

    def signal_group(self, number: signal.Signals) -> None:
        """Send a signal to the group, if anybody is left in it."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, number)


def descendants(pid: int) -> list[int]:
    """The processes that a process started, and those that they did.

    Linux tells the children of each thread; elsewhere all processes must be looked at.
    """
    if not _LISTS_CHILDREN:
        with contextlib.suppress(psutil.Error):
            return [one.pid for one in psutil.Process(pid).children(recursive=True)]
        return []
    found: list[int] = []
    todo = [pid]
    while todo:
        children = _children(todo.pop())
        found += children
        todo += children
    return found


def _children(pid: int) -> list[int]:
    children: list[int] = []
    with contextlib.suppress(OSError):  # it may end meanwhile
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - many times a second
            with open(f"/proc/{pid}/task/{thread}/children") as file:  # noqa: PTH123
                children += map(int, file.read().split())
    return children


_LISTS_CHILDREN = Path(f"/proc/self/task/{os.getpid()}/children").exists()
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def prepare_child() -> None:
    """Runs in the child before exec: no core files, and death with the harness.

    As subreaper it stays the ancestor of whatever it starts, daemons too: they are counted and
    found. It lasts beyond exec, and is not inherited.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1)
