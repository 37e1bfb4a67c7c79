"""Convert logs to rows of a table, one for each record and each lost range.

Spark does not support unsigned numbers, so a number that may exceed 2⁶³ is a bigint in two's
complement.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from reference_impl.answer import Lost
from reference_impl.formats import FORMATS
from walproof import decode
from walproof.formats import plugin_for
from walproof.lake.names import printable_message, shown
from walproof.scan.model import Event, Records

#: Columns of every format.
FIXED = pa.schema(
    [
        # Path of the file. In a log of several files, the file that contains the record or range.
        pa.field("file", pa.string()),
        # Position in that file, in bytes. Null in a row for a whole log.
        pa.field("offset", pa.int64()),
        pa.field("length", pa.int64()),
        # record, lost, refused (the log is not of this format) or unreadable (an I/O error).
        pa.field("kind", pa.string()),
        # Verdict of the row: intact, torn, damaged or refused. Null for an unreadable log.
        pa.field("verdict", pa.string()),
        # Reason code from the chapter of the format.
        pa.field("reason", pa.string()),
        # A sentence or an error message; null in most rows.
        pa.field("detail", pa.string()),
        pa.field("payload", pa.binary()),
        # True if the payload is truncated.
        pa.field("payload_truncated", pa.bool_()),
    ]
)
#: Columns that describe payloads.
OF_PAYLOADS = ("payload", "payload_truncated")
DECODED = "decoded"


def schema(*formats: str) -> pa.Schema:
    """Return the fixed columns and then the columns of the formats.

    If two formats have a column of different types, the column is text.
    """
    fields = {field.name: field for field in FIXED}
    for format_id in formats:
        for column in plugin_for(format_id).columns:
            field = pa.field(column.name, signed(column.type))
            if fields.setdefault(field.name, field).type != field.type:
                fields[field.name] = pa.field(field.name, pa.string())
    return pa.schema(fields.values())


def decoded_type(format: str) -> pa.DataType:
    """Return the type of the column ``decoded``; ``auto`` has one field for each format."""
    if format != "auto":
        return decode.type_of(format)
    return pa.struct((_member(each), decode.type_of(each)) for each in FORMATS)


def decoded(run: Records, format_id: str, type: pa.DataType) -> dict[str, pa.Array]:
    """Return the column ``decoded`` of the given type, and the column ``detail`` for null structs.

    ``type`` is a result of :func:`decoded_type`.

    Divide a long run with :func:`walproof.decode.pieces` first.
    """
    value, fault = decode.decoded(format_id, run)
    if type.get_field_index(_member(format_id)) >= 0:
        value = pa.StructArray.from_arrays(
            [
                value if each.name == _member(format_id) else pa.nulls(len(run), each.type)
                for each in type
            ],
            fields=list(type),
            mask=value.is_null(),
        )
    return {DECODED: value, "detail": fault}


def _member(format_id: str) -> str:
    return format_id.replace("-", "_")


def signed(type: pa.DataType) -> pa.DataType:
    """Return the type of a table column for a scanner column: uint32 and uint64 become int64."""
    return pa.int64() if type in (pa.uint32(), pa.uint64()) else type


def batch(
    event: Event,
    schema: pa.Schema,
    file: str,
    more: Mapping[str, Any] | None = None,
) -> pa.RecordBatch | None:
    """Return the rows of an event, or None for an ``End`` without a refusal.

    ``schema`` may be any selection of the fields of :func:`schema`; unknown columns are null.
    ``file`` is the name of the log. ``more`` contains arrays, or one value for all rows.
    """
    name = shown(file_name(file, event.file))
    columns: Mapping[str, Any]
    if isinstance(event, Records):
        return _batch(schema, len(event), _of_records(event, name) | dict(more or {}))
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
    return _batch(schema, 1, columns | dict(more or {}))


def unreadable(schema: pa.Schema, file: str, error: str) -> pa.RecordBatch:
    """Return the row of a log that could not be read to its end."""
    columns = {"file": shown(file), "kind": "unreadable", "detail": printable_message(error)}
    return _batch(schema, 1, columns)


def file_name(log: str, file: str | None) -> str:
    """Return the path of a file of a log.

    Rows contain the path as returned by :func:`~walproof.lake.names.shown`.
    """
    return log if file is None else f"{log.rstrip('/')}/{file}"


def payload_bytes(run: Records) -> int:
    """Return the number of payload bytes of a run."""
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


def _batch(schema: pa.Schema, count: int, columns: Mapping[str, Any]) -> pa.RecordBatch:
    arrays = [_array(columns.get(field.name), field.type, count) for field in schema]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _array(value: Any, type: pa.DataType, count: int) -> pa.Array:
    if value is None:
        return pa.nulls(count, type)
    if not isinstance(value, pa.Array):
        if count == 1:  # ten times faster; a damaged log may have a million lost ranges
            return pa.array([value], type)
        # With an explicit type, pyarrow does not try to import pandas on each call.
        return pa.repeat(pa.scalar(value, type), count)
    if value.type == pa.uint64() and type == pa.int64():
        return value.view(type)
    return value if value.type == type else value.cast(type)
