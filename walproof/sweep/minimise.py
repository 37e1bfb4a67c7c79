"""Makes findings small: half a pair, or the same damage to a smaller log."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from walproof.sweep.findings import Finding
from walproof.sweep.pairs import PAIR
from walproof.sweep.plan import Enumerations, Plan, Run
from walproof.sweep.programs import FAST
from walproof.sweep.settings import simplest
from walproof.sweep.shard import Occurrence
from walproof.sweep.shard_pool import runner_here

TRIALS = 200
"""Cases that are tried, at most, on each smaller log."""

SMALLER = 6
"""Smaller logs on which a damage is tried, at most: the smallest."""

LOOKED_AT = 2000
"""Damages of a family that are looked through for those of the same field."""


def minimise(enumerations: Enumerations, findings: Sequence[Finding], seconds: float) -> None:
    """Replace the simplest cases by simpler ones that show the same effect.

    After ``seconds`` the rest stays as it is, and says so.
    """
    plan = enumerations.plan
    deadline = time.monotonic() + seconds
    for name in dict.fromkeys(finding.signature.implementation for finding in findings):
        mine = [f for f in findings if f.signature.implementation == name]
        with runner_here(_only(plan, name), enumerations) as runner:
            for finding in mine:
                if time.monotonic() > deadline:
                    finding.minimised = "not minimised: out of time"
                    continue
                tried = 0
                for runs in _simpler(enumerations, finding):
                    runner.plan = runner.plan.with_shard(runs)
                    tried += sum(run.stop - run.start for run in runs)
                    better = _same_effect(finding, list(runner.run(0).occurrences.values()))
                    if better is not None:
                        finding.best = better
                        break
                    if time.monotonic() > deadline:
                        break
                finding.minimised = f"{tried} simpler cases tried"


def _only(plan: Plan, name: str) -> Plan:
    """The plan with one implementation."""
    return replace(
        plan,
        fast=name == FAST,
        programs=tuple(program for program in plan.programs if program.name == name),
        limits=replace(plan.limits, max_failures=5),
    )


def _same_effect(finding: Finding, occurrences: Sequence[Occurrence]) -> Occurrence | None:
    fitting = [f for f in occurrences if f.signature.effect == finding.signature.effect]
    fitting = [f for f in fitting if f.order < finding.best.order]
    return min(fitting, key=lambda f: f.order, default=None)


def _simpler(enumerations: Enumerations, finding: Finding) -> Iterator[tuple[Run, ...]]:
    """Cases to try, the most promising first; each lot is run as a shard."""
    best, plan = finding.best, enumerations.plan
    control = enumerations.number(best.control)
    enumeration = enumerations[control]
    settings = plan.controls[control].settings
    # The same profile, and the control's own context; a plain record comes before a list.
    owns = simplest(settings, settings[best.setting])
    if best.signature.operation == PAIR:
        halves = enumeration.pairs.halves(best.number) or []
        yield tuple(
            _exactly(control, enumeration.families.index(family), setting, n)
            for setting in owns
            for family, n in halves
        )
        if best.setting not in owns[:1]:
            yield tuple(_exactly(control, best.family, setting, best.number) for setting in owns)
        return
    for setting in owns:
        if best.setting != setting:
            yield (_exactly(control, best.family, setting, best.number),)
    if best.family == enumeration.lists:
        yield from _other_lists(enumerations, finding)
        return
    smaller = [n for n in range(control) if plan.controls[n].size <= plan.controls[control].size]
    for other in (*smaller[:SMALLER], control):
        there = enumerations[other]
        setting = simplest(plan.controls[other].settings, settings[best.setting])[0]
        runs = [
            _exactly(other, number, setting, n)
            for number, family in enumerate(there.families)
            if family.operation == best.signature.operation
            for n in range(0, family.count, -(-family.count // LOOKED_AT))
            if family.field(n) == best.signature.field
        ]
        if runs:
            yield tuple(runs[:: -(-len(runs) // TRIALS)])


def _other_lists(enumerations: Enumerations, finding: Finding) -> Iterator[tuple[Run, ...]]:
    """Other records to write, on the smallest logs: of all that show it, the shortest is kept."""
    best, plan = finding.best, enumerations.plan
    control = enumerations.number(best.control)
    like = plan.controls[control].settings[best.setting]
    for other in dict.fromkeys((*range(min(SMALLER, control)), control)):
        family = enumerations[other].lists
        setting = simplest(plan.controls[other].settings, like)[-1]
        yield (Run(other, family, setting, 0, TRIALS, spread=False),)


def _exactly(control: int, family: int, setting: int, number: int) -> Run:
    return Run(control, family, setting, number, number + 1, spread=False)
