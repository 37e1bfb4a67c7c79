"""Plan and read a query's partitions in the requested mode."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceReader, InputPartition

from pyspark_journal.options import DROPMALFORMED, FAILFAST, Options
from pyspark_journal.schema import requested_columns
from walproof.lake.discovery import find
from walproof.lake.names import printable_message
from walproof.lake.row_reader import Malformed, RowReader
from walproof.lake.splits import Piece, cut

if TYPE_CHECKING:
    from pyspark.sql.types import StructType


class JournalPartition(InputPartition):
    """The parts of logs that one task reads."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        super().__init__(None)
        self.pieces = pieces


class Reader(RowReader):
    """Reads parts of logs into batches with the requested columns."""

    options: Options

    def __init__(self, schema: StructType, options: Options) -> None:
        columns = requested_columns(schema, options)
        # The names of the columns come from this package, and their types from the query's schema.
        fields = zip(columns.names, columns.target.types, strict=True)
        own = pa.schema([pa.field(name, type) for name, type in fields])
        wanted = columns.needed(options)
        super().__init__(own, options, wanted, options.log_rows, options.corrupt_name)
        self.target = columns.target

    def pack(self, pieces: Sequence[Piece], target_bytes: int) -> list[InputPartition]:
        """Pack pieces into partitions of about ``target_bytes``."""
        return [JournalPartition(some) for some in self.options.packing.pack(pieces, target_bytes)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a partition.

        Raises ``ScannerMissing``, and ``Malformed`` in mode ``FAILFAST``.
        """
        # Spark adds an empty partition if there is nothing to read.
        pieces = partition.pieces if isinstance(partition, JournalPartition) else []
        for batch in self.rows(pieces):
            yield pa.RecordBatch.from_arrays(batch.columns, schema=self.target)
        # Spark's Python workers collect garbage after each task. Because of numba's objects, this
        # takes about 0.1 s, which is longer than a task needs to read 30 MB.
        if TaskContext.get() is not None and not gc.get_freeze_count():
            gc.freeze()

    def shows(self, message: str) -> bool:
        """Return whether to show a problem as a row. Raises ``Malformed`` in mode ``FAILFAST``."""
        if self.options.mode == FAILFAST:
            raise Malformed(printable_message(message))
        return self.options.mode != DROPMALFORMED

    def skips(self, error: Exception | None) -> bool:
        """Return whether to skip a log that is refused or unreadable."""
        is_missing = isinstance(error, FileNotFoundError)
        return self.options.ignore_corrupt or (self.options.ignore_missing and is_missing)


class JournalReader(Reader, DataSourceReader):
    """Plans partitions and reads them."""

    def partitions(self) -> list[InputPartition]:
        """Find the logs and plan partitions. Raises ``FileNotFoundError`` for a missing path."""
        logs = find(self.options)
        target = self.options.packing.target_bytes([log.size for log in logs])
        pieces = [piece for log in logs for piece in cut(log, target, self.options)]
        return self.pack(pieces, target)
