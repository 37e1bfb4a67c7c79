"""The plan of a sweep: small, picklable, and reproducible."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from conformance.process import Limits
from walproof.formats import plugin_for
from walproof.sweep import shares
from walproof.sweep.controls import Control
from walproof.sweep.enumeration import Enumeration
from walproof.sweep.programs import Program
from walproof.sweep.settings import PROFILES

#: Default time limit of a request in milliseconds.
WALL_MS = 2000

#: A log of at most this size gets more cases, because it is read quickly.
SMALL_BYTES = 4096

#: Number of cases in a shard, which take most readers a few seconds.
SHARD_CASES = 1000


class Run(NamedTuple):
    """Some changes of one family of one control, in one of its settings."""

    control: int
    family: int
    setting: int
    #: Number of the first change.
    start: int
    #: Number after that of the last change.
    stop: int
    #: If true, the numbers are positions in :func:`~walproof.sweep.shares.spread`.
    spread: bool = True


class Coverage(NamedTuple):
    """Planned and possible cases of a group."""

    planned: int
    possible: int


@dataclass(frozen=True)
class Plan:
    """A sweep. The executable specification reads every case."""

    format: str
    seed: int
    controls: tuple[Control, ...]
    programs: tuple[Program, ...]
    #: Limits of the programs.
    limits: Limits = field(default_factory=Limits)
    #: Time limit of each request.
    wall_ms: int = WALL_MS
    #: Profiles of the cases to run.
    profiles: tuple[str, ...] = PROFILES
    shards: tuple[tuple[Run, ...], ...] = field(default=(), repr=False)
    #: Planned and possible cases of each group.
    coverage: Mapping[str, Coverage] = field(default_factory=dict)


class Enumerations:
    """The changes of each control of a plan, enumerated on first use."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._enumerations: dict[int, Enumeration] = {}

    def __getitem__(self, control: int) -> Enumeration:
        if control not in self._enumerations:
            plan = self.plan
            self._enumerations[control] = Enumeration(
                plan.controls[control], older(plan.controls, control), plan.seed
            )  # fmt: skip
        return self._enumerations[control]

    def number(self, id: str) -> int:
        """Return the number of the control with this id."""
        return [control.id for control in self.plan.controls].index(id)


def older(controls: Sequence[Control], number: int) -> list[Control]:
    """Return the neighbours of a control that can serve as older generations."""
    suffix = controls[number].name.rpartition(".")[2]
    near = [controls[n] for n in (number - 1, number + 1) if 0 <= n < len(controls)]
    return [
        other
        for other in near
        if other.name.rpartition(".")[2] == suffix
        and other.context.keys().isdisjoint(plugin_for(other.format).sweep.selecting)
    ]


def make(
    format: str,
    controls: Sequence[Control],
    cases: int,
    programs: Sequence[Program] = (),
    limits: Limits | None = None,
    wall_ms: int = WALL_MS,
    seed: int = 1,
    profiles: Sequence[str] = PROFILES,
) -> tuple[Plan, Enumerations]:
    """Return a plan of at most ``cases`` cases, and the enumerations of its changes.

    Each group gets a share (:data:`~walproof.sweep.shares.WEIGHTS`), divided among its blocks.
    """
    bare = Plan(
        format, seed, tuple(controls), tuple(programs), limits or Limits(), wall_ms,
        tuple(profiles),
    )  # fmt: skip
    enumerations = Enumerations(bare)
    blocks: defaultdict[str, list[Block]] = defaultdict(list)
    for number in range(len(controls)):
        for group, block in _blocks(bare, enumerations[number], number):
            blocks[group].append(block)
    groups = [group for group in shares.WEIGHTS if group in blocks]
    possible = [sum(block.limit for block in blocks[group]) for group in groups]
    planned = shares.divide(cases, possible, [shares.WEIGHTS[group] for group in groups])
    runs = [
        run
        for group, total in zip(groups, planned, strict=True)
        for run in _runs(blocks[group], total)
    ]
    plan = replace(
        bare,
        shards=_cut(sorted(runs)),
        coverage={
            group: Coverage(*counts)
            for group, *counts in zip(groups, planned, possible, strict=True)
        },
    )
    enumerations.plan = plan
    return plan, enumerations


class Block(NamedTuple):
    """A family of a control in one setting, with its number of changes and its weight."""

    control: int
    family: int
    setting: int
    limit: int
    weight: float


def _blocks(plan: Plan, enumeration: Enumeration, control: int) -> Iterator[tuple[str, Block]]:
    """Yield the blocks of a control with their groups; omit blocks that no program supports."""

    small = 10.0 if enumeration.control.size <= SMALL_BYTES else 1.0

    def block(number: int, family: int, weight: float) -> Block:
        return Block(control, family, number, enumeration.count(family), small * weight)

    for number, setting in enumerate(enumeration.control.settings):
        if setting.profile not in plan.profiles:
            continue
        if plan.programs and not any(p.supports(plan.format, setting) for p in plan.programs):
            continue
        # Most results in the profile strict follow from the results in the profile recover.
        weight = 2.0 if setting.profile == "recover" else 1.0
        if setting.profile == "write":
            yield shares.WRITES, block(number, enumeration.lists, 1.0)
        elif setting.profile == "append":
            plain = 0.5 if setting.plain else 1.0
            lists = block(number, enumeration.lists, plain)
            yield shares.APPENDS, lists._replace(limit=1) if setting.plain else lists
            yield shares.APPENDS, block(number, enumeration.any, 4 * plain)
            yield shares.APPENDS, block(number, enumeration.pair, plain)
        elif setting.varied:
            yield shares.CONTEXTS, block(number, enumeration.any, weight)
        else:
            for family in range(len(enumeration.families)):
                yield enumeration.group(family), block(number, family, weight)
            yield shares.PAIRS, block(number, enumeration.pair, weight)


def _runs(blocks: Sequence[Block], total: int) -> Iterator[Run]:
    limits, weights = [block.limit for block in blocks], [block.weight for block in blocks]
    for block, count in zip(blocks, shares.divide(total, limits, weights), strict=True):
        if count:
            yield Run(block.control, block.family, block.setting, 0, count)


def _cut(runs: Sequence[Run]) -> tuple[tuple[Run, ...], ...]:
    """Divide runs into shards in an order that mixes the controls."""
    shards: list[list[Run]] = []
    room = 0
    for run in runs:
        start = run.start
        while start < run.stop:
            if not room:
                shards.append([])
                room = SHARD_CASES
            count = min(run.stop - start, room)
            shards[-1].append(run._replace(start=start, stop=start + count))
            start += count
            room -= count
    return tuple(tuple(shards[shares.spread(n, len(shards), 0)]) for n in range(len(shards)))
