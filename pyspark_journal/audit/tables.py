"""The three tables of an audit: their columns, and a run of records as rows.

``records`` holds all formats at once: the columns they share, then one struct for each format
that adds fields, null in the rows of the others. Unsigned 64-bit numbers stay what they are
(Spark reads them as ``decimal(20, 0)``). Offsets, lengths and sizes are bytes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from pyspark_journal.scan.columns import COLUMNS
from pyspark_journal.scan.model import Records

STRUCTS = {
    "zeebe-journal": "zeebe",
    "kahadb-journal": "kahadb",
    "systemd-journal": "systemd",
    "zmq-raft": "zmq_raft",
}
"""Column that holds the fields of a format, by format id."""

CONTENTS = {"systemd-journal": {"fields"}, "zmq-raft": {"update", "state"}}
"""Fields that say what a record holds, not where it stands: with the payload, or not at all."""

TIME = pa.timestamp("us", "UTC")

_STRUCT_TYPES = {
    column: pa.struct([(field.name, field.type) for field in COLUMNS[format_id]])
    for format_id, column in STRUCTS.items()
}

RECORDS = pa.schema(
    [
        ("file", pa.string()),
        ("log", pa.string()),
        ("format", pa.string()),
        ("offset", pa.int64()),
        ("length", pa.int64()),
        ("time", TIME),
        ("payload", pa.binary()),
        ("payload_truncated", pa.bool_()),
        *_STRUCT_TYPES.items(),
    ]
)
"""A row is a record. ``time`` is the record's own clock; only systemd journals have one."""

DAMAGE = pa.schema(
    [
        ("file", pa.string()),
        ("log", pa.string()),
        ("format", pa.string()),
        ("offset", pa.int64()),
        ("length", pa.int64()),
        ("verdict", pa.string()),
        ("reason", pa.string()),
        ("file_size", pa.int64()),
    ]
)
"""A row is a lost range. ``verdict``: ``torn`` (an unfinished write at the end) or ``damaged``."""

FILES = pa.schema(
    [
        ("file", pa.string()),
        ("log", pa.string()),
        ("format", pa.string()),
        ("size", pa.int64()),
        ("modified", TIME),
        ("verdict", pa.string()),
        ("reason", pa.string()),
        ("log_verdict", pa.string()),
        ("log_reason", pa.string()),
        ("records", pa.int64()),
        ("record_bytes", pa.int64()),
        ("lost_ranges", pa.int64()),
        ("lost_bytes", pa.int64()),
        ("first_time", TIME),
        ("last_time", TIME),
        ("error", pa.string()),
    ]
)
"""A row is a file. ``format`` is null for one that is no log; ``verdict`` is that of the file,
``log_verdict`` that of the log it belongs to, both null where it could not be read to its end:
``error`` says why."""

_LAST_MICROSECOND = 2**63 - 1


def wanted_columns(format_id: str, payload: bool) -> frozenset[str]:
    """The fields of a format that the table has, with or without what the records hold."""
    names = frozenset(column.name for column in COLUMNS[format_id])
    return names if payload else names - CONTENTS.get(format_id, set())


def times(run: Records) -> pa.Array | None:
    """The clock of each record, microseconds since 1970; None for a format without one."""
    realtime = run.fields.get("realtime")
    if realtime is None:
        return None
    values = realtime.to_numpy(zero_copy_only=False)
    # Null stays null: as floats they would lose the last microseconds.
    known = np.asarray(realtime.is_valid()) if realtime.null_count else np.ones(len(run), bool)
    exact = np.asarray(realtime.fill_null(0)) if realtime.null_count else values
    fits = known & (exact <= np.uint64(_LAST_MICROSECOND))
    return pa.array(np.where(fits, exact, 0).astype(np.int64), mask=~fits)


def rows(run: Records, file: str, log: str, format_id: str) -> pa.RecordBatch:
    """A run of records as rows of :data:`RECORDS`."""
    n = len(run)
    clock = times(run)
    truncated = run.truncated if run.truncated is not None else np.zeros(n, bool)
    columns: dict[str, Any] = {
        "file": pa.repeat(pa.scalar(file), n),
        "log": pa.repeat(pa.scalar(log), n),
        "format": pa.repeat(pa.scalar(format_id), n),
        "offset": pa.array(run.at),
        "length": pa.array(run.size),
        "time": pa.nulls(n, TIME) if clock is None else clock.cast(pa.timestamp("us")).cast(TIME),
        "payload": pa.nulls(n, pa.binary()) if run.payload is None else run.payload,
        "payload_truncated": pa.array(truncated),
    }
    for column, kind in _STRUCT_TYPES.items():
        if STRUCTS.get(format_id) != column:
            columns[column] = pa.nulls(n, kind)
            continue
        parts = [run.fields.get(field.name, pa.nulls(n, field.type)) for field in kind]
        columns[column] = pa.StructArray.from_arrays(parts, fields=list(kind))
    return pa.RecordBatch.from_arrays([columns[name] for name in RECORDS.names], schema=RECORDS)
