"""Run the questions on each mutant in a separate process, and report the survivors."""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from conformance.process import JsonLinesProgram, Limits, NoReply
from conformance.scratch import Scratch
from lab.mutants.choice import Changes, all_mutants, choose
from lab.mutants.questions import Question, questions_of
from lab.mutants.reach import Reached, reached
from lab.mutants.reviewed import Reviewed, load_reviewed
from lab.mutants.sites import Mutant, Name
from reference_impl.paths import PACKAGES

#: CPU time limit for a question. A request in ``walproof check`` has the same limit.
QUESTION_SECONDS = 2.0
#: Wall-clock limit for all questions to a mutant. It also stops a mutant that never returns to the
#: interpreter.
MUTANT_SECONDS = 300.0
LIMITS = Limits(memory_bytes=2 << 30)


@dataclass(frozen=True)
class Fate:
    """The outcome of a mutant."""

    mutant: Mutant
    #: Id of the question that killed the mutant, or None for a survivor.
    killer: str | None
    #: Description of the wrong answer, or None for a survivor.
    how: str | None

    @property
    def lives(self) -> bool:
        """True if no answer differed from the expected one."""
        return self.how is None


@dataclass
class Hunt:
    """Run questions on the mutants of one format."""

    format_id: str
    questions: Sequence[Question]
    reached: Reached
    #: The only folder in which mutants write.
    scratch: Path
    jobs: int = 2
    #: Number of kills, by function and question.
    _kills: Counter[tuple[str, int]] = field(default_factory=Counter)
    #: Number of kills, by question.
    _kills_in_all: Counter[int] = field(default_factory=Counter)

    def run(
        self, mutants: Sequence[Mutant], progress: Callable[[], None] = lambda: None
    ) -> list[Fate]:
        """Return the fate of each mutant, in the order of ``mutants``."""
        fates: dict[int, Fate] = {}
        todo = iter(list(enumerate(mutants)))
        stopped = threading.Event()

        def work(_: int) -> None:
            for number, fate in self._fates(todo, stopped):
                fates[number] = fate
                progress()

        with ThreadPoolExecutor(self.jobs) as pool:
            try:
                list(pool.map(work, range(self.jobs)))
            finally:
                stopped.set()
        return [fates[number] for number in range(len(mutants))]

    def _fates(
        self, todo: Iterator[tuple[int, Mutant]], stopped: threading.Event
    ) -> Iterator[tuple[int, Fate]]:
        """Take mutants from ``todo``; yield the number and fate of each."""
        command = [sys.executable, "-m", "lab.mutants.worker", self.format_id, str(self.scratch)]
        variables = {"PYTHONPATH": str(PACKAGES)}
        worker = JsonLinesProgram(command, None, variables, MUTANT_SECONDS, LIMITS)
        try:
            for number, mutant in todo:
                if stopped.is_set():
                    return
                yield number, self._ask(mutant, worker)
        finally:
            worker.close()

    def _ask(self, mutant: Mutant, worker: JsonLinesProgram) -> Fate:
        function = mutant.name.function

        def rank(number: int) -> tuple[bool, int, float, int]:
            # Ask questions of this format first, then those that killed other mutants of the
            # function, then those with the most kills for their CPU time.
            is_foreign = self.questions[number].format_id != self.format_id
            cost = self.reached.seconds[number] / (1 + self._kills_in_all[number])
            return is_foreign, -self._kills[function, number], cost, number

        order = sorted(self.reached.questions(mutant), key=rank)
        request = {"name": vars(mutant.name), "order": order, "seconds": QUESTION_SECONDS}
        try:
            reply = worker.request(request)
        except NoReply:
            # The mutant hung in code that cannot be interrupted, or its process crashed.
            return Fate(mutant, None, "time-out or crash")
        if (killer := reply["killer"]) is None:
            return Fate(mutant, None, reply["how"])
        self._kills[function, killer] += 1
        self._kills_in_all[killer] += 1
        return Fate(mutant, self.questions[killer].id, reply["how"])


@dataclass(frozen=True)
class MutationReport:
    """The fates of the selected mutants of a format."""

    format_id: str
    #: Number of mutants of the format, including those not selected.
    total: int
    fates: Sequence[Fate]
    reviewed: Reviewed
    #: Mutants that are listed as equivalent but do not exist.
    gone: Sequence[Name]

    @property
    def killed(self) -> int:
        """The number of killed mutants."""
        return sum(not fate.lives for fate in self.fates)

    @property
    def equivalent(self) -> int:
        """The number of survivors that are listed as equivalent."""
        return len(self.fates) - self.killed - len(self.survivors)

    @property
    def survivors(self) -> list[Mutant]:
        """The survivors that are not listed as equivalent."""
        return [
            fate.mutant
            for fate in self.fates
            if fate.lives and fate.mutant.name not in self.reviewed.equivalent
        ]

    def faults(self) -> list[str]:
        """Return a message for each error in the list of reviewed mutants."""
        killed = [
            f"{name.function}: listed as equivalent, and {fate.killer} kills it: {name.before}"
            f" → {name.after}"
            for fate in self.fates
            if not fate.lives and (name := fate.mutant.name) in self.reviewed.equivalent
        ]
        return killed + [
            f"{name.function}: listed as equivalent, and there is no such mutant:"
            f" {name.operator}, {name.line}: {name.before} → {name.after}"
            for name in self.gone
        ]


def hunt(
    format_id: str,
    functions: Sequence[str] = (),
    changed: Changes | None = None,
    jobs: int = 2,
    started: Callable[[int], None] = lambda count: None,
    progress: Callable[[], None] = lambda: None,
) -> MutationReport:
    """Run the vectors on the mutants that :func:`~lab.mutants.choice.choose` returns."""
    reviewed = load_reviewed(format_id)
    everything = all_mutants(format_id, reviewed)
    mutants = choose(everything, functions, changed)
    started(len(mutants))
    fates = list[Fate]()
    if mutants:
        questions, held = questions_of(format_id), Scratch()
        try:
            found = reached(format_id, mutants, questions, held.folder)
            fates = Hunt(format_id, questions, found, held.folder, jobs).run(mutants, progress)
        finally:
            held.close()
    gone = sorted(set(reviewed.equivalent) - {each.name for each in everything})
    return MutationReport(format_id, len(everything), fates, reviewed, gone)
