"""All flips of some logs, in stretches, on the cores of this machine or on Spark."""

from __future__ import annotations

import multiprocessing
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from conformance.orphans import begin_beside
from conformance.scratch import Held
from walproof.cores import cores
from walproof.onebit.logs import Searched
from walproof.onebit.search import Search, Stretch
from walproof.spark.session import SHORT_LIVED, session

AT_A_TIME = 4096
"""Flips of a stretch: some seconds of the slowest format."""


class Task(NamedTuple):
    """The flips of one log, by its place in the list of logs, from one number to another."""

    log: int
    start: int
    stop: int
    step: int = 1


Progress = Callable[[int], None]
"""Called with the flips that were tried since the last call."""


def tasks(logs: Sequence[Searched], step: int = 1) -> list[Task]:
    """Stretches of all flips of these logs, or of each ``step``-th one, the long logs first."""
    found = []
    for n in sorted(range(len(logs)), key=lambda n: -logs[n].control.size):
        for start in range(0, logs[n].count, AT_A_TIME * step):
            found.append(Task(n, start, min(start + AT_A_TIME * step, logs[n].count), step))
    return found


def run(
    logs: Sequence[Searched],
    todo: Sequence[Task],
    master: str | None = None,
    jobs: int | None = None,
    progress: Progress = lambda count: None,
) -> list[Stretch]:
    """Try the flips of these stretches; what each showed, in their order.

    ``master`` is Spark's; None is this machine without it, on ``jobs`` processes, one for each core
    if not given. Raises :class:`~walproof.onebit.search.Disagreement`, and what Spark raises.
    """
    jobs = min(jobs or cores(), len(todo))
    if master is not None:
        return _on_spark(logs, todo, master)
    # Of this process, which removes it whatever ends the others.
    scratch = Held()
    try:
        if jobs <= 1:
            return [_told(one, progress) for one in _stretches(logs, todo, scratch.folder)]
        with multiprocessing.Pool(
            jobs, begin_beside, (os.getpid(), _begin, logs, scratch.folder)
        ) as pool:
            return [_told(one, progress) for one in pool.imap(_stretch, todo)]
    finally:
        scratch.close()


def _told(stretch: Stretch, progress: Progress) -> Stretch:
    progress(stretch.tried.total())
    return stretch


def _on_spark(logs: Sequence[Searched], todo: Sequence[Task], master: str) -> list[Stretch]:
    spark = session("walproof one-bit", master, SHORT_LIVED if master[:5] == "local" else None)
    try:
        return run_on(spark, logs, todo)
    finally:
        spark.stop()


def run_on(spark: Any, logs: Sequence[Searched], todo: Sequence[Task]) -> list[Stretch]:
    """The same on an existing session, which is not stopped."""
    told = spark.sparkContext.broadcast(list(logs))

    def stretches(mine: Iterator[Task]) -> Iterator[Stretch]:
        scratch = Held()
        try:
            yield from _stretches(told.value, mine, scratch.folder)
        finally:
            scratch.close()

    parts = spark.sparkContext.parallelize(list(todo), len(todo))
    found: list[Stretch] = parts.mapPartitions(stretches).collect()
    told.unpersist()
    return found


_mine: tuple[Sequence[Searched], Path] | None = None
"""In a process of a pool: the logs that its tasks are about, and where they are laid out."""


def _begin(logs: Sequence[Searched], scratch: Path) -> None:
    global _mine
    _mine = logs, scratch


def _stretch(task: Task) -> Stretch:
    assert _mine is not None
    logs, scratch = _mine
    return next(_stretches(logs, [task], scratch))


def _stretches(logs: Sequence[Searched], todo: Iterable[Task], scratch: Path) -> Iterator[Stretch]:
    for task in todo:
        with Search(logs[task.log], Path(tempfile.mkdtemp(dir=scratch))) as search:
            found = search.run(range(task.start, task.stop, task.step))
        yield found
