"""Small sweeps for tests."""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from pathlib import Path

from conformance import VECTORS
from conformance.vectors import Vector, load, load_all
from walproof.sweep import findings, plan, shard_pool
from walproof.sweep.controls import Control, control_of
from walproof.sweep.findings import Finding
from walproof.sweep.plan import Enumerations, Plan
from walproof.sweep.programs import Limits, Program
from walproof.sweep.settings import READING, context_values
from walproof.sweep.store import Store

WRONG = Path(__file__).parents[2] / "wrong"


def control(id: str) -> Control:
    return control_of(load(VECTORS / f"{id}.json"))


def wrong(name: str, *profiles: str) -> Program:
    command = (sys.executable, str(WRONG / f"{name}.py"))
    return Program(name, command, profiles=profiles or ("recover",))


@functools.cache
def _vectors() -> tuple[Vector, ...]:
    return tuple(load_all().values())


def small_plan(
    *programs: Program,
    controls: Sequence[str] = ("leveldb-log/one-record", "leveldb-log/three-records"),
    cases: int = 3000,
    fast: bool = False,
    limits: Limits | None = None,
    shard_cases: int = plan.SHARD_CASES,
) -> Plan:
    return planned(
        *programs,
        controls=controls,
        cases=cases,
        fast=fast,
        limits=limits,
        shard_cases=shard_cases,
    )[0]


def planned(
    *programs: Program,
    controls: Sequence[str] = ("leveldb-log/one-record", "leveldb-log/three-records"),
    cases: int = 3000,
    fast: bool = False,
    limits: Limits | None = None,
    contexts: bool = False,
    shard_cases: int = plan.SHARD_CASES,
    profiles: Sequence[str] = READING,
) -> tuple[Plan, Enumerations]:
    format = controls[0].partition("/")[0]
    vectors = _vectors() if contexts else ()
    known = context_values(vectors, format) if contexts else None
    chosen = [control_of(load(VECTORS / f"{id}.json"), known, vectors) for id in controls]
    return plan.make(
        format, chosen, "quick", cases, fast, programs, limits or Limits(),
        shard_cases=shard_cases, profiles=profiles,
    )  # fmt: skip


def swept(plan: Plan, folder: Path) -> list[Finding]:
    """Run a sweep to its end; return its findings."""
    store = Store(folder)
    shard_pool.run(plan, store, shard_pool.begin(plan, store, False))
    markers = [store.marker(number) for number in sorted(store.done())]
    assert len(markers) == len(plan.shards)
    return findings.findings(findings.merged(markers).values(), {})
