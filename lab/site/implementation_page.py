"""The page of an implementation, with its scores and its failures by cause."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from conformance import known_failures
from conformance.registry import FOLDER
from conformance.reports.overview import PROFILES, Overview
from conformance.reports.pages import formats_of
from conformance.score import WRITING
from lab.site import page_paths
from lab.site.frame import Frame
from lab.site.indexed_report import Implementation


@dataclass(frozen=True)
class Cause:
    """A cause of failures, with the profiles in which each vector fails.

    ``name`` is empty if the cause is unknown.
    """

    name: str
    sentence: str
    vectors: Mapping[str, Sequence[str]]


def write(frame: Frame, implementation: Implementation, seen: Overview) -> None:
    """Write the page of an implementation."""
    name, results = str(implementation["name"]), implementation["results"]
    skipped = Counter(str(each["difference"]) for each in results if each["class"] == "skipped")
    frame.page(
        page_paths.implementation(name),
        "implementation.html.j2",
        name,
        one=implementation,
        formats=formats_of(implementation),
        seen=seen,
        profiles=[name for name in PROFILES if seen.totals.get(name)],
        skipped=skipped.most_common(8),
        causes=causes(implementation),
        unit={name: "logs" if name in WRITING else "pairs" for name in PROFILES},
    )


@functools.cache
def cause_names(implementation: str) -> dict[str, str]:
    """Map the sentences that describe the causes of known failures to the names of the causes.

    The implementation's page has an anchor for each name.
    """
    known = known_failures.load(FOLDER / implementation / "known-failures.json")
    return {sentence: name for name, sentence in known.causes.items()}


def causes(implementation: Implementation) -> list[Cause]:
    """Return the failures by cause, with unknown causes first, then by the number of vectors."""
    names = cause_names(str(implementation["name"]))
    results: dict[str, dict[str, list[str]]] = {}
    for result in implementation["results"]:
        if result["class"] not in ("pass", "skipped"):
            by_vector = results.setdefault(str(result.get("cause") or ""), {})
            by_vector.setdefault(str(result["vector"]), []).append(str(result["profile"]))
    every_cause = [
        Cause(names.get(text, ""), text, by_vector) for text, by_vector in results.items()
    ]
    return sorted(every_cause, key=lambda cause: (bool(cause.sentence), -len(cause.vectors)))
