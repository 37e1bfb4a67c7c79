"""``walproof export --parquet``: a log as a Parquet file, without Spark."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from conformance.saving import saved
from reference_impl.answer import End, Lost, end_to_json
from walproof import decode
from walproof.scan import scanner
from walproof.scan.columns import JsonColumn, columns_of
from walproof.scan.log import Log
from walproof.scan.model import Event, Records, Wanted
from walproof.tables import rows
from walproof.tables.batches import Pile

DECODED = "decoded"
GROUP_BYTES = 32 << 20
GROUP_ROWS = 1 << 18
"""A row group is written when either is reached."""
COMPRESSION = "lz4"
"""docs/speed.md has what was measured."""
CONSTANT = ("file", "kind", "verdict", "reason")
"""Columns of a few values, which are handed over as dictionaries: nobody hashes each row."""


@dataclass(frozen=True)
class Exported:
    """What was written: rows of records, their payloads in bytes, rows of lost ranges; the end."""

    records: int
    payload_bytes: int
    lost: int
    end: End


def to_parquet(
    log: Log,
    format_id: str,
    out: Path,
    compression: str = COMPRESSION,
    max_payload: int = Wanted.max_payload,
    progress: Callable[[int], None] = lambda records: None,
    is_decoded: bool = False,
) -> Exported:
    """Write the rows of a log (``walproof.tables.rows``), in log order, as they are found.

    With ``is_decoded`` there is a column more, the struct ``decoded`` of :mod:`walproof.decode`;
    where it is null, ``detail`` says why.

    The file appears under its name when it is whole, and replaces what was there. Its key-value
    metadata are ``walproof.format``, ``walproof.verdict``, ``walproof.reason`` and
    ``walproof.end`` (as in an answer, as text). Raises ``OSError``, and ``ValueError`` for a
    context that the format does not understand.
    """
    schema = rows.schema(format_id)
    if is_decoded:
        schema = schema.append(pa.field(DECODED, decode.type_of(format_id)))
    with (
        saved(out) as file,
        pq.ParquetWriter(
            file,
            _handed_over(schema),
            compression=compression,
            store_schema=False,
            **_cheap(schema, format_id),
        ) as made,
    ):
        exported = _write(made, log, format_id, Wanted(max_payload=max_payload), progress)
        made.add_key_value_metadata(_metadata(format_id, exported.end) | _types(schema))
    return exported


def _cheap(schema: pa.Schema, format_id: str) -> dict[str, Any]:
    """Payloads are hardly ever the same, so neither dictionaries nor statistics of them help.

    Nor of JSON, of which a dictionary holds one copy and the statistics two, however long it is.
    Nor do dictionaries of numbers: offsets and indices rise, and their differences take least.
    """
    unlike = {one.name for one in columns_of(format_id) if isinstance(one, JsonColumn)}
    others = [name for name in schema.names if name not in unlike | {"payload"}]
    numbers = [field.name for field in schema if pa.types.is_integer(field.type)]
    return {
        "use_dictionary": [name for name in others if name not in numbers],
        "write_statistics": others,
        "column_encoding": dict.fromkeys(numbers, "DELTA_BINARY_PACKED"),
    }


def _handed_over(schema: pa.Schema) -> pa.Schema:
    """The schema of the batches that are written."""
    of_text = pa.dictionary(pa.int32(), pa.string())
    return pa.schema(
        [field.with_type(of_text) if field.name in CONSTANT else field for field in schema]
    )


def _types(schema: pa.Schema) -> dict[str, str]:
    """What Arrow's readers take the types from: text, however it was handed over."""
    return {"ARROW:schema": base64.b64encode(schema.serialize().to_pybytes()).decode()}


def _write(
    made: pq.ParquetWriter,
    log: Log,
    format_id: str,
    wanted: Wanted,
    progress: Callable[[int], None],
) -> Exported:
    records = payload_bytes = lost = 0
    end: End | None = None
    group = Pile()
    for event in scanner(format_id).scan(log, wanted):
        if isinstance(event, Records):
            records += len(event)
            payload_bytes += rows.payload_bytes(event)
        elif isinstance(event, Lost):
            lost += 1
        else:
            end = event
        for batch in _batches(event, format_id, str(log.path), made.schema):
            group.add(batch)
            if group.nbytes >= GROUP_BYTES or group.rows >= GROUP_ROWS:
                _write_group(made, group)
                progress(records)
    if group.rows:
        _write_group(made, group)
        progress(records)
    assert end is not None
    return Exported(records, payload_bytes, lost, end)


def _write_group(made: pq.ParquetWriter, group: Pile) -> None:
    table = pa.Table.from_batches(group.take()).unify_dictionaries()
    made.write_table(table, row_group_size=GROUP_ROWS)


def _batches(
    event: Event, format_id: str, file: str, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    """The rows of an event; those of records that are decoded come in pieces."""
    if isinstance(event, Records) and DECODED in schema.names:
        for piece in decode.pieces(format_id, event):
            value, fault = decode.decoded(format_id, piece)
            batch = rows.batch(piece, schema, file, {DECODED: value, "detail": fault})
            assert batch is not None
            yield batch
    elif (batch := rows.batch(event, schema, file)) is not None:
        yield batch


def _metadata(format_id: str, end: End) -> dict[str, str]:
    return {
        "walproof.format": format_id,
        "walproof.verdict": end.verdict,
        "walproof.reason": end.reason or "",
        "walproof.end": json.dumps(end_to_json(end.end, end.file)),
    }
