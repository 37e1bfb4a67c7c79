"""Small sweeps for tests."""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from pathlib import Path

from conformance import VECTORS
from conformance.checked_program import CheckedProgram
from conformance.vectors import Vector, load, load_all
from walproof.sweep import findings, plan
from walproof.sweep.controls import Control, control_of
from walproof.sweep.plan import SweepPlan, SweepProgram
from walproof.sweep.settings import READING
from walproof.sweep.sweep_runner import SweepFinding, SweepResult, run_shards

LEVELDB = ("leveldb-log/three-records", "leveldb-log/fragments-in-two-blocks")
#: Undamaged vectors of each format.
OF_EACH = {
    "leveldb-log": LEVELDB,
    "zeebe-journal": ("zeebe-journal/three-segments", "zeebe-journal/one-segment"),
    "kahadb-journal": ("kahadb-journal/two-files", "kahadb-journal/five-batches"),
    "systemd-journal": ("systemd-journal/five-entries", "systemd-journal/compact-keyed-lz4"),
    "zmq-raft": (
        "zmq-raft/three-entries", "zmq-raft/three-files", "zmq-raft/five-updates",
        "zmq-raft/bare-log-folder",
    ),
    "rocksdb-wal": ("rocksdb-wal/three-synced-records",),
    "sqlite-wal": ("sqlite-wal/two-transactions", "sqlite-wal/big-endian-checksums"),
}  # fmt: skip

WRONG = Path(__file__).parents[2] / "wrong"


def control(id: str) -> Control:
    return control_of(load(VECTORS / f"{id}.json"))


def program(name: str, *command: str, profiles: Sequence[str] = READING) -> SweepProgram:
    return SweepProgram(name, CheckedProgram(name, name, command), tuple(profiles))


def wrong(name: str, *profiles: str) -> SweepProgram:
    command = (sys.executable, str(WRONG / f"{name}.py"))
    return program(name, *command, profiles=profiles or ("recover",))


@functools.cache
def _vectors() -> tuple[Vector, ...]:
    return tuple(load_all().values())


def small_plan(
    *programs: SweepProgram,
    controls: Sequence[str] = ("leveldb-log/one-record", "leveldb-log/three-records"),
    cases: int = 3000,
    wall_ms: int = plan.WALL_MS,
    contexts: bool = False,
    profiles: Sequence[str] = READING,
) -> SweepPlan:
    format = controls[0].partition("/")[0]
    vectors = [v for v in _vectors() if v.body["format"] == format] if contexts else []
    chosen = [control_of(load(VECTORS / f"{id}.json"), vectors) for id in controls]
    return plan.make(
        format, chosen, cases, programs, wall_ms=wall_ms, profiles=profiles,
    )  # fmt: skip


def run_sweep(plan: SweepPlan) -> tuple[SweepResult, list[SweepFinding]]:
    """Run a whole sweep; return its result and its findings."""
    result = SweepResult()
    for _, of_shard in sorted(run_shards(plan), key=lambda each: each[0]):
        result.add(of_shard)
    return result, findings.ordered(result)
