"""The Parquet files that a task writes, each of which appears when it is whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet

ROW_GROUP_BYTES = 64 << 20
ROW_GROUP_ROWS = 1 << 20
MOST_HELD = 512


class OutputError(OSError):
    """The output cannot be written; ``filename`` is where. It is never the fault of a log."""


class Shard:
    """The rows of a unit in one table. All methods but ``discard`` raise :class:`OutputError`."""

    def __init__(self, folder: Path, name: str, schema: pa.Schema) -> None:
        self.path = folder / name
        self.schema = schema
        self._unfinished = folder / f".{name}.unfinished"
        self._writer: pa.parquet.ParquetWriter | None = None
        self._held: list[pa.RecordBatch] = []
        self._bytes = self._rows = 0

    def add(self, batch: pa.RecordBatch) -> None:
        """Hold rows, and write them in large groups."""
        self._held.append(batch)
        self._bytes += batch.nbytes
        self._rows += batch.num_rows
        if self._bytes >= ROW_GROUP_BYTES or self._rows >= ROW_GROUP_ROWS:
            self._write()
        elif len(self._held) >= MOST_HELD:
            # Small batches take several times the memory of their rows.
            self._held = pa.Table.from_batches(self._held).combine_chunks().to_batches()

    def _write(self) -> None:
        table = pa.Table.from_batches(self._held, self.schema)
        with output_to(self.path):
            if self._writer is None:
                self._writer = pa.parquet.ParquetWriter(
                    self._unfinished, self.schema, compression="zstd"
                )
            self._writer.write_table(table, row_group_size=ROW_GROUP_ROWS)
        self._held.clear()
        self._bytes = self._rows = 0

    def finish(self) -> None:
        """Move the file to its place; without rows there is no file."""
        if self._rows:
            self._write()
        if self._writer is None:
            return
        with output_to(self.path):
            self._writer.close()
            with self._unfinished.open("rb") as file:
                os.fsync(file.fileno())
            self._unfinished.rename(self.path)

    def discard(self) -> None:
        """Remove what was written so far. It raises nothing: another error is on its way."""
        with suppress(OSError, pa.ArrowException):
            if self._writer is not None:
                self._writer.close()
        with suppress(OSError):
            self._unfinished.unlink(missing_ok=True)


@contextmanager
def output_to(path: Path) -> Iterator[None]:
    """Turn an error of the file system into one of the output, with the name of the file."""
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise OutputError(error.errno, reason, str(path)) from error


def write_table(table: pa.Table, path: Path) -> None:
    """Write a small table into a result that nobody reads yet. Raises :class:`OutputError`."""
    with output_to(path):
        pa.parquet.write_table(table, path, compression="zstd")
