"""A run in one line, for a badge, a notice and the first line of a summary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.text import one_line

from .classes import BY_NAME
from .json_report import Report
from .matrix import not_run


def tested(report: Report) -> list[Mapping[str, Any]]:
    """The implementations that ran, but for the null baselines."""
    every = report["implementations"]
    return [each for each in every if each["status"] == "ran" and not each["baseline"]]


def unexpected(report: Report) -> int:
    """How many results are not as expected."""
    return sum(
        not BY_NAME[result["class"]].expected
        for each in tested(report)
        for result in each["results"]
    )


def nothing_checked(report: Report) -> bool:
    """Whether every case was skipped, or there was none."""
    return all(
        result["class"] == "skipped" for each in tested(report) for result in each["results"]
    )


def scores(report: Report) -> str:
    """``95/119 pairs, 10/10 written``; of several implementations, how many are as expected."""
    every = tested(report)
    if len(every) == 1:
        score = every[0]["score"]
        pairs = (score["pairs_passed"], score["pairs_total"], "pairs")
        written = (score.get("written_passed", 0), score.get("written_total", 0), "written")
        parts = [f"{right}/{owed} {what}" for right, owed, what in (pairs, written) if owed]
        return ", ".join(parts) or _passed(every[0])
    right = sum(all(BY_NAME[r["class"]].expected for r in each["results"]) for each in every)
    return f"{right} of {len(every)} implementations as expected"


def _passed(implementation: Mapping[str, Any]) -> str:
    """Where only undamaged logs were read there is no pair."""
    asked = [one for one in implementation["results"] if one["class"] != "skipped"]
    right = sum(one["class"] == "pass" for one in asked)
    return f"{right}/{len(asked)} results"


def headline(report: Report) -> str:
    """The outcome in one line, with the name of the one implementation, if it is one."""
    every = tested(report)
    name = f"{one_line(every[0]['name'])}: " if len(every) == 1 else ""
    wrong, missing = unexpected(report), not_run(report)
    broken = f"; {len(missing)} could not be run" if missing else ""
    if nothing_checked(report):
        return f"{name}nothing was checked{broken}"
    said = f"{wrong} result{'s' * (wrong != 1)} not as expected" if wrong else "all as expected"
    return f"{name}{scores(report)}; {said}{broken}"
