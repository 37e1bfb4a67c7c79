"""Test a writer under the persistence models, and list the writers that ``--writer`` accepts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance import registry
from conformance.checked_program import CheckedProgram
from conformance.registry import Implementation
from lab.crash.disk_models import states
from lab.crash.format_crash import crash_of
from lab.crash.judge import CrashJudge, CrashJudgement
from lab.crash.recorder import record
from lab.crash.trace import Trace
from reference_impl.answer import NewRecord
from walproof.implementations import FOLDER as TOOLS

#: This folder contains the writers that only this command runs. They have no list of known
#: failures, because the suite does not run them.
FOLDER = Path(__file__).with_name("implementations")


@dataclass(frozen=True)
class ModelResult:
    """The judgement of a model's states. ``complete`` is true if no possible state was left out."""

    model: str
    complete: bool
    judgement: CrashJudgement


@dataclass(frozen=True)
class CrashRun:
    """A writer's trace, and the result of each model."""

    hello: dict[str, Any]
    trace: Trace
    records: Sequence[NewRecord]
    results: tuple[ModelResult, ...]


def run(
    subject: CheckedProgram,
    format: str,
    models: Sequence[str],
    sector: int,
    count: int,
    most: int,
    seed: int = 1,
    progress: Callable[[str, int, int], None] = lambda model, done, of: None,
    slow: float = 0.0,
) -> CrashRun:
    """Record a writer while it writes ``count`` records, and judge the states of each model.

    About ``most`` states are examined per model, selected by ``seed``. Each sync is delayed by at
    least ``slow`` seconds. Raises the errors of the recorder.
    """
    what = crash_of(format)
    *records, probe = what.records(count + 1)
    trace, hello = record(subject.command, format, what, records, slow)
    results = []
    for model in models:
        crashes, complete = states(trace, model, sector, most, seed)
        judge = CrashJudge(subject, hello, format, what, records, probe)
        try:
            # The simplest states come first, because a finding stores the first state that shows
            # it.
            for done, crash in enumerate(sorted(crashes, key=lambda each: each.distance), 1):
                judge.judge(crash.build())
                progress(model, done, len(crashes))
        finally:
            judge.close()
        results.append(ModelResult(model, complete, judge.judgement))
    return CrashRun(hello, trace, records, tuple(results))


def all_writers() -> list[Implementation]:
    """Return the writers that ``lab crash --writer`` accepts."""
    return registry.all_implementations(TOOLS, FOLDER)


def can_be_isolated(implementation: Implementation) -> bool:
    """Return whether a sandbox can run the program."""
    return bool(registry.declared(implementation.folder).get("sandboxed", True))
