"""Parquet files of logs: rows in large groups, written atomically."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
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
from walproof.tables import rows

DECODED = "decoded"
#: Sizes at which a row group is written; they limit memory for logs of any length.
GROUP_BYTES = 32 << 20
GROUP_ROWS = 1 << 17
#: Number of batches that are joined into one: a batch of one row takes some thousand bytes, one of
#: many rows hardly more.
JOINED_BATCHES = 1024


@dataclass(frozen=True)
class Exported:
    """The result of an export: the numbers of records, payload bytes and lost ranges, and the
    end."""

    records: int
    payload_bytes: int
    lost: int
    end: End


def to_parquet(
    log: Log,
    format_id: str,
    out: Path,
    compression: str = "lz4",
    max_payload: int = Wanted.max_payload,
    is_decoded: bool = False,
    has_payloads: bool = True,
    name: str | None = None,
) -> Exported:
    """Write the rows of a log (``walproof.tables.rows``) in log order, incrementally.

    If ``is_decoded`` is true, there is an additional column: the struct ``decoded`` of
    :mod:`walproof.decode`. If the struct is null, ``detail`` contains the reason. If
    ``has_payloads`` is false, the columns ``payload`` and ``payload_truncated`` are left out.
    ``name`` is the value of the column ``file`` (default: the path of the log).

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
    wanted = Wanted(has_payloads or is_decoded, None, max_payload)
    records = payload_bytes = lost = 0
    end: End | None = None
    with ParquetFile(out, schema, compression) as file:
        for event in scanner(format_id).scan(log, wanted):
            if isinstance(event, Records):
                records += len(event)
                payload_bytes += rows.payload_bytes(event)
            elif isinstance(event, Lost):
                lost += 1
            else:
                end = event
            for batch in _batches(event, format_id, name or str(log.path), schema):
                file.add(batch)
        assert end is not None
        file.finish(
            {
                "walproof.format": format_id,
                "walproof.verdict": end.verdict,
                "walproof.reason": end.reason or "",
                "walproof.end": json.dumps(end_to_json(end.end, end.file)),
            }
        )
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


class ParquetFile:
    """Write a Parquet file atomically, in large row groups.

    All methods raise ``OSError`` with the name of the file.
    """

    def __init__(self, path: Path, schema: pa.Schema, compression: str) -> None:
        self.path, self.schema, self.compression = path, schema, compression
        self._batches: list[pa.RecordBatch] = []
        self._rows = self._bytes = 0
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
        return self._writer is not None or self._rows > 0

    def add(self, batch: pa.RecordBatch) -> None:
        """Add rows."""
        self._batches.append(batch)
        self._rows += batch.num_rows
        self._bytes += batch.nbytes
        if self._bytes >= GROUP_BYTES or self._rows >= GROUP_ROWS:
            self._write_group()
        elif len(self._batches) == JOINED_BATCHES:
            self._batches = [pa.concat_batches(self._batches)]

    def finish(self, metadata: Mapping[str, str] | None = None) -> None:
        """Write the remaining rows and the key-value metadata, and rename the file to its name."""
        if self._rows:
            self._write_group()
        writer = self._open()
        writer.add_key_value_metadata(dict(metadata or {}))
        with named_in_errors(self.path):
            writer.close()
            self._open_files.close()

    def _write_group(self) -> None:
        table = pa.Table.from_batches(self._batches, self.schema)
        self._batches, self._rows, self._bytes = [], 0, 0
        with named_in_errors(self.path):
            self._open().write_table(table, row_group_size=len(table))

    def _open(self) -> pq.ParquetWriter:
        """Return the writer, which creates the file at the first call."""
        if self._writer is None:
            numbers = [field.name for field in self.schema if pa.types.is_integer(field.type)]
            unfinished = self._open_files.enter_context(saved(self.path)).name
            with named_in_errors(self.path):
                # With a Python file, pyarrow would copy each page once more.
                file = self._open_files.enter_context(pa.OSFile(os.fsencode(unfinished), "wb"))
                self._writer = pq.ParquetWriter(
                    file,
                    self.schema,
                    compression=self.compression,
                    # Offsets and indexes ascend, so their differences take the least space.
                    use_dictionary=[
                        field.name for field in self.schema if pa.types.is_string(field.type)
                    ],
                    column_encoding=dict.fromkeys(numbers, "DELTA_BINARY_PACKED"),
                    # Payloads have none: they would store copies.
                    write_statistics=[*numbers, "kind"],
                )
        return self._writer
