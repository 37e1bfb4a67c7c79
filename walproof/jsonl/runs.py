"""Convert the events of a scanner to JSON lines, one run of records at a time.

Most runs are converted column by column, about fifty times as fast as record by record. A run is
converted record by record if it has text that JSON escapes, a field that is neither a number nor
text, or a payload that is shown as a hash. Both ways produce the same bytes.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conformance.text import json_text
from reference_impl.answer import INLINE_PAYLOAD_LIMIT
from walproof.formats import plugin_for
from walproof.jsonl import line, pieces
from walproof.scan import columns
from walproof.scan.answers import records
from walproof.scan.model import Event, Records

#: Two hexadecimal digits for each byte.
_HEX = np.frombuffer(bytes(range(256)).hex().encode(), np.uint16)


def lines(format_id: str, events: Iterable[Event]) -> Iterator[bytes | memoryview]:
    """Yield the lines of a scanner's events, in pieces of a partial line, one line or many
    lines."""
    for event in events:
        if not isinstance(event, Records):
            yield line(event).encode()
            continue
        for run in event.pieces():
            if (joined := _joined(format_id, run)) is not None:
                yield joined
                continue
            for record in records(format_id, run):
                for piece in pieces(plugin_for(format_id).add_fields(record)):
                    yield piece.encode()


def _joined(format_id: str, run: Records) -> memoryview | None:
    """Return the lines of a run; None if it must take the slow path."""
    payload = run.payload
    if payload is None or run.truncated is not None or plugin_for(format_id).adds_fields:
        return None
    if not len(run):
        return None
    ends = np.frombuffer(payload.buffers()[1], np.int32)[payload.offset :][: len(run) + 1]
    if int(np.diff(ends).max()) > INLINE_PAYLOAD_LIMIT:
        return None
    file = f'"file": {json_text(run.file)}, ' if run.file is not None else ""
    pieces = [f'{{"record": {{{file}"at": ', pa.array(run.at).cast(pa.string())]
    pieces += [', "size": ', pa.array(run.size).cast(pa.string())]
    for column in plugin_for(format_id).columns:
        if column.name in run.fields:
            piece = _field(column, run.fields[column.name])
            if piece is None:
                return None
            pieces.append(piece)
    pieces += [', "payload": "', _hex(payload, ends), '"}}\n', ""]
    joined = pc.binary_join_element_wise(*pieces)
    _, offsets, data = joined.buffers()
    first, *_, last = np.frombuffer(offsets, np.int32)[joined.offset :][: len(run) + 1][[0, -1]]
    return memoryview(data)[int(first) : int(last)]


def _field(column: columns.Column, values: pa.Array) -> pa.Array | None:
    """Return ``, "name": value`` for each record that has the field."""
    name = f", {json_text(column.name)}: "
    column_type = type(column)
    if column_type is columns.NumberColumn:
        text = pc.binary_join_element_wise(f'{name}"', values.cast(pa.string()), '"', "")
    elif column_type is columns.Column and pa.types.is_integer(values.type):
        text = pc.binary_join_element_wise(name, values.cast(pa.string()), "")
    elif column_type is columns.Column and pa.types.is_string(values.type):
        if pc.any(pc.match_substring_regex(values, columns.TO_ESCAPE)).as_py():
            return None
        text = pc.binary_join_element_wise(f'{name}"', values, '"', "")
    elif values.null_count == len(values):
        return _empty_texts(len(values))
    else:
        return None
    return text.fill_null("")


@functools.lru_cache(maxsize=8)
def _empty_texts(count: int) -> pa.Array:
    return pa.repeat(pa.scalar("", pa.string()), count)


def _hex(payload: pa.Array, ends: np.ndarray[tuple[int], np.dtype[np.int32]]) -> pa.Array:
    first, last = int(ends[0]), int(ends[-1])
    data = payload.buffers()[2]
    plain = np.frombuffer(data, np.uint8)[first:last] if data is not None else np.empty(0, np.uint8)
    digits = pa.py_buffer(_HEX[plain])
    offsets = pa.py_buffer(((ends - first) * 2).astype(np.int32))
    return pa.StringArray.from_buffers(len(payload), offsets, digits)
