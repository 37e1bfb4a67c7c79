"""A Spark session tuned for journals: small machines, many short Python tasks.

Every setting is measured: with the defaults, a Python task costs 52 ms before it does anything,
with these 7 ms. They can all be given to ``spark-submit`` instead (docs/cluster.md).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from walproof.spark import archive, daemon, forkserver
from walproof.spark.java import java_home

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTINGS: Mapping[str, str] = {
    # Removes a stall of 40 ms in each task.
    "spark.python.unix.domain.socket.enabled": "true",
    # A crash in a C extension shows a Python stack in the exception.
    "spark.python.worker.faulthandler.enabled": "true",
    "spark.sql.execution.pythonUDF.arrow.enabled": "true",
}

LOCAL: Mapping[str, str] = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "4g",
    "spark.driver.extraJavaOptions": "-XX:+UseParallelGC",
}
"""For a session on this machine alone."""

QUICK = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
SHORT_LIVED: Mapping[str, str] = {
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": QUICK,
}
"""For tests and short jobs, and jobs whose rows never enter the JVM: a quick start is worth more
than throughput."""


def session(
    name: str,
    master: str | None = None,
    settings: Mapping[str, str] | None = None,
    loaded: Sequence[str] = (),
    quick: bool = False,
) -> SparkSession:
    """The session of a job. Raises :class:`~walproof.spark.java.JavaMissing`.

    ``master`` is what ``spark-submit --master`` takes; None takes the master of ``spark-submit``
    where there is one, else ``local[N,4]`` with N cores and three retries of a task. ``settings``
    come last and win. ``loaded`` is what workers on this machine have loaded when they begin
    (:func:`walproof.spark.daemon.load`); ``quick`` is for a session on this machine that is
    :data:`SHORT_LIVED`. JVM settings count only for the first session of a process.
    """
    # Else workers run whatever python3 is on the PATH.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if (home := java_home()) is not None:
        os.environ["JAVA_HOME"] = str(home)
    import pyspark
    from pyspark.sql import SparkSession

    submitted = _submitted()
    where = master or submitted.get("spark.master") or f"local[{os.cpu_count() or 1},4]"
    slots = str(os.cpu_count() or 1)
    builder = SparkSession.builder.appName(name).master(where)
    is_local = where.startswith("local")
    wanted = dict(SETTINGS)
    if is_local:
        wanted |= {"spark.sql.shuffle.partitions": slots, "spark.default.parallelism": slots}
        wanted |= {**LOCAL, **(SHORT_LIVED if quick else {})}
        if loaded:
            os.environ[daemon.LOADED] = ",".join(loaded)
            wanted[daemon.SETTING] = daemon.__name__
    wanted |= {**submitted, **(settings or {})}
    if is_local:
        wanted = archive.with_archive(wanted)
        # The scripts that start the JVM run Python and a JVM of their own to find out as much.
        os.environ.setdefault("SPARK_HOME", str(Path(pyspark.__file__).parent))
        os.environ.setdefault("SPARK_LAUNCHER_OPTS", QUICK)
    for key, value in {**wanted, "spark.master": where}.items():
        builder = builder.config(key, value)
    with forkserver.told(loaded if is_local else ()):
        return builder.getOrCreate()


def _submitted() -> dict[str, str]:
    """What ``spark-submit`` was told, which wins over our settings; nothing without it."""
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        return {}
    from pyspark import SparkConf, SparkContext

    # The JVM was there before this process, and only the JVM knows.
    SparkContext._ensure_initialized()
    return dict(SparkConf().getAll())
