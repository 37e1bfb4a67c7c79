"""Where the units are worked on: on Spark, or in this process.

An engine only has to run each task at least once. The note that a task leaves says what it did
(``work``), so nothing but the number of a unit travels back.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Protocol

from walproof.audit import work
from walproof.audit.shard import OutputError
from walproof.audit.unit import Task

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

POLL_SECONDS = 0.2
QUIET = {"spark.ui.showConsoleProgress": "false", "spark.log.level": "FATAL"}
"""Progress and failures are shown by us, not by Spark."""


class JobFailed(Exception):
    """Tasks failed. Finished work is kept, and the next run continues from there."""


KEPT = ". What is done is kept: run it again to go on"


class Engine(Protocol):
    """Runs tasks."""

    @property
    def slots(self) -> int:
        """Tasks at a time."""

    def run(self, tasks: Sequence[Task], tick: Callable[[], None]) -> None:
        """Do every task; call ``tick`` now and then. Raises :class:`JobFailed`."""

    def stop(self) -> None:
        """Release what :meth:`run` needed."""


class InProcess:
    """Runs one task after the other in this process."""

    slots = 1

    def run(self, tasks: Sequence[Task], tick: Callable[[], None]) -> None:
        """See :class:`Engine`."""
        for task in tasks:
            try:
                work.run(task)
            except OutputError as error:
                raise JobFailed(f"{error.filename}: {error.strerror}{KEPT}") from error
            tick()

    def stop(self) -> None:
        """See :class:`Engine`."""


class OnSpark:
    """A Spark job with a task for each unit. The session starts when there is work to do."""

    def __init__(
        self,
        master: str | None = None,
        settings: Mapping[str, str] | None = None,
        session: SparkSession | None = None,
    ) -> None:
        self.master = master
        self.settings = settings
        self._session = session
        self._is_ours = session is None
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 -- as long as the JVM

    @property
    def slots(self) -> int:
        """See :class:`Engine`. Starts the session."""
        return int(self._start().sparkContext.defaultParallelism)

    def _start(self) -> SparkSession:
        if self._session is None:
            from walproof.spark.session import session

            with _jvm_says_to(self._log):
                settings = {**QUIET, **(self.settings or {})}
                self._session = session("walproof audit", self.master, settings)
        return self._session

    def run(self, tasks: Sequence[Task], tick: Callable[[], None]) -> None:
        """See :class:`Engine`."""
        context = self._start().sparkContext
        failures: list[BaseException] = []

        def job() -> None:
            try:
                context.parallelize(tasks, len(tasks)).foreach(_run)
            except BaseException as error:
                failures.append(error)

        thread = threading.Thread(target=job, name="audit", daemon=True)
        thread.start()
        try:
            took = 0.0
            while thread.is_alive():
                # A look is cheap, except with a hundred thousand units on a slow file system.
                thread.join(max(POLL_SECONDS, 20 * took))
                began = time.monotonic()
                tick()
                took = time.monotonic() - began
        except KeyboardInterrupt:
            context.cancelAllJobs()
            raise
        if failures:
            raise JobFailed(cause(failures[0])) from failures[0]

    def stop(self) -> None:
        """See :class:`Engine`."""
        if self._session is not None and self._is_ours:
            self._session.stop()
            self._session = None


@contextmanager
def _jvm_says_to(log: IO[bytes]) -> Iterator[None]:
    """Send what a starting JVM prints to ``log``, and into the error when it does not start.

    It prints a dozen lines at every start, which would break the progress bar.
    """
    sys.stderr.flush()
    ours = os.dup(2)
    os.dup2(log.fileno(), 2)
    try:
        yield
    except Exception as error:
        if type(error).__name__ == "JavaMissing":
            raise
        log.seek(0)
        said = log.read().decode(errors="replace").strip()
        raise JobFailed(f"Spark did not start: {cause(error)}\n{said}".rstrip()) from error
    finally:
        os.dup2(ours, 2)
        os.close(ours)


def _run(task: Task) -> None:
    from pyspark import TaskContext

    context = TaskContext.get()
    work.run(task, context.attemptNumber() if context is not None else 0)


def cause(error: BaseException) -> str:
    """The one line of Spark's error that says what went wrong."""
    lines = [line.strip() for line in str(error).splitlines()]
    said = [line for line in lines if line and not line.startswith(("at ", "File "))]
    # A Python worker's traceback ends with the error; Spark's own words come before it.
    from_worker = [line for line in said if re.match(r"[A-Za-z_.]*(Error|Exception): ", line)]
    line = next(iter([*from_worker[-1:], *said]), repr(error))
    if of_output := _OUTPUT.search(line):
        return f"{of_output[2]}: {of_output[1]}{KEPT}"
    return line


_OUTPUT = re.compile(r"\bOutputError: \[Errno -?[0-9]+\] (.*): '(.*)'$")
