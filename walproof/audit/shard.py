"""The Parquet files that a task writes, each of which appears when it is whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet

from walproof.tables.batches import Pile


class OutputError(OSError):
    """The output cannot be written; ``filename`` is where. It is never the fault of a log."""


class Shard:
    """The rows of a unit in one table. All methods but ``discard`` raise :class:`OutputError`."""

    def __init__(self, folder: Path, name: str, schema: pa.Schema) -> None:
        self.path = folder / name
        self.schema = schema
        self._unfinished = folder / f".{name}.unfinished"
        self._writer: pa.parquet.ParquetWriter | None = None
        self._held = Pile()

    def add(self, batch: pa.RecordBatch) -> None:
        """Hold rows, and write them in large groups."""
        self._held.add(batch)
        if self._held.is_group:
            self._write()

    def _write(self) -> None:
        table = pa.Table.from_batches(self._held.take(), self.schema)
        with output_to(self.path):
            if self._writer is None:
                self._writer = pa.parquet.ParquetWriter(
                    self._unfinished, self.schema, compression="zstd"
                )
            self._writer.write_table(table, row_group_size=len(table))

    def finish(self) -> None:
        """Move the file to its place; without rows there is no file."""
        if self._held.rows:
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
