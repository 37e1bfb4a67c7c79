"""``walproof export --parquet``: a log as a Parquet file, without Spark."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from conformance.saving import named_in_errors, saved
from reference_impl.answer import End, Lost, end_to_json
from walproof import decode
from walproof.scan import scanner
from walproof.scan.log import Log
from walproof.scan.model import Event, Records, Wanted
from walproof.tables import encodings, rows
from walproof.tables.batches import Pile

DECODED = "decoded"
COMPRESSION = "lz4"
"""docs/speed.md has what was measured."""
AUTO = "auto"
"""That one, but payloads as they are if a sample of them does not get smaller."""
STORED = "none"


@dataclass(frozen=True)
class Exported:
    """What was written: rows of records, their payloads in bytes, rows of lost ranges; the end.

    ``is_stored``: payloads were not compressed, because a sample of them did not get smaller.
    """

    records: int
    payload_bytes: int
    lost: int
    end: End
    is_stored: bool = False


def to_parquet(
    log: Log,
    format_id: str,
    out: Path,
    compression: str = AUTO,
    max_payload: int = Wanted.max_payload,
    progress: Callable[[int], None] = lambda records: None,
    is_decoded: bool = False,
    has_payloads: bool = True,
) -> Exported:
    """Write the rows of a log (``walproof.tables.rows``), in log order, as they are found.

    With ``is_decoded`` there is a column more, the struct ``decoded`` of :mod:`walproof.decode`;
    where it is null, ``detail`` says why. Without ``has_payloads`` the columns ``payload`` and
    ``payload_truncated`` are left out, and payloads are not copied, unless they are decoded.

    The file appears under its name when it is whole, and replaces what was there. Its key-value
    metadata are ``walproof.format``, ``walproof.verdict``, ``walproof.reason`` and
    ``walproof.end`` (as in an answer, as text). Raises ``OSError``, and ``ValueError`` for a
    context that the format does not understand.
    """
    schema = rows.schema(format_id)
    if not has_payloads:
        schema = pa.schema([field for field in schema if field.name not in rows.OF_PAYLOADS])
    if is_decoded:
        schema = schema.append(pa.field(DECODED, decode.type_of(format_id)))
    wanted = Wanted(has_payloads or is_decoded, None, max_payload, dictionaries=True)
    with saved(out) as file, _Groups(out, file.name, schema, format_id, compression) as groups:
        exported = _write(groups, log, format_id, wanted, progress)
        groups.finish(_metadata(format_id, exported.end) | _types(schema))
    return replace(exported, is_stored=groups.is_stored)


class _Groups:
    """Row groups of the file ``unfinished``, which errors call ``out``.

    pyarrow writes to a file of its own: through one of Python's it copies every page once more.
    The Parquet file begins with the first row group, which says how payloads are compressed.
    """

    def __init__(
        self, out: Path, unfinished: str, schema: pa.Schema, format_id: str, compression: str
    ) -> None:
        self.out, self.format, self.compression = out, format_id, compression
        self.schema = encodings.handed_over(schema, format_id)
        self.is_stored = False
        self._made: pq.ParquetWriter | None = None
        with named_in_errors(out):
            self._file = pa.OSFile(os.fsencode(unfinished), "wb")

    def write(self, batches: Sequence[pa.RecordBatch]) -> None:
        """Write these batches as one."""
        table = pa.Table.from_batches(batches, self.schema).unify_dictionaries()
        with named_in_errors(self.out):
            self._writer(table).write_table(table, row_group_size=len(table))

    def finish(self, metadata: Mapping[str, str]) -> None:
        """Write what stands at the end of the file, these metadata too."""
        made = self._writer(self.schema.empty_table())
        made.add_key_value_metadata(dict(metadata))
        with named_in_errors(self.out):
            made.close()
            self._file.close()

    def __enter__(self) -> _Groups:
        return self

    def __exit__(self, *_: object) -> None:
        if self._made is not None and self._made.is_open:
            # Another error is on its way, and the file goes.
            with suppress(OSError, pa.ArrowException):
                self._made.close()
            self._made.is_open = False  # or its end tries again, and complains
        with suppress(OSError):
            self._file.close()

    def _writer(self, first: pa.Table) -> pq.ParquetWriter:
        if self._made is None:
            compression, payloads = self.compression, None
            if compression == AUTO:
                compression = COMPRESSION
                if encodings.PAYLOAD in first.column_names and len(first):
                    column = first[encodings.PAYLOAD]
                    self.is_stored = not encodings.gets_smaller(column, compression)
                    payloads = STORED if self.is_stored else compression
            told = encodings.properties(self.schema, self.format, compression, payloads)
            self._made = pq.ParquetWriter(self._file, self.schema, **told)
        return self._made


def _types(schema: pa.Schema) -> dict[str, str]:
    """What Arrow's readers take the types from: text, however it was handed over."""
    return {"ARROW:schema": base64.b64encode(schema.serialize().to_pybytes()).decode()}


def _write(
    groups: _Groups,
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
        for batch in _batches(event, format_id, str(log.path), groups.schema):
            group.add(batch)
            if group.is_group:
                groups.write(group.take())
                progress(records)
    if group.rows:
        groups.write(group.take())
        progress(records)
    assert end is not None
    return Exported(records, payload_bytes, lost, end)


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
