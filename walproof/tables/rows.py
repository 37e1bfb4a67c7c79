"""Convert logs to rows of a table, one for each record and each lost range.

The data source, ``walproof export --parquet`` and the audit share this schema. Spark does not
support unsigned numbers, so a number that may exceed 2⁶³ is a bigint in two's complement.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import pyarrow as pa

from reference_impl.answer import Lost
from walproof.formats import plugin_for
from walproof.lake.names import printable_message, shown
from walproof.scan.model import MAX_ROWS, PIECE_ROWS, Event, Records

#: Columns of every format.
FIXED = pa.schema(
    [
        # Path of the file; in a log of several files, of the one that has the record or range.
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
        # A sentence, or the message of an error; mostly null.
        pa.field("detail", pa.string()),
        pa.field("payload", pa.binary()),
        # True if the payload is truncated.
        pa.field("payload_truncated", pa.bool_()),
    ]
)
#: Columns for payloads.
OF_PAYLOADS = ("payload", "payload_truncated")


#: Number of rows up to which a constant column is created anew: many small logs have distinct
#: paths.
MAX_UNCACHED_ROWS = PIECE_ROWS // 8
#: Maximum size of a constant column that is cached for later runs. Creating one for each run of
#: small records would take as long as their scan.
MAX_CACHED_BYTES = 2 << 20

#: Function that creates a column of a type.
Make = Callable[[pa.DataType], pa.Array]


def schema(format_id: str) -> pa.Schema:
    """Return the columns of a format: the fixed ones, then its own."""
    own_fields = [
        pa.field(column.name, signed(column.type)) for column in plugin_for(format_id).columns
    ]
    return pa.schema([*FIXED, *own_fields])


def signed(type: pa.DataType) -> pa.DataType:
    """Return the type of a row's column for the type of a scanner's column."""
    return pa.int64() if type in (pa.uint32(), pa.uint64()) else type


def batch(
    event: Event,
    schema: pa.Schema,
    file: str,
    more: Mapping[str, pa.Array] | None = None,
) -> pa.RecordBatch | None:
    """Return the rows of an event, or None for an ``End`` without a refusal.

    ``schema`` may be any selection of the fields of :func:`schema`, in any order. A column that is
    constant for an event, such as ``file``, may be a dictionary of its type. ``file`` is the name
    of the log. ``more`` contains additional columns of the caller, with one value per row. Unknown
    columns are null.
    """
    columns: Mapping[str, Make]
    if isinstance(event, Records):
        count = len(event)
        columns = _of_records(event, file)
    elif isinstance(event, Lost):
        count = 1
        columns = {
            "file": _constant(shown(file_name(file, event.file)), 1),
            "offset": lambda _: pa.array([event.start], pa.int64()),
            "length": lambda _: pa.array([event.end - event.start], pa.int64()),
            "kind": _constant("lost", 1),
            "verdict": _constant("torn" if event.torn else "damaged", 1),
            "reason": _constant(event.reason, 1),
        }
    elif event.verdict == "refused":
        count = 1
        columns = {
            "file": _constant(shown(file_name(file, event.file)), 1),
            "kind": _constant("refused", 1),
            "verdict": _constant("refused", 1),
            "reason": _constant(event.reason, 1),
        }
    else:
        return None
    return _batch(schema, count, columns, more or {})


def unreadable(schema: pa.Schema, file: str, error: str) -> pa.RecordBatch:
    """Return the row of a log that could not be read to its end."""
    columns: Mapping[str, Make] = {
        "file": _constant(shown(file), 1),
        "kind": _constant("unreadable", 1),
        "detail": _constant(printable_message(error), 1),
    }
    return _batch(schema, 1, columns, {})


def file_name(log: str, file: str | None) -> str:
    """Return the path of a file of a log; rows have it as :func:`~walproof.lake.names.shown`."""
    return log if file is None else f"{log.rstrip('/')}/{file}"


def payload_bytes(run: Records) -> int:
    """Return the number of payload bytes of a run."""
    if run.payload is None or not len(run):
        return 0
    ends = np.frombuffer(run.payload.buffers()[1], np.int32)
    first = run.payload.offset
    return int(ends[first + len(run)]) - int(ends[first])


def _of_records(run: Records, file: str) -> dict[str, Make]:
    count = len(run)

    columns: dict[str, Make] = {
        "file": _constant(shown(file_name(file, run.file)), count),
        "offset": lambda _: pa.array(run.at),
        "length": lambda _: pa.array(run.size),
        "kind": _constant("record", count),
        "verdict": _constant("intact", count),
    }
    if run.payload is not None:
        columns["payload"] = lambda _: run.payload
        columns["payload_truncated"] = (
            _constant(False, count) if run.truncated is None else lambda _: pa.array(run.truncated)
        )
    for name, column in run.fields.items():
        columns[name] = partial(_signed, column)
    return columns


def _batch(
    schema: pa.Schema,
    count: int,
    makers: Mapping[str, Make],
    more: Mapping[str, pa.Array],
) -> pa.RecordBatch:
    columns = []
    for field in schema:
        if field.name in more:
            columns.append(more[field.name])
        elif field.name in makers:
            columns.append(makers[field.name](field.type))
        else:
            columns.append(_constant(None, count)(field.type))
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _signed(column: pa.Array, type: pa.DataType) -> pa.Array:
    if column.type == pa.uint64():
        return column.view(pa.int64())
    return column if column.type == type else column.cast(type)


def _constant(value: str | bool | None, count: int) -> Make:
    """Return a function that creates a constant column."""

    def make(type: pa.DataType) -> pa.Array:
        width = len(value) if isinstance(value, str) else 1
        length = PIECE_ROWS if count <= PIECE_ROWS else MAX_ROWS
        if MAX_UNCACHED_ROWS < count <= length and width * length <= MAX_CACHED_BYTES:
            return _constant_column(value, type, length)[:count]
        return _repeated(value, type, count)

    return make


def _repeated(value: str | bool | None, type: pa.DataType, count: int) -> pa.Array:
    if value is None:
        return pa.nulls(count, type)
    if pa.types.is_dictionary(type):
        numbers = pa.array(np.zeros(count, np.int32))
        return pa.DictionaryArray.from_arrays(numbers, pa.array([value], type.value_type))
    # With an explicit type, pyarrow does not try to import pandas on each call.
    return pa.repeat(pa.scalar(value, type), count)


@functools.lru_cache(maxsize=16)
def _constant_column(value: str | bool | None, type: pa.DataType, length: int) -> pa.Array:
    """Return a cached column of the maximum length, of which each run takes a part."""
    return _repeated(value, type, length)
