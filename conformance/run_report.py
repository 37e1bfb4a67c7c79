"""Perform a run: plan the cases, run them, and build the report."""

from __future__ import annotations

import datetime
import itertools
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance import __version__
from conformance.answer_text import sized_payload_text
from conformance.case_results import ProgramRun, RunInterrupted
from conformance.case_runner import run_programs
from conformance.checked_program import CheckedProgram, checked_baselines
from conformance.process import Limits
from conformance.program_session import program_file_name
from conformance.result_cache import ResultCache
from conformance.sandbox import Isolation, isolation
from conformance.score import WRITING, score
from conformance.structure.structure_cases import structure_cases
from conformance.text import one_line
from conformance.vector_cases import STRUCTURE, VectorCase, cases_of
from conformance.vectors import Vector

Report = dict[str, Any]
# A report shows at most this many records of a write or an append.
SHOWN = 6


@dataclass(frozen=True)
class RunPlan:
    """The vectors and subjects of a run. The baselines are added to the subjects."""

    subjects: Sequence[CheckedProgram]
    vectors: Sequence[Vector]
    profiles: Sequence[str] = ()

    @classmethod
    def of(
        cls,
        subjects: Sequence[CheckedProgram],
        vectors: Mapping[str, Vector],
        chosen: Sequence[Vector],
        profiles: Sequence[str] = (),
    ) -> RunPlan:
        """Plan the chosen vectors and their controls, since the score counts pairs."""
        selected = {vector.id: vector for vector in chosen}
        for vector in chosen:
            if vector.control is not None:
                selected.setdefault(vector.control, vectors[vector.control])
        return cls([*subjects, *checked_baselines()], list(selected.values()), profiles)

    def cases(self, subject: CheckedProgram) -> list[VectorCase]:
        """Return the cases of a subject.

        Only generated parsers list fields. All others give answers.
        """
        answers = [profile for profile in self.profiles if profile != STRUCTURE]
        vectors = [
            vector
            for vector in self.vectors
            if subject.structure or not subject.formats or vector.body["format"] in subject.formats
        ]
        cases: list[VectorCase] = []
        if not subject.structure and (answers or not self.profiles):
            cases += cases_of(vectors, answers)
        if STRUCTURE in self.profiles or (subject.structure and not self.profiles):
            cases += structure_cases(vectors)
        return cases

    def count(self) -> int:
        """Return the number of cases to run."""
        return sum(len(self.cases(each)) for each in self.subjects if each.unavailable is None)


def run_plan(
    plan: RunPlan,
    jobs: int = 2,
    limits: Limits | None = None,
    progress: Callable[[int], None] = lambda _: None,
    cache: ResultCache | None = None,
) -> Report:
    """Run every subject, with at most ``jobs`` sessions at a time, and return the report.

    ``progress`` gets the number of finished cases. ``cache`` skips unchanged subjects. After
    Ctrl-C, the report contains the finished cases, and the key ``interrupted``, with which it
    cannot be saved.
    """
    started = datetime.datetime.now(datetime.UTC)
    clock = time.monotonic()
    now = started.strftime("%Y-%m-%dT%H:%M:%SZ")
    outcomes, is_complete = _outcomes(plan, now, jobs, limits, progress, cache)
    described = {vector.id: describe_vector(vector) for vector in plan.vectors}
    _leave_out_unread_formats(outcomes, described)
    return {
        "report_version": 2,
        "walproof": __version__,
        "started": now,
        "seconds": round(time.monotonic() - clock, 3),
        "isolation": _isolation(plan.subjects),
        "vectors": described,
        "implementations": [
            _entry(name, outcome, described, is_complete)
            for name, outcome in zip(_names(outcomes), outcomes, strict=True)
        ],
        **({} if is_complete else {"interrupted": True}),
    }


def _outcomes(
    plan: RunPlan,
    now: str,
    jobs: int,
    limits: Limits | None,
    progress: Callable[[int], None],
    cache: ResultCache | None,
) -> tuple[list[ProgramRun], bool]:
    """Return the results of the subjects, and whether the run was not interrupted."""
    keys: dict[int, str | None] = {}
    outcomes: dict[int, ProgramRun] = {}
    if cache is not None:
        for number, subject in enumerate(plan.subjects):
            keys[number] = cache.key(subject, plan.cases(subject))
            if (run := cache.get(subject, keys[number])) is not None:
                outcomes[number] = run
                progress(len(run.results))
    changed = [number for number in range(len(plan.subjects)) if number not in outcomes]
    subjects = [plan.subjects[number] for number in changed]
    try:
        runs = run_programs(subjects, plan.cases, jobs, limits, lambda: progress(1))
    except RunInterrupted as interrupted:
        outcomes |= zip(changed, interrupted.runs, strict=True)
        begun = [run for _, run in sorted(outcomes.items()) if run.results or run.status != "ran"]
        return begun, False
    outcomes |= zip(changed, runs, strict=True)
    if cache is not None:
        for number in changed:
            cache.put(outcomes[number], keys[number], now)
    return [outcomes[number] for number in sorted(outcomes)], True


