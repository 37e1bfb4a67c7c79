"""One conformance run: subjects and cases in, a run report out."""

from __future__ import annotations

import asyncio
import datetime
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from conformance import __version__
from conformance.baselines import BASELINES
from conformance.cases import Case, cases_of
from conformance.protocol.child import Limits
from conformance.registry import Implementation, Unavailable
from conformance.runner import Subject, SubjectRun, run_all, score
from conformance.structure.cases import PROFILE, structure_cases
from conformance.vectors import Vector

Report = dict[str, Any]


def subject_of(implementation: Implementation, program: str) -> Subject:
    """An implementation of this repository as a subject; not built is unavailable."""
    from conformance import known_failures

    subject = Subject(
        implementation.name,
        implementation.title,
        implementation.command,
        known_failures.load(implementation.known_failures),
        formats=implementation.formats,
        repeat=f"{program} check --impl {implementation.name}",
        structure=implementation.structure,
    )
    if missing := implementation.missing():
        subject.unavailable = f"{' and '.join(missing)} not found"
    elif not implementation.is_built():
        try:
            implementation.make()
        except Unavailable as error:
            subject.unavailable = str(error)
    return subject


def baseline_subjects() -> list[Subject]:
    """The null baselines that stand beside every score."""
    return [Subject(b.name, b.title, (), baseline=b) for b in BASELINES]


def run(
    subjects: Sequence[Subject],
    vectors: Mapping[str, Vector],
    chosen: Sequence[Vector],
    profiles: Sequence[str] = (),
    jobs: int = 2,
    limits: Limits | None = None,
    progress: Callable[[], None] = lambda: None,
) -> Report:
    """Run the chosen vectors against the subjects and the baselines.

    The controls of chosen vectors run too, since the score counts pairs.
    """
    started = datetime.datetime.now(datetime.UTC)
    clock = time.monotonic()
    wanted = {vector.id: vector for vector in chosen}
    for vector in chosen:
        if vector.control is not None and vector.control not in wanted:
            wanted[vector.control] = vectors[vector.control]
    everyone = [*subjects, *baseline_subjects()]

    def cases(subject: Subject) -> list[Case]:
        return cases_for(subject, list(wanted.values()), profiles)

    runs = asyncio.run(run_all(everyone, cases, jobs, limits, progress))
    described = {vector.id: describe(vector) for vector in wanted.values()}
    return {
        "report_version": 1,
        "walproof": __version__,
        "started": started.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "seconds": round(time.monotonic() - clock, 3),
        "vectors": described,
        "implementations": [_entry(one, described) for one in runs],
    }


def cases_for(
    subject: Subject, vectors: Sequence[Vector], profiles: Sequence[str] = ()
) -> list[Case]:
    """What a subject is asked: answers, or fields if it is a generated parser or they are asked."""
    answers = [profile for profile in profiles if profile != PROFILE]
    ours = [v for v in vectors if not subject.formats or v.body["format"] in subject.formats]
    vectors = vectors if subject.structure else ours
    cases = [] if subject.structure or (profiles and not answers) else cases_of(vectors, answers)
    if PROFILE in profiles or (subject.structure and not profiles):
        cases += structure_cases(vectors)
    return cases


def describe(vector: Vector) -> dict[str, Any]:
    """What a report says of a vector."""
    body = vector.body
    return {
        **{key: body[key] for key in ("title", "format", "group", "kind", "requirements")},
        "control": vector.control,
        "damage": vector.damage,
        "size": body["size"],
    }


def _entry(run: SubjectRun, vectors: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    hello = run.hello
    return {
        "name": run.subject.name,
        "title": run.subject.title,
        "version": hello.get("version"),
        "language": hello.get("language"),
        "homepage": hello.get("homepage"),
        "issues": hello.get("issues"),
        "status": run.status,
        "because": run.because,
        "baseline": run.subject.baseline is not None,
        "reports": hello.get("reports", []),
        "profiles": hello.get("profiles", []),
        "seconds": round(run.seconds, 3),
        "results": run.results,
        "score": score(run.results, vectors),
    }


EXPECTED_CLASSES = ("pass", "known-failure", "skipped")


Found = list[tuple[dict[str, Any], dict[str, Any]]]
"""Pairs of an implementation and one of its results."""


def unexpected(report: Report) -> Found:
    """Every result that is not as expected; baselines do not count."""
    return _results(report, lambda result_class: result_class not in EXPECTED_CLASSES)


def known(report: Report) -> Found:
    """Every known failure."""
    return _results(report, lambda result_class: result_class == "known-failure")


def _results(report: Report, wanted: Callable[[str], bool]) -> Found:
    return [
        (implementation, result)
        for implementation in report["implementations"]
        if not implementation["baseline"]
        for result in implementation["results"]
        if wanted(result["class"])
    ]
