"""Convert a report to compact data for the HTML page.

Repeated texts and lines are stored in tables. Results refer to them by number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from conformance.describe import tail
from conformance.text import printable

from .classes import CLASSES, SEVERITY
from .json_report import Report
from .matrix import Line as MatrixLine
from .matrix import matrices
from .side_by_side import Bar, Line, Segment, Side, bars, field_texts, lines, reported, unsaid
from .summary import cached_in, mode_of

# The page shows only the end of stderr; the JSON report beside it has all of it.
_STDERR = 600
_KINDS = ("same", "missing", "extra", "different")
_IMPLEMENTATION = (
    "name", "title", "version", "language", "homepage", "issues", "status", "because", "baseline",
    "reports", "profiles", "seconds",
)  # fmt: skip


class _Table:
    """Numbers for values; equal values have the same number."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._numbers: dict[Any, int] = {}

    def number(self, value: Any) -> int:
        if value not in self._numbers:
            self._numbers[value] = len(self.values)
            self.values.append(value)
        return self._numbers[value]


def page_data(report: Report) -> dict[str, Any]:
    """Return the data of the page.

    A result is a list `[implementation, vector, profile, class, ms, detail]` of indexes. `detail`
    is -1 for a pass.
    """
    names = [each["name"] for each in report["implementations"]]
    vectors = {vector: number for number, vector in enumerate(report["vectors"])}
    profiles, texts, sides = _Table(), _Table(), _Table()
    results: list[list[Any]] = []
    details: list[list[Any]] = []
    for implementation, entry in enumerate(report["implementations"]):
        for result in entry["results"]:
            detail = -1
            if result["class"] != "pass":
                detail = len(details)
                size = report["vectors"][result["vector"]]["size"]
                details.append(_detail(entry, result, size, texts, sides))
            ms = result["ms"]
            results.append(
                [
                    implementation,
                    vectors[result["vector"]],
                    profiles.number(result["profile"]),
                    SEVERITY[result["class"]],
                    None if ms is None else round(ms, 1),
                    detail,
                ]
            )
    return {
        "walproof": report["walproof"],
        "started": report["started"],
        "seconds": report["seconds"],
        "mode": mode_of(report),
        "kept": cached_in(report),
        "isolation": report.get("isolation"),
        "classes": [
            {key: getattr(each, key) for key in ("name", "glyph", "label", "meaning", "expected")}
            for each in CLASSES
        ],
        "kinds": _KINDS,
        "profiles": profiles.values,
        "matrices": [
            {
                "format": each.format,
                "groups": each.groups,
                "lines": [_matrix_line(line, names) for line in each.lines],
                "baselines": [_matrix_line(line, names) for line in each.baselines],
            }
            for each in matrices(report)
        ],
        "implementations": [
            {key: each[key] for key in _IMPLEMENTATION} for each in report["implementations"]
        ],
        "vectors": [{"id": vector, **facts} for vector, facts in report["vectors"].items()],
        "results": results,
        "details": details,
        "texts": texts.values,
        "sides": sides.values,
    }


def _matrix_line(line: MatrixLine, names: Sequence[str]) -> dict[str, Any]:
    return {
        "implementation": names.index(line.implementation["name"]),
        "pairs": [line.pairs_passed, line.pairs_total],
        "written": [line.written_passed, line.written_total],
        "cells": {
            group: [cell[each.name] for each in CLASSES] for group, cell in line.cells.items()
        },
    }


def _detail(
    implementation: Mapping[str, Any],
    result: Mapping[str, Any],
    size: int,
    texts: _Table,
    sides: _Table,
) -> list[Any]:
    """Return `[difference, cause, stderr, issue, repeat, lines, bars, fields, ask]`.

    Each text is a number, or -1 for none.
    """

    def text(value: str | None) -> int:
        return texts.number(printable(value)) if value else -1

    expected, actual = result.get("expected"), reported(implementation, result)
    compared = lines(expected, actual)
    stderr = result.get("stderr")
    return [
        text(unsaid(result.get("difference") or "", compared)),
        text(result.get("cause")),
        text(tail(stderr, _STDERR) if stderr else None),
        text(result.get("issue")),
        text(result["repeat"]),
        [_line(line, texts, sides) for line in compared],
        [_bar(bar) for bar in bars(size, expected, actual)],
        [texts.number(printable(name)) for name in field_texts(result)],
        text(result.get("ask")),
    ]


def _line(line: Line, texts: _Table, sides: _Table) -> list[int]:
    def side(each: Side) -> int:
        return sides.number((each.what, each.where, int(each.absent)))

    cells = [
        texts.number(line.label),
        _KINDS.index(line.kind),
        side(line.expected),
        side(line.actual),
    ]
    return [*cells, texts.number(line.note)] if line.note else cells


def _bar(bar: Bar) -> list[Any]:
    return [bar.file, bar.size, _segments(bar.expected), _segments(bar.actual)]


def _segments(segments: Sequence[Segment] | None) -> list[int] | None:
    """Return `[start, stop, lost, start, stop, lost, …]`, None for a side without offsets."""
    if segments is None:
        return None
    return [number for each in segments for number in (each.start, each.stop, int(each.lost))]
