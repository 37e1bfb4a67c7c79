"""The three tables of an inventory: their columns, and the conversion of records to rows.

``records`` contains the records of all formats, with the column names of the data source
(:mod:`walproof.tables.rows`). Unsigned 64-bit numbers are stored as bigint in two's complement.
Offsets, lengths and sizes are in bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from conformance.text import one_line
from reference_impl.formats import FORMATS
from walproof import decode
from walproof.formats import plugin_for
from walproof.scan.model import Records
from walproof.tables import rows as table

TIME = pa.timestamp("us", "UTC")


def _own_columns() -> dict[str, pa.DataType]:
    """Return the columns that formats add; text if two formats disagree (``entry_type``)."""
    types: dict[str, pa.DataType] = {}
    for format_id in FORMATS:
        for field in table.schema(format_id):
            if field.name not in table.FIXED.names:
                is_equal = types.setdefault(field.name, field.type) == field.type
                types[field.name] = field.type if is_equal else pa.string()
    return types


#: One row per record. ``time`` is the record's own clock, null in formats without one. ``decoded``
#: is the decoded record as one line, null if decoding was not requested or impossible.
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
        ("decoded", pa.string()),
        *_own_columns().items(),
    ]
)

#: One row per lost range. ``verdict`` is ``torn`` (an unfinished write at the end) or ``damaged``.
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

#: One row per file. ``format`` is null for a file that is no log. ``verdict`` is that of the file,
#: ``log_verdict`` that of its log; both are null if the log could not be read to its end, for the
#: reason in ``error``. ``remark`` marks an intact log of zeros only. The reasons are those of the
#: first fault that the reader found; for a log that was read in parts, those of the first lost
#: range.
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
        ("remark", pa.string()),
    ]
)

#: Tables that tasks write; ``files`` is written at the end.
SCHEMAS = {"records": RECORDS, "damage": DAMAGE}

#: Maximum characters of ``decoded``; longer text is cut and ends with an ellipsis.
MAX_DECODED_CHARACTERS = 1 << 10
_LAST_MICROSECOND = 2**63 - 1


def wanted_columns(format_id: str, payload: bool) -> frozenset[str]:
    """Return the fields of a format in the table, with or without the content of records."""
    columns = plugin_for(format_id).columns
    return frozenset(column.name for column in columns if payload or not column.is_content)


def times(run: Records) -> pa.Array | None:
    """Return the time of each record, microseconds since 1970; None for a format without times."""
    realtime = run.fields.get("realtime")
    if realtime is None:
        return None
    values = realtime.to_numpy(zero_copy_only=False)
    # Nulls are masked: converted to floats, times would lose precision.
    valid = np.asarray(realtime.is_valid()) if realtime.null_count else np.ones(len(run), bool)
    exact = np.asarray(realtime.fill_null(0)) if realtime.null_count else values
    fits = valid & (exact <= np.uint64(_LAST_MICROSECOND))
    return pa.array(np.where(fits, exact, 0).astype(np.int64), mask=~fits)


def decoded(run: Records, format_id: str) -> pa.Array:
    """Return each decoded record as one line."""
    return pa.array([_line(text) for text, _ in decode.phrases(format_id, run)], pa.string())


def _line(text: str | None) -> str | None:
    if text is None:
        return None
    line = one_line(text[:MAX_DECODED_CHARACTERS])
    return line if len(text) <= MAX_DECODED_CHARACTERS else f"{line}…"


def without_content(run: Records, format_id: str) -> Records:
    """Return the run with the positions of its records, without their content."""
    names = wanted_columns(format_id, payload=False)
    fields = {name: column for name, column in run.fields.items() if name in names}
    return replace(run, payload=None, truncated=None, fields=fields)


def record_rows(
    run: Records, file: str, log: str, format_id: str, more: Mapping[str, pa.Array]
) -> pa.RecordBatch:
    """Return a run of records as rows of :data:`RECORDS`; ``more`` has precomputed columns."""
    columns: dict[str, Any] = {**more, "file": file, "log": log, "format": format_id}
    moments = times(run)
    if moments is not None:
        columns["time"] = moments.cast(pa.timestamp("us")).cast(TIME)
    batch = table.batch(run, RECORDS, log, columns)
    assert batch is not None
    return batch
