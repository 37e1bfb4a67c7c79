"""The worker pool: one process for each core of this machine."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

import click

_PR_SET_PDEATHSIG = 1  # linux/prctl.h

Task = TypeVar("Task")
Result = TypeVar("Result")


def core_count() -> int:
    """Return the number of CPU cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class WorkerDied(click.ClickException, BrokenProcessPool):
    """A process of the pool was killed."""


def map_unordered(
    work: Callable[[Task], Result],
    tasks: Sequence[Task],
    start: Callable[..., None] = lambda: None,
    arguments: Sequence[Any] = (),
    deadline: float | None = None,
) -> Iterator[Result]:
    """Run every task, and yield the results in the order in which the tasks finish.

    Each process first calls ``start(*arguments)``. No task starts after ``deadline``, which is
    compared with ``time.monotonic()``. Raises the errors of ``work``, and :class:`WorkerDied`.
    """
    count = min(len(tasks), core_count())
    if not count:
        return
    remaining = iter(tasks)
    running: set[Future[Result]] = set()
    pool = ProcessPoolExecutor(
        count, initializer=_start_process, initargs=(os.getpid(), start, arguments)
    )
    try:
        while True:
            # Submit at most one task per process, because submitted tasks cannot be stopped at the
            # deadline.
            while len(running) < count and (deadline is None or time.monotonic() < deadline):
                try:
                    running.add(pool.submit(work, next(remaining)))
                except StopIteration:
                    break
            if not running:
                break
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()
    except BaseException as error:
        for process in multiprocessing.active_children():
            process.kill()
        if isinstance(error, BrokenProcessPool):
            raise WorkerDied("a worker process died; the memory may not suffice") from None
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _start_process(parent: int, start: Callable[..., None], arguments: Sequence[Any]) -> None:
    # Have the kernel kill this process when its parent ends. Two alternatives are unreliable: a
    # process notices a closed pipe only while it reads from the pipe, and compiled code may block a
    # thread that watches the parent for seconds.
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for stop in (signal.SIGINT, signal.SIGHUP):  # The parent kills its workers on these signals.
        signal.signal(stop, signal.SIG_IGN)
    start(*arguments)
