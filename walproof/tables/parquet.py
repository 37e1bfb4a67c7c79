"""Parquet files of logs: rows in large groups, written atomically."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

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
#: docs/speed.md has the measurements.
COMPRESSION = "lz4"
#: ``COMPRESSION``, but payloads uncompressed if a sample of them does not get smaller.
AUTO = "auto"
STORED = "none"


@dataclass(frozen=True)
class Exported:
    """The result of an export: the numbers of records, payload bytes and lost ranges, and the end.

    ``is_stored`` is true if payloads were stored without compression, because a sample did not
    become smaller.
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
    """Write the rows of a log (``walproof.tables.rows``) in log order, incrementally.

    If ``is_decoded`` is true, there is an additional column: the struct ``decoded`` of
    :mod:`walproof.decode`. If the struct is null, ``detail`` contains the reason. If
    ``has_payloads`` is false, the columns ``payload`` and ``payload_truncated`` are left out.

    The file is written atomically and replaces an existing file. Its key-value metadata contain the
    format, verdict, reason and end of the answer as text, under the keys ``walproof.format``,
    ``walproof.verdict``, ``walproof.reason`` and ``walproof.end``. Raises ``OSError``, and
    ``ValueError`` for a context that the format does not support.
    """
    schema = rows.schema(format_id)
    if not has_payloads:
        schema = pa.schema([field for field in schema if field.name not in rows.OF_PAYLOADS])
    if is_decoded:
        schema = schema.append(pa.field(DECODED, decode.type_of(format_id)))
    selection = Wanted(has_payloads or is_decoded, None, max_payload, dictionaries=True)
    choice = _Compression(compression, format_id)
    with ParquetFile(out, encodings.handed_over(schema, format_id), choice) as file:
        exported = _write(file, log, format_id, selection, progress)
        file.finish(_metadata(format_id, exported.end) | _types(schema))
    return replace(exported, is_stored=choice.is_stored)


class ParquetFile:
    """Write a Parquet file atomically, in large row groups.

    ``properties`` returns the arguments of ``pyarrow.parquet.ParquetWriter``, given the first row
    group. All methods raise ``OSError`` with the name of the file.
    """

    def __init__(
        self, path: Path, schema: pa.Schema, properties: Callable[[pa.Table], Mapping[str, Any]]
    ) -> None:
        self.path, self.schema = path, schema
        self._properties = properties
        self._pile = Pile()
        self._writer: pq.ParquetWriter | None = None
        self._open_files = ExitStack()

    def __enter__(self) -> ParquetFile:
        return self

    def __exit__(self, *error: Any) -> None:
        """Remove the file if an error ends the block before :meth:`finish`."""
        if self._writer is not None and self._writer.is_open:
            with suppress(OSError, pa.ArrowException):
                self._writer.close()
            self._writer.is_open = False  # otherwise its destructor closes it again
        self._open_files.__exit__(*error)

    @property
    def has_rows(self) -> bool:
        """True if rows were added."""
        return self._writer is not None or self._pile.rows > 0

    def add(self, batch: pa.RecordBatch) -> bool:
        """Add rows; return whether a row group was written."""
        self._pile.add(batch)
        if not self._pile.is_full:
            return False
        self._write_group()
        return True

    def finish(self, metadata: Mapping[str, str] | None = None) -> None:
        """Write the remaining rows and the key-value metadata, and rename the file to its name."""
        if self._pile.rows:
            self._write_group()
        writer = self._writer or self._open(self.schema.empty_table())
        writer.add_key_value_metadata(dict(metadata or {}))
        with named_in_errors(self.path):
            writer.close()
            self._open_files.close()

    def _write_group(self) -> None:
        table = pa.Table.from_batches(self._pile.take(), self.schema).unify_dictionaries()
        writer = self._writer or self._open(table)
        with named_in_errors(self.path):
            writer.write_table(table, row_group_size=len(table))

    def _open(self, first: pa.Table) -> pq.ParquetWriter:
        unfinished = self._open_files.enter_context(saved(self.path)).name
        with named_in_errors(self.path):
            # With a Python file, pyarrow would copy each page once more.
            file = self._open_files.enter_context(pa.OSFile(os.fsencode(unfinished), "wb"))
            self._writer = pq.ParquetWriter(file, self.schema, **self._properties(first))
        return self._writer


class _Compression:
    """Choose the compression of payloads by a sample of the first row group."""

    def __init__(self, compression: str, format_id: str) -> None:
        self.compression, self.format = compression, format_id
        self.is_stored = False

    def __call__(self, first: pa.Table) -> Mapping[str, Any]:
        compression, payloads = self.compression, None
        if compression == AUTO:
            compression = COMPRESSION
            if encodings.PAYLOAD in first.column_names and len(first):
                column = first[encodings.PAYLOAD]
                self.is_stored = not encodings.gets_smaller(column, compression)
                payloads = STORED if self.is_stored else compression
        return encodings.properties(first.schema, self.format, compression, payloads)


def _types(schema: pa.Schema) -> dict[str, str]:
    """Return the metadata from which Arrow readers take types: text instead of dictionaries."""
    return {"ARROW:schema": base64.b64encode(schema.serialize().to_pybytes()).decode()}


def _write(
    file: ParquetFile,
    log: Log,
    format_id: str,
    selection: Wanted,
    progress: Callable[[int], None],
) -> Exported:
    records = payload_bytes = lost = 0
    end: End | None = None
    for event in scanner(format_id).scan(log, selection):
        if isinstance(event, Records):
            records += len(event)
            payload_bytes += rows.payload_bytes(event)
        elif isinstance(event, Lost):
            lost += 1
        else:
            end = event
        for batch in _batches(event, format_id, str(log.path), file.schema):
            if file.add(batch):
                progress(records)
    progress(records)
    assert end is not None
    return Exported(records, payload_bytes, lost, end)


def _batches(
    event: Event, format_id: str, file: str, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of an event; decoded records in pieces."""
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
