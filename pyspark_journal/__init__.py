"""The ``journal`` data source, which reads journal files in Spark.

Spark imports every top-level package called ``pyspark_*`` in each session, so this module must be
fast to import.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

    from pyspark_journal.source import JournalDataSource as DefaultSource

__all__ = ["DefaultSource", "columns", "register"]


def __getattr__(name: str) -> Any:
    if name == "DefaultSource":
        from pyspark_journal.source import JournalDataSource

        return JournalDataSource
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def columns(payload: bool = True) -> StructType:
    """Return the columns of all formats and of rows of kind ``log``, to pass as ``schema``."""
    from pyspark.sql.pandas.types import from_arrow_schema

    from walproof.log_rows import table_schema

    return from_arrow_schema(table_schema(payload))


def register(spark: SparkSession) -> None:
    """Register ``format("journal")`` in a session that does not find this package automatically.

    Raises :class:`WrongPython` if workers on this machine cannot import the package. Workers on
    other machines and Spark Connect's workers are not checked.
    """
    from pyspark_journal.source import JournalDataSource

    context = getattr(spark, "_sc", None)
    if context is not None and context.master.startswith("local"):
        _check_python(context.pythonExec, context.environment.get("PYTHONPATH"))
    spark.dataSource.register(JournalDataSource)


class WrongPython(RuntimeError):
    """Raised if workers run a Python without this package. The message contains the remedy."""


def _check_python(python: str, path: str | None) -> None:
    from conformance.process import CannotStart, Timeout, run_program

    command = [python, "-c", "import pyarrow, pyspark_journal.source"]
    try:
        trial = run_program(command, 60, variables={"PYTHONPATH": path} if path else None)
        if trial.returncode == 0:
            return
        reason = trial.stderr.strip().rpartition("\n")[2]
    except (CannotStart, Timeout) as error:
        reason = str(error)
    raise WrongPython(
        f"the workers of this session run {python}, which cannot read journals ({reason}). Set"
        f" PYSPARK_PYTHON={sys.executable} before the session starts"
    )
