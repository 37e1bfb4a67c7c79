"""What the bench counts of a scan: records and bytes of payload."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pyspark_journal.scan import scanner
from pyspark_journal.scan.log import Log
from pyspark_journal.scan.model import Records, Wanted


def count(format_id: str, log: Path, columns: frozenset[str] | None = None) -> tuple[int, int]:
    """Records and bytes of payload of one pass over a log that makes all columns, or these."""
    records = payload_bytes = 0
    for event in scanner(format_id).scan(Log(log), Wanted(columns=columns)):
        if isinstance(event, Records):
            records += len(event)
            if event.payload is not None and len(event):
                offsets = np.frombuffer(event.payload.buffers()[1], np.int32)
                payload_bytes += int(offsets[len(event)] - offsets[0])
    return records, payload_bytes
