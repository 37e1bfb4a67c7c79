"""How fast the harness asks: cases a second for each implementation, one process at a time."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import Any

from conformance.baselines import BASELINES
from conformance.cases import Case, cases_of
from conformance.outcome import SubjectRun
from conformance.runner import run_subjects
from conformance.subject import Subject, subject_of
from conformance.vectors import Vector
from lab.bench import harness_peer
from lab.bench.reading import Row, ratio
from walproof.implementations import all_implementations

PEER = "executable-spec"
HARNESS_ALONE = "harness-alone"


def measure(
    vectors: Sequence[Vector],
    rounds: int,
    progress: Callable[[str], None] = lambda _: None,
    isolated: bool = True,
) -> list[Row]:
    """A row for each format and implementation, after those of a reader that answers at once.

    In each format the harness alone comes first.
    """
    first = harness_peer.measure(vectors, rounds, progress, isolated)
    nobody = "the harness itself: no process, a fixed answer"
    subjects = [
        Subject(HARNESS_ALONE, nobody, (), baseline=BASELINES[0]),
        *(subject_of(one, "walproof") for one in all_implementations() if not one.structure),
    ]
    for subject in subjects:
        subject.isolated = isolated
    cases = cases_of(vectors)
    runs: dict[str, list[SubjectRun]] = {subject.name: [] for subject in subjects}
    for number in range(rounds):
        for subject in subjects:
            progress(f"harness, round {number + 1} of {rounds}: {subject.name}")
            runs[subject.name] += run_subjects([subject], _fitting(cases), jobs=1)
    return first + [
        _row(subject, format, runs[subject.name], runs[PEER])
        for format in sorted({str(vector.body["format"]) for vector in vectors})
        for subject in subjects
        if not subject.formats or format in subject.formats
    ]


def _fitting(cases: Sequence[Case]) -> Callable[[Subject], Sequence[Case]]:
    def fitting(subject: Subject) -> Sequence[Case]:
        formats = subject.formats
        return [case for case in cases if not formats or case.vector.body["format"] in formats]

    return fitting


def _row(
    subject: Subject, format: str, runs: Sequence[SubjectRun], peers: Sequence[SubjectRun]
) -> Row:
    row: Row = {"workload": format, "contender": subject.name, "title": subject.title}
    own = _seconds_per_case(runs, format)
    if len(own) < len(runs):
        return row | {"unavailable": runs[0].because or "it skips every case"}
    peer = _seconds_per_case(peers, format)
    return row | {
        "cases": len(_asked(runs[0], format)),
        "seconds_per_case": [round(seconds, 6) for seconds in own],
        "cases_per_second": round(1 / statistics.median(own), 1),
        "start_seconds": round(statistics.median(map(_start_seconds, runs)), 3),
        "peer": PEER if len(peer) == len(own) else None,
        "ratio_to_peer": ratio(own, peer) if len(peer) == len(own) else None,
    }


def _asked(run: SubjectRun, format: str) -> list[dict[str, Any]]:
    return [
        result
        for result in run.results
        if result["class"] != "skipped" and result["vector"].startswith(f"{format}/")
    ]


def _seconds_per_case(runs: Sequence[SubjectRun], format: str) -> list[float]:
    """One number for each run that asked: scratch copy, question, answer and comparison."""
    return [
        sum(float(result["ms"]) for result in asked) / 1000 / len(asked)
        for run in runs
        if run.status == "ran" and (asked := _asked(run, format))
    ]


def _start_seconds(run: SubjectRun) -> float:
    """What a run takes besides its cases: starting the process, hello and bye."""
    return max(0.0, run.seconds - sum(float(result["ms"]) for result in run.results) / 1000)
