"""The session that jobs on journals run in: ``from pyspark_journal.session import session``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from walproof.spark.session import SHORT_LIVED as SHORT_LIVED
from walproof.spark.session import session as started

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOADED = (
    "pyspark.daemon",
    "pyspark.worker",
    "pyspark.sql.worker.lookup_data_sources",
    "pyspark.sql.worker.create_data_source",
    "pyspark.sql.worker.plan_data_source_read",
    "pyarrow.compute",
    "numpy.ma",
    "pyspark_journal.source",
    "pyspark_journal.reading",
)
"""What workers on this machine have loaded before their first task."""


def session(
    name: str, master: str | None = None, settings: Mapping[str, str] | None = None
) -> SparkSession:
    """See :func:`walproof.spark.session.session`."""
    return started(name, master, settings, LOADED)
