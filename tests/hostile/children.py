"""What the processes hold that a process started, and those that they started."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from conformance.process import descendants

POLL_SECONDS = 0.05


class Watched:
    """The most that any of them held in memory between entering and leaving, ``peak`` bytes.

    What was there at the start is not counted, nor what that starts.

    It is looked at again and again: what a process takes just before it ends may be missed. Without
    Linux's ``/proc`` it is 0.
    """

    def __init__(self) -> None:
        self.peak = 0
        self._before: frozenset[int] = frozenset()
        self._is_over = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Watched:
        self._before = frozenset(descendants(os.getpid()))
        self._watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._watcher.join()

    def _below(self) -> set[int]:
        others = self._before.union(*map(descendants, self._before))
        return {*descendants(os.getpid())} - others

    def _watch(self) -> None:
        while not self._is_over.wait(POLL_SECONDS):
            self.peak = max([self.peak, *map(_most, self._below())])


def _most(process: int) -> int:
    """Bytes that a process held at most so far."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)
