"""Why a contender cannot run here, as its row in the table says."""

from __future__ import annotations

import importlib.util

from conformance.registry import Implementation

NEEDED_TO_SCAN = ("numpy", "pyarrow", "numba")


def why_not(implementation: Implementation) -> str | None:
    """What keeps an implementation from running: a program that is missing, or it is not built."""
    if missing := implementation.missing():
        return f"{' and '.join(missing)} not found"
    return None if implementation.is_built() else "not built; make setup builds it"


def why_no_scan() -> str | None:
    """What keeps the bulk scanners from running: parts of ``walproof[fast]`` are missing."""
    missing = [name for name in NEEDED_TO_SCAN if importlib.util.find_spec(name) is None]
    return f"{' and '.join(missing)} not installed" if missing else None


def why_no_duckdb() -> str | None:
    """What keeps DuckDB from writing; it is no dependency of ours."""
    if missing := why_no_scan():
        return missing
    return None if importlib.util.find_spec("duckdb") else "duckdb not installed"
