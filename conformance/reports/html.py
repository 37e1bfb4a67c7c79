"""A run as one self-contained HTML file that works from disk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from conformance import templates
from conformance.score import score
from conformance.text import one_line

from .classes import BY_NAME, CLASSES, worst
from .failure import failure_text
from .json_report import Report
from .summary import (
    Failure,
    by_cause,
    cached_in,
    groups_of,
    headline,
    isolation_lines,
    not_run,
    of_classes,
    unexpected,
)

Result = Mapping[str, Any]

_TEMPLATES = Path(__file__).with_name("templates")
# The number of groups whose first failure is shown in full.
_MOST_SHOWN = 200


def html(report: Report) -> str:
    """Return the page as text."""
    environment = templates.environment(_TEMPLATES, autoescape=True)
    environment.filters["line"] = one_line
    results = of_classes(report, BY_NAME)
    formats = dict.fromkeys(vector["format"] for vector in report["vectors"].values())
    groups = by_cause(report, unexpected(report))
    page = environment.get_template("report.html.j2").render(
        report=report,
        headline=headline(report),
        facts=[cached_in(report), *isolation_lines(report)],
        classes=CLASSES,
        totals=Counter(result["class"] for _, result in results),
        worst=worst,
        matrices={each: list(_lines(report, each)) for each in formats},
        groups_of={each: groups_of(report, each) for each in formats},
        not_run=not_run(report),
        groups=groups,
        shown=[failure_text(report, *group[0]) for group in groups[:_MOST_SHOWN]],
        known=_by_listed_cause(results),
    )
    # The output of a program may contain lone surrogates.
    return page.encode("utf-8", "backslashreplace").decode()


def _lines(report: Report, format_id: str) -> Iterator[tuple[Result, dict[str, Counter[str]], Any]]:
    """Yield each implementation, its results of each class by group, and its score of a format."""
    vectors = report["vectors"]
    for implementation in report["implementations"]:
        results = [
            each
            for each in implementation["results"]
            if vectors[each["vector"]]["format"] == format_id
        ]
        cells: dict[str, Counter[str]] = {}
        for each in results:
            cells.setdefault(vectors[each["vector"]]["group"], Counter())[each["class"]] += 1
        if results:
            yield implementation, cells, score(results, vectors)


def _by_listed_cause(results: Iterable[Failure]) -> dict[tuple[str, str], list[Result]]:
    causes: dict[tuple[str, str], list[Result]] = {}
    for implementation, result in results:
        if result["class"] == "known-failure":
            key = (implementation["name"], result["cause"] or "no cause")
            causes.setdefault(key, []).append(result)
    return causes
