"""The ``journal`` data source, a thin layer between Spark and the rest of the package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSource

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

    from pyspark_journal.options import Options
    from pyspark_journal.reading import JournalReader
    from pyspark_journal.stream import JournalStreamReader


class JournalDataSource(DataSource):
    """Presents journal files as a table with a row for each record and each lost range.

    >>> spark.read.format("journal").load("/var/lib/broker")
    >>> spark.sql("CREATE TEMP VIEW v USING journal OPTIONS (path '/var/lib/broker')")
    """

    @classmethod
    def name(cls) -> str:
        """Return the name for ``format``."""
        return "journal"

    def schema(self) -> StructType:
        """Return the columns of a table that is read without a schema."""
        from pyspark.sql.pandas.types import from_arrow_schema

        from pyspark_journal.schema import offered

        return from_arrow_schema(offered(self._options()))

    def reader(self, schema: StructType) -> JournalReader:
        """Return a reader for the columns in ``schema``.

        With ``auto``, the schema may contain columns of any format.
        """
        from pyspark_journal.reading import JournalReader

        return JournalReader(schema, self._options())

    def streamReader(self, schema: StructType) -> JournalStreamReader:
        """Return a reader for growing logs."""
        from pyspark_journal.stream import JournalStreamReader

        return JournalStreamReader(schema, self._options())

    def _options(self) -> Options:
        # Spark imports this module in every session, even if no journal is read, so import the
        # options only here.
        from pyspark_journal.options import Options

        return Options.parse(self.options)
