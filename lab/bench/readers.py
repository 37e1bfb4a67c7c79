"""The readers of this project that :mod:`lab.bench.worker` times.

Each function gets ready what must not be timed and returns a function that reads a log once.
"""

from __future__ import annotations

import functools
import importlib.util
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from conformance.registry import FOLDER
from reference_impl.answer import Record
from reference_impl.formats import named

PARTS = 2
"""Parts of a log for each processor."""

ReadOnce = Callable[[Path], tuple[int, int]]
"""Reads a log to its end: how many records, and how many bytes of payload."""


def specification(format_id: str) -> ReadOnce:
    """The executable specification: records as a stream, none of them kept."""
    read = named(format_id).read

    def read_once(log: Path) -> tuple[int, int]:
        records = payload_bytes = 0
        for event in read(log, "recover", {}):
            if isinstance(event, Record):
                records += 1
                payload_bytes += len(event.payload)
        return records, payload_bytes

    return read_once


def scanner(format_id: str, column: str | None = None) -> ReadOnce:
    """The bulk scanner: payloads and all columns, or payloads and one column."""
    from walproof import scan
    from walproof.scan.log import Log
    from walproof.scan.model import Records, Wanted
    from walproof.tables import rows

    kernel = scan.scanner(format_id)  # compiles the kernels if they are not in the cache
    wanted = Wanted(columns=frozenset({column}) if column else None)

    def read_once(log: Path) -> tuple[int, int]:
        records = payload_bytes = 0
        for event in kernel.scan(Log(log), wanted):
            if isinstance(event, Records):
                records += len(event)
                payload_bytes += rows.payload_bytes(event)
        return records, payload_bytes

    return read_once


WITHOUT = "without"
"""Says that payloads are left out of a table."""


def scanner_on_all_cores(format_id: str) -> ReadOnce:
    """The bulk scanner in a thread for each processor, which take parts of the log in turn."""
    from walproof import scan
    from walproof.scan.log import Log
    from walproof.scan.model import Part, Records, Wanted
    from walproof.tables import rows
    from walproof.worker_pool import core_count

    kernel = scan.scanner(format_id)
    threads = ThreadPoolExecutor(core_count())

    def read_once(path: Path) -> tuple[int, int]:
        log = Log(path)

        def read(part: Part) -> tuple[int, int]:
            records = payload_bytes = 0
            for event in kernel.scan(log, Wanted(), part):
                if isinstance(event, Records):
                    records += len(event)
                    payload_bytes += rows.payload_bytes(event)
            return records, payload_bytes

        size = sum(one.stat().st_size for one in path.rglob("*")) or path.stat().st_size
        found = list(threads.map(read, kernel.plan(log, size // (PARTS * core_count()) + 1)))
        return sum(one for one, _ in found), sum(one for _, one in found)

    return read_once


def parquet(format_id: str, payloads: str = "") -> ReadOnce:
    """The bulk scanner with all columns into a Parquet file, as ``walproof export`` writes it."""
    from walproof import scan
    from walproof.scan.log import Log
    from walproof.tables.parquet import to_parquet

    scan.scanner(format_id)

    def read_once(log: Path) -> tuple[int, int]:
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "out.parquet"
            done = to_parquet(Log(log), format_id, out, has_payloads=payloads != WITHOUT)
        return done.records, done.payload_bytes

    return read_once


def parquet_from_memory(format_id: str, payloads: str = "") -> ReadOnce:
    """pyarrow, as it comes, writing the rows of a log that are in memory by the second time on."""
    import pyarrow.parquet as pq

    from walproof.tables import parquet

    return _from_memory(
        format_id,
        lambda held, to: pq.write_table(held, to, compression=parquet.COMPRESSION),
        payloads,
    )


def parquet_by_duckdb(format_id: str, payloads: str = "") -> ReadOnce:
    """DuckDB in one thread, writing the same rows from memory."""
    import duckdb

    from walproof.tables import parquet

    session = duckdb.connect()
    session.execute("SET threads = 1")
    codec = {"lz4": "lz4_raw"}.get(parquet.COMPRESSION, parquet.COMPRESSION)

    def write(held: Any, to: Path) -> None:
        session.register("held", held)
        session.execute(f"COPY held TO '{to}' (FORMAT parquet, COMPRESSION {codec})")

    return _from_memory(format_id, write, payloads)


def _from_memory(format_id: str, write: Callable[[Any, Path], object], payloads: str) -> ReadOnce:
    """Writes the rows of a log, which are in memory by the second time on, as Parquet."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from walproof import scan
    from walproof.scan.log import Log
    from walproof.scan.model import Wanted
    from walproof.tables import rows

    kernel = scan.scanner(format_id)
    has_payloads = payloads != WITHOUT
    schema = rows.schema(format_id)
    if not has_payloads:
        schema = pa.schema([field for field in schema if field.name not in rows.OF_PAYLOADS])
    wanted = Wanted(payload=has_payloads)

    @functools.cache
    def table(log: Path) -> pa.Table:
        found = (rows.batch(one, schema, str(log)) for one in kernel.scan(Log(log), wanted))
        return pa.Table.from_batches([one for one in found if one is not None])

    @functools.cache
    def payload_bytes(log: Path) -> int:
        if not has_payloads:
            return 0
        return int(pc.sum(pc.binary_length(table(log)["payload"])).as_py())

    def read_once(log: Path) -> tuple[int, int]:
        held = table(log)
        with tempfile.TemporaryDirectory() as folder:
            write(held, Path(folder) / "out.parquet")
        return held.num_rows, payload_bytes(log)

    return read_once


def adapter(format_id: str, implementation: str) -> ReadOnce:
    """The ``read`` of an adapter in Python: the whole answer, payloads in hexadecimal."""
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
    made.__name__: made
    for made in (
        specification,
        scanner,
        scanner_on_all_cores,
        parquet,
        parquet_from_memory,
        parquet_by_duckdb,
        adapter,
    )
}
