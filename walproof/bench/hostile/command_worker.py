"""Runs one command on one log and prints the processor time and memory that it took, as JSON.

``python -m walproof.bench.hostile.command_worker LOG SMALL FORMAT WORD…``. The command is run on
SMALL first, a small log of the same kind, so that what it imports and compiles is not measured. Of
processes that the command starts, it is what one held beyond what one held of SMALL.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from walproof.bench.hostile.children import Watched
from walproof.bench.hostile.commands import Command
from walproof.bench.hostile.worker import held
from walproof.cli import main as walproof


def main(log: str, small: str, format_id: str, words: Sequence[str]) -> None:
    """Run the command, whose output goes nowhere."""
    report = os.fdopen(os.dup(1), "w")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    with Watched(with_heirs=True) as below_before:
        _run(small, small, format_id, words)
    before, started = held("VmRSS"), time.process_time()
    with Watched(with_heirs=True) as below:
        status = _run(log, small, format_id, words)
    said = {
        "seconds": time.process_time() - started,
        "peak_bytes": max(held("VmHWM") - before, below.peak - below_before.peak),
    }
    print(json.dumps(said | {"status": status}), file=report)


def _run(log: str, small: str, format_id: str, words: Sequence[str]) -> int:
    with tempfile.TemporaryDirectory(prefix="walproof-hostile-") as folder:
        alone = Path(folder) / "alone"
        alone.mkdir()
        # In some formats the name of a copy says what it is.
        out, copy = Path(folder) / Path(log).name, alone / Path(log).name
        shutil.copyfile(log, copy)
        paths = {"LOG": log, "SMALL": small, "OUT": str(out), "FOLDER": str(alone)}
        sys.argv = ["walproof", *Command(words).line(paths, format_id)]
        try:
            walproof()
        except SystemExit as end:
            return int(end.code or 0)
    return 0


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
