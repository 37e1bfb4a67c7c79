"""Where the units are worked on: on Spark, or in this process.

An engine only has to see to it that each task is done at least once. What a task did is in the
note it leaves (``work``), so nothing but the number of a unit travels back.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from pyspark_journal.audit import work
from pyspark_journal.audit.unit import Task

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

POLL_SECONDS = 0.2


class JobFailed(Exception):
    """Tasks could not be done. What was done stays, and the next run goes on from there."""


class Engine(Protocol):
    """Runs tasks."""

    @property
    def slots(self) -> int:
        """Tasks at a time."""

    def run(self, tasks: Sequence[Task], tick: Callable[[], None]) -> None:
        """Do every task; call ``tick`` now and then. Raises :class:`JobFailed`."""

    def stop(self) -> None:
        """Let go of what :meth:`run` needed."""


class InProcess:
    """One task after the other, here."""

    slots = 1

    def run(self, tasks: Sequence[Task], tick: Callable[[], None]) -> None:
        """See :class:`Engine`."""
        for task in tasks:
            try:
                work.run(task)
            except OSError as error:
                raise JobFailed(f"{task.folder}: {error.strerror or error}") from error
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

    @property
    def slots(self) -> int:
        """See :class:`Engine`. Starts the session."""
        return int(self._start().sparkContext.defaultParallelism)

    def _start(self) -> SparkSession:
        if self._session is None:
            from pyspark_journal.session import session

            self._session = session("walproof audit", self.master, self.settings)
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
            while thread.is_alive():
                thread.join(POLL_SECONDS)
                tick()
        except KeyboardInterrupt:
            context.cancelAllJobs()
            raise
        if failures:
            raise JobFailed(_cause(failures[0])) from failures[0]

    def stop(self) -> None:
        """See :class:`Engine`."""
        if self._session is not None and self._is_ours:
            self._session.stop()
            self._session = None


def _run(task: Task) -> None:
    from pyspark import TaskContext

    context = TaskContext.get()
    work.run(task, context.attemptNumber() if context is not None else 0)


def _cause(error: BaseException) -> str:
    """The line of Spark's many that says what went wrong."""
    lines = [line.strip() for line in str(error).splitlines()]
    said = [
        line
        for number, line in enumerate(lines)
        if line and number and lines[number - 1].startswith(("raise", "^"))
    ]
    errors = [line for line in lines if "Error: " in line and not line.startswith(("at ", ":"))]
    return next(iter(errors or said or [line for line in lines if line]), repr(error))
