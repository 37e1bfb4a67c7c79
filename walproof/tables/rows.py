"""Rows of a table: what a scanner says of a log, one row for each record and each lost range.

The data source, ``walproof export --parquet`` and the audit share this schema. It has no unsigned
numbers, which Spark lacks: what may pass 2⁶³ is a bigint in two's complement.
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

FIXED = pa.schema(
    [
        # The path of the file that the row is about; in a log of several files, that of the file.
        pa.field("file", pa.string()),
        # Where the record or range lies in that file, in bytes. Null in a row on a whole log.
        pa.field("offset", pa.int64()),
        pa.field("length", pa.int64()),
        # record, lost, refused (the log is not of this format) or unreadable (an I/O error).
        pa.field("kind", pa.string()),
        # Of the row: intact, torn, damaged or refused. Null where nothing could be read.
        pa.field("verdict", pa.string()),
        # The reason code of the format's chapter.
        pa.field("reason", pa.string()),
        # A sentence, or the text of an error; mostly null.
        pa.field("detail", pa.string()),
        pa.field("payload", pa.binary()),
        # Whether the payload is only the first bytes of it.
        pa.field("payload_truncated", pa.bool_()),
    ]
)
"""The columns that every format has."""
OF_PAYLOADS = ("payload", "payload_truncated")
"""Those of them that are about payloads."""


FEW = PIECE_ROWS // 8
"""Rows up to which a column of one value is made anew: many small logs have a path each."""
KEPT_BYTES = 2 << 20
"""How much a column of one value may take, to be kept for the next run. Made anew for each, those
of small records take as long as their scan."""

Make = Callable[[pa.DataType], pa.Array]
"""Makes a column of a type, which matters where one value is repeated."""


def schema(format_id: str) -> pa.Schema:
    """The columns of a format: the fixed ones, then its own."""
    own = [pa.field(column.name, signed(column.type)) for column in plugin_for(format_id).columns]
    return pa.schema([*FIXED, *own])


def signed(type: pa.DataType) -> pa.DataType:
    """The type in a row of a type in a scanner's column."""
    return pa.int64() if type in (pa.uint32(), pa.uint64()) else type


def batch(
    event: Event,
    schema: pa.Schema,
    file: str,
    more: Mapping[str, pa.Array] | None = None,
) -> pa.RecordBatch | None:
    """The rows of an event; None for an ``End`` that refuses nothing.

    ``schema`` may be any choice of :func:`schema`'s fields in any order, and what is the same in
    all rows of an event, such as ``file``, may be a dictionary of its type there. ``file`` is the
    name of the log. ``more`` has the columns that the caller makes itself, as long as the event
    has rows; a column that nobody knows is null.
    """
    known: Mapping[str, Make]
    if isinstance(event, Records):
        count = len(event)
        known = _of_records(event, file)
    elif isinstance(event, Lost):
        count = 1
        known = {
            "file": _same(shown(file_name(file, event.file)), 1),
            "offset": lambda _: pa.array([event.start], pa.int64()),
            "length": lambda _: pa.array([event.end - event.start], pa.int64()),
            "kind": _same("lost", 1),
            "verdict": _same("torn" if event.torn else "damaged", 1),
            "reason": _same(event.reason, 1),
        }
    elif event.verdict == "refused":
        count = 1
        known = {
            "file": _same(shown(file_name(file, event.file)), 1),
            "kind": _same("refused", 1),
            "verdict": _same("refused", 1),
            "reason": _same(event.reason, 1),
        }
    else:
        return None
    return _batch(schema, count, known, more or {})


def unreadable(schema: pa.Schema, file: str, error: str) -> pa.RecordBatch:
    """The row of a log that could not be read to its end."""
    known: Mapping[str, Make] = {
        "file": _same(shown(file), 1),
        "kind": _same("unreadable", 1),
        "detail": _same(printable_message(error), 1),
    }
    return _batch(schema, 1, known, {})


def file_name(log: str, file: str | None) -> str:
    """The path of a file of a log; rows have it as :func:`~walproof.lake.names.shown`."""
    return log if file is None else f"{log.rstrip('/')}/{file}"


def payload_bytes(run: Records) -> int:
    """How many bytes of payload a run has."""
    if run.payload is None or not len(run):
        return 0
    ends = np.frombuffer(run.payload.buffers()[1], np.int32)
    first = run.payload.offset
    return int(ends[first + len(run)]) - int(ends[first])


def _of_records(run: Records, file: str) -> dict[str, Make]:
    count = len(run)

    known: dict[str, Make] = {
        "file": _same(shown(file_name(file, run.file)), count),
        "offset": lambda _: pa.array(run.at),
        "length": lambda _: pa.array(run.size),
        "kind": _same("record", count),
        "verdict": _same("intact", count),
    }
    if run.payload is not None:
        known["payload"] = lambda _: run.payload
        known["payload_truncated"] = (
            _same(False, count) if run.truncated is None else lambda _: pa.array(run.truncated)
        )
    for name, column in run.fields.items():
        known[name] = partial(_signed, column)
    return known


def _batch(
    schema: pa.Schema,
    count: int,
    known: Mapping[str, Make],
    more: Mapping[str, pa.Array],
) -> pa.RecordBatch:
    columns = []
    for field in schema:
        if field.name in more:
            columns.append(more[field.name])
        elif field.name in known:
            columns.append(known[field.name](field.type))
        else:
            columns.append(_same(None, count)(field.type))
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _signed(column: pa.Array, type: pa.DataType) -> pa.Array:
    if column.type == pa.uint64():
        return column.view(pa.int64())
    return column if column.type == type else column.cast(type)


def _same(value: str | bool | None, count: int) -> Make:
    """One value in all rows."""

    def make(type: pa.DataType) -> pa.Array:
        longest = len(value) if isinstance(value, str) else 1
        most = PIECE_ROWS if count <= PIECE_ROWS else MAX_ROWS
        if FEW < count <= most and longest * most <= KEPT_BYTES:
            return _constant_column(value, type, most)[:count]
        return _repeated(value, type, count)

    return make


def _repeated(value: str | bool | None, type: pa.DataType, count: int) -> pa.Array:
    if value is None:
        return pa.nulls(count, type)
    if pa.types.is_dictionary(type):
        numbers = pa.array(np.zeros(count, np.int32))
        return pa.DictionaryArray.from_arrays(numbers, pa.array([value], type.value_type))
    # With its type: to infer one, pyarrow would look for pandas each time.
    return pa.repeat(pa.scalar(value, type), count)


@functools.lru_cache(maxsize=16)
def _constant_column(value: str | bool | None, type: pa.DataType, most: int) -> pa.Array:
    """As many as a run or a piece of one may have, of which each takes the first."""
    return _repeated(value, type, most)
