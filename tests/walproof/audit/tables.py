"""The tables of an audit as lists that can be compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq


def rows(out: Path, table: str) -> list[dict[str, Any]]:
    """All rows, in order of file and offset."""
    found = pq.read_table(out / table).to_pylist()
    return sorted(found, key=lambda row: (row["file"], row.get("offset", 0), row.get("length", 0)))
