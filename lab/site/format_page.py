"""The page of a format, with its vectors and the results of all implementations."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.reports.classes import worst
from conformance.reports.summary import groups_of
from conformance.vectors import Vector
from lab.site import page_paths
from lab.site.frame import Frame
from lab.site.indexed_report import OURS, REAL, TITLES, IndexedReport
from reference_impl.register import registers

#: Maps each vector id to the worst result class by implementation name.
Outcomes = Mapping[str, Mapping[str, str]]


def outcomes(run: IndexedReport) -> Outcomes:
    """Return the worst result class by vector and implementation, ignoring skipped results."""
    matches: dict[str, dict[str, str]] = {}
    for id, results in run.by_vector.items():
        classes: dict[str, list[str]] = {}
        for implementation, result in results:
            if result["class"] != "skipped":
                classes.setdefault(str(implementation["name"]), []).append(str(result["class"]))
        matches[id] = {name: worst(all_of_them).name for name, all_of_them in classes.items()}
    return matches


def write(frame: Frame, run: IndexedReport, format: str, outcome_by_vector: Outcomes) -> None:
    """Write the page of a format, with its vectors by group."""
    register = registers()[format]
    shown = [
        (TITLES[kind], [str(each["name"]) for each in run.of_kind(kind, format)])
        for kind in (REAL, OURS)
    ]
    groups: dict[str, list[Vector]] = {name: [] for name in groups_of(run.report, format)}
    for vector in run.of_format(format):
        # The vector may have moved to another group since the run.
        groups.setdefault(vector.body["group"], []).append(vector)
    frame.page(
        page_paths.format_page(format),
        "format.html.j2",
        register.title,
        register=register,
        groups={name: vectors for name, vectors in groups.items() if vectors},
        kinds=[(title, names) for title, names in shown if names],
        names=[name for _, names in shown for name in names],
        told=outcome_by_vector,
    )
