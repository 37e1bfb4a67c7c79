"""The data source ``journal``: a thin layer between Spark and the rest of the package."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

    from pyspark_journal.options import Options
    from pyspark_journal.schema import Columns
    from pyspark_journal.stream import JournalStreamReader


class JournalDataSource(DataSource):
    """Journal files as a table: a row for each record and each lost range.

    The name of the source is ``journal``, and its options are ``pyspark_journal.options.Options``.
    Spark finds the installed package automatically. If the package is not installed, call
    ``pyspark_journal.register(spark)``.

      >>> spark.read.format("journal").load("/var/lib/broker")
      >>> spark.sql("CREATE TEMP VIEW v USING journal OPTIONS (path '/var/lib/broker')")
    """

    @classmethod
    def name(cls) -> str:
        """Return the name for ``format``."""
        return "journal"

    def schema(self) -> StructType:
        """Return all columns that exist with these options."""
        from pyspark.sql.pandas.types import from_arrow_schema

        from pyspark_journal.schema import offered

        return from_arrow_schema(offered(self._options()))

    def reader(self, schema: StructType) -> JournalReader:
        """Return a reader of the columns in ``schema``, which may be any of :meth:`schema`."""
        from pyspark_journal.schema import requested_columns

        options = self._options()
        return JournalReader(requested_columns(schema, options), options)

    def streamReader(self, schema: StructType) -> JournalStreamReader:
        """Return a reader of growing logs."""
        from pyspark_journal.schema import requested_columns
        from pyspark_journal.stream import JournalStreamReader

        options = self._options()
        return JournalStreamReader(requested_columns(schema, options), options)

    def _options(self) -> Options:
        # Spark imports this module in every session, also in those that read no journal.
        from pyspark_journal.options import Options

        return Options.parse(self.options)


class JournalReader(DataSourceReader):
    """Plans partitions and reads them."""

    def __init__(self, columns: Columns, options: Options) -> None:
        self.columns = columns
        self.options = options

    def partitions(self) -> list[InputPartition]:
        """Return the packed logs under the paths.

        Raises ``FileNotFoundError`` for a missing path.
        """
        from pyspark_journal.reading import JournalPartition
        from walproof.lake.discovery import find
        from walproof.lake.splits import plan

        packed = plan(find(self.options), self.options, self.options.packing)
        return [JournalPartition(pieces) for pieces in packed]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a partition."""
        from pyspark_journal.reading import JournalPartition, Reader

        # Spark adds an empty partition if there is nothing to read.
        pieces = partition.pieces if isinstance(partition, JournalPartition) else []
        yield from Reader(self.columns, self.options).batches(pieces)
