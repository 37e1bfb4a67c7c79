"""The hunt: each mutant in a forked process of its own, asked until its fate is certain."""

from __future__ import annotations

import gc
import mmap
import multiprocessing
import os
import resource
import shutil
import signal
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from pathlib import Path
from types import CodeType

from conformance.orphans import end_with_parent
from lab.mutants.loading import load_format, sources_of
from lab.mutants.questions import Question, ask
from lab.mutants.reached import Reached
from lab.mutants.sites import Mutant

QUESTION_SECONDS = 2.0
"""Processor time that one question may take, as one request of ``walproof check`` may."""
MUTANT_SECONDS = 600
"""Time for a mutant that does not even stop when its processor time is over."""
MEMORY = 1 << 30
"""Bytes that a mutant may take beyond what is there."""
FILE = 1 << 26
"""Bytes that a file of a mutant may have."""
_NUMBER = 4


@dataclass(frozen=True)
class Fate:
    """What became of a mutant.

    ``killer`` is the id of a question that killed it, ``how`` what was wrong with the answer; both
    are ``None`` for a survivor. ``only`` are the requirements that all its killers have in common:
    without the vectors of one of them it would live. ``asked`` counts the questions.
    """

    mutant: Mutant
    killer: str | None
    how: str | None
    only: frozenset[str]
    asked: int

    @property
    def lives(self) -> bool:
        """Whether nothing told it from the original."""
        return self.how is None


@dataclass
class Hunt:
    """What the mutants of one format are asked, and how.

    ``common`` finds out which requirements all killers of a mutant have in common; without it the
    first kill ends a mutant's life. What the mutants write is in ``scratch``.
    """

    format_id: str
    questions: Sequence[Question]
    reached: Reached
    codes: Mapping[str, CodeType]
    scratch: Path
    common: bool = True
    jobs: int = 2

    def run(
        self, mutants: Sequence[Mutant], progress: Callable[[Fate], None] = lambda fate: None
    ) -> list[Fate]:
        """The fate of each mutant, in their order."""
        fates: dict[int, Fate] = {}
        kills = _Kills()
        todo = iter(enumerate(mutants))
        running: dict[int, _Child] = {}
        gc.freeze()  # what a child does not touch stays shared
        try:
            while True:
                while len(running) < self.jobs and (one := next(todo, None)) is not None:
                    child = self._start(*one, kills)
                    running[child.process.sentinel] = child
                if not running:
                    return [fates[number] for number in range(len(mutants))]
                oldest = min(child.started for child in running.values())
                patience = max(0.0, oldest + MUTANT_SECONDS - time.monotonic())
                for sentinel in wait(list(running), timeout=patience) or _kill_oldest(running):
                    assert isinstance(sentinel, int)
                    child = running.pop(sentinel)
                    fate, killers = self._finish(child)
                    kills.note(child.mutant, killers)
                    fates[child.number] = fate
                    progress(fate)
        finally:
            for child in running.values():
                child.process.kill()
                child.process.join()
            gc.unfreeze()

    def _start(self, number: int, mutant: Mutant, kills: _Kills) -> _Child:
        """Fork. Those questions come first that have killed most, then the cheap ones."""
        order = sorted(
            self.reached.questions(mutant),
            key=lambda one: (*kills.rank(mutant, one), self.reached.seconds[one], one),
        )
        here, there = multiprocessing.Pipe(duplex=False)
        asking = mmap.mmap(-1, mmap.PAGESIZE)
        folder = self.scratch / str(number)
        folder.mkdir()
        process = multiprocessing.get_context("fork").Process(
            target=self._live, args=(mutant, order, there, asking, folder, os.getpid()), daemon=True
        )
        process.start()
        there.close()
        return _Child(number, mutant, process, here, asking, folder, time.monotonic())

    def _finish(self, child: _Child) -> tuple[Fate, list[int]]:
        """What a child said when it was over, and the questions that killed it."""
        child.process.join()
        try:
            killers, how, only, asked = child.pipe.recv()
        except (EOFError, OSError):  # it took too long, or fell over: so did the question
            number = int.from_bytes(child.asking[:_NUMBER], "little") - 1
            killers, how = [] if number < 0 else [number], "time-out or crash"
            only, asked = frozenset(), 1
        child.pipe.close()
        child.asking.close()
        shutil.rmtree(child.folder, ignore_errors=True)
        killer = self.questions[killers[0]].id if killers else None
        return Fate(child.mutant, killer, how, only, asked), killers

    def _live(
        self,
        mutant: Mutant,
        order: Sequence[int],
        pipe: Connection,
        asking: mmap.mmap,
        folder: Path,
        parent: int,
    ) -> None:
        """The life of a mutant, in its own process: at its end it says what it was asked."""
        end_with_parent(parent)
        _limit()
        try:
            modules = {path: name for name, path in sources_of(self.format_id).items()}
            codes = {**self.codes, modules[mutant.path]: mutant.code()}
            format = load_format(self.format_id, codes)
        except Exception as error:
            pipe.send(([], f"{type(error).__name__}: {error}", frozenset(), 0))
            return
        killers: list[int] = []
        first: str | None = None
        only: frozenset[str] | None = None
        asked = 0
        for number in order:
            requirements = self.questions[number].requirements
            if only is not None and only <= requirements:
                continue  # whatever the answer is, they stay in common
            asked += 1
            asking[:_NUMBER] = (number + 1).to_bytes(_NUMBER, "little")
            signal.setitimer(signal.ITIMER_PROF, QUESTION_SECONDS)
            how = ask(self.questions[number], format, folder)
            signal.setitimer(signal.ITIMER_PROF, 0)
            if how is not None:
                killers.append(number)
                first = first or how[:300]
                only = requirements if only is None else only & requirements
                if not only or not self.common:
                    break
        pipe.send((killers, first, only or frozenset(), asked))


class _Kills:
    """Which questions have killed, to ask them first: what kills a mutant kills its neighbours."""

    def __init__(self) -> None:
        self._all: Counter[int] = Counter()
        self._of: defaultdict[tuple[str, ...], Counter[int]] = defaultdict(Counter)

    def note(self, mutant: Mutant, killers: Sequence[int]) -> None:
        """Remember who killed a mutant."""
        self._all.update(killers)
        for near in _places(mutant):
            self._of[near].update(killers)

    def rank(self, mutant: Mutant, question: int) -> tuple[int, ...]:
        """The lower, the earlier: kills in the same line, in the same function, anywhere."""
        return *(-self._of[near][question] for near in _places(mutant)), -self._all[question]


def _places(mutant: Mutant) -> tuple[tuple[str, ...], ...]:
    name = mutant.name
    return (name.function, name.line), (name.function,)


@dataclass
class _Child:
    number: int
    mutant: Mutant
    process: ForkProcess
    pipe: Connection
    asking: mmap.mmap
    folder: Path
    started: float


def _kill_oldest(running: Mapping[int, _Child]) -> Sequence[object]:
    sentinel = min(running, key=lambda one: running[one].started)
    running[sentinel].process.kill()
    return [sentinel]


def _limit() -> None:
    """What a mutant may take. The system ends it, also inside of a library's loop."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (MUTANT_SECONDS, MUTANT_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE, FILE))
    status = Path("/proc/self/statm")
    if status.exists():
        size = int(status.read_text().split()[0]) * mmap.PAGESIZE + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 2)
