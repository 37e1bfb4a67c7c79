"""The requirements that decide the parts of an answer that differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.score import WRITING
from conformance.vectors import requirements_deciding

from .json_report import Report

Entry = Mapping[str, Any]


def decided_by(report: Report, result: Entry) -> list[str]:
    """Return the ids, from the vector, that decide the differing parts of an incorrect answer.

    The list is empty for other results, if nothing but records differs, and for a vector without
    these ids.
    """
    vector = report["vectors"][result["vector"]]
    ids = requirements_deciding(vector, result["profile"])
    expected, actual = result.get("expected"), result.get("actual")
    is_wrong = result["class"] in ("fail", "known-failure") and result["profile"] not in WRITING
    if not (ids and is_wrong and expected and actual):
        return []
    parts = result.get("found") or {}
    if "prefix" in parts:
        ids["reason"] = _of_prefix(vector["decided_by"]["table"], parts["prefix"])
        ids["lost"] = [ids["reason"]] * len(expected["lost"])
    of_verdict = [ids["reason"], ids["verdict"]]
    if actual.get("reason") in {expected["reason"], *(each["reason"] for each in expected["lost"])}:
        # The answer contains an expected code, so the reader breaks the requirement for the
        # verdict.
        of_verdict.reverse()
    cited: list[str | None] = []
    for part in parts:
        if part in ("verdict", "reason"):
            cited += of_verdict
        elif part == "lost":
            # A reader that does not report reasons returns ranges without them.
            found = [each.items() for each in actual.get("lost", [])]
            pairs = zip(expected["lost"], ids["lost"], strict=True)
            cited += [id for lost, id in pairs if not any(each <= lost.items() for each in found)]
        elif part == "end":
            cited.append(ids.get("strict", ids["end"]))
    if cited and "strict" in ids:
        cited.insert(0, ids["strict"])
    return [id for id in dict.fromkeys(cited) if id]


def requirements_of(report: Report, result: Entry) -> list[str]:
    """Return the ids that decide a result, or else those that its vector exercises."""
    return decided_by(report, result) or list(report["vectors"][result["vector"]]["requirements"])


def _of_prefix(table: Mapping[str, str | None], length: int) -> str | None:
    """Return the id for the row of a truncation table that covers a length."""
    return table[str(max(start for start in map(int, table) if start <= length))]
