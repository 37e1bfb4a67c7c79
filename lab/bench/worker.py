"""Reads a log with one of our readers and prints the times.

``python -m lab.bench.worker LOG REPEAT READER FORMAT [ARGUMENT]``, with a ``READER`` of
:data:`lab.bench.readers.READERS`, prints the line that the adapters print for
``bench LOG REPEAT``. It is a process of its own so that the memory and the garbage of one reader
do not slow the next.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

from lab.bench.readers import READERS


def main(log: Path, repeat: int, reader: str, *arguments: str) -> None:
    """Read the log ``repeat`` times and print one line of JSON.

    ``all_seconds`` has each time, ``processor_seconds`` that of all threads, ``peak_bytes`` is the
    most memory that the process held.
    """
    read_once = READERS[reader](*arguments)
    records = payload_bytes = 0
    seconds, of_processor = [], []
    for _ in range(repeat):
        started, worked = time.perf_counter(), time.process_time()
        records, payload_bytes = read_once(log)
        seconds.append(time.perf_counter() - started)
        of_processor.append(time.process_time() - worked)
    said = {"records": records, "payload_bytes": payload_bytes, "all_seconds": seconds}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps(said | {"processor_seconds": of_processor, "peak_bytes": peak}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
