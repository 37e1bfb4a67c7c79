"""Runs a plan: on the cores of this machine, or on Spark; resumes, and reports progress."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from walproof.cores import cores
from walproof.spark.quiet import jvm_says_to
from walproof.spark.session import session
from walproof.spark.worker import freeze
from walproof.sweep import local, worker
from walproof.sweep.plan import Enumerations, Plan
from walproof.sweep.store import Store

POLL_SECONDS = 0.3
NO_SPARK = "none"

Progress = Callable[[Sequence[Mapping[str, Any]]], None]
"""Called with the markers of shards that were finished since the last call."""


class AnotherSweep(Exception):
    """The output folder holds a different sweep from the one that was asked for."""


def begin(plan: Plan, store: Store, fresh: bool, replace: bool = False) -> list[int]:
    """Open an output folder; the shards that are still to do.

    Another sweep that the folder holds is replaced if that was asked for (``fresh``), or if the
    folder is for any sweep (``replace``). Raises :class:`AnotherSweep`.
    """
    told = plan.describe() | {"digest": plan.digest}
    known = store.read_json("plan.json")
    another = known is not None and known.get("digest") != plan.digest
    if fresh or (replace and another):
        store.clear()
        known = None
    if known is not None and known.get("digest") != plan.digest:
        differs = [key for key in told if key != "digest" and known.get(key) != told[key]]
        raise AnotherSweep(
            f"{store.place}: holds a sweep with another {' and '.join(differs) or 'cut'};"
            " say --fresh to replace it, or another --out"
        )
    store.prepare()
    if known is None:
        store.write_json("plan.json", told)
    return sorted(set(range(len(plan.shards))) - store.done())


def run(
    plan: Plan,
    store: Store,
    todo: Sequence[int],
    master: str | None = None,
    seconds: float | None = None,
    progress: Progress = lambda markers: None,
    enumerations: Enumerations | None = None,
) -> float:
    """Run shards; returns the seconds they took, without the start of Spark.

    After ``seconds`` no shard is begun any more. ``master`` is Spark's; ``none`` runs them on the
    cores of this machine without it, and so does None outside ``spark-submit``. ``enumerations``
    are those of the plan, where they are made already. Raises
    :class:`~walproof.sweep.local.ShardFailed`, :class:`~walproof.spark.quiet.DidNotStart`, and what
    Spark raises when a shard failed four times.
    """
    if not todo:
        return 0.0
    if master == NO_SPARK or (master is None and not submitted()):
        return _here(plan, enumerations, store, todo, seconds, progress)
    with tempfile.TemporaryFile() as said, jvm_says_to(said):
        spark = session("walproof sweep", master, quick=True)
    try:
        return run_on(spark, plan, store, todo, seconds, progress)
    finally:
        spark.stop()


def run_on(
    spark: Any,
    plan: Plan,
    store: Store,
    todo: Sequence[int],
    seconds: float | None = None,
    progress: Progress = lambda markers: None,
) -> float:
    """The same on an existing session, which is not stopped."""
    context = spark.sparkContext
    group = f"walproof-sweep-{plan.digest}"
    told = context.broadcast(plan)
    started = time.time()
    deadline = started + seconds if seconds is not None else None
    place = store.place

    def shards(numbers: Iterator[int]) -> Iterator[int]:
        return _task(told.value, place, numbers, deadline)

    failure: list[BaseException] = []

    def job() -> None:
        try:
            context.setJobGroup(group, f"sweep of {plan.format}", interruptOnCancel=True)
            context.parallelize(todo, len(todo)).mapPartitions(shards).collect()
        except BaseException as error:  # handed to the caller, whatever it is
            failure.append(error)

    thread = threading.Thread(target=job, daemon=True)
    thread.start()
    watch = _Watch(store, todo, progress)
    try:
        while thread.is_alive():
            thread.join(POLL_SECONDS)
            watch.look()
    except BaseException:
        context.cancelJobGroup(group)
        thread.join(10)
        raise
    if failure:
        raise failure[0]
    watch.look()
    told.unpersist()
    return time.time() - started


def _task(plan: Plan, place: str, numbers: Iterator[int], deadline: float | None) -> Iterator[int]:
    wanted = (n for n in numbers if deadline is None or time.time() < deadline)
    yield from worker.run_shards(plan, place, wanted)
    freeze()


def submitted() -> bool:
    """Whether ``spark-submit`` started this process: then it knows the master."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


def _here(
    plan: Plan,
    enumerations: Enumerations | None,
    store: Store,
    todo: Sequence[int],
    seconds: float | None,
    progress: Progress,
) -> float:
    started = time.monotonic()
    deadline = None if seconds is None else started + seconds

    def tick(done: Sequence[int]) -> None:
        progress([store.marker(number) for number in done])

    if len(todo) > 1 and cores() > 1:
        local.run(plan, enumerations, store.place, todo, deadline, tick)
        return time.monotonic() - started
    try:
        worker.worker(plan, enumerations)
        for number in todo:
            if deadline is not None and time.monotonic() > deadline:
                break
            list(worker.run_shards(plan, store.place, iter([number])))
            tick([number])
    finally:
        worker.close_all()
    return time.monotonic() - started


class _Watch:
    """Follows the markers that workers write."""

    def __init__(self, store: Store, todo: Sequence[int], progress: Progress) -> None:
        self.store = store
        self.waiting = set(todo)
        self.progress = progress

    def look(self) -> None:
        new = self.waiting & self.store.done()
        self.waiting -= new
        self.progress([self.store.marker(number) for number in sorted(new)])
