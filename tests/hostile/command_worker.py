"""Run one command on one log, and print its peak memory use and exit status as JSON.

Usage: ``python -m tests.hostile.command_worker LOG SMALL FORMAT WORD…``. To exclude imports and
compilation from the measurement, the command first runs on SMALL, a small log of the same format.
For child processes, the printed peak is the difference between the two runs.

Each WORD is an argument of ``walproof``. ``LOG`` is replaced by the path of the log, ``FORMAT`` by
its format, and ``OUT`` by a new path.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from walproof.cli import main as walproof


def held_bytes(field: str) -> int:
    """Return the current (``VmRSS``) or peak (``VmHWM``) memory of this process in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


def peak_of_children() -> int:
    """Return the peak memory of the largest child process so far, in bytes.

    The value is never below the memory that this process had when it started the child, so smaller
    children cannot be measured.
    """
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024


def main(log: str, small: str, format_id: str, words: Sequence[str]) -> None:
    """Run the command on both logs, discard its output, and print the measurements for ``log``."""
    report = os.fdopen(os.dup(1), "w")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    _run(small, format_id, words)
    before, children_before = held_bytes("VmRSS"), peak_of_children()
    status = _run(log, format_id, words)
    peak = max(held_bytes("VmHWM") - before, peak_of_children() - children_before)
    print(json.dumps({"peak_bytes": peak, "status": status}), file=report)


def _run(log: str, format_id: str, words: Sequence[str]) -> int:
    with tempfile.TemporaryDirectory(prefix="walproof-hostile-") as folder:
        # ``OUT`` has the same file name as the log, because in some formats the name determines the
        # file type.
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
