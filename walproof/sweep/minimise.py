"""Makes findings small: half a pair, or the same damage to a smaller log."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from walproof.sweep.findings import Finding
from walproof.sweep.plan import FAST, REFERENCE, Enumerations, Plan, Run
from walproof.sweep.recipes import PAIR
from walproof.sweep.shard import Found
from walproof.sweep.worker import alone

TRIALS = 200
"""Cases that are tried, at most, on each smaller log."""


def minimise(enumerations: Enumerations, findings: Sequence[Finding], seconds: float) -> None:
    """Replace the simplest cases by simpler ones that show the same effect.

    A sweep that asked everything has met the smallest log already; what was sampled, and pairs,
    are tried here. After ``seconds`` the rest stays as it is, and says so.
    """
    plan = enumerations.plan
    deadline = time.monotonic() + seconds
    for name in dict.fromkeys(finding.signature.implementation for finding in findings):
        mine = [f for f in findings if f.signature.implementation == name]
        with alone(_only(plan, name)) as worker:
            for finding in mine:
                if time.monotonic() > deadline:
                    finding.minimised = "not minimised: out of time"
                    continue
                tried = 0
                for runs in _simpler(enumerations, finding):
                    worker.shards.plan = replace(worker.plan, shards=(runs,))
                    tried += sum(run.stop - run.start for run in runs)
                    found = worker.shards.run(0).found.values()
                    better = _same_effect(finding, list(found))
                    if better is not None:
                        finding.best = better
                        break
                finding.minimised = f"{tried} simpler cases tried"


def _only(plan: Plan, name: str) -> Plan:
    """The plan with one implementation, which is asked everything."""
    return replace(
        plan,
        fast=name == FAST,
        programs=tuple(program for program in plan.programs if program.name == name),
        every=tuple(tuple(1 for _ in of_control) for of_control in plan.every),
        limits=replace(plan.limits, give_up=5),
    )


def _same_effect(finding: Finding, found: Sequence[Found]) -> Found | None:
    fitting = [f for f in found if f.signature.effect == finding.signature.effect]
    fitting = [f for f in fitting if f.order < finding.best.order]
    return min(fitting, key=lambda f: f.order, default=None)


def _simpler(enumerations: Enumerations, finding: Finding) -> Iterator[tuple[Run, ...]]:
    """Cases to try, the most promising first; each lot is run as a shard."""
    best, plan = finding.best, enumerations.plan
    control = enumerations.number(best.control)
    enumeration = enumerations[control]
    if best.signature.operation == PAIR:
        halves = enumeration.pairs.halves(best.number) or []
        yield tuple(
            Run(control, enumeration.families.index(family), n, n + 1) for family, n in halves
        )
        return
    family = enumeration.families[best.family]
    asked_all = finding.signature.implementation in (REFERENCE, FAST)
    for smaller in range(control):
        if plan.controls[smaller].size >= plan.controls[control].size:
            continue
        there = enumerations[smaller]
        runs = [
            Run(smaller, number, n, n + 1)
            for number, other in enumerate(there.families)
            if other.operation == family.operation
            and not (asked_all or plan.every[smaller][number] == 1)
            for n in range(other.count)
            if other.field(n) == best.signature.field
        ]
        if runs:
            yield tuple(runs[:: -(-len(runs) // TRIALS)])
