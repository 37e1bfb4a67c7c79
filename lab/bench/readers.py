"""Measure the readers of this project in a separate process.

``python -m lab.bench.readers LOG REPEAT READER FORMAT [ARGUMENT]`` runs a ``READER`` of
:data:`READERS` and prints the measurement in the same form as the adapters do. In a separate
process, the memory of one reader cannot slow down the next.

Each reader first does the work that is not measured, and returns a function that reads a log once.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from conformance.registry import FOLDER
from reference_impl.answer import Record
from reference_impl.formats import named

ReadOnce = Callable[[Path], tuple[int, int]]
"""Reads a log to its end: how many records, and how many bytes of payload."""


def specification(format_id: str) -> ReadOnce:
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


def scanner(format_id: str, columns: str = "all") -> ReadOnce:
    """Return the bulk scanner; ``columns`` may be ``no-payload``, or one column to add to them."""
    from walproof import scan
    from walproof.scan.log import Log
    from walproof.scan.model import Records, Wanted
    from walproof.tables import rows

    kernel = scan.scanner(format_id)  # compiles the kernels if they are not in the cache
    has_payloads = columns != "no-payload"
    is_one = columns not in ("all", "no-payload")
    wanted = Wanted(has_payloads, frozenset({columns}) if is_one else None)

    def read_once(log: Path) -> tuple[int, int]:
        records = payload_bytes = 0
        for event in kernel.scan(Log(log), wanted):
            if isinstance(event, Records):
                records += len(event)
                payload_bytes += rows.payload_bytes(event) if has_payloads else 0
        return records, payload_bytes

    return read_once


def parquet(format_id: str, columns: str = "all") -> ReadOnce:
    """Return the export to a Parquet file; ``columns`` may be ``no-payload``."""
    from walproof import scan
    from walproof.scan.log import Log
    from walproof.tables.parquet import to_parquet

    scan.scanner(format_id)

    def read_once(log: Path) -> tuple[int, int]:
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "out.parquet"
            done = to_parquet(Log(log), format_id, out, has_payloads=columns != "no-payload")
        return done.records, done.payload_bytes

    return read_once


def adapter(format_id: str, implementation: str) -> ReadOnce:
    """Return the ``read`` of an adapter in Python: the whole answer, payloads in hexadecimal."""
    folder = FOLDER / implementation
    sys.path.insert(0, str(folder))  # it imports the files beside it
    spec = importlib.util.spec_from_file_location("timed_adapter", folder / "adapter.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where its dataclasses look for themselves
    spec.loader.exec_module(module)
    request = {"format": format_id, "profile": "recover", "context": {}}
    read = functools.partial(module.read, request=request)

    def read_once(log: Path) -> tuple[int, int]:
        records = read(log)["records"]
        return len(records), sum(len(record["payload"]) // 2 for record in records)

    return read_once


READERS: dict[str, Callable[..., ReadOnce]] = {
    reader.__name__: reader for reader in (specification, scanner, parquet, adapter)
}


def main(log: Path, repeat: int, reader: str, *arguments: str) -> None:
    """Read the log ``repeat`` times and print one line of JSON.

    ``all_seconds`` contains the wall-clock time of each read. ``processor_seconds`` is the CPU time
    of all threads, and ``peak_bytes`` is the peak memory use of the process.
    """
    read_once = READERS[reader](*arguments)
    records = payload_bytes = 0
    seconds, processor_seconds = [], []
    for _ in range(repeat):
        started, worked = time.perf_counter(), time.process_time()
        records, payload_bytes = read_once(log)
        seconds.append(time.perf_counter() - started)
        processor_seconds.append(time.process_time() - worked)
    body = {
        "records": records,
        "payload_bytes": payload_bytes,
        "all_seconds": seconds,
        "processor_seconds": processor_seconds,
        "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }
    print(json.dumps(body))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
