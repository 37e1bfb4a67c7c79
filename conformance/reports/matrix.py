"""The matrix of the terminal table and the page: implementations × groups, one per format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.score import score

from .classes import CLASSES, ResultClass, worst
from .json_report import Report

Implementation = Mapping[str, Any]
Result = Mapping[str, Any]

# The order of groups that several formats share; other groups follow in order of appearance.
GROUP_ORDER = (
    "framing",
    "layout",
    "fragments",
    "trailer",
    "checksum",
    "lengths",
    "types",
    "zeros",
    "resync",
    "torn-tail",
    "dialects",
    "limits",
    "writing",
    "appending",
)


@dataclass(frozen=True)
class Cell:
    """The results of one implementation in one group of vectors."""

    counts: Mapping[str, int]

    @property
    def run(self) -> int:
        """Return the number of results that were not skipped."""
        return sum(self.counts.values()) - self.counts.get("skipped", 0)

    @property
    def passed(self) -> int:
        """Return the number of passed results."""
        return self.counts.get("pass", 0)

    @property
    def worst(self) -> ResultClass | None:
        """Return the worst class that occurs, None in an empty cell."""
        return worst(self.counts) if self.counts else None


@dataclass(frozen=True)
class Line:
    """One row of the matrix: an implementation that ran, its cells by group, its two scores."""

    implementation: Implementation
    cells: Mapping[str, Cell]
    pairs_passed: int
    pairs_total: int
    written_passed: int
    written_total: int


@dataclass(frozen=True)
class Matrix:
    """The matrix of one format. `lines` are the programs under test, `baselines` the null ones."""

    format: str
    groups: Sequence[str]
    lines: Sequence[Line]
    baselines: Sequence[Line]


def matrices(report: Report) -> list[Matrix]:
    """Return one matrix for each format in the report, in order of appearance."""
    formats = list(dict.fromkeys(vector["format"] for vector in report["vectors"].values()))
    return [_matrix(report, each, only=len(formats) == 1) for each in formats]


def groups_of(report: Report, format_id: str) -> list[str]:
    """Return the groups of one format, in reading order."""
    present = dict.fromkeys(
        vector["group"] for vector in report["vectors"].values() if vector["format"] == format_id
    )
    known = [group for group in GROUP_ORDER if group in present]
    return known + [group for group in present if group not in GROUP_ORDER]


def tally(implementations: Sequence[Implementation]) -> Counter[str]:
    """Count the results of each class, the worst first."""
    counted = Counter(result["class"] for each in implementations for result in each["results"])
    return Counter({each.name: counted[each.name] for each in CLASSES if counted[each.name]})


def not_run(report: Report) -> list[Implementation]:
    """Return the implementations that could not run."""
    return [each for each in report["implementations"] if each["status"] != "ran"]


def _matrix(report: Report, format_id: str, only: bool) -> Matrix:
    lines: list[Line] = []
    baselines: list[Line] = []
    for implementation in report["implementations"]:
        if implementation["status"] != "ran":
            continue
        results = [
            each
            for each in implementation["results"]
            if report["vectors"][each["vector"]]["format"] == format_id
        ]
        if not results and not only:
            continue
        counts: dict[str, Counter[str]] = {}
        for each in results:
            group = report["vectors"][each["vector"]]["group"]
            counts.setdefault(group, Counter())[each["class"]] += 1
        # The report scores an implementation as a whole; this score is about one format.
        of_format = score(results, report["vectors"])
        cells = {group: Cell(counted) for group, counted in counts.items()}
        line = Line(
            implementation,
            cells,
            of_format["pairs_passed"],
            of_format["pairs_total"],
            of_format["written_passed"],
            of_format["written_total"],
        )
        (baselines if implementation["baseline"] else lines).append(line)
    return Matrix(format_id, groups_of(report, format_id), lines, baselines)
