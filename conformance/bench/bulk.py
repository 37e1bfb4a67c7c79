"""The bulk scanners as contenders. They depend on this package, so they are found by name."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path

from conformance.bench.contender import Contender, ReadOnce, in_python

NEEDED = ("numba", "pyarrow")


def unavailable() -> str | None:
    """Why they cannot run here: None when they can."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    return f"{' and '.join(missing)} not found" if missing else None


def reader(format_id: str, columns: frozenset[str] | None = None) -> ReadOnce:
    """A pass over a log that makes all columns, or these; payloads always."""

    def read_once(log: Path) -> tuple[int, int]:
        counting = importlib.import_module("pyspark_journal.scan.counting")
        counted: tuple[int, int] = counting.count(format_id, log, columns)
        return counted

    return read_once


def contender(
    format_id: str, module: str, name: str = "fast-scan", makes: str = "payloads and all columns"
) -> Contender:
    """The contender of a module that has the reader of a format as ``read_once``."""
    return Contender(
        name=name,
        title=f"the bulk scanner (pyspark_journal.scan): {makes}, in Arrow",
        format=format_id,
        command=in_python(module),
        repeat=15,
        unavailable=unavailable,
    )
