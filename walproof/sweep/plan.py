"""Plan which cases a sweep runs. The plan is small, and the same in every process."""

from __future__ import annotations

import functools
import itertools
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from typing import NamedTuple

from conformance.case_runner import CaseRunner
from conformance.checked_program import CheckedProgram
from conformance.known_failures import KnownFailures
from conformance.process import Limits
from conformance.program_session import program_file_name
from walproof.formats import plugin_for
from walproof.sweep.controls import Control
from walproof.sweep.enumeration import ON_FILES, PAIR, SEALING, TORN_WRITE, Enumeration, LogDamage
from walproof.sweep.settings import PROFILES, Setting, reads_any

#: Reports list the executable specification under this name. It reads every case, in the workers.
REFERENCE = "reference"
#: Default time limit of a request in milliseconds.
WALL_MS = 2000
#: Maximum size in bytes of logs that get more cases, because they can be read quickly.
SMALL_BYTES = 4096
#: Maximum number of earlier states from which a generated log's damage copies stale bytes.
MAX_EARLIER = 3
#: Number of cases in a shard. Most readers take a few seconds for a shard.
SHARD_CASES = 1000

TRUNCATIONS, SINGLES, TORN_WRITES, ON_WHOLE_FILES, CONTEXTS, PAIRS, APPENDS = (
    "truncations", "single damages", "torn writes", "file operations", "other contexts", "pairs",
    "appends",
)  # fmt: skip
#: Each group of cases has this share, in percent.
WEIGHTS = {
    TRUNCATIONS: 13, SINGLES: 32, TORN_WRITES: 13, ON_WHOLE_FILES: 13, CONTEXTS: 13, PAIRS: 19,
    APPENDS: 10,
}  # fmt: skip


@dataclass(frozen=True)
class SweepProgram:
    """A program under test, with its name in the sweep and its profiles."""

    name: str
    subject: CheckedProgram
    profiles: tuple[str, ...]

    def supports(self, format: str, setting: Setting) -> bool:
        """Return whether the program can run cases in this setting."""
        ignores_context = self.subject.one_shot and reads_any(format, setting.context)
        return setting.profile in self.profiles and not ignores_context


class NoProgram(ValueError):
    """Raised for a program that cannot be tested with a format."""


def program_of(
    subject: CheckedProgram, format: str, limits: Limits, earlier: Sequence[SweepProgram] = ()
) -> SweepProgram:
    """Start a program and return it as its hello message describes it.

    Raises :class:`NoProgram`, and the errors of a session.
    """
    with CaseRunner(subject, limits) as worker:
        hello = worker.open_session().hello
    if format not in hello["formats"] and "*" not in hello["formats"]:
        raise NoProgram(f"{subject.name} does not support {format}: {', '.join(hello['formats'])}")
    profiles = tuple(profile for profile in PROFILES if profile in hello["profiles"])
    if not profiles:
        raise NoProgram(f"{subject.name}: no known profile: {', '.join(hello['profiles'])}")
    name = subject.name
    if subject.named_by_hello:  # Name a --cmd program after its file.
        name = program_file_name(subject.command)
        name += f"-{len(earlier)}" * (name in {REFERENCE, *(other.name for other in earlier)})
    # Ignore known failures, because other damage may cause a failure for another reason.
    subject = CheckedProgram(**{**vars(subject), "known": KnownFailures(), "stamp": None})
    return SweepProgram(name, subject, profiles)


class CaseRange(NamedTuple):
    """A range of one family's changes to a control, in one of the control's settings."""

    control: int
    family: int
    setting: int
    start: int
    stop: int


class DamageCase(NamedTuple):
    """A change to a control, in one of the control's settings."""

    control: int
    setting: int
    change: LogDamage


class GroupCoverage(NamedTuple):
    """Number of planned and of possible cases in a group."""

    planned: int
    possible: int


@dataclass(frozen=True, eq=False)
class SweepPlan:
    """A sweep: controls, programs and cases."""

    format: str
    seed: int
    controls: tuple[Control, ...]
    programs: tuple[SweepProgram, ...]
    limits: Limits
    wall_ms: int
    profiles: tuple[str, ...]
    #: True if the sweep reports only ``dominance`` and omits damage with forged checksums.
    dominance: bool = False
    #: These patterns select families of damage. If there are none, all families run.
    damages: tuple[str, ...] = ()
    shards: list[list[CaseRange]] = field(default_factory=list, repr=False)
    coverage: dict[str, GroupCoverage] = field(default_factory=dict)
    enumerations: dict[int, Enumeration] = field(default_factory=dict, repr=False)

    def enumeration(self, control: int) -> Enumeration:
        """Return all changes to a control, which are enumerated on first use."""
        if control not in self.enumerations:
            near = self.controls[control].earlier[:MAX_EARLIER] or older(self.controls, control)
            self.enumerations[control] = Enumeration(self.controls[control], near, self.seed)
        return self.enumerations[control]

    def cases(self, cases: CaseRange) -> Iterator[DamageCase | None]:
        """Yield the cases of a range. A pair of changes that cannot be combined is None."""
        changes = self.enumeration(cases.control).families[cases.family].changes
        # Many controls begin with the same bytes, so start at a different change in each control.
        first = 7919 * (cases.control + cases.setting)
        for position in range(cases.start, cases.stop):
            change = changes[spread(position, len(changes), first)]
            yield change and DamageCase(cases.control, cases.setting, change)

    def runs(self, family: str) -> bool:
        """Return whether the cases of a family run."""
        return not self.damages or any(fnmatch(family, damage) for damage in self.damages)

    def group(self, case: DamageCase) -> str:
        """Return the group to which a case belongs."""
        setting, family = self.controls[case.control].settings[case.setting], case.change.family
        if setting.appends:
            return APPENDS
        return CONTEXTS if setting.varied else group_of(family)


