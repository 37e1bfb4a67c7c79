"""The three tables of an inventory: their columns, and a run of records as rows.

``records`` holds all formats at once, under the names that the data source has for them
(:mod:`walproof.tables.rows`): unsigned 64-bit numbers are bigint in two's complement. Offsets,
lengths and sizes are bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

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
    """The columns that formats add; text where two formats disagree (``entry_type``)."""
    types: dict[str, pa.DataType] = {}
    for format_id in FORMATS:
        for field in table.schema(format_id):
            if field.name not in table.FIXED.names:
                same = types.setdefault(field.name, field.type) == field.type
                types[field.name] = field.type if same else pa.string()
    return types


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
"""A row is a record. ``time`` is the record's own clock, null in formats that have none.
``decoded`` says in a line what the record means, null where nobody asked or it means nothing."""

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
        ("remark", pa.string()),
    ]
)
"""A row is a file. ``format`` is null for one that is no log; ``verdict`` is that of the file,
``log_verdict`` that of the log it belongs to, both null where it could not be read to its end:
``error`` says why. ``remark`` is what a sound log is told for all that: nothing but zeros. The
reasons are those of the first fault that the reader met; of a log that was
read in parts, of the lost range that comes first."""

SCHEMAS = {"records": RECORDS, "damage": DAMAGE}
"""The tables that tasks write; ``files`` is written when all is read."""

MAX_DECODED_CHARACTERS = 1 << 10
"""The text of a longer ``decoded`` is cut and ends with an ellipsis."""
_LAST_MICROSECOND = 2**63 - 1


def wanted_columns(format_id: str, payload: bool) -> frozenset[str]:
    """The fields of a format that the table has, with or without what the records hold."""
    columns = plugin_for(format_id).columns
    return frozenset(column.name for column in columns if payload or not column.is_content)


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


def decoded(run: Records, format_id: str) -> pa.Array:
    """What each record says, in a line."""
    return pa.array([_line(text) for text, _ in decode.phrases(format_id, run)], pa.string())


def _line(text: str | None) -> str | None:
    if text is None:
        return None
    line = one_line(text[:MAX_DECODED_CHARACTERS])
    return line if len(text) <= MAX_DECODED_CHARACTERS else f"{line}…"


def without_content(run: Records, format_id: str) -> Records:
    """The run with where its records are, and without what they hold."""
    where = wanted_columns(format_id, payload=False)
    fields = {name: column for name, column in run.fields.items() if name in where}
    return replace(run, payload=None, truncated=None, fields=fields)


def record_rows(
    run: Records, file: str, log: str, format_id: str, more: Mapping[str, pa.Array]
) -> pa.RecordBatch:
    """A run of records as rows of :data:`RECORDS`; ``more`` has columns that are made already."""
    n = len(run)
    moments = times(run)
    time = pa.nulls(n, TIME) if moments is None else moments.cast(pa.timestamp("us")).cast(TIME)
    more = {
        **more,
        "file": _same(file, n),
        "log": _same(log, n),
        "format": _same(format_id, n),
        "time": time,
    }
    for name, column in run.fields.items():
        if RECORDS.field(name).type == pa.string() and column.type != pa.string():
            more[name] = column.cast(pa.string())
    made = table.batch(run, RECORDS, log, more)
    assert made is not None
    return made


def _same(text: str, n: int) -> pa.Array:
    # Without the type, pyarrow looks for pandas each time, in vain.
    return pa.repeat(pa.scalar(text, pa.string()), n)
