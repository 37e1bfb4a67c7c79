"""Contenders that are the bulk scanners of ``pyspark_journal``, by name: they depend on us."""

from __future__ import annotations

import importlib.util

from conformance.bench.contender import Contender, in_python

MODULE = "pyspark_journal.measured"
NEEDED = ("numpy", "pyarrow", "numba")


def unavailable() -> str | None:
    """Why they cannot run: something of ``walproof[fast]`` is not installed."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    return f"{' and '.join(missing)} not installed" if missing else None


def scanner(format_id: str, repeat: int = 15) -> Contender:
    """All columns of all records, payloads among them, one run after another."""
    return Contender(
        name="fast-scan",
        title="the bulk scanner (pyspark_journal/scan)",
        format=format_id,
        command=in_python(f"{MODULE}:{format_id}"),
        repeat=repeat,
        unavailable=unavailable,
    )


def parquet(format_id: str, repeat: int = 3) -> Contender:
    """The same into a Parquet file, as ``walproof export --parquet`` writes it."""
    return Contender(
        name="fast-scan-parquet",
        title="walproof export --parquet",
        format=format_id,
        command=in_python(f"{MODULE}:{format_id}:parquet"),
        repeat=repeat,
        unavailable=unavailable,
    )
