"""Shards on all cores of this machine, without Spark: one process a core, fed one at a time."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess

from walproof.cores import cores, outlive_nobody
from walproof.sweep import worker
from walproof.sweep.hangs import Kind
from walproof.sweep.plan import Enumerations, Plan

POLL_SECONDS = 0.25
ATTEMPTS = 3
"""How often a shard is begun whose process dies, before the sweep gives up."""


class ShardFailed(Exception):
    """A shard could not be run: a fault of the machine or of ours, never of a reader."""


def run(
    plan: Plan,
    enumerations: Enumerations | None,
    place: str,
    todo: Sequence[int],
    deadline: float | None,
    tick: Callable[[Sequence[int]], None],
) -> None:
    """Run shards, store them under ``place``, and call ``tick`` with those that are done.

    No shard is begun after ``deadline``, of the monotonic clock. Whatever ends this, an exception
    too, ends the processes. Raises :class:`ShardFailed`.
    """
    left = list(reversed(todo))
    learned: set[Kind] = set()
    failures: dict[int, int] = {}
    hands: list[_Hand] = []
    context = _context()
    try:
        for _ in range(min(cores(), len(left))):
            hands.append(_Hand(context, plan, enumerations, place))
        while True:
            for hand in hands:
                if (
                    hand.shard is None
                    and left
                    and (deadline is None or time.monotonic() < deadline)
                ):
                    hand.begin(left.pop(), learned)
            busy = [hand for hand in hands if hand.shard is not None]
            if not busy:
                return
            wait([hand.pipe for hand in busy], POLL_SECONDS)
            done = []
            for hand in list(busy):
                shard = hand.shard
                assert shard is not None
                if hand.finished(learned):
                    done.append(shard)
                elif hand.died:
                    failures[shard] = failures.get(shard, 0) + 1
                    if failures[shard] >= ATTEMPTS:
                        raise ShardFailed(
                            f"shard {shard}: its process died {ATTEMPTS} times,"
                            f" exit code {hand.process.exitcode}"
                        )
                    hand.end()
                    hands.remove(hand)
                    left.append(shard)
                    hands.append(_Hand(context, plan, enumerations, place))
            tick(done)
    finally:
        for hand in hands:
            hand.end()


class _Hand:
    """A process that runs one shard after the other."""

    def __init__(
        self, context: BaseContext, plan: Plan, enumerations: Enumerations | None, place: str
    ) -> None:
        self.pipe, other = context.Pipe()
        forked = context.get_start_method() == "fork"
        known = enumerations if forked else None  # cheaper made again than sent
        self.process: BaseProcess = context.Process(  # type: ignore[attr-defined]
            target=_work, args=(plan, known, place, other, os.getpid()), daemon=True
        )
        self.process.start()
        other.close()
        self.shard: int | None = None
        self.died = False

    def begin(self, shard: int, learned: set[Kind]) -> None:
        """Hand over a shard, with what all processes know of programs that hang."""
        self.shard = shard
        try:
            self.pipe.send((shard, learned))
        except OSError:  # it died: seen when its reply is looked for
            return

    def finished(self, learned: set[Kind]) -> bool:
        """Whether its shard is done, else ``died`` tells; adds to ``learned`` what it has.

        Raises :class:`ShardFailed` for an exception there.
        """
        try:
            if not self.pipe.poll():
                return False
            error, kinds = self.pipe.recv()
        except (EOFError, OSError):  # its end of the pipe is closed when it is gone
            self.process.join(5)
            self.died = True
            return False
        if error is not None:
            raise ShardFailed(f"shard {self.shard}: {error}")
        learned |= kinds
        self.shard = None
        return True

    def end(self) -> None:
        """End the process; its guards end the programs and remove the scratch folders."""
        self.pipe.close()
        self.process.terminate()
        self.process.join(10)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def _context() -> BaseContext:
    """Forked processes have the damages of the plan already; a fork wants a single thread."""
    safe = sys.platform == "linux" and threading.active_count() == 1
    return multiprocessing.get_context("fork" if safe else "spawn")


def _work(
    plan: Plan, enumerations: Enumerations | None, place: str, pipe: Connection, parent: int
) -> None:
    """What a process does until it is told to end, or has no parent any more."""
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of Ctrl-C the parent takes care
    threading.Thread(target=outlive_nobody, args=(parent,), daemon=True).start()
    hangs = worker.worker(plan, enumerations).hangs
    while True:
        try:
            number, learned = pipe.recv()
        except (EOFError, OSError):
            worker.close_all()
            return
        error = None
        hangs.told(learned)
        try:
            list(worker.run_shards(plan, place, iter([number])))
        except Exception:
            error = traceback.format_exc()
        pipe.send((error, hangs.learned))