def _isolation(subjects: Sequence[CheckedProgram]) -> Isolation:
    started = [each for each in subjects if each.baseline is None and each.unavailable is None]
    return isolation(all(each.isolated for each in started))


def _leave_out_unread_formats(
    outcomes: Sequence[ProgramRun], described: dict[str, dict[str, Any]]
) -> None:
    """Leave out vectors if only baselines read their format, according to hello."""
    subjects = [each for each in outcomes if each.subject.baseline is None]
    read = {described[result["vector"]]["format"] for each in subjects for result in each.results}
    if not read:
        return  # nothing ran, so keep the vectors to show them
    for id in [id for id, vector in described.items() if vector["format"] not in read]:
        del described[id]
    for each in outcomes:
        each.results = [result for result in each.results if result["vector"] in described]


def describe_vector(vector: Vector) -> dict[str, Any]:
    """Return the report's data on a vector."""
    body = vector.body
    described = {
        **{key: body[key] for key in ("title", "format", "group", "kind", "requirements")},
        "control": vector.control,
        "damage": vector.damage_texts,
        "size": body["size"],
        "digest": vector.short_digest,
    }
    if "decided_by" in body:  # vectors of users may lack this key
        described["decided_by"] = body["decided_by"]
    if vector.generated is None:  # a generated log has no file
        described["input"] = os.path.relpath(vector.input)
    if body.get("context"):
        described["context"] = dict(body["context"])
    if vector.operation in WRITING:
        described["to_write"] = _to_write(vector)
    return described


def _to_write(vector: Vector) -> list[str]:
    records = vector.records_to_write()
    texts = []
    for record in records[:SHOWN]:
        others = (f"{name} {value}" for name, value in record.items() if name != "payload")
        texts.append(", ".join([sized_payload_text(record), *others]))
    if len(records) > SHOWN:
        texts.append(f"and {len(records) - SHOWN} more records")
    return texts


def _names(outcomes: Sequence[ProgramRun]) -> list[str]:
    """Return the names of subjects. If a name from a hello is taken, a number is added to it."""
    taken = {each.subject.name for each in outcomes if not each.subject.named_by_hello}
    names = []
    for each in outcomes:
        name = each.subject.name
        if each.subject.named_by_hello:
            reported = one_line(
                str(each.hello.get("name") or program_file_name(each.subject.command))
            )
            name = next(name for name in _numbered(reported) if name not in taken)
            taken.add(name)
        names.append(name)
    return names


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name} ({number})" for number in itertools.count(2))


def _entry(
    name: str, outcome: ProgramRun, vectors: Mapping[str, Mapping[str, Any]], is_complete: bool
) -> dict[str, Any]:
    hello = outcome.hello
    is_baseline = outcome.subject.baseline is not None
    # Reports contain only the score of a baseline, with its lost and invented records.
    if is_baseline:
        outcome.results = [{**each, "difference": None, "found": None} for each in outcome.results]
    return {
        "name": name,
        "title": outcome.subject.title,
        "version": hello.get("version"),
        "language": hello.get("language"),
        "homepage": hello.get("homepage"),
        "issues": hello.get("issues"),
        **_paths_of(outcome.subject),
        "status": outcome.status,
        "because": outcome.because,
        "baseline": is_baseline,
        "reports": hello.get("reports", []),
        "profiles": hello.get("profiles", []),
        "seconds": round(outcome.seconds, 3),
        **({"asked": outcome.cached_from} if outcome.cached_from is not None else {}),
        "repeat": outcome.subject.repeat,
        **({"ask": outcome.subject.ask} if outcome.subject.ask else {}),
        "results": outcome.results,
        "score": score(outcome.results, vectors, is_complete),
    }


def _paths_of(subject: CheckedProgram) -> dict[str, str]:
    paths = {"place": subject.place, "known_failures": subject.known.path}
    here = Path.cwd().resolve()
    return {
        key: path.resolve().relative_to(here).as_posix()
        for key, path in paths.items()
        if path is not None and path.is_file() and path.resolve().is_relative_to(here)
    }
