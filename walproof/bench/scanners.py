"""Contenders that are the bulk scanners of ``pyspark_journal``, by name: they depend on us."""

from __future__ import annotations

import importlib.util

from walproof.bench.contender import Contender, in_python

MODULE = "walproof.bench.scanner_rates"
NEEDED = ("numpy", "pyarrow", "numba")


def unavailable() -> str | None:
    """Why they cannot run: something of ``walproof[fast]`` is not installed."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    return f"{' and '.join(missing)} not installed" if missing else None


def scanner(format_id: str, repeat: int = 15) -> Contender:
    """All columns of all records, payloads among them, one run after another."""
    return _contender("fast-scan", "the bulk scanner (walproof/scan)", format_id, format_id, repeat)


def payloads(format_id: str, column: str, repeat: int = 15) -> Contender:
    """Payloads and one column, for a peer that hands out no more."""
    return _contender(
        "fast-scan-payloads",
        f"the bulk scanner (walproof/scan), payloads and {column} only",
        format_id,
        f"{format_id}:{column}",
        repeat,
    )


def parquet(format_id: str, repeat: int = 3) -> Contender:
    """All columns into a Parquet file, as ``walproof export --parquet`` writes it."""
    return _contender(
        "fast-scan-parquet", "walproof export --parquet", format_id, f"{format_id}:parquet", repeat
    )


def _contender(name: str, title: str, format_id: str, what: str, repeat: int) -> Contender:
    return Contender(
        name=name,
        title=title,
        format=format_id,
        command=in_python(f"{MODULE}:{what}"),
        repeat=repeat,
        unavailable=unavailable,
    )
