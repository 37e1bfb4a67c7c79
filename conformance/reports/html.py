"""A run as one self-contained HTML file that works from disk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.chapter import Requirement, chapter
from conformance.vectors import Vector, load_all

from .byte_view import FileView, views
from .classes import BY_NAME, worst
from .deciding import decided_by, requirements_of
from .failure import commands, facts
from .json_report import Report
from .overview import LEGEND
from .pages import Differing, differing, environment, score_heads, score_row
from .summary import (
    Failure,
    cached_in,
    groups_of,
    headline,
    isolation_lines,
    not_run,
    of_classes,
    tested,
    unexpected,
)

Result = Mapping[str, Any]

#: The maximum number of failures with all details. Each later failure is one line.
MAX_DETAILED = 200
#: The page shows the facts with these labels elsewhere.
_ELSEWHERE = ("implementation", "difference", "requirement")


@dataclass(frozen=True)
class Answer:
    """A result of a vector in one or two profiles."""

    profiles: Sequence[str]
    differing: Differing
    stderr: str
    cause: str
    commands: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class FailedVector:
    """A vector with unexpected results, and its bytes if the page has room for them."""

    id: str
    title: str
    answers: Sequence[Answer]
    #: Labels and lines about the vector, or None if the failure is shown on one line.
    facts: Sequence[tuple[str, Sequence[str]]] | None = None
    files: Sequence[FileView] | None = None
    more_files: int = 0
    has_control: bool = False

    @property
    def outcome(self) -> str:
        """Return the worst result class."""
        return worst(each.differing.outcome for each in self.answers).name


@dataclass(frozen=True)
class FailureGroup:
    """The failures that one requirement decides, or that have one result class."""

    name: str
    requirement: Requirement | None
    vectors: Sequence[FailedVector]


def html(report: Report, vectors: Mapping[str, Vector] | None = None) -> str:
    """Return the page as text. ``vectors`` are the vectors of the run, by id."""
    ran, results = tested(report), of_classes(report, BY_NAME)
    baselines = [each for each in report["implementations"] if each["baseline"] and each["results"]]
    heads = score_heads([*ran, *baselines])
    failing = list(_failing(report, load_all() if vectors is None else vectors))
    page = (
        environment()
        .get_template("report.html.j2")
        .render(
            report=report,
            headline=headline(report),
            facts=[cached_in(report), *isolation_lines(report)],
            totals=Counter(result["class"] for _, result in results),
            heads=heads,
            legend=[text for head, text in LEGEND.items() if head in heads],
            scores=[score_row(each, heads) for each in ran],
            baselines=[score_row(each, heads) for each in baselines],
            failing=failing,
            known=_by_listed_cause(results),
            groups=[(format, list(_groups(report, format))) for format in _formats(report)],
            not_run=not_run(report),
            worst=worst,
        )
    )
    # The output of a program may contain lone surrogates, which UTF-8 cannot encode.
    return page.encode("utf-8", "backslashreplace").decode()


def _formats(report: Report) -> list[str]:
    return list(dict.fromkeys(vector["format"] for vector in report["vectors"].values()))


def _failing(
    report: Report, vectors: Mapping[str, Vector]
) -> Iterable[tuple[str, int, list[FailureGroup]]]:
    """Yield the name, number of failures and failures by group of each failing implementation."""
    room = MAX_DETAILED
    by_name: dict[str, list[Failure]] = {}
    for implementation, result in unexpected(report):
        by_name.setdefault(implementation["name"], []).append((implementation, result))
    for name, failures in by_name.items():
        by_vector: dict[str, list[Failure]] = {}
        for failure in failures:
            by_vector.setdefault(failure[1]["vector"], []).append(failure)
        names: dict[str, list[list[Failure]]] = {}
        for of_vector in by_vector.values():
            names.setdefault(_group_name(report, of_vector[0][1]), []).append(of_vector)
        groups = []
        for group, members in sorted(names.items(), key=lambda each: -len(each[1])):
            known = chapter(members[0][0][1]["vector"].partition("/")[0]).requirements
            shown = [_failed(report, each, vectors, n < room) for n, each in enumerate(members)]
            room -= len(members)
            groups.append(FailureGroup(group, known.get(group), shown))
        yield name, len(failures), groups


def _group_name(report: Report, result: Result) -> str:
    """Return the requirement that decides a result, or else its result class."""
    if decided := decided_by(report, result):
        return decided[0]
    if result["class"] in ("fail", "unexpected-pass"):
        return requirements_of(report, result)[0]
    return BY_NAME[result["class"]].label


def _failed(
    report: Report, failures: Sequence[Failure], vectors: Mapping[str, Vector], is_detailed: bool
) -> FailedVector:
    implementation, first = failures[0]
    id = first["vector"]
    answers: list[Answer] = []
    for _, result in failures:
        found, cause = differing(implementation, result), str(result.get("cause") or "")
        if answers and (answers[-1].differing, answers[-1].cause) == (found, cause):
            profiles = [*answers.pop().profiles, result["profile"]]
        else:
            profiles = [result["profile"]]
        stderr = str(result.get("stderr") or "")
        answers.append(Answer(profiles, found, stderr, cause, commands(report, result)))
    title = report["vectors"][id]["title"]
    if not is_detailed:
        return FailedVector(id, title, answers)
    described = [each for each in facts(report, implementation, first) if each[0] not in _ELSEWHERE]
    if (vector := vectors.get(id)) is None:
        return FailedVector(id, title, answers, described)
    control = vectors.get(vector.control or "")
    return FailedVector(id, title, answers, described, *views(vector, control), bool(control))


def _groups(report: Report, format_id: str) -> Iterable[tuple[Result, list[tuple[str, Any]]]]:
    """Yield each implementation with results in a format, and its result classes by group."""
    vectors = report["vectors"]
    for implementation in tested(report):
        counts: dict[str, Counter[str]] = {}
        for each in implementation["results"]:
            if vectors[each["vector"]]["format"] == format_id and each["class"] != "skipped":
                group = vectors[each["vector"]]["group"]
                counts.setdefault(group, Counter())[each["class"]] += 1
        if counts:
            order = [name for name in groups_of(report, format_id) if name in counts]
            yield implementation, [(name, counts[name]) for name in order]


def _by_listed_cause(results: Iterable[Failure]) -> dict[str, dict[str, list[Result]]]:
    """Return the known failures by implementation and cause."""
    causes: dict[str, dict[str, list[Result]]] = {}
    for implementation, result in results:
        if result["class"] == "known-failure":
            of_name = causes.setdefault(implementation["name"], {})
            of_name.setdefault(result["cause"] or "no cause", []).append(result)
    return causes
