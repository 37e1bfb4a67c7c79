"""The plan of a sweep: small, picklable, and the same whenever it is made again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from conformance import __version__
from conformance.contents import digest
from walproof.sweep.children import Limits
from walproof.sweep.controls import Control, seed_of
from walproof.sweep.formats import kind
from walproof.sweep.recipes import Enumeration

REFERENCE, FAST = "reference", "fast"

SHARDS = 64
"""The least number of shards of a sweep, unless it is tiny."""

SMALL = 4096
"""Bytes of a log that gets more than its share of the pairs: it is read quickly."""


class Run(NamedTuple):
    """Damages ``start`` to ``stop`` of one family of one control, by number."""

    control: int
    family: int
    start: int
    stop: int


@dataclass(frozen=True)
class Program:
    """An implementation outside the worker: its command, and what makes it another one."""

    name: str
    command: tuple[str, ...]
    one_shot: bool = False
    version: str = ""


@dataclass(frozen=True)
class Plan:
    """One sweep. ``every[control][family]`` says which damages a program is asked: each n-th.

    ``fast`` asks the twin too. The executable specification reads every case.
    """

    format: str
    depth: str
    seed: int
    controls: tuple[Control, ...]
    pairs: tuple[int, ...]
    fast: bool
    programs: tuple[Program, ...]
    limits: Limits
    every: tuple[tuple[int, ...], ...] = ()
    operations: tuple[tuple[str, ...], ...] = ()
    shards: tuple[tuple[Run, ...], ...] = field(default=(), repr=False)

    def enumeration(self, control: int) -> Enumeration:
        """The damages of a control."""
        chosen = self.controls[control]
        return Enumeration(
            chosen, self.depth, older(self.controls, control), self.pairs[control], self.seed,
            first_prefix(self.controls, control),
        )  # fmt: skip

    def operation(self, control: int, family: int) -> str:
        """Name of the operation of a family."""
        return self.operations[control][family]

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the implementations, in the order of their columns."""
        return (REFERENCE, *([FAST] if self.fast else []), *(p.name for p in self.programs))

    def describe(self) -> dict[str, Any]:
        """What identifies the plan, as JSON: two sweeps that differ here are not the same."""
        return {
            "walproof": __version__,
            "format": self.format,
            "depth": self.depth,
            "seed": self.seed,
            "controls": [
                {"id": c.id, "sha256": digest(c.contents), "pairs": pairs}
                for c, pairs in zip(self.controls, self.pairs, strict=True)
            ],
            "implementations": list(self.columns),
            "programs": [asdict(program) for program in self.programs],
            "limits": asdict(self.limits),
            "shards": len(self.shards),
            "cut": hashlib.sha256(repr((self.shards, self.every)).encode()).hexdigest()[:16],
        }

    @property
    def digest(self) -> str:
        """A short name for exactly this plan."""
        told = json.dumps(self.describe(), sort_keys=True).encode()
        return hashlib.sha256(told).hexdigest()[:16]


class Enumerations:
    """The damages of each control of a plan, made when they are asked for, and kept."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._ids = {control.id: number for number, control in enumerate(plan.controls)}
        self._made: dict[int, Enumeration] = {}

    def __getitem__(self, control: int) -> Enumeration:
        if control not in self._made:
            self._made[control] = self.plan.enumeration(control)
        return self._made[control]

    def number(self, id: str) -> int:
        """Number of the control with this id."""
        return self._ids[id]


def first_prefix(controls: Sequence[Control], number: int) -> int:
    """Length of the shortest prefix of a control that is no prefix of an earlier one.

    Shorter ones are cases of that other control already. Always 0 for a log of several files.
    """
    chosen = controls[number]
    data = chosen.contents
    if not isinstance(data, bytes):
        return 0
    first = 0
    for other in controls[:number]:
        if seed_of(other) == seed_of(chosen) and isinstance(other.contents, bytes):
            first = max(first, min(_common(data, other.contents), len(other.contents) - 1) + 1)
    return min(first, len(data))


def _common(one: bytes, other: bytes) -> int:
    """The length of the longest common prefix of two logs."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def older(controls: Sequence[Control], number: int) -> list[Control]:
    """Logs that serve as older generations of one: its neighbours in size, of the same kind."""
    suffix = controls[number].name.rpartition(".")[2]
    near = [n for n in (number - 1, number + 1) if 0 <= n < len(controls)]
    return [controls[n] for n in near if controls[n].name.rpartition(".")[2] == suffix]


