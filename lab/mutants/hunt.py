"""Hunt mutants: run the questions on each in a separate process, until one kills it."""

from __future__ import annotations

import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from conformance.process import JsonLinesProgram, Limits, NoReply
from lab.mutants.questions import Question, Reached
from lab.mutants.sites import Mutant
from reference_impl.paths import PACKAGES

#: CPU time that one question may take, as one request of ``walproof check`` may.
QUESTION_SECONDS = 2.0
#: For all questions of a mutant; also for one that never returns to the interpreter.
MUTANT_SECONDS = 300.0
LIMITS = Limits(memory_bytes=2 << 30)
FELL_OVER = "time-out or crash"


@dataclass(frozen=True)
class Fate:
    """The outcome of a mutant.

    ``killer`` is the id of the question that killed it, and ``how`` is the fault in its answer.
    Both are ``None`` if the mutant survived. ``only`` are the requirements that all killers have in
    common: without the vectors of any of these requirements, the mutant would survive. ``asked`` is
    the number of questions.
    """

    mutant: Mutant
    killer: str | None
    how: str | None
    only: frozenset[str]
    asked: int

    @property
    def lives(self) -> bool:
        """True if no answer differed from the original's."""
        return self.how is None


@dataclass
class Hunt:
    """Run questions on the mutants of one format.

    If ``first_kill`` is true, a mutant is not tested further after it was killed once. Otherwise
    all questions run, to find the requirements that all killers have in common. Mutants write only
    in ``scratch``.
    """

    format_id: str
    questions: Sequence[Question]
    reached: Reached
    scratch: Path
    first_kill: bool = False
    jobs: int = 2

    def run(
        self, mutants: Sequence[Mutant], progress: Callable[[Fate], None] = lambda fate: None
    ) -> list[Fate]:
        """Return the fate of each mutant, in their order."""
        fates: dict[int, Fate] = {}
        kills = _Kills()
        todo = iter(list(enumerate(mutants)))
        stopped = threading.Event()

        def work(_: int) -> None:
            for number, fate in self._fates(todo, kills, stopped):
                fates[number] = fate
                progress(fate)

        with ThreadPoolExecutor(self.jobs) as pool:
            try:
                for _ in pool.map(work, range(self.jobs)):
                    pass
            finally:
                stopped.set()
        return [fates[number] for number in range(len(mutants))]

    def _fates(
        self, todo: Iterator[tuple[int, Mutant]], kills: _Kills, stopped: threading.Event
    ) -> Iterator[tuple[int, Fate]]:
        """Take mutants until there are none, with a worker of this thread's own."""
        command = [sys.executable, "-m", "lab.mutants.worker", self.format_id, str(self.scratch)]
        variables = {"PYTHONPATH": str(PACKAGES)}
        worker = JsonLinesProgram(command, None, variables, MUTANT_SECONDS, LIMITS)
        try:
            for number, mutant in todo:
                if stopped.is_set():
                    return
                yield number, self._ask(mutant, worker, kills)
        finally:
            worker.close()

    def _ask(self, mutant: Mutant, worker: JsonLinesProgram, kills: _Kills) -> Fate:
        """Ask first the format's own questions, those that have killed most, and the cheap ones."""
        order = sorted(
            self.reached.questions(mutant),
            key=lambda each: (
                self.questions[each].format_id != self.format_id,
                *kills.rank(mutant, each),
                self.reached.seconds[each],
                each,
            ),
        )
        request = {
            "name": vars(mutant.name),
            "order": order,
            "first_kill": self.first_kill,
            "seconds": QUESTION_SECONDS,
        }
        try:
            reply = worker.request(request)
        except NoReply:  # it hangs where nothing interrupts it, or a crash ended the process
            return Fate(mutant, None, FELL_OVER, frozenset(), 1)
        killers = reply["killers"]
        kills.note(mutant, killers)
        killer = self.questions[killers[0]].id if killers else None
        return Fate(mutant, killer, reply["how"], frozenset(reply["only"]), reply["asked"])


class _Kills:
    """Questions that have killed a mutant, to run first: they often kill its neighbours."""

    def __init__(self) -> None:
        self._all: Counter[int] = Counter()
        self._near: defaultdict[tuple[str, ...], Counter[int]] = defaultdict(Counter)

    def note(self, mutant: Mutant, killers: Sequence[int]) -> None:
        """Count the questions that killed a mutant."""
        self._all.update(killers)
        for scope in _scopes(mutant):
            self._near[scope].update(killers)

    def rank(self, mutant: Mutant, question: int) -> tuple[int, ...]:
        """Return the lower, the earlier: kills in the same line, in the same function, anywhere."""
        return *(-self._near[scope][question] for scope in _scopes(mutant)), -self._all[question]


def _scopes(mutant: Mutant) -> tuple[tuple[str, ...], ...]:
    name = mutant.name
    return (name.function, name.line), (name.function,)
