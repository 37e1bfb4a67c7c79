"""Reads a log with one of our readers and prints the times: ``python -m … MODULE LOG REPEAT``.

The same line as ``driver bench`` of the adapter leveldb-cpp prints. A process of its own, so that
one reader's memory and garbage do not slow the next.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from pathlib import Path

from conformance.bench.contender import ReadOnce


def main(module: str, log: Path, repeat: int) -> None:
    """Read the log ``repeat`` times and print one line of JSON."""
    reader = importlib.import_module(module)
    read_once: ReadOnce = reader.read_once
    if hasattr(reader, "prepare"):
        reader.prepare()
    seconds = []
    for _ in range(repeat):
        started = time.perf_counter()
        records, payload_bytes = read_once(log)
        seconds.append(time.perf_counter() - started)
    print(json.dumps({"records": records, "payload_bytes": payload_bytes, "all_seconds": seconds}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
