"""The data source ``journal``: a thin layer between Spark and the rest of the package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSource

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

    from pyspark_journal.options import Options
    from pyspark_journal.reading import JournalReader
    from pyspark_journal.stream import JournalStreamReader


class JournalDataSource(DataSource):
    """Journal files as a table: a row for each record and each lost range.

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
        """Return a reader of the columns in ``schema`` (with ``auto``, columns of any format)."""
        from pyspark_journal.reading import JournalReader

        return JournalReader(schema, self._options())

    def streamReader(self, schema: StructType) -> JournalStreamReader:
        """Return a reader of growing logs."""
        from pyspark_journal.stream import JournalStreamReader

        return JournalStreamReader(schema, self._options())

    def _options(self) -> Options:
        # Spark imports this module in every session, also in sessions that read no journal.
        from pyspark_journal.options import Options

        return Options.parse(self.options)
