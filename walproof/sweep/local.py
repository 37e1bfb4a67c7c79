"""Shards on all cores of this machine, without Spark: one process a core, fed one at a time."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext

from walproof.cores import Hand, cores, obey
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


class _Hand(Hand):
    """A process that runs one shard after the other.

    Once it is ended, its guards end the programs and remove the scratch folders.
    """

    def __init__(
        self, context: BaseContext, plan: Plan, enumerations: Enumerations | None, place: str
    ) -> None:
        forked = context.get_start_method() == "fork"
        known = enumerations if forked else None  # cheaper made again than sent
        super().__init__(context, _work, plan, known, place, os.getpid())
        self.shard: int | None = None

    def begin(self, shard: int, learned: set[Kind]) -> None:
        """Hand over a shard, with what all processes know of programs that hang."""
        self.shard = shard
        self.send((shard, learned))

    def finished(self, learned: set[Kind]) -> bool:
        """Whether its shard is done, else ``died`` tells; adds to ``learned`` what it has.

        Raises :class:`ShardFailed` for an exception there.
        """
        if (reply := self.reply()) is None:
            return False
        error, kinds = reply
        if error is not None:
            raise ShardFailed(f"shard {self.shard}: {error}")
        learned |= kinds
        self.shard = None
        return True


def _context() -> BaseContext:
    """Forked processes have the damages of the plan already; a fork wants a single thread."""
    safe = sys.platform == "linux" and threading.active_count() == 1
    return multiprocessing.get_context("fork" if safe else "spawn")


def _work(
    pipe: Connection, plan: Plan, enumerations: Enumerations | None, place: str, parent: int
) -> None:
    """What a process does until it is told to end, or has no parent any more."""
    obey(parent)
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
