"""Summarise an implementation in one line: lost records, invented records, and scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.answer_text import payload_key
from conformance.score import WRITING

Result = Mapping[str, Any]

LOSSES = ("loses", "invents", "silent")
PROFILES = ("recover", "strict", "structure", "write", "append")
# This legend explains the columns. Losses come first, because they matter most to users.
LEGEND = {
    "loses": "loses, invents: logs with a missing record, or with one that is not expected",
    "silent": "silent: reads without an answer (crash, time-out, limit, broken message)",
    "recover": "recover, strict: the score in pairs; a damaged log counts only together with its"
    " control",
    "structure": "structure: the same for the fields that a parser finds",
    "write": "write, append: separate scores, by logs",
}


@dataclass(frozen=True)
class Overview:
    """The numbers of one implementation; ``passed`` and ``totals`` are its scores by profile."""

    name: str
    loses: int
    invents: int
    silent: int
    passed: Mapping[str, int]
    totals: Mapping[str, int]

    def cells(self, heads: Sequence[str]) -> list[str]:
        """Return the cells under these heads, empty for zero and for profiles that did not run."""
        counts = {"loses": self.loses, "invents": self.invents, "silent": self.silent}
        return [
            (str(counts[head]) if counts[head] else "")
            if head in counts
            else (f"{self.passed[head]:,}/{self.totals[head]:,}" if self.totals.get(head) else "")
            for head in heads
        ]


def overview(implementation: Mapping[str, Any]) -> Overview:
    """Return the numbers of an implementation of a run report."""
    results = [each for each in implementation["results"] if each["class"] != "skipped"]
    wrong = [each for each in results if each["class"] not in ("pass", "unexpected-pass")]
    scores = {
        name: _score(name, counted)
        for name, counted in implementation["score"]["by_profile"].items()
    }
    return Overview(
        implementation["name"],
        _logs(each for each in wrong if _missing(each["expected"], each["actual"])),
        _logs(each for each in wrong if _missing(each["actual"], each["expected"])),
        sum(each["actual"] is None and each["profile"] not in WRITING for each in wrong),
        {name: passed for name, (passed, _) in scores.items()},
        {name: total for name, (_, total) in scores.items()},
    )


def _score(profile: str, counted: Mapping[str, int]) -> tuple[int, int]:
    if profile in WRITING:
        return counted["passed"], counted["total"]
    return counted["pairs_passed"], counted["pairs_total"]


def _logs(results: Iterable[Result]) -> int:
    """Return the number of logs: the same loss in both profiles counts once."""
    return len({each["vector"] for each in results if each["profile"] != "strict"})


def _missing(wanted: Mapping[str, Any] | None, given: Mapping[str, Any] | None) -> bool:
    if not wanted or not given or "records" not in wanted or "records" not in given:
        return False
    return bool(_payloads(wanted) - _payloads(given))


def _payloads(answer: Mapping[str, Any]) -> Counter[str]:
    return Counter(payload_key(record) for record in answer["records"])
