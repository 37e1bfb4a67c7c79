"""How fast the harness asks: cases a second of each implementation, one child at a time."""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Callable, Sequence
from typing import Any

from conformance.baselines import BASELINES
from conformance.bench.reading import Row, ratio
from conformance.cases import Case, cases_of
from conformance.registry import all_implementations
from conformance.run import subject_of
from conformance.runner import Subject, SubjectRun, run_all
from conformance.vectors import Vector

PEER = "executable-spec"
HARNESS_ALONE = "harness-alone"


def measure(
    vectors: Sequence[Vector], rounds: int, progress: Callable[[str], None] = lambda _: None
) -> list[Row]:
    """A row for each implementation; the first one is the harness with nobody to ask."""
    nobody = "the harness itself: no process, a fixed answer"
    subjects = [
        Subject(HARNESS_ALONE, nobody, (), baseline=BASELINES[0]),
        *(subject_of(one, "walproof") for one in all_implementations()),
    ]
    cases = cases_of(vectors)
    runs: dict[str, list[SubjectRun]] = {subject.name: [] for subject in subjects}
    for number in range(rounds):
        for subject in subjects:
            progress(f"harness, round {number + 1} of {rounds}: {subject.name}")
            runs[subject.name] += asyncio.run(run_all([subject], _all(cases), jobs=1))
    peers = [seconds_per_case(run) for run in runs[PEER]]
    return [_row(subject, runs[subject.name], peers) for subject in subjects]


def _all(cases: Sequence[Case]) -> Callable[[Subject], Sequence[Case]]:
    return lambda _: cases


def _row(subject: Subject, runs: Sequence[SubjectRun], peers: Sequence[float | None]) -> Row:
    row: Row = {"workload": "vectors", "contender": subject.name, "title": subject.title}
    per_case = [seconds for run in runs if (seconds := seconds_per_case(run)) is not None]
    if len(per_case) < len(runs):
        return row | {"unavailable": runs[0].because or "it skips every case"}
    known = [seconds for seconds in peers if seconds is not None]
    return row | {
        "cases": len(_asked(runs[0])),
        "seconds_per_case": [round(seconds, 6) for seconds in per_case],
        "cases_per_second": round(1 / statistics.median(per_case), 1),
        "start_seconds": round(statistics.median(map(_start_seconds, runs)), 3),
        "peer": PEER if known else None,
        "ratio_to_peer": ratio(per_case, known) if len(known) == len(per_case) else None,
    }


def _asked(run: SubjectRun) -> list[dict[str, Any]]:
    return [result for result in run.results if result["class"] != "skipped"]


def seconds_per_case(run: SubjectRun) -> float | None:
    """Scratch copy, question, answer, comparison; ``None`` when nothing was asked."""
    asked = _asked(run)
    if run.status != "ran" or not asked:
        return None
    return sum(float(result["ms"]) for result in asked) / 1000 / len(asked)


def _start_seconds(run: SubjectRun) -> float:
    """What is left of the run: starting the process, hello and bye."""
    return max(0.0, run.seconds - sum(float(result["ms"]) for result in run.results) / 1000)
