"""The three tables of an inventory: their columns, and the conversion of records to rows.

``records`` contains the records of all formats, with the column names of the data source
(:mod:`walproof.tables.rows`). Unsigned 64-bit numbers are stored as bigint in two's complement.
Offsets, lengths and sizes are in bytes.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from conformance.text import one_line
from reference_impl.formats import FORMATS
from walproof.decode import phrases
from walproof.formats import plugin_for
from walproof.scan.model import Records
from walproof.tables import rows as table

TIME = pa.timestamp("us", "UTC")


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
        *list(table.schema(*FORMATS))[len(table.FIXED) :],
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


def wanted_columns(format_id: str, payload: bool) -> frozenset[str]:
    """Return the fields of a format in the table, with or without the content of records."""
    columns = plugin_for(format_id).columns
    return frozenset(column.name for column in columns if payload or not column.is_content)


def times(run: Records) -> pa.Array | None:
    """Return the time of each record, microseconds since 1970; None for a format without times."""
    realtime = run.fields.get("realtime")
    if realtime is None:
        return None
    is_valid = pc.less_equal(realtime, pa.scalar(2**63 - 1, pa.uint64()))
    return pc.if_else(is_valid, realtime, pa.scalar(None, pa.uint64())).cast(pa.int64())


def record_rows(
    run: Records, log: str, path: str, format_id: str, payload: bool, decode: bool
) -> pa.RecordBatch:
    """Return a run of records as rows of :data:`RECORDS`.

    Without ``payload``, they have the positions of records, without their content.
    """
    columns: dict[str, Any] = {"log": log, "format": format_id}
    moments = times(run)
    if moments is not None:
        columns["time"] = moments
    if decode:
        texts = [_line(text) for text, _ in phrases(format_id, run)]
        columns["decoded"] = pa.array(texts, pa.string())
    if not payload:
        content = run.fields.keys() - wanted_columns(format_id, payload=False)
        columns |= dict.fromkeys([*table.OF_PAYLOADS, *content])
    batch = table.batch(run, RECORDS, path, columns)
    assert batch is not None
    return batch


def _line(text: str | None) -> str | None:
    if text is None:
        return None
    line = one_line(text[:MAX_DECODED_CHARACTERS])
    return line if len(text) <= MAX_DECODED_CHARACTERS else f"{line}…"
