"""The Spark session that this project's commands and tests use. Any other works, too."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

from pyspark_journal.java import java_home

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTINGS: Mapping[str, str] = {
    # This setting removes a stall of 40 ms in each Python task.
    "spark.python.unix.domain.socket.enabled": "true",
    # With this setting, the exception for a crash in a C extension contains a Python stack trace.
    "spark.python.worker.faulthandler.enabled": "true",
    # With this setting, Spark keeps the files of several partitions open. Otherwise, it sorts all
    # rows before it writes them.
    "spark.sql.maxConcurrentOutputFileWriters": "8",
}

# These settings apply only to a session that runs on this machine.
LOCAL: Mapping[str, str] = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "1g",
    # The tasks use all cores, so a parallel garbage collector would not help.
    "spark.driver.extraJavaOptions": "-XX:+UseSerialGC",
}


class DidNotStart(RuntimeError):
    """Raised if Spark did not start. The message contains the JVM's output."""


def session(
    name: str, master: str | None = None, settings: Mapping[str, str] | None = None
) -> SparkSession:
    """Start the session for a job. Raises :class:`~pyspark_journal.java.JavaMissing`.

    ``master`` defaults to the value from ``spark-submit`` or else to ``local[N,4]``, which means N
    cores and four attempts for each task. ``settings`` override those from ``spark-submit``.
    """
    # If this variable is not set, workers run the python3 on the PATH.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if (home := java_home()) is not None:
        os.environ["JAVA_HOME"] = str(home)
    from pyspark.sql import SparkSession

    submitted = _submitted_settings()
    cores = str(os.cpu_count() or 1)
    master = master or submitted.get("spark.master") or f"local[{cores},4]"
    chosen = dict(SETTINGS)
    if master.startswith("local"):
        chosen |= {"spark.sql.shuffle.partitions": cores, "spark.default.parallelism": cores}
        chosen |= LOCAL
    chosen |= {**submitted, **(settings or {}), "spark.master": master}
    builder = SparkSession.builder.appName(name)
    for key, value in chosen.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def _submitted_settings() -> dict[str, str]:
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        return {}
    from pyspark import SparkConf, SparkContext

    # spark-submit started the JVM before this process, and only the JVM has the settings.
    SparkContext._ensure_initialized()
    return dict(SparkConf().getAll())


@contextmanager
def redirect_jvm_output(log: IO[bytes]) -> Iterator[None]:
    """Redirect standard error to ``log`` while a JVM is started in this block.

    The JVM's messages would break a progress bar. If the block fails, :class:`DidNotStart` is
    raised with these messages.
    """
    sys.stderr.flush()
    terminal = os.dup(2)
    os.dup2(log.fileno(), 2)
    try:
        yield
    except Exception as error:
        log.seek(0)
        output = log.read().decode(errors="replace").strip()
        raise DidNotStart(f"Spark did not start: {error}\n{output}".rstrip()) from error
    finally:
        os.dup2(terminal, 2)
        os.close(terminal)
