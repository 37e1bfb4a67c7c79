"""Tasks on all cores of this machine: one process a core, fed one task at a time.

A process that dies takes one task with it, and it is known which; another one tries it again. The
processes are forked by a server that has loaded what they need, so each is there at once.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from typing import Any, Generic, TypeVar

from conformance.orphans import end_with_parent

Task = TypeVar("Task")
Work = Callable[[Task, int], object]
"""Does a task; the number says how often it was begun before."""

POLL_SECONDS = 0.2
FORKING = "walproof.forking"
ATTEMPTS = 4
"""How often a task is begun whose process dies: as often as on Spark."""


def cores() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Died(Exception):
    """The process of a task died each time; ``exitcode`` is minus the signal that killed it."""

    def __init__(self, task: object, exitcode: int | None) -> None:
        super().__init__(f"its process died {ATTEMPTS} times, exit code {exitcode}")
        self.task = task
        self.exitcode = exitcode


class Hand:
    """A process that answers one message after the other.

    ``target`` is called there with its end of a pipe and what is ``given``. It is to call
    :func:`obey` first.
    """

    def __init__(self, context: BaseContext, target: Callable[..., None], *given: object) -> None:
        self.pipe, other = context.Pipe()
        self.process: BaseProcess = context.Process(  # type: ignore[attr-defined]
            target=target, args=(other, *given), daemon=True
        )
        self.process.start()
        other.close()
        self.died = False

    def send(self, message: object) -> None:
        """Hand over a message; if it died, that is seen when its reply is looked for."""
        with contextlib.suppress(OSError):
            self.pipe.send(message)

    def reply(self) -> Any:
        """What it replied; None as long as it did not, and ``died`` tells whether it ever will."""
        try:
            return self.pipe.recv() if self.pipe.poll() else None
        except (EOFError, OSError):  # its end of the pipe is closed when it is gone
            self.process.join(5)
            self.died = True
            return None

    def end(self) -> None:
        """End the process, whatever it does."""
        self.pipe.close()
        self.process.terminate()
        self.process.join(10)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def obey(parent: int) -> None:
    """In a process of a :class:`Hand`: end with the parent, to which Ctrl-C is left."""
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_outlive_nobody, args=(parent,), daemon=True).start()
    end_with_parent(parent)


def _outlive_nobody(parent: int) -> None:
    """Where the system does not end orphans, and for who asked to be forked and died meanwhile."""
    starter = multiprocessing.parent_process()
    ended = [] if starter is None else [starter.sentinel]
    while os.getppid() == parent and not wait(ended, POLL_SECONDS / 2):
        pass
    os._exit(1)


class Pool(Generic[Task]):
    """Processes that run ``work``, a function at the top of a module."""

    def __init__(self, work: Work[Task], count: int) -> None:
        self.count = count
        self._work = work
        self._hands: list[_Worker[Task]] = []
        method = "forkserver" if sys.platform == "linux" else "spawn"
        self._context = multiprocessing.get_context(method)

    def prepare(self) -> None:
        """Start the processes, which load what they need while the caller goes on."""
        loaded = [self._work.__module__]
        if threading.current_thread() is threading.main_thread():
            # The server outlives its pool, and must not end with a thread that does not.
            loaded.insert(0, FORKING)
        self._context.set_forkserver_preload(loaded)
        while len(self._hands) < self.count:
            self._hands.append(_Worker(self._context, self._work))

    def run(self, tasks: Sequence[Task], tick: Callable[[], None]) -> None:
        """Do every task; call ``tick`` now and then.

        Raises what ``work`` raises, and :class:`Died`.
        """
        self.prepare()
        left = [(task, 0) for task in reversed(tasks)]
        took, ticked = 0.0, time.monotonic()
        while True:
            for hand in self._hands:
                if hand.task is None and left:
                    hand.begin(*left.pop())
            busy = [hand for hand in self._hands if hand.task is not None]
            if not busy:
                return
            wait([hand.pipe for hand in busy], POLL_SECONDS)
            for hand in busy:
                if hand.finished() or not hand.died:
                    continue
                assert hand.task is not None
                if hand.attempt + 1 >= ATTEMPTS:
                    raise Died(hand.task, hand.process.exitcode)
                left.append((hand.task, hand.attempt + 1))
                hand.end()
                self._hands[self._hands.index(hand)] = _Worker(self._context, self._work)
            # A look may be dear: it must not take more than a twentieth of the time.
            if (began := time.monotonic()) - ticked >= max(POLL_SECONDS, 20 * took):
                tick()
                ticked = time.monotonic()
                took = ticked - began

    def stop(self) -> None:
        """End the processes, whatever they do."""
        for hand in self._hands:
            hand.process.terminate()
        for hand in self._hands:
            hand.end()
        self._hands.clear()


class _Worker(Hand, Generic[Task]):
    def __init__(self, context: BaseContext, work: Work[Task]) -> None:
        super().__init__(context, _serve, work)
        self.task: Task | None = None
        self.attempt = 0

    def begin(self, task: Task, attempt: int) -> None:
        self.task, self.attempt = task, attempt
        self.send((task, attempt))

    def finished(self) -> bool:
        """Whether its task is done, else ``died`` tells. Raises what the task raised."""
        if (reply := self.reply()) is None:
            return False
        self.task = None
        (error,) = reply
        if error is not None:
            raise error
        return True


def _serve(pipe: Connection, work: Work[Task]) -> None:
    """What a process does until it is told to end, or has no parent any more."""
    obey(os.getppid())
    while True:
        try:
            task, attempt = pipe.recv()
        except (EOFError, OSError):
            return
        error: Exception | None = None
        try:
            work(task, attempt)
        except Exception as raised:
            error = raised
        try:
            pipe.send((error,))
        except OSError:
            return
