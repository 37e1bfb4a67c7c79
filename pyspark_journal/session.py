"""The session that jobs on journals run in: ``from pyspark_journal.session import session``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from walproof.spark.session import SHORT_LIVED as SHORT_LIVED
from walproof.spark.session import session as started

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOADED = ("pyspark.worker", "pyspark_journal.reading", "numba")
"""What workers on this machine have loaded before their first task."""


def session(
    name: str, master: str | None = None, settings: Mapping[str, str] | None = None
) -> SparkSession:
    """See :func:`walproof.spark.session.session`."""
    return started(name, master, settings, LOADED)