def make(
    format: str,
    controls: Sequence[Control],
    depth: str,
    cases: int,
    fast: bool,
    programs: Sequence[Program],
    limits: Limits,
    ask_at_most: int | None,
    seed: int = 1,
) -> Plan:
    """Cut a sweep into shards. ``cases`` in all, as far as pairs can fill them up.

    ``ask_at_most`` caps, for each operation on each control, the cases that a program is asked.
    """
    bare = Plan(
        format, depth, seed, tuple(controls), (0,) * len(controls), fast, tuple(programs), limits
    )
    enumerations = [bare.enumeration(n) for n in range(len(controls))]
    singles = [sum(family.count for family in e.families) for e in enumerations]
    pairs = _shared_out(max(0, cases - sum(singles)), controls, singles)
    counts = [
        [*(family.count for family in e.families), extra]
        for e, extra in zip(enumerations, pairs, strict=True)
    ]
    every = tuple(
        tuple(1 if ask_at_most is None else -(-count // ask_at_most) or 1 for count in of_control)
        for of_control in counts
    )
    # Single damages first: a sweep that is stopped early has the exhaustive part.
    blocks = [
        Run(control, family, 0, count)
        for pair in (False, True)
        for control, of_control in enumerate(counts)
        for family, count in enumerate(of_control)
        if (family == len(of_control) - 1) is pair and count
    ]
    return Plan(
        format, depth, seed, tuple(controls), tuple(pairs), fast, tuple(programs), limits, every,
        tuple(tuple(map(e.operation, range(len(e.families) + 1))) for e in enumerations),
        _cut(blocks, [_cost(control) for control in controls]),
    )  # fmt: skip


def _shared_out(pairs: int, controls: Sequence[Control], singles: Sequence[int]) -> list[int]:
    """Pairs for each control: more for small logs, and not more than there are to find."""
    weights = [10 if control.size <= SMALL else 1 for control in controls]
    found = [0] * len(controls)
    most = [count * count // 8 for count in singles]
    open_to = set(range(len(controls)))
    left = pairs
    while left > 0 and open_to:
        total = sum(weights[n] for n in open_to)
        share = {n: -(-left * weights[n] // total) for n in open_to}
        for n in sorted(open_to):
            take = min(share[n], most[n] - found[n], left)
            found[n] += take
            left -= take
            if found[n] >= most[n]:
                open_to.discard(n)
    return found


def _cost(control: Control) -> float:
    """What a case of a control costs, about; 1 for a tiny log that is read in memory."""
    times = kind(control.format).cost * (len(control.files) or 1)
    return times * (1 + control.size / 16384 + len(control.records) / 16)


def _cut(blocks: Sequence[Run], costs: Sequence[float]) -> tuple[tuple[Run, ...], ...]:
    """Shards of a second or more, and enough of them; the same whatever machine they run on."""
    total = sum((block.stop - block.start) * costs[block.control] for block in blocks)
    target = min(60_000.0, max(1_000.0, total / SHARDS))
    shards: list[tuple[Run, ...]] = []
    now: list[Run] = []
    room = target
    for block in blocks:
        start = block.start
        while start < block.stop:
            count = min(block.stop - start, max(1, int(room / costs[block.control])))
            now.append(Run(block.control, block.family, start, start + count))
            start += count
            room -= count * costs[block.control]
            if room <= costs[block.control]:
                shards.append(tuple(now))
                now, room = [], target
    if now:
        shards.append(tuple(now))
    return tuple(shards)
