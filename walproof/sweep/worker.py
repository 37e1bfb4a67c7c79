"""The readers and programs of one worker process: made once, used for all of its shards."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from conformance.scratch import Held
from walproof.sweep.asked import ShardRunner
from walproof.sweep.cases import CasesInTime
from walproof.sweep.children import Asker
from walproof.sweep.oneshot import OneShotAsker
from walproof.sweep.plan import Enumerations, Plan, Program
from walproof.sweep.process import Process
from walproof.sweep.readers import Fast, Reference
from walproof.sweep.store import Store


class Worker:
    """Scratch folder, guard, readers and programs. Close it, or die: both leave nothing."""

    def __init__(self, plan: Plan, enumerations: Enumerations | None = None) -> None:
        self.plan = plan
        self._held = Held()
        self.folder = self._held.folder
        # Without a program: it only waits for this process to die, and removes the folder then.
        self._guard = Process((), self.folder, plan.limits.memory)
        here = self.folder / "here"
        here.mkdir()
        self.patience = CasesInTime()
        self.askers = {program.name: self._asker(program) for program in plan.programs}
        fast = Fast(plan.format, here) if plan.fast else None
        reference = Reference(plan.format, here)
        self.shards = ShardRunner(plan, reference, fast, self.askers, enumerations)
        self.hangs = self.patience.hangs

    def close(self) -> None:
        """End the programs and remove the scratch folder."""
        for asker in self.askers.values():
            asker.close()
        self._guard.kill()
        self._held.close()

    def _asker(self, program: Program) -> Asker:
        place = self.folder / program.name.replace("/", "_")
        place.mkdir()
        made = OneShotAsker if program.one_shot else Asker
        return made(
            program.name, program.command, self.plan.format, place, self.plan.limits,
            self.patience, program.box(place),
        )  # fmt: skip


_workers: dict[tuple[int, str], Worker] = {}


def worker(plan: Plan, enumerations: Enumerations | None = None) -> Worker:
    """The worker of this process for a plan. A forked process makes its own.

    ``enumerations`` are those of the plan, where they are made already.
    """
    key = (os.getpid(), plan.digest)
    if key not in _workers:
        for other in [k for k in _workers if k[0] == os.getpid()]:
            _workers.pop(other).close()
        _workers[key] = Worker(plan, enumerations)
    return _workers[key]


def close_all() -> None:
    """Close the workers that this process keeps for its plans."""
    for key in [k for k in _workers if k[0] == os.getpid()]:
        _workers.pop(key).close()


def run_shards(plan: Plan, place: str, numbers: Iterator[int]) -> Iterator[int]:
    """What a Spark task does: run these shards and store them; yields their numbers."""
    store = Store(place)
    mine = worker(plan)
    for number in numbers:
        store.finish(plan, mine.shards.run(number))
        yield number


@contextlib.contextmanager
def alone(plan: Plan, enumerations: Enumerations | None = None) -> Iterator[Worker]:
    """A temporary worker in this process, for minimising."""
    mine = Worker(plan, enumerations)
    try:
        yield mine
    finally:
        mine.close()
