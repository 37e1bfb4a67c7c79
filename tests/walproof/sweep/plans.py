"""Small sweeps for tests."""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from pathlib import Path

from conformance import VECTORS
from conformance.subject import Subject
from conformance.vectors import Vector, load, load_all
from walproof.sweep import findings, plan
from walproof.sweep.controls import Control, control_of
from walproof.sweep.findings import Finding
from walproof.sweep.plan import Enumerations, Plan
from walproof.sweep.programs import Program
from walproof.sweep.settings import READING
from walproof.sweep.sweep_folder import SweepFolder, run_shards

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


def program(name: str, *command: str, profiles: Sequence[str] = READING) -> Program:
    return Program(name, Subject(name, name, command), tuple(profiles))


def wrong(name: str, *profiles: str) -> Program:
    command = (sys.executable, str(WRONG / f"{name}.py"))
    return program(name, *command, profiles=profiles or ("recover",))


@functools.cache
def _vectors() -> tuple[Vector, ...]:
    return tuple(load_all().values())


def small_plan(
    *programs: Program,
    controls: Sequence[str] = ("leveldb-log/one-record", "leveldb-log/three-records"),
    cases: int = 3000,
    wall_ms: int = plan.WALL_MS,
    contexts: bool = False,
    shard_cases: int = plan.SHARD_CASES,
    profiles: Sequence[str] = READING,
) -> tuple[Plan, Enumerations]:
    format = controls[0].partition("/")[0]
    vectors = [v for v in _vectors() if v.body["format"] == format] if contexts else []
    chosen = [control_of(load(VECTORS / f"{id}.json"), vectors) for id in controls]
    return plan.make(
        format, chosen, "quick", cases, programs, wall_ms=wall_ms, shard_cases=shard_cases,
        profiles=profiles,
    )  # fmt: skip


def run_sweep(plan: Plan, path: Path) -> list[Finding]:
    """Run a sweep to its end; return its findings."""
    folder = SweepFolder(path)
    run_shards(plan, folder, folder.begin(plan, False))
    markers = folder.markers()
    assert len(markers) == len(plan.shards)
    return findings.findings(findings.merged(markers).values(), {})


def fails_undamaged(path: Path, name: str) -> dict[str, str]:
    """Return the failures of a program on undamaged controls, by control and profile."""
    failed: dict[str, str] = {}
    for marker in SweepFolder(path).markers():
        failed |= marker["fails"].get(name, {})
    return failed
