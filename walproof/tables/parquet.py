"""Parquet files of logs: rows in large groups, written atomically."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from conformance.saving import named_in_errors, saved

COMPRESSION = "zstd"
#: Sizes at which a row group is written; they limit memory for logs of any length.
GROUP_BYTES = 32 << 20
GROUP_ROWS = 1 << 17
#: Number of batches that are joined into one batch to save memory. A batch of one row takes several
#: thousand bytes, and a batch of many short rows hardly more.
JOINED_BATCHES = 1024


class ParquetFile:
    """A writer that creates a Parquet file atomically, in large row groups. Raises ``OSError``."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self.path, self.schema = path, schema
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
        """Return whether rows were added."""
        return self._writer is not None or self._rows > 0

    def add(self, batch: pa.RecordBatch) -> None:
        """Add a batch of rows. Raises ``OSError``."""
        self._batches.append(batch)
        self._rows += batch.num_rows
        self._bytes += batch.nbytes
        if self._bytes >= GROUP_BYTES or self._rows >= GROUP_ROWS:
            self._write_group()
        elif len(self._batches) == JOINED_BATCHES:
            self._batches = [pa.concat_batches(self._batches)]

    def finish(self, metadata: Mapping[str, str] | None = None) -> None:
        """Write the remaining rows and the key-value metadata, and give the file its final name."""
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
        if self._writer is None:
            numbers = [field.name for field in self.schema if pa.types.is_integer(field.type)]
            unfinished = self._open_files.enter_context(saved(self.path)).name
            with named_in_errors(self.path):
                # With a Python file, pyarrow would copy each page once more.
                file = self._open_files.enter_context(pa.OSFile(os.fsencode(unfinished), "wb"))
                self._writer = pq.ParquetWriter(
                    file,
                    self.schema,
                    compression=COMPRESSION,
                    # Offsets and indexes ascend, so their differences take the least space.
                    use_dictionary=[
                        field.name for field in self.schema if pa.types.is_string(field.type)
                    ],
                    column_encoding=dict.fromkeys(numbers, "DELTA_BINARY_PACKED"),
                    # Statistics of payloads would contain copies of payloads.
                    write_statistics=[*numbers, "kind"],
                )
        return self._writer
