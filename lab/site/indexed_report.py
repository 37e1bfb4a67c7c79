"""A run report, indexed by vector and by implementation. Real implementations come first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.reports.json_report import Report
from conformance.reports.pages import formats_of
from conformance.vectors import Vector
from lab.results.command import is_real

REAL, OURS, NULL = "real", "ours", "null"
#: The groups of implementations, in the order in which every page shows them.
TITLES = {
    REAL: "Real implementations",
    OURS: "Our own readers and writers",
    NULL: "Null baselines",
}

Implementation = Mapping[str, Any]
Result = Mapping[str, Any]


@dataclass(frozen=True)
class IndexedReport:
    """A report, and the vectors in this tree that it covers."""

    report: Report
    #: Vectors that ran, by id. Each has a page.
    vectors: Mapping[str, Vector]
    #: All vectors of this tree.
    tree: Mapping[str, Vector] = field(repr=False)
    #: Implementations that ran, ordered by group (:data:`TITLES`).
    implementations: Sequence[Implementation]
    #: Implementations that could not run.
    absent: Sequence[Implementation]
    #: The results of each vector, in the order of the implementations.
    by_vector: Mapping[str, Sequence[tuple[Implementation, Result]]] = field(repr=False)

    @property
    def formats(self) -> list[str]:
        """The formats of the run."""
        return list(dict.fromkeys(str(each.body["format"]) for each in self.vectors.values()))

    def of_kind(self, kind: str, format: str | None = None) -> list[Implementation]:
        """Return the implementations of a group, optionally only those with results in a format."""
        return [
            each
            for each in self.implementations
            if kind_of(each) == kind and (format is None or format in formats_of(each))
        ]

    def of_format(self, format: str) -> Iterator[Vector]:
        """Return the vectors of a format."""
        return (each for each in self.vectors.values() if each.body["format"] == format)


def kind_of(implementation: Implementation) -> str:
    """Return the group of an implementation, which is a key of :data:`TITLES`."""
    if implementation["baseline"]:
        return NULL
    return REAL if is_real(str(implementation["name"])) else OURS


def run_of(report: Report, vectors: Mapping[str, Vector]) -> IndexedReport:
    """Index a run, leaving out the results of vectors that the tree no longer contains."""
    selected = {id: vectors[id] for id in sorted(report["vectors"]) if id in vectors}
    order = list(TITLES)
    ran = [each for each in report["implementations"] if each["status"] == "ran"]
    # The sort is stable, so each group keeps the order of the report. The executable specification
    # thus comes first in our group.
    ran.sort(key=lambda each: order.index(kind_of(each)))
    by_vector: dict[str, list[tuple[Implementation, Result]]] = {id: [] for id in selected}
    for each in ran:
        for result in each["results"]:
            if result["vector"] in by_vector:
                by_vector[result["vector"]].append((each, result))
    absent = [each for each in report["implementations"] if each["status"] != "ran"]
    return IndexedReport(report, selected, vectors, ran, absent, by_vector)
