"""Hunt mutants: run the questions on each in a separate process, and report which survive."""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.chapter import chapter
from conformance.process import JsonLinesProgram, Limits, NoReply
from conformance.scratch import Held
from lab.mutants.choice import Choice, all_mutants, sources_of
from lab.mutants.questions import Question, Reached, questions_of, reached
from lab.mutants.reviewed import Reviewed, load_reviewed
from lab.mutants.sites import Mutant, Name
from reference_impl.paths import PACKAGES

#: CPU time that one question may take, as one request of ``walproof check`` may.
QUESTION_SECONDS = 2.0
#: For all questions of a mutant; also for one that never returns to the interpreter.
MUTANT_SECONDS = 300.0
LIMITS = Limits(memory_bytes=2 << 30)

Report = dict[str, Any]


@dataclass(frozen=True)
class Fate:
    """The outcome of a mutant."""

    mutant: Mutant
    #: Id of the question that killed the mutant, or None for a survivor.
    killer: str | None
    #: Fault in the answer to this question, or None for a survivor.
    how: str | None
    #: Requirements that all killers have in common.
    only: frozenset[str] = frozenset()

    @property
    def lives(self) -> bool:
        """True if no answer differed from the original's."""
        return self.how is None


@dataclass
class Hunt:
    """Run questions on the mutants of one format."""

    format_id: str
    questions: Sequence[Question]
    reached: Reached
    #: The only folder in which mutants write.
    scratch: Path
    #: If true, a mutant is not tested further after its first kill. Otherwise, all questions run,
    #: to find the requirements that all killers have in common.
    first_kill: bool = False
    jobs: int = 2
    #: Kills of each question: in a function, and anywhere.
    _kills: Counter[tuple[str, int]] = field(default_factory=Counter)

    def run(
        self, mutants: Sequence[Mutant], progress: Callable[[], None] = lambda: None
    ) -> list[Fate]:
        """Return the fate of each mutant, in their order."""
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
        """Take mutants until there are none, with a worker of this thread's own."""
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
        """Run the questions on a mutant: own format, frequent killers and cheap ones first."""
        function = mutant.name.function

        def rank(number: int) -> tuple[Any, ...]:
            is_foreign = self.questions[number].format_id != self.format_id
            kills = self._kills[function, number], self._kills["", number]
            return is_foreign, -kills[0], -kills[1], self.reached.seconds[number], number

        request = {
            "name": vars(mutant.name),
            "order": sorted(self.reached.questions(mutant), key=rank),
            "first_kill": self.first_kill,
            "seconds": QUESTION_SECONDS,
        }
        try:
            reply = worker.request(request)
        except NoReply:  # it hangs where nothing interrupts it, or a crash ended the process
            return Fate(mutant, None, "time-out or crash")
        killers = reply["killers"]
        self._kills.update((scope, number) for scope in (function, "") for number in killers)
        killer = self.questions[killers[0]].id if killers else None
        return Fate(mutant, killer, reply["how"], frozenset(reply["only"]))


def hunt(
    format_id: str,
    choice: Choice,
    *,
    first_kill: bool = False,
    jobs: int = 2,
    started: Callable[[int], None] = lambda count: None,
    progress: Callable[[], None] = lambda: None,
    reviewed: Reviewed | None = None,
) -> Report:
    """Run the vectors on the selected mutants of a format and return the outcomes."""
    reviewed = load_reviewed(format_id) if reviewed is None else reviewed
    everything = all_mutants(format_id, reviewed)
    mutants = choice.of(everything)
    started(len(mutants))
    questions = questions_of(format_id)
    files = frozenset(map(str, sources_of(format_id).values()))
    held = Held()
    try:
        lines = reached(questions, files, held.folder)
        run = Hunt(format_id, questions, lines, held.folder, first_kill, jobs).run
        fates = run(mutants, progress)
    finally:
        held.close()
    listed = [fate for fate in fates if fate.mutant.name in reviewed.equivalent]
    alone = Counter(id for fate in fates for id in fate.only)
    return {
        "format": format_id,
        "all": len(everything),
        "mutants": len(fates),
        "killed": sum(not fate.lives for fate in fates),
        "equivalent": [_listed(fate, reviewed) for fate in listed if fate.lives],
        "listed_and_killed": [_listed(fate, reviewed) for fate in listed if not fate.lives],
        "listed_and_gone": [
            vars(name)
            for name in sorted(set(reviewed.equivalent) - {each.name for each in everything})
        ],
        "survivors": [
            {
                **vars(fate.mutant.name),
                "file": fate.mutant.path.relative_to(PACKAGES).as_posix(),
                "at": fate.mutant.line,
                "mutated": fate.mutant.source,
                "is_reached": bool(lines.questions(fate.mutant)),
            }
            for fate in fates
            if fate.lives and fate.mutant.name not in reviewed.equivalent
        ],
        # For each requirement, how many mutants only its own vectors kill.
        "requirements": [
            {"id": id, "level": requirement.level, "alone": alone[id],
             "because": reviewed.requirements.get(id)}
            for id, requirement in chapter(format_id).requirements.items()
            if not first_kill
        ],
        "is_whole": choice.is_everything,
    }  # fmt: skip


def _listed(fate: Fate, reviewed: Reviewed) -> dict[str, Any]:
    name: Name = fate.mutant.name
    return {**vars(name), "because": reviewed.equivalent[name], "killer": fate.killer}


def faults(report: Report) -> list[str]:
    """Return a sentence for each fault of the reviewed lists."""
    results = [
        f"{each['function']}: listed as equivalent, and {each['killer']} kills it: {each['before']}"
        f" → {each['after']}"
        for each in report["listed_and_killed"]
    ]
    results += [
        f"{each['function']}: listed as equivalent, and there is no such mutant:"
        f" {each['operator']}, {each['line']}: {each['before']} → {each['after']}"
        for each in report["listed_and_gone"]
    ]
    for each in report["requirements"] if report["is_whole"] else ():
        if each["alone"] and each["because"]:
            results.append(
                f"{each['id']}: a reason is listed, and {each['alone']} mutants need its vectors"
            )
        elif each["level"].startswith("MUST") and not each["alone"] and not each["because"]:
            results.append(f"{each['id']}: no mutant needs its vectors, and no reason is listed")
    return results
