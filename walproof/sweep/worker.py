"""The readers and programs of one worker process: made once, used for all of its shards."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from walproof.sweep.asked import ShardRunner
from walproof.sweep.cases import CasesInTime
from walproof.sweep.children import Asker
from walproof.sweep.oneshot import OneShotAsker
from walproof.sweep.plan import Enumerations, Plan
from walproof.sweep.process import Process
from walproof.sweep.readers import Fast, Reference
from walproof.sweep.store import Store

TMPFS = Path("/dev/shm")
PREFIX = "walproof-sweep-"


class Worker:
    """Scratch folder, guard, readers and programs. Close it, or die: both leave nothing."""

    def __init__(self, plan: Plan, enumerations: Enumerations | None = None) -> None:
        self.plan = plan
        self.folder = scratch_folder()
        # Without a program: it only waits for this process to die, and removes the folder then.
        self._guard = Process((), self.folder, plan.limits.memory)
        here = self.folder / "here"
        here.mkdir()
        self.patience = CasesInTime()
        self.askers = {
            program.name: (OneShotAsker if program.one_shot else Asker)(
                program.name,
                program.command,
                plan.format,
                self._place(program.name),
                plan.limits,
                self.patience,
            )
            for program in plan.programs
        }
        fast = Fast(plan.format, here) if plan.fast else None
        reference = Reference(plan.format, here)
        self.shards = ShardRunner(plan, reference, fast, self.askers, enumerations)
        self.hangs = self.patience.hangs

    def close(self) -> None:
        """End the programs and remove the scratch folder."""
        for asker in self.askers.values():
            asker.close()
        self._guard.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _place(self, name: str) -> Path:
        place = self.folder / name.replace("/", "_")
        place.mkdir()
        return place


def scratch_folder() -> Path:
    """A fresh folder in memory where possible, else where temporary files go."""
    in_memory = TMPFS.is_dir() and os.access(TMPFS, os.W_OK)
    place = TMPFS if in_memory else Path(tempfile.gettempdir())
    clear_abandoned(place)
    return Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=place))


def clear_abandoned(place: Path, seconds: float = 3600) -> None:
    """Remove the folders of workers that died together with their guards, so long ago.

    The age is for processes that are not seen from here, in another container.
    """
    for folder in place.glob(f"{PREFIX}*-*"):
        owner = folder.name.removeprefix(PREFIX).partition("-")[0]
        with contextlib.suppress(OSError):  # somebody else's, or gone already
            old = time.time() - folder.stat().st_mtime > seconds
            if old and owner.isdigit() and not psutil.pid_exists(int(owner)):
                shutil.rmtree(folder, ignore_errors=True)


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
