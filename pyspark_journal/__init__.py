"""Journal files on Spark: the ``journal`` data source.

Spark imports every top-level package called ``pyspark_*`` in each session, looking for a
``DefaultSource``, and Python imports this one whenever it starts (``interpreter.py``). This module
is therefore light: pyspark, pyarrow and numba are imported by whoever needs them.
"""

from __future__ import annotations

from pyspark_journal import interpreter

# Not from typing, which takes as long to import as all the rest.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pyspark.sql import SparkSession

    from pyspark_journal.source import JournalDataSource as DefaultSource

__all__ = ["DefaultSource", "register"]

interpreter.install()


def __getattr__(name: str) -> Any:
    if name == "DefaultSource":
        from pyspark_journal.source import JournalDataSource

        return JournalDataSource
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def register(spark: SparkSession) -> None:
    """Make ``format("journal")`` known to a session that was started without this package.

    Raises :class:`~pyspark_journal.interpreter.WrongPython` when the workers cannot import it.
    """
    from pyspark_journal.source import JournalDataSource

    interpreter.check(spark)
    spark.dataSource.register(JournalDataSource)
