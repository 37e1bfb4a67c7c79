"""Run one command on one log, and print its peak memory use and exit status as JSON.

``python -m tests.hostile.command_worker LOG SMALL FORMAT WORD…``. The command first runs on SMALL,
a small log of the same format, so that imports and compilation are not measured. For child
processes, the printed peak is the difference between the two runs.

In the words, ``LOG`` stands for the log, ``FORMAT`` for its format, and ``OUT`` for a new path.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path

from conformance.process import descendants
from walproof.cli import main as walproof

POLL_SECONDS = 0.05


class Watched:
    """Measure the peak memory use of the child processes that start inside the block."""

    def __init__(self) -> None:
        #: The maximum for a single process, in bytes. The value is 0 without Linux's ``/proc``.
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


def held_bytes(field: str) -> int:
    """Return the memory of this process: ``VmRSS`` now, or ``VmHWM`` at most so far."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


def main(log: str, small: str, format_id: str, words: Sequence[str]) -> None:
    """Run the command and discard its output."""
    report = os.fdopen(os.dup(1), "w")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    with Watched() as below_before:
        _run(small, format_id, words)
    before = held_bytes("VmRSS")
    with Watched() as children:
        status = _run(log, format_id, words)
    peak = max(held_bytes("VmHWM") - before, children.peak - below_before.peak)
    print(json.dumps({"peak_bytes": peak, "status": status}), file=report)


def _run(log: str, format_id: str, words: Sequence[str]) -> int:
    with tempfile.TemporaryDirectory(prefix="walproof-hostile-") as folder:
        # In some formats the name of a copy decides what it is.
        values = {"LOG": log, "OUT": str(Path(folder) / Path(log).name), "FORMAT": format_id}
        line = [values.get(word, word).replace("FORMAT", format_id) for word in words]
        sys.argv = ["walproof", *line]
        try:
            walproof()
        except SystemExit as end:
            return int(end.code or 0)
    return 0


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
