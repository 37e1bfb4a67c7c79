"""Measure the readers of this project in a separate process.

``python -m lab.bench.readers READER FORMAT [no-payload] LOG REPEAT`` measures a reader of
:data:`READERS`. The output has the same form as that of the adapters.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from reference_impl.answer import Record
from reference_impl.formats import named

#: Reads a log to its end: the number of records, and of bytes of payload.
ReadOnce = Callable[[Path], tuple[int, int]]


def specification(format_id: str, has_payloads: bool = True) -> ReadOnce:
    """Return the executable specification: records as a stream, none of them stored."""
    read = named(format_id).read

    def read_once(log: Path) -> tuple[int, int]:
        records = payload_bytes = 0
        for event in read(log, "recover", {}):
            if isinstance(event, Record):
                records += 1
                payload_bytes += len(event.payload)
        return records, payload_bytes

    return read_once


def scanner(format_id: str, has_payloads: bool = True) -> ReadOnce:
    """Return the bulk scanner."""
    from walproof import scan
    from walproof.scan.log import Log
    from walproof.scan.model import Records, Wanted
    from walproof.tables import rows

    kernel = scan.scanner(format_id)  # compiles the kernels if they are not in the cache

    def read_once(log: Path) -> tuple[int, int]:
        records = payload_bytes = 0
        for event in kernel.scan(Log(log), Wanted(has_payloads)):
            if isinstance(event, Records):
                records += len(event)
                payload_bytes += rows.payload_bytes(event) if has_payloads else 0
        return records, payload_bytes

    return read_once


READERS: dict[str, Callable[..., ReadOnce]] = {
    reader.__name__: reader for reader in (specification, scanner)
}


def main(reader: str, format_id: str, *arguments: str) -> None:
    """Read the log ``repeat`` times and print one line of JSON."""
    *options, log, repeat = arguments
    read_once = READERS[reader](format_id, has_payloads=not options)
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
