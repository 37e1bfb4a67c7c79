"""Journal files on Spark: the ``journal`` data source.

Spark imports every top-level package called ``pyspark_*`` in each session, looking for a
``DefaultSource``. Therefore this module is light: only code that needs pyspark, pyarrow or numba
imports them.
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
    """Register ``format("journal")`` in a session that does not find this package by itself.

    Raises :class:`~pyspark_journal.interpreter.WrongPython` if workers on this machine cannot
    import it.
    """
    from pyspark_journal.interpreter import check_workers
    from pyspark_journal.source import JournalDataSource

    check_workers(spark)
    spark.dataSource.register(JournalDataSource)
