"""Measure the readers of this project in a separate process.

``python -m lab.bench.readers READER FORMAT LOG REPEAT`` measures a reader of :data:`READERS`, and
prints the result in the same form as the adapters do.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

#: A function that reads a whole log and returns the number of records and of payload bytes.
ReadOnce = Callable[[Path], tuple[int, int]]


def scanner(format_id: str, has_payloads: bool = True) -> ReadOnce:
    """Return a reader that runs the bulk scanner."""
    from walproof import log_rows, scanners
    from walproof.log import Log
    from walproof.scanners.model import Records, Wanted

    # Kernels that are not cached are compiled here, before the measurement.
    kernel = scanners.scanner(format_id)

    def read_once(log: Path) -> tuple[int, int]:
        records = payload_bytes = 0
        for event in kernel.scan(Log(format_id, log), Wanted(has_payloads)):
            if isinstance(event, Records):
                records += len(event)
                payload_bytes += log_rows.payload_bytes(event) if has_payloads else 0
        return records, payload_bytes

    return read_once


READERS: dict[str, Callable[[str], ReadOnce]] = {
    "scanner": scanner,
    "scanner-without-payloads": partial(scanner, has_payloads=False),
}


def main(reader: str, format_id: str, log: str, repeat: str) -> None:
    """Read the log ``repeat`` times and print one line of JSON."""
    read_once = READERS[reader](format_id)
    records = payload_bytes = 0
    seconds = []
    for _ in range(int(repeat)):
        started = time.perf_counter()
        records, payload_bytes = read_once(Path(log))
        seconds.append(time.perf_counter() - started)
    body = {"records": records, "payload_bytes": payload_bytes, "all_seconds": seconds}
    print(json.dumps(body))


if __name__ == "__main__":
    main(*sys.argv[1:])
