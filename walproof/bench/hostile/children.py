"""What the processes hold that a process started, and those that they started."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Container, Iterator
from pathlib import Path

POLL_SECONDS = 0.05


class Watched:
    """The most that any of them held in memory between entering and leaving, ``peak`` bytes.

    What was there at the start, and what it starts, is not counted.

    It is looked at again and again: what a process takes just before it ends may be missed. Without
    Linux's ``/proc`` it is 0.
    """

    def __init__(self) -> None:
        self.peak = 0
        self._before: frozenset[int] = frozenset()
        self._is_over = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Watched:
        self._before = frozenset(_below(os.getpid()))
        self._watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._watcher.join()

    def _watch(self) -> None:
        while not self._is_over.wait(POLL_SECONDS):
            self.peak = max([self.peak, *map(_most, _below(os.getpid(), self._before))])


def _below(process: int, without: Container[int] = ()) -> Iterator[int]:
    """The processes below one, but for some and those below them.

    Linux need not list the children of each, so all are asked.
    """
    parents = {}
    for one in Path("/proc").iterdir():
        if one.name.isdecimal():
            with contextlib.suppress(OSError):  # it is gone
                said = (one / "stat").read_bytes()
                parents[int(one.name)] = int(said.rpartition(b")")[2].split()[1])
    found = {process}
    for child in sorted(parents):  # a child has the higher number, until they begin again
        if parents[child] in found and child not in without:
            found.add(child)
            yield child


def _most(process: int) -> int:
    """Bytes that a process held at most so far."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)
