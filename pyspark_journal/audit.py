"""``walproof audit``: the inventory of a folder of logs as a Spark job.

``spark-submit`` runs this file with the arguments of ``walproof audit``.
"""

from __future__ import annotations

import fcntl
import json
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance import __version__
from conformance.saving import named_in_errors, replace_folder, save, sync_to_disk
from pyspark_journal.session import redirect_jvm_output, session
from walproof.inventory.logs import find_logs
from walproof.inventory.report import page
from walproof.inventory.result import (
    MAX_TASK_BYTES,
    Earlier,
    make_plan,
    write_result,
)
from walproof.inventory.schemas import TableOptions
from walproof.inventory.summary import summarise
from walproof.inventory.task import Task, Written, write_rows
from walproof.lake.trees import absolute
from walproof.progress import progress_bar

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RESULT_NAMES = {"records", "damage", "files", "summary.json", "summary.html"}
POLL_SECONDS = 0.5
# The audit itself prints failures, in one line.
QUIET = {"spark.log.level": "FATAL"}
# A task may fail once because of its machine. If it fails again, a log may kill its reader.
CAREFUL_FROM_ATTEMPT = 2


class OutputRefused(Exception):
    """The output directory cannot be written to. The message has the reason and the remedy."""


class JobFailed(Exception):
    """The Spark job ended with an error; the previous result is unchanged."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The summary of an audit. ``is_new`` is false if nothing had changed."""

    summary: Mapping[str, Any]
    is_new: bool


def audit(
    options: TableOptions,
    out: Path,
    master: str | None = None,
    settings: Mapping[str, str] | None = None,
    is_again: bool = False,
    max_task_bytes: int = MAX_TASK_BYTES,
    spark: SparkSession | None = None,
) -> Outcome:
    """Read the new and changed logs, and replace ``out`` with a new result.

    If ``is_again`` is true, all logs are read. If ``spark`` is None and a log must be read, a Spark
    session is started. Raises :class:`OutputRefused`, :class:`JobFailed`, ``DidNotStart``, and
    ``OSError`` for a missing path or for the output. Errors of single logs are not raised.
    """
    started = time.time()
    out = out.resolve()
    with _building(out) as building:
        before = _summary_in(out)
        logs = find_logs(options.source, str(out))
        paths = [absolute(path) for path in options.source.paths]
        earlier = None
        if before is not None and before.get("options") == options.to_json() and not is_again:
            earlier = Earlier.read(out)
            if earlier.is_of(logs) and before["paths"] == paths:
                return Outcome(before, False)
        result = building / "result"
        with _started(spark, master, settings) as running:
            slots = running.sparkContext.defaultParallelism
            plan = make_plan(logs, options, building / "tasks", slots, earlier, max_task_bytes)
            write_result(logs, plan, lambda tasks: run_on_spark(running, tasks), result)
        summary = {
            "walproof": __version__,
            "paths": paths,
            "options": options.to_json(),
            "started": datetime.fromtimestamp(int(started), UTC).isoformat()[:19] + "Z",
            "seconds": round(time.time() - started, 3),
            "read": {"logs": plan.logs_to_read, "bytes": plan.bytes_to_read},
            "carried_over": {"logs": len(plan.unchanged)},
            **summarise(result),
        }
        save(result / "summary.json", json.dumps(summary, indent=1, ensure_ascii=False) + "\n")
        save(result / "summary.html", page(summary))
        _publish(result, out)
    return Outcome(summary, True)


def run_on_spark(spark: SparkSession, tasks: Sequence[Task]) -> list[Written]:
    """Run each task as a Spark task. Raises :class:`JobFailed`."""
    if not tasks:
        return []
    context = spark.sparkContext

    def job() -> list[Written]:
        written: list[Written] = context.parallelize(tasks, len(tasks)).map(_write_rows).collect()
        return written

    with ThreadPoolExecutor(1) as thread, progress_bar("reading logs", len(tasks)) as bar:
        running = thread.submit(job)
        try:
            while not running.done():
                wait([running], POLL_SECONDS)
                bar.show(done=_completed_tasks(context))
        except BaseException:
            context.cancelAllJobs()
            raise
    try:
        return running.result()
    except Exception as error:
        raise JobFailed(f"{reason_of(str(error))}; the previous result is unchanged") from error


def _completed_tasks(context: Any) -> int:
    tracker = context.statusTracker()
    stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    return sum(stage.numCompletedTasks for stage in stages if stage is not None)


def _write_rows(task: Task) -> Written:
    from pyspark import TaskContext

    context = TaskContext.get()
    attempt = context.attemptNumber() if context is not None else 0
    return write_rows(task, is_careful=attempt >= CAREFUL_FROM_ATTEMPT)


def reason_of(message: str) -> str:
    """Return the line of Spark's error message that names the cause."""
    lines = [line.strip() for line in message.splitlines()]
    errors = [line for line in lines if re.match(r":? ?[A-Za-z_.]*(Error|Exception): ", line)]
    # The traceback of a Python worker ends with the worker's error, after Spark's error.
    return next(iter([*errors[-1:], *filter(None, lines)]), message).removeprefix(": ")


def _summary_in(out: Path) -> dict[str, Any] | None:
    """Return the summary of the existing result. Raises :class:`OutputRefused`."""
    if not out.exists() or not (names := {path.name for path in out.iterdir()}):
        return None
    try:
        summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
        is_ours = isinstance(summary, dict) and "walproof" in summary
    except (FileNotFoundError, ValueError):
        is_ours = False
    if not is_ours or (names := names - RESULT_NAMES):
        name = min(names)
        raise OutputRefused(f"{out / name} is not part of an audit: choose another directory")
    return summary  # type: ignore[no-any-return]


@contextmanager
def _building(out: Path) -> Iterator[Path]:
    """Yield a folder next to ``out`` for the new result. Raises :class:`OutputRefused`."""
    building = out.with_name(f".{out.name}.unfinished")
    with named_in_errors(out):
        building.mkdir(parents=True, exist_ok=True)
        opened = (building / "lock").open("w")
    with opened as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OutputRefused(
                f"{out}: another audit is writing here; wait for it or choose another directory"
            ) from None
        try:
            for name in ("tasks", "result"):  # of an audit that was killed
                shutil.rmtree(building / name, ignore_errors=True)
            yield building
        finally:
            shutil.rmtree(building, ignore_errors=True)


@contextmanager
def _started(
    spark: SparkSession | None, master: str | None, settings: Mapping[str, str] | None
) -> Iterator[SparkSession]:
    if spark is not None:
        yield spark
        return
    with tempfile.TemporaryFile() as output:  # open as long as the JVM runs
        with redirect_jvm_output(output):
            spark = session("walproof audit", master, {**QUIET, **(settings or {})})
        try:
            yield spark
        finally:
            spark.stop()


def _publish(result: Path, out: Path) -> None:
    with named_in_errors(out):
        for folder in (*filter(Path.is_dir, result.iterdir()), result):
            sync_to_disk(folder)
        if out.exists():
            replace_folder(result, out)
        else:
            result.rename(out)
        sync_to_disk(out.parent)


if __name__ == "__main__":
    from walproof.cli import main

    sys.argv.insert(1, "audit")
    main()
