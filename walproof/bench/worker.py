"""Reads a log with one of our readers and prints the times: ``python -m … MODULE LOG REPEAT``.

``MODULE:ARGUMENT`` gives the module's functions an argument more: one module for several formats.

The same line as ``driver bench`` of the adapter leveldb-cpp prints. A process of its own, so that
one reader's memory and garbage do not slow the next.
"""

from __future__ import annotations

import functools
import importlib
import json
import sys
import time
from pathlib import Path

from walproof.bench.contender import ReadOnce


def main(module: str, log: Path, repeat: int) -> None:
    """Read the log ``repeat`` times and print one line of JSON."""
    name, *arguments = module.split(":", 1)
    reader = importlib.import_module(name)
    read_once: ReadOnce = functools.partial(reader.read_once, *arguments)
    if hasattr(reader, "prepare"):
        reader.prepare(*arguments)
    seconds = []
    for _ in range(repeat):
        started = time.perf_counter()
        records, payload_bytes = read_once(log)
        seconds.append(time.perf_counter() - started)
    print(json.dumps({"records": records, "payload_bytes": payload_bytes, "all_seconds": seconds}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
