"""Read logs as table rows: one for each record, each lost range and each log.

The Spark data source and ``walproof export`` share this module. Spark does not support unsigned
numbers, so a number that may exceed 2⁶³ is a bigint in two's complement.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from reference_impl.answer import Lost
from reference_impl.formats import FORMATS
from walproof.formats import plugin_for
from walproof.lake.names import printable_message, shown
from walproof.scanners.model import MAX_BYTES, PIECE_ROWS, Event, Records

#: Columns of every format.
FIXED = pa.schema(
    [
        # The path of the file that contains the record or lost range.
        pa.field("file", pa.string()),
        # A byte offset in the file. Null in a row that describes a whole log.
        pa.field("offset", pa.int64()),
        pa.field("length", pa.int64()),
        # The kind is record, lost, refused (the log is not of this format), unreadable (an I/O
        # error) or log.
        pa.field("kind", pa.string()),
        # The verdict is intact, torn, damaged or refused, or null for an unreadable log.
        pa.field("verdict", pa.string()),
        # The chapter of the format lists the reason codes.
        pa.field("reason", pa.string()),
        # This is a sentence or an error message, and null in most rows.
        pa.field("detail", pa.string()),
        pa.field("payload", pa.binary()),
        # True if the payload is truncated.
        pa.field("payload_truncated", pa.bool_()),
    ]
)
#: These columns describe the log. The last four are null except in rows of kind ``log``.
OF_LOGS = pa.schema(
    [
        # The path of the log, which is a file or a folder. One folder may hold several logs.
        pa.field("log", pa.string()),
        # Null if the file has no known format.
        pa.field("format", pa.string()),
        pa.field("modified", pa.timestamp("us", "UTC")),
        # The record contains this time. Null in formats without times.
        pa.field("time", pa.timestamp("us", "UTC")),
        # The number of times that a stream has restarted from the beginning of the log.
        pa.field("epoch", pa.int64()),
        pa.field("size", pa.int64()),
        pa.field("records", pa.int64()),
        pa.field("lost_bytes", pa.int64()),
        # A writer may continue at this offset. Null if the offset is unknown.
        pa.field("resume_offset", pa.int64()),
    ]
)
#: A file of unknown format has this reason code.
UNKNOWN_FORMAT = "unknown-format"
#: The worst verdict is first. A log that could not be read to its end has no verdict (None).
SEVERITY = ("refused", None, "damaged", "torn", "intact")


def schema(*formats: str) -> pa.Schema:
    """Return the fixed columns and then the columns of the formats.

    A column that has different types in two formats becomes text.
    """
    fields = {field.name: field for field in FIXED}
    for format_id in formats:
        for column in plugin_for(format_id).columns:
            field = pa.field(column.name, signed(column.type))
            if fields.setdefault(field.name, field).type != field.type:
                fields[field.name] = pa.field(field.name, pa.string())
    return pa.schema(fields.values())


def table_schema(has_payload: bool) -> pa.Schema:
    """Return the columns of an audit: the columns of all formats, with or without payloads."""
    content = {
        column.name
        for format_id in FORMATS
        for column in plugin_for(format_id).columns
        if column.field.is_content
    } | {"payload", "payload_truncated"}
    fields = [*OF_LOGS, *schema(*FORMATS)]
    return pa.schema(each for each in fields if has_payload or each.name not in content)


def signed(type: pa.DataType) -> pa.DataType:
    """Return the type of a table column for a scanner column: uint32 and uint64 become int64."""
    return pa.int64() if type in (pa.uint32(), pa.uint64()) else type


def joined(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Join small batches into batches of about ``PIECE_ROWS`` rows or ``MAX_BYTES`` bytes.

    Larger batches are faster, because the JVM spends about a millisecond on each batch.
    """
    held: list[pa.RecordBatch] = []
    rows = size = 0
    for each in batches:
        held.append(each)
        rows, size = rows + each.num_rows, size + each.nbytes
        if 2 * rows > PIECE_ROWS or 2 * size > MAX_BYTES:
            yield each if len(held) == 1 else pa.concat_batches(held)
            held, rows, size = [], 0, 0
    if rows:
        yield pa.concat_batches(held)


def batch(
    event: Event,
    schema: pa.Schema,
    file: str,
    more: Mapping[str, Any] | None = None,
) -> pa.RecordBatch | None:
    """Return the rows of an event, or None for an ``End`` without a refusal.

    ``schema`` may contain any of the fields that :func:`schema` returns. Unknown columns are null.
    ``file`` is the name of the log. ``more`` contains further columns: an array, or one value for
    all rows.
    """
    name = shown(file_name(file, event.file))
    columns: Mapping[str, Any]
    if isinstance(event, Records):
        return filled_batch(schema, len(event), _of_records(event, name) | dict(more or {}))
    if isinstance(event, Lost):
        columns = {
            "file": name,
            "offset": event.start,
            "length": event.end - event.start,
            "kind": "lost",
            "verdict": "torn" if event.torn else "damaged",
            "reason": event.reason,
        }
    elif event.verdict == "refused":
        columns = {"file": name, "kind": "refused", "verdict": "refused", "reason": event.reason}
    else:
        return None
    return filled_batch(schema, 1, columns | dict(more or {}))


def unreadable(schema: pa.Schema, file: str, error: str) -> pa.RecordBatch:
    """Return the row of a log that could not be read to its end."""
    columns = {"file": shown(file), "kind": "unreadable", "detail": printable_message(error)}
    return filled_batch(schema, 1, columns)


def file_name(log: str, file: str | None) -> str:
    """Return the path of a log's file in the form that rows contain.

    See :func:`~walproof.lake.names.shown`.
    """
    return log if file is None else f"{log.rstrip('/')}/{file}"


def payload_bytes(run: Records) -> int:
    """Return how many payload bytes a run has."""
    if run.payload is None or not len(run):
        return 0
    ends = np.frombuffer(run.payload.buffers()[1], np.int32)
    first = run.payload.offset
    return int(ends[first + len(run)]) - int(ends[first])


def _of_records(run: Records, file: str) -> dict[str, Any]:
    columns: dict[str, Any] = {
        "file": file,
        "offset": pa.array(run.at),
        "length": pa.array(run.size),
        "kind": "record",
        "verdict": "intact",
        **run.fields,
    }
    if run.payload is not None:
        columns["payload"] = run.payload
        is_cut = False if run.truncated is None else pa.array(run.truncated)
        columns["payload_truncated"] = is_cut
    return columns


def filled_batch(schema: pa.Schema, count: int, columns: Mapping[str, Any]) -> pa.RecordBatch:
    """Return ``count`` rows. A column is given as an array, or as one value for all rows.

    Other columns are null.
    """
    arrays = [_array(columns.get(field.name), field.type, count) for field in schema]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _array(value: Any, type: pa.DataType, count: int) -> pa.Array:
    if value is None:
        return pa.nulls(count, type)
    if not isinstance(value, pa.Array):
        # This is ten times faster, which matters for a damaged log with a million lost ranges.
        if count == 1:
            return pa.array([value], type)
        # Because of the explicit type, pyarrow does not try to import pandas on each call.
        return pa.repeat(pa.scalar(value, type), count)
    if value.type == pa.uint64() and type == pa.int64():
        return value.view(type)
    return value if value.type == type else value.cast(type)
