"""Where the units are worked on: on Spark, or on the cores of this machine.

An engine only has to run each task at least once. The note that a task leaves says what it did
(``work``), so nothing but the number of a unit travels back.
"""

from __future__ import annotations

import re
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import IO, TYPE_CHECKING, Protocol

from walproof.audit import work
from walproof.audit.shard import OutputError
from walproof.audit.unit import Task
from walproof.quantity import number as number_text
from walproof.spark.quiet import DidNotStart, jvm_says_to
from walproof.worker_pool import core_count, map_unordered

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

POLL_SECONDS = 0.2
ATTEMPTS = 4
"""How often a task is begun whose process dies, as on Spark."""
QUIET = {"spark.ui.showConsoleProgress": "false", "spark.log.level": "FATAL"}
"""Progress and failures are shown by us, not by Spark."""
LOADED = ("pyspark.daemon", "pyspark.worker", "walproof.audit.work", "walproof.scan:load_kept")
"""What workers have loaded before their first task."""


class JobFailed(Exception):
    """Tasks failed. Finished work is kept, and the next run continues from there."""


KEPT = ". What is done is kept: run it again to go on"


class Engine(Protocol):
    """Runs tasks."""

    @property
    def slots(self) -> int:
        """Tasks at a time."""

    def prepare(self) -> None:
        """Begin to start what :meth:`run` needs, and return: there is going to be work."""

    def run(self, tasks: Sequence[Task], tick: Callable[[], None]) -> None:
        """Do every task; call ``tick`` now and then. Raises :class:`JobFailed`."""

    def stop(self) -> None:
        """Release what :meth:`run` needed."""


class OnCores:
    """Runs a task on each core, in processes: one that is killed ends nothing but itself."""

    def __init__(self) -> None:
        self.slots = core_count()

    def prepare(self) -> None:
        """See :class:`Engine`."""

    def run(self, tasks: Sequence[Task], tick: Callable[[], None]) -> None:
        """See :class:`Engine`."""
        left = dict(enumerate(tasks))
        for attempt in range(ATTEMPTS):
            given = [(number, task, attempt) for number, task in left.items()]
            try:
                for number in map_unordered(_run_numbered, given):
                    del left[number]
                    tick()
                return
            except OutputError as error:
                raise JobFailed(f"{error.filename}: {error.strerror}{KEPT}") from error
            except BrokenProcessPool:
                continue
        logs = [piece.log for task in left.values() for piece in task.unit.pieces]
        raise JobFailed(
            f"a worker was killed each time it read {logs[0] if logs else 'nothing'}"
            f"{f' and {number_text(len(logs) - 1)} more' if len(logs) > 1 else ''}{KEPT}"
        )

    def stop(self) -> None:
        """See :class:`Engine`."""


def _run_numbered(given: tuple[int, Task, int]) -> int:
    number, task, attempt = given
    work.run(task, attempt)
    return number


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
        self._starter = ThreadPoolExecutor(1, "start of Spark")
        self._starting: Future[SparkSession] | None = None
        self.seconds_to_start = 0.0
        """Seconds that the start of Spark took; logs may have been looked for meanwhile."""

    @property
    def slots(self) -> int:
        """See :class:`Engine`. Waits for the session."""
        return int(self._started().sparkContext.defaultParallelism)

    def prepare(self) -> None:
        """See :class:`Engine`."""
        if self._session is None and self._starting is None:
            self._starting = self._starter.submit(self._start)

    def _start(self) -> SparkSession:
        from walproof.spark.session import session

        began = time.monotonic()
        settings = {**QUIET, **(self.settings or {})}
        try:
            with jvm_says_to(self._log):
                # Rows never enter the JVM: it need not be fast, but there.
                made = session("walproof audit", self.master, settings, LOADED, quick=True)
        except DidNotStart as error:
            why = cause(error.__cause__ or error)
            raise JobFailed(f"Spark did not start: {why}\n{error.said}".rstrip()) from error
        self.seconds_to_start = time.monotonic() - began
        return made

    def _started(self) -> SparkSession:
        self.prepare()
        if self._starting is not None:
            self._session = self._starting.result()
            self._starting = None
        assert self._session is not None
        return self._session

    def run(self, tasks: Sequence[Task], tick: Callable[[], None]) -> None:
        """See :class:`Engine`."""
        context = self._started().sparkContext
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
        starting, self._starting = self._starting, None
        if starting is not None and starting.exception() is None:
            self._session = starting.result()
        self._starter.shutdown()
        if self._session is not None and self._is_ours:
            self._session.stop()
            self._session = None


def _run(task: Task) -> None:
    from pyspark import TaskContext

    context = TaskContext.get()
    work.run(task, context.attemptNumber() if context is not None else 0)


def cause(error: BaseException) -> str:
    """The one line of Spark's error that says what went wrong."""
    lines = [line.strip() for line in str(error).splitlines()]
    if any(KILLED in line for line in lines):
        crash = re.search(r"Fatal Python error: (.*)", str(error))
        how = crash[1].strip() if crash else "Linux does so for want of memory"
        return f"a Python worker was killed each time it ran one of the tasks ({how}){KEPT}"
    said = [line for line in lines if line and not line.startswith(("at ", "File "))]
    # A Python worker's traceback ends with the error; Spark's own words come before it.
    from_worker = [line for line in said if re.match(r"[A-Za-z_.]*(Error|Exception): ", line)]
    line = next(iter([*from_worker[-1:], *said]), repr(error))
    if of_output := _OUTPUT.search(line):
        return f"{of_output[2]}: {of_output[1]}{KEPT}"
    return line


KILLED = "Python worker exited unexpectedly"
_OUTPUT = re.compile(r"\bOutputError: \[Errno -?[0-9]+\] (.*): '(.*)'$")
