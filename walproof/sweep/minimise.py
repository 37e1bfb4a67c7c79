"""Minimise findings: try one half of a pair, or the same damage to a smaller log."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from conformance.scratch import Held
from walproof.sweep.enumeration import PAIR
from walproof.sweep.findings import Finding
from walproof.sweep.plan import Enumerations, Run
from walproof.sweep.result import Occurrence
from walproof.sweep.settings import simplest
from walproof.sweep.shard_runner import ShardRunner

#: Maximum number of cases tried on each smaller log.
TRIALS = 200

#: Maximum number of smaller logs on which the damage of a case is tried, smallest first.
SMALLER_LOGS = 6

#: Maximum number of changes of a family that are searched for changes of the same field.
SEARCHED_DAMAGES = 2000

Simplest = TypeVar("Simplest")
Candidate = TypeVar("Candidate")


def descend(
    case: Simplest,
    candidates: Callable[[Simplest], Iterable[Candidate]],
    simpler: Callable[[Simplest, Candidate], Simplest | None],
    is_over: Callable[[], bool],
) -> Simplest:
    """Return the simplest case that can be reached step by step.

    Each step takes the first candidate for which ``simpler`` returns a case.
    """
    while True:
        for candidate in candidates(case):
            if is_over():
                return case
            if (next_case := simpler(case, candidate)) is not None:
                case = next_case
                break
        else:
            return case


def minimise(enumerations: Enumerations, findings: Sequence[Finding], seconds: float) -> None:
    """Replace the cases of findings by simpler cases with the same effect, for ``seconds``."""
    deadline = time.monotonic() + seconds
    plan = enumerations.plan
    for name in dict.fromkeys(finding.signature.implementation for finding in findings):
        programs = tuple(each for each in plan.programs if each.name == name)
        held = Held()
        try:
            with ShardRunner(replace(plan, programs=programs), held.folder, enumerations) as runner:
                for finding in findings:
                    is_late = time.monotonic() > deadline
                    if finding.signature.implementation == name and not is_late:
                        _minimise(enumerations, finding, runner, deadline)
        finally:
            held.close()


def _minimise(
    enumerations: Enumerations, finding: Finding, runner: ShardRunner, deadline: float
) -> None:
    def simpler(best: Occurrence, runs: tuple[Run, ...]) -> Occurrence | None:
        fitting = [
            each
            for each in runner.run(runs).occurrences.values()
            if each.signature.effect == best.signature.effect and each.order < best.order
        ]
        return min(fitting, key=lambda each: each.order, default=None)

    finding.best = descend(
        finding.best,
        lambda best: _simpler(enumerations, best),
        simpler,
        lambda: time.monotonic() > deadline,
    )


def _simpler(enumerations: Enumerations, best: Occurrence) -> Iterator[tuple[Run, ...]]:
    """Yield groups of cases to try, most promising first; each group runs as one shard."""
    plan = enumerations.plan
    control = enumerations.number(best.control)
    enumeration = enumerations[control]
    settings = plan.controls[control].settings
    # Settings with the same profile and the control's own context; a plain record comes first.
    simple_settings = simplest(settings, settings[best.setting])
    if best.signature.operation == PAIR:
        halves = enumeration.pairs.halves(best.number) or []
        yield tuple(
            _exactly(control, enumeration.families.index(family), setting, n)
            for setting in simple_settings
            for family, n in halves
        )
        if best.setting not in simple_settings[:1]:
            yield tuple(
                _exactly(control, best.family, setting, best.number) for setting in simple_settings
            )
        return
    for setting in simple_settings:
        if best.setting != setting:
            yield (_exactly(control, best.family, setting, best.number),)
    if best.family == enumeration.lists:
        yield from _other_lists(enumerations, best)
        return
    smaller = [n for n in range(control) if plan.controls[n].size <= plan.controls[control].size]
    for other in (*smaller[:SMALLER_LOGS], control):
        smaller_enumeration = enumerations[other]
        setting = simplest(plan.controls[other].settings, settings[best.setting])[0]
        runs = [
            _exactly(other, number, setting, n)
            for number, family in enumerate(smaller_enumeration.families)
            if family.operation == best.signature.operation
            for n in range(0, family.count, -(-family.count // SEARCHED_DAMAGES))
            if family.changes[n].field == best.signature.field
        ]
        if runs:
            yield tuple(runs[:: -(-len(runs) // TRIALS)])


def _other_lists(enumerations: Enumerations, best: Occurrence) -> Iterator[tuple[Run, ...]]:
    plan = enumerations.plan
    control = enumerations.number(best.control)
    like = plan.controls[control].settings[best.setting]
    for other in dict.fromkeys((*range(min(SMALLER_LOGS, control)), control)):
        family = enumerations[other].lists
        setting = simplest(plan.controls[other].settings, like)[-1]
        yield (Run(other, family, setting, 0, TRIALS, spread=False),)


def _exactly(control: int, family: int, setting: int, number: int) -> Run:
    return Run(control, family, setting, number, number + 1, spread=False)
