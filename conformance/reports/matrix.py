"""The matrix of the report page: implementations × groups, one per format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.score import score

from .json_report import Report

Implementation = Mapping[str, Any]

# The order of groups that several formats share; other groups follow in order of appearance.
GROUP_ORDER = (
    "framing", "layout", "fragments", "trailer", "checksum", "lengths", "types", "zeros", "resync",
    "torn-tail", "dialects", "limits", "writing", "appending",
)  # fmt: skip


@dataclass(frozen=True)
class Line:
    """An implementation that ran: its results of each class by group, and its two scores."""

    implementation: Implementation
    cells: Mapping[str, Counter[str]]
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


def _matrix(report: Report, format_id: str, only: bool) -> Matrix:
    lines: list[Line] = []
    baselines: list[Line] = []
    vectors = report["vectors"]
    for implementation in report["implementations"]:
        results = [
            each
            for each in implementation["results"]
            if vectors[each["vector"]]["format"] == format_id
        ]
        if implementation["status"] != "ran" or not (results or only):
            continue
        cells: dict[str, Counter[str]] = {}
        for each in results:
            cells.setdefault(vectors[each["vector"]]["group"], Counter())[each["class"]] += 1
        # The report scores an implementation as a whole; this score is about one format.
        of_format = score(results, vectors)
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
