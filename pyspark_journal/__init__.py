"""Journal files on Spark: the ``journal`` data source.

In each session, Spark imports every top-level package called ``pyspark_*`` to look for a
``DefaultSource``. This module must therefore be fast to import: pyspark, pyarrow and numba are
imported only when they are needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pyspark_journal.source import JournalDataSource as DefaultSource

__all__ = ["DefaultSource", "register"]


def __getattr__(name: str) -> Any:
    if name == "DefaultSource":
        from pyspark_journal.source import JournalDataSource

        return JournalDataSource
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def register(spark: SparkSession) -> None:
    """Register ``format("journal")`` in a session that does not find this package automatically.

    Raises :class:`~pyspark_journal.interpreter.WrongPython` if workers on this machine cannot
    import the package.
    """
    from pyspark_journal.interpreter import check_workers
    from pyspark_journal.source import JournalDataSource

    check_workers(spark)
    spark.dataSource.register(JournalDataSource)
