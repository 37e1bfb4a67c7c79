"""What ``walproof bench`` measures of the bulk scanners.

``FORMAT`` stands for payloads and all columns, ``FORMAT:COLUMN`` for payloads and that column,
``FORMAT:parquet`` for all of them in a Parquet file.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from walproof.scan import scanner
from walproof.scan.log import Log
from walproof.scan.model import Records, Wanted
from walproof.tables import rows
from walproof.tables.parquet import to_parquet


def prepare(what: str) -> None:
    """Load the kernels, which are compiled when they never were."""
    scanner(what.partition(":")[0])


def read_once(what: str, log: Path) -> tuple[int, int]:
    """Records and bytes of payload of one pass."""
    format_id, _, only = what.partition(":")
    if only == "parquet":
        return _exported(format_id, log)
    wanted = Wanted(columns=frozenset({only}) if only else None)
    records = payload_bytes = 0
    for event in scanner(format_id).scan(Log(log), wanted):
        if isinstance(event, Records):
            records += len(event)
            payload_bytes += rows.payload_bytes(event)
    return records, payload_bytes


def _exported(format_id: str, log: Path) -> tuple[int, int]:
    with tempfile.TemporaryDirectory() as folder:
        done = to_parquet(Log(log), format_id, Path(folder) / "out.parquet")
    return done.records, done.payload_bytes
