"""The matrix of the report page: implementations × groups, one per format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
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
    """An implementation that ran: its results of each class by group, and its score."""

    implementation: Implementation
    cells: Mapping[str, Counter[str]]
    score: Mapping[str, Any]


@dataclass(frozen=True)
class Matrix:
    """The matrix of one format."""

    format: str
    groups: Sequence[str]
    lines: Sequence[Line]


def matrices(report: Report) -> list[Matrix]:
    """Return one matrix for each format in the report, in order of appearance."""
    formats = dict.fromkeys(vector["format"] for vector in report["vectors"].values())
    return [Matrix(each, groups_of(report, each), list(_lines(report, each))) for each in formats]


def groups_of(report: Report, format_id: str) -> list[str]:
    """Return the groups of one format, in reading order."""
    present = dict.fromkeys(
        vector["group"] for vector in report["vectors"].values() if vector["format"] == format_id
    )
    known = [group for group in GROUP_ORDER if group in present]
    return known + [group for group in present if group not in GROUP_ORDER]


def _lines(report: Report, format_id: str) -> Iterator[Line]:
    vectors = report["vectors"]
    for implementation in report["implementations"]:
        cells: dict[str, Counter[str]] = {}
        results = [
            each
            for each in implementation["results"]
            if vectors[each["vector"]]["format"] == format_id
        ]
        for each in results:
            cells.setdefault(vectors[each["vector"]]["group"], Counter())[each["class"]] += 1
        if results:
            # The report scores an implementation as a whole; this score is about one format.
            yield Line(implementation, cells, score(results, vectors))
