"""Runs the shards of a plan on the cores of this machine; resumes, and reports progress."""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

from conformance.scratch import Held
from walproof.sweep.plan import Enumerations, Plan
from walproof.sweep.shard_runner import ShardRunner
from walproof.sweep.store import Store
from walproof.worker_pool import map_unordered

MAX_DEATHS = 3
"""How often a worker process may die before the sweep gives up."""

Progress = Callable[[Sequence[Mapping[str, Any]]], None]
"""Called with the markers of shards that were finished since the last call."""


class AnotherSweep(Exception):
    """The output folder holds a different sweep from this one."""


class ShardFailed(Exception):
    """Workers died: a fault of the machine or of ours, never of a reader."""


def begin(plan: Plan, store: Store, fresh: bool, replace: bool = False) -> list[int]:
    """Open an output folder; return the shards that are still to do.

    Another sweep in the folder is replaced if ``fresh``, or if the folder may hold any sweep
    (``replace``). Raises :class:`AnotherSweep`.
    """
    described = plan.describe() | {"digest": plan.digest}
    known = store.read_json("plan.json")
    another = known is not None and known.get("digest") != plan.digest
    if fresh or (replace and another):
        store.clear()
        known = None
    if known is not None and known.get("digest") != plan.digest:
        differs = [key for key in described if key != "digest" and known.get(key) != described[key]]
        raise AnotherSweep(
            f"{store.folder}: holds a sweep with another {' and '.join(differs) or 'cut'};"
            " say --fresh to replace it, or another --out"
        )
    store.prepare()
    if known is None:
        store.write_json("plan.json", described)
    return sorted(set(range(len(plan.shards))) - store.done())


def run(
    plan: Plan,
    store: Store,
    todo: Sequence[int],
    seconds: float | None = None,
    progress: Progress = lambda markers: None,
) -> float:
    """Run shards, one process for each core; return the seconds they took.

    After ``seconds`` no shard is begun any more. Raises :class:`ShardFailed`.
    """
    if not todo:
        return 0.0
    started = time.monotonic()
    deadline = None if seconds is None else started + seconds
    left = list(todo)
    deaths = 0
    # The scratch folder belongs to this process, which removes it whatever ends the workers.
    scratch = Held()
    try:
        while left:
            given = (plan, store.folder, scratch.folder)
            try:
                for number in map_unordered(_run_shard, left, _start_worker, given, deadline):
                    progress([store.marker(number)])
                break
            except BrokenProcessPool:
                deaths += 1
                left = sorted(set(left) - store.done())
                if deaths == MAX_DEATHS:
                    text = f"a process died {deaths} times, {len(left)} shards are left"
                    raise ShardFailed(text) from None
    finally:
        scratch.close()
    return time.monotonic() - started


_worker: tuple[ShardRunner, Store] | None = None
"""In a worker process: what runs its shards, and where they are stored."""


def _start_worker(plan: Plan, folder: Path, scratch: Path) -> None:
    global _worker
    folder_of_worker = Path(tempfile.mkdtemp(dir=scratch))
    _worker = ShardRunner(plan, folder_of_worker), Store(folder)


def _run_shard(number: int) -> int:
    assert _worker is not None
    runner, store = _worker
    store.finish(runner.plan, runner.run(number))
    return number


@contextlib.contextmanager
def runner_here(plan: Plan, enumerations: Enumerations | None = None) -> Iterator[ShardRunner]:
    """Run cases in this process, for minimising; nothing is stored."""
    held = Held()
    runner = ShardRunner(plan, held.folder, enumerations)
    try:
        yield runner
    finally:
        runner.close()
        held.close()
