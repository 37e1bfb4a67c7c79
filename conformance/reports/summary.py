"""Summarise a run: its outcome, its vectors, cached results, and groups of failures."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from conformance import sandbox
from conformance.compare import every_part
from conformance.text import one_line

from .classes import BY_NAME, CLASSES
from .deciding import decided_by
from .json_report import Report

#: The profiles of readers and writers; only parsers run the profile ``structure``.
COMPARED_PROFILES = ("recover", "strict", "write", "append")
# Groups that several formats share appear in this order. Other groups follow in order of
# appearance.
GROUP_ORDER = (
    "framing", "layout", "fragments", "trailer", "checksum", "lengths", "types", "zeros", "resync",
    "torn-tail", "dialects", "limits", "writing", "appending",
)  # fmt: skip
# A failure consists of an implementation of a run report and one of its results.
Failure = tuple[Mapping[str, Any], Mapping[str, Any]]

_VALUES = re.compile(r"""'[^']*'|"[^"]*"…?|\[[0-9a-f]{8}\]|[0-9][0-9,]*""")
# Matches successive lost ranges with the same reason. Failures that differ only in the number of
# such ranges belong to one group.
_RANGES = re.compile(r"(\[…,? …\)(?: [a-z-]+)?)(?:, \1)+")


def tested(report: Report) -> list[Mapping[str, Any]]:
    """Return the implementations that ran, without the null baselines."""
    every = report["implementations"]
    return [each for each in every if each["status"] == "ran" and not each["baseline"]]


def not_run(report: Report) -> list[Mapping[str, Any]]:
    """Return the implementations that could not run."""
    return [each for each in report["implementations"] if each["status"] != "ran"]


def unexpected(report: Report) -> list[Failure]:
    """Return the unexpected results; null baselines do not count."""
    return of_classes(report, [each.name for each in CLASSES if not each.expected])


def of_classes(report: Report, names: Collection[str]) -> list[Failure]:
    """Return the results of these classes; null baselines do not count."""
    return [
        (each, result)
        for each in report["implementations"]
        for result in each["results"]
        if result["class"] in names and not each["baseline"]
    ]


def nothing_checked(report: Report) -> bool:
    """Return whether no case ran, because all were skipped or there were none."""
    return all(
        result["class"] == "skipped" for each in tested(report) for result in each["results"]
    )


def coverage(report: Report, implementation: Mapping[str, Any]) -> tuple[str, str]:
    """Return which profiles and parts of answers were compared, and which were not."""
    ran = [each for each in implementation["results"] if each["class"] != "skipped"]
    formats = dict.fromkeys(report["vectors"][each["vector"]]["format"] for each in ran)
    profiles = {each["profile"] for each in ran}
    reported = {*implementation["reports"]}
    # Signals replace the verdict of readers that give none.
    parts = [*every_part(formats), *(["signals"] if "signals" in reported else [])]
    texts = []
    for is_compared in (True, False):
        of_profiles = [name for name in COMPARED_PROFILES if (name in profiles) == is_compared]
        of_parts = [name for name in parts if (name in reported) == is_compared]
        texts.append("; ".join(", ".join(some) for some in (of_profiles, of_parts) if some))
    return texts[0], texts[1]


def scores(report: Report) -> str:
    """Return ``95/119 pairs, 10/10 written``, or the number of implementations as expected."""
    every = tested(report)
    if len(every) == 1:
        score = every[0]["score"]
        pairs = (score["pairs_passed"], score["pairs_total"], "pairs")
        written = (score.get("written_passed", 0), score.get("written_total", 0), "written")
        parts = [f"{right}/{total} {what}" for right, total, what in (pairs, written) if total]
        return ", ".join(parts) or _passed(every[0])
    right = sum(all(BY_NAME[r["class"]].expected for r in each["results"]) for each in every)
    return f"{right} of {len(every)} implementations as expected"


def _passed(implementation: Mapping[str, Any]) -> str:
    checked = [each for each in implementation["results"] if each["class"] != "skipped"]
    right = sum(each["class"] == "pass" for each in checked)
    return f"{right}/{len(checked)} results"


def headline(report: Report) -> str:
    """Return the outcome on one line. If there is a single implementation, it is named."""
    every = tested(report)
    name = f"{one_line(every[0]['name'])}: " if len(every) == 1 else ""
    wrong, missing = len(unexpected(report)), not_run(report)
    broken = f"; {len(missing)} could not be run" if missing else ""
    if nothing_checked(report):
        return f"{name}nothing was checked{broken}"
    if not wrong and len(every) > 1:
        return f"{len(every)} implementations, all as expected{broken}"
    outcome = f"{wrong} result{'s' * (wrong != 1)} not as expected" if wrong else "all as expected"
    return f"{name}{scores(report)}; {outcome}{broken}"


def cached_in(report: Report) -> str | None:
    """Return a sentence on results from earlier runs, or None if all are from this run."""
    ran = tested(report)
    since = sorted(each["asked"] for each in ran if "asked" in each)
    if not since:
        return None
    who = f"{len(since)} of {len(ran)} implementations" if len(ran) > 1 else "It"
    first, last = since[0], since[-1]
    when = f"the run at {first}" if first == last else f"the runs between {first} and {last}"
    have = "have" if len(ran) > 1 else "has"
    return f"{who} {have} not changed since {when}: these results are from then."


def groups_of(report: Report, format_id: str) -> list[str]:
    """Return the groups of one format, in reading order."""
    present = dict.fromkeys(
        vector["group"] for vector in report["vectors"].values() if vector["format"] == format_id
    )
    known = [group for group in GROUP_ORDER if group in present]
    return known + [group for group in present if group not in GROUP_ORDER]


def isolation_lines(report: Report) -> list[str]:
    """Return a line on the isolation of the programs, and a line on its gaps, if any."""
    isolation = report.get("isolation")
    return sandbox.isolation_lines(isolation) if isolation else []


def by_cause(report: Report, failures: Iterable[Failure]) -> list[list[Failure]]:
    """Group the failures. The largest group and, in each group, the simplest log come first.

    The failures of a group have the same implementation, operation and result class, and the same
    requirement decides them. If no requirement is known to decide them, they have the same
    difference, except for numbers and texts.
    """
    groups: dict[tuple[str, ...], list[Failure]] = {}
    for implementation, result in failures:
        profile = "read" if result["profile"] in ("recover", "strict") else result["profile"]
        if decided := decided_by(report, result):
            cause = decided[0]
        else:
            cause = _VALUES.sub("…", str(result["difference"] or "").split(";")[0])
            cause = _RANGES.sub(r"\1", cause)
        key = (implementation["name"], profile, result["class"], cause)
        groups.setdefault(key, []).append((implementation, result))
    for group in groups.values():
        group.sort(key=lambda failure: _complexity(report["vectors"][failure[1]["vector"]]))
    return sorted(groups.values(), key=len, reverse=True)


def _complexity(vector: Mapping[str, Any]) -> tuple[bool, int, int]:
    # Damaged logs come first, because they show a fault better than logs of another dialect.
    return not vector["damage"], len(vector["damage"]), vector["size"]
