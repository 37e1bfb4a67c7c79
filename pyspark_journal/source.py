"""The data source ``journal``: a thin layer between Spark and the rest of the package."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NoReturn

from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

    from pyspark_journal.options import Options
    from pyspark_journal.schema import Columns
    from pyspark_journal.stream import JournalStreamReader
    from walproof.lake.splits import Piece


class JournalDataSource(DataSource):
    """Journal files as a table: a row for each record and each lost range.

    Name: ``journal``. Options: ``pyspark_journal.options.OPTIONS``. The package is found by Spark
    itself where it is installed; elsewhere ``pyspark_journal.register(spark)``.

    >>> spark.read.format("journal").load("/var/lib/broker")
    >>> spark.sql("CREATE TEMP VIEW v USING journal OPTIONS (path '/var/lib/broker')")
    """

    @classmethod
    def name(cls) -> str:
        """What ``format`` takes."""
        return "journal"

    def schema(self) -> StructType:
        """All columns that there are with these options."""
        from pyspark_journal.schema import spark_schema

        return spark_schema(self._options())

    def reader(self, schema: StructType) -> JournalReader:
        """A reader of the columns in ``schema``, which may be any of those in :meth:`schema`."""
        from pyspark_journal.schema import requested_columns

        options = self._options()
        return JournalReader(requested_columns(schema, options), options)

    def streamReader(self, schema: StructType) -> JournalStreamReader:
        """The same for logs that grow."""
        from pyspark_journal.schema import requested_columns
        from pyspark_journal.stream import JournalStreamReader

        options = self._options()
        return JournalStreamReader(requested_columns(schema, options), options)

    def writer(self, schema: StructType, overwrite: bool) -> NoReturn:
        """Raise :class:`ReadOnly`."""
        raise ReadOnly(READ_ONLY)

    def streamWriter(self, schema: StructType, overwrite: bool) -> NoReturn:
        """Raise :class:`ReadOnly`."""
        raise ReadOnly(READ_ONLY)

    def _options(self) -> Options:
        # Spark imports this module in every session, also in those that read no journal.
        from pyspark_journal.options import parse

        return parse(self.options)


READ_ONLY = (
    "journal: journals are read, not written. Save the rows as a table, with"
    " df.write.parquet(path); `walproof recover LOG --out NEW` writes the records that survive in a"
    " log into a new one"
)


class ReadOnly(NotImplementedError):
    """Somebody asked for a writer; the message says what there is instead."""


class JournalPartition(InputPartition):
    """Pieces of logs for one task."""

    def __init__(self, pieces: list[Piece]) -> None:
        super().__init__(None)
        self.pieces = pieces


class JournalReader(DataSourceReader):
    """Plans partitions and reads them."""

    def __init__(self, columns: Columns, options: Options) -> None:
        self.columns = columns
        self.options = options

    def partitions(self) -> list[InputPartition]:
        """The logs under the paths, packed. Raises ``FileNotFoundError`` for a missing path."""
        from walproof.lake.discovery import find
        from walproof.lake.splits import plan

        packed = plan(find(self.options), self.options, self.options.packing)
        return [JournalPartition(pieces) for pieces in packed]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a partition."""
        from pyspark_journal.reading import Reader

        # Spark makes one partition of its own when there is nothing to read.
        pieces = partition.pieces if isinstance(partition, JournalPartition) else []
        yield from Reader(self.columns, self.options).batches(pieces)
