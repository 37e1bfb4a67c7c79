"""Small sweeps for tests."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from conformance import VECTORS
from conformance.vectors import load
from walproof.sweep import plan
from walproof.sweep.children import Limits
from walproof.sweep.controls import Control, control_of
from walproof.sweep.plan import Plan, Program

WRONG = Path(__file__).parents[2] / "wrong"


def control(id: str) -> Control:
    return control_of(load(VECTORS / f"{id}.json"))


def wrong(name: str) -> Program:
    return Program(name, (sys.executable, str(WRONG / f"{name}.py")))


def small_plan(
    *programs: Program,
    controls: Sequence[str] = ("leveldb-log/one-record", "leveldb-log/three-records"),
    cases: int = 1,
    fast: bool = False,
    limits: Limits | None = None,
    ask_at_most: int | None = None,
) -> Plan:
    chosen = [control(id) for id in controls]
    return plan.make(
        chosen[0].format, chosen, "quick", cases, fast, programs, limits or Limits(), ask_at_most
    )