def group_of(family: str) -> str:
    """Return the group of a family's cases, if they run in the control's own context."""
    named = {
        "truncate": TRUNCATIONS,
        TORN_WRITE: TORN_WRITES,
        PAIR: PAIRS,
        **dict.fromkeys(ON_FILES, ON_WHOLE_FILES),
    }
    return named.get(family, SINGLES)


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
    programs: Sequence[SweepProgram] = (),
    limits: Limits | None = None,
    wall_ms: int = WALL_MS,
    seed: int = 1,
    profiles: Sequence[str] = PROFILES,
    dominance: bool = False,
    damages: Sequence[str] = (),
) -> SweepPlan:
    """Return a plan of at most ``cases`` cases, divided among the groups by ``WEIGHTS``."""
    plan = SweepPlan(
        format, seed, tuple(controls), tuple(programs), limits or Limits(), wall_ms,
        tuple(profiles), dominance, tuple(damages),
    )  # fmt: skip
    blocks: defaultdict[str, list[Block]] = defaultdict(list)
    for number in range(len(controls)):
        for group, block in _blocks(plan, number):
            blocks[group].append(block)
    groups = [group for group in WEIGHTS if group in blocks]
    possible = [sum(block.limit for block in blocks[group]) for group in groups]
    planned = divide(cases, possible, [WEIGHTS[group] for group in groups])
    ranges = []
    for group, total, limit in zip(groups, planned, possible, strict=True):
        plan.coverage[group] = GroupCoverage(total, limit)
        limits_of, weights = zip(*((b.limit, b.weight) for b in blocks[group]), strict=True)
        for block, count in zip(blocks[group], divide(total, limits_of, weights), strict=True):
            if count:
                ranges.append(CaseRange(block.control, block.family, block.setting, 0, count))
    plan.shards.extend(_shards(sorted(ranges)))
    return plan


class Block(NamedTuple):
    """One family of changes to a control in one setting, with their number and a weight."""

    control: int
    family: int
    setting: int
    limit: int
    weight: float


def _blocks(plan: SweepPlan, control: int) -> Iterator[tuple[str, Block]]:
    """Yield a control's blocks and their groups. Omit blocks that no program supports."""
    enumeration = plan.enumeration(control)
    small = 10.0 if enumeration.control.size <= SMALL_BYTES else 1.0

    def block(setting: int, family: int, weight: float) -> Block:
        count = len(enumeration.families[family].changes)
        return Block(control, family, setting, count, small * weight)

    for number, setting in enumerate(enumeration.control.settings):
        if setting.profile not in plan.profiles:
            continue
        if plan.programs and not any(p.supports(plan.format, setting) for p in plan.programs):
            continue
        # Run fewer cases in the profile strict, because most of its results follow from those in
        # recover.
        weight = 2.0 if setting.profile == "recover" else 1.0
        if setting.appends:
            yield APPENDS, block(number, enumeration.any, 4.0)
            yield APPENDS, block(number, enumeration.pair, 1.0)
        elif setting.varied and not plan.damages:
            yield CONTEXTS, block(number, enumeration.any, weight)
        elif not setting.varied:
            for family in range(enumeration.pair + 1):
                name = enumeration.families[family].name
                if (plan.dominance and name == SEALING) or not plan.runs(name):
                    continue
                group = group_of(name)
                yield group, block(number, family, weight)


def _shards(ranges: Sequence[CaseRange]) -> Iterator[list[CaseRange]]:
    """Divide ranges into shards, in an order that mixes the controls."""
    shards: list[list[CaseRange]] = []
    room = 0
    for cases in ranges:
        start = cases.start
        while start < cases.stop:
            if not room:
                shards.append([])
                room = SHARD_CASES
            count = min(cases.stop - start, room)
            shards[-1].append(cases._replace(start=start, stop=start + count))
            start += count
            room -= count
    for number in range(len(shards)):
        yield shards[spread(number, len(shards), 0)]


def divide(total: int, limits: Sequence[int], weights: Sequence[float]) -> list[int]:
    """Divide ``total`` into parts by weight.

    If a part reaches its limit, the other parts share the rest.
    """
    shares = [0.0] * len(limits)
    remaining = float(min(total, sum(limits)))
    # Handle parts in the order in which they reach their limits, so that the others can share the
    # rest.
    order = sorted(
        (n for n in range(len(limits)) if weights[n] > 0), key=lambda n: limits[n] / weights[n]
    )
    for place, n in enumerate(order):
        sum_of_weights = sum(weights[n] for n in order[place:])
        shares[n] = min(limits[n], remaining * weights[n] / sum_of_weights)
        remaining -= shares[n]
    ends = [0, *(math.floor(end + 0.49999) for end in itertools.accumulate(shares))]
    return [end - start for start, end in itertools.pairwise(ends)]


def spread(index: int, count: int, first: int) -> int:
    """Return element ``index`` of an evenly spread permutation of the numbers below ``count``."""
    return (index * _step(count) + first) % count


@functools.cache
def _step(count: int) -> int:
    """Return a number coprime to ``count`` whose ratio to ``count`` is near the golden ratio."""
    step = max(1, int(count * 0.6180339887498949))
    while math.gcd(step, count) != 1:
        step += 1
    return step
