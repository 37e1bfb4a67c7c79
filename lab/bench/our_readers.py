"""The readers of this project as contenders, each in a Python process of its own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from conformance import ROOT
from lab.bench.availability import why_no_duckdb, why_no_scan
from lab.bench.contender import Command, Contender
from lab.bench.format_bench import bench_of
from lab.bench.readers import WITHOUT
from walproof.scan import reads_ranges

KERNELS = tuple((ROOT / "walproof" / "formats").rglob("__pycache__"))
"""numba stores no kernel, and reads none, where it cannot write."""


def contenders_of(format_id: str) -> Iterator[Contender]:
    """Those that read this format, as its part ``bench`` in ``lab/formats`` says."""
    bench = bench_of(format_id)
    if bench.logs:
        yield specification(format_id)
        yield scanner(format_id)
        if reads_ranges(format_id):
            yield scanner_on_all_cores(format_id)
    if bench.payloads_and:
        yield scanner_of_one_column(format_id, bench.payloads_and)
    if bench.logs:
        for payloads in ("", WITHOUT):
            yield parquet(format_id, payloads)
            yield parquet_from_memory(format_id, payloads)
            yield parquet_by_duckdb(format_id, payloads)


def specification(format_id: str) -> Contender:
    """The executable specification."""
    return Contender(
        name="executable-spec",
        title="the executable specification (reference_impl)",
        format=format_id,
        command=in_process("specification", format_id),
    )


def scanner(format_id: str) -> Contender:
    """The bulk scanner, which gives payloads and all columns."""
    return Contender(
        name="fast-scan",
        title="the bulk scanner",
        format=format_id,
        command=in_process("scanner", format_id),
        repeat=bench_of(format_id).scanner_repeat,
        unavailable=why_no_scan,
        writes=KERNELS,
    )


def scanner_on_all_cores(format_id: str) -> Contender:
    """The same on all processors, for logs that can be read from the middle."""
    return replace(
        scanner(format_id),
        name="fast-scan-all-cores",
        title="the bulk scanner, parts of the log on all processors",
        command=in_process("scanner_on_all_cores", format_id),
    )


def scanner_of_one_column(format_id: str, column: str) -> Contender:
    """The bulk scanner, asked for no more than its peer hands out."""
    return replace(
        scanner(format_id),
        name="fast-scan-payloads",
        title=f"the bulk scanner, payloads and {column} only",
        command=in_process("scanner", format_id, column),
    )


def parquet(format_id: str, payloads: str = "") -> Contender:
    """The export of all columns to Parquet, or of all but payloads; pyarrow is its limit."""
    return Contender(
        name=_named("fast-scan-parquet", payloads),
        title=f"walproof export --parquet{' --no-payload' if payloads else ''}",
        format=format_id,
        command=in_process("parquet", format_id, payloads),
        repeat=5,
        limit=_named("pyarrow-parquet", payloads),
        has_payloads=not payloads,
        unavailable=why_no_scan,
        writes=KERNELS,
    )


def parquet_from_memory(format_id: str, payloads: str = "") -> Contender:
    """The limit of that export: pyarrow alone, which scans nothing."""
    return replace(
        parquet(format_id, payloads),
        name=_named("pyarrow-parquet", payloads),
        title="pyarrow.parquet.write_table of the same rows from memory",
        command=in_process("parquet_from_memory", format_id, payloads),
    )


def parquet_by_duckdb(format_id: str, payloads: str = "") -> Contender:
    """Another writer of the same rows from memory, where it is installed."""
    return replace(
        parquet(format_id, payloads),
        name=_named("duckdb-parquet", payloads),
        title="DuckDB's COPY TO of the same rows from memory, one thread",
        command=in_process("parquet_by_duckdb", format_id, payloads),
        unavailable=why_no_duckdb,
    )


def _named(name: str, payloads: str) -> str:
    return f"{name}, no payloads" if payloads else name


def in_process(reader: str, *arguments: str) -> Command:
    """The command that times a reader of :data:`lab.bench.readers.READERS`."""

    def command(log: Path, repeat: int) -> list[str]:
        worker = [sys.executable, "-m", "lab.bench.worker"]
        return [*worker, str(log), str(repeat), reader, *arguments]

    return command
