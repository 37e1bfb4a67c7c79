"""One line for each implementation: lost records, invented records, and scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.text import Text

from conformance.describe import payload_key
from conformance.score import WRITING
from conformance.text import one_line

from .console_text import print_hanging, print_table, short

Result = Mapping[str, Any]

LOSSES = ("loses", "invents", "silent")
PROFILES = ("recover", "strict", "structure", "write", "append")
# The meaning of the columns. Losses come first, because they matter most to users.
LEGEND = {
    "loses": "loses, invents: logs with a missing record, or with one that is not expected",
    "silent": "silent: reads without an answer (crash, time-out, limit, broken message)",
    "recover": "recover, strict: the score in pairs; a damaged log counts only together with its"
    " control",
    "structure": "structure: the same for the fields that a parser finds",
    "write": "write, append: separate scores, by logs",
}
# The largest number of implementations for which reasons of skipped cases are printed. Larger
# tables are for experts.
FEW = 3


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


def print_overview(implementations: Sequence[Mapping[str, Any]], console: Console) -> None:
    """Print the table of the implementations that ran, null baselines last, and the legend."""
    ran = [each for each in implementations if each["status"] == "ran"]
    real = [overview(each) for each in ran if not each["baseline"]]
    null = [overview(each) for each in ran if each["baseline"]]
    profiles = [name for name in PROFILES if any(row.totals.get(name) for row in real or null)]
    shown = [*LOSSES, *profiles]
    rows = []
    for number, each in enumerate(real + null):
        bad = "red" if number < len(real) else ""
        cells = zip(shown, each.cells(shown), strict=True)
        rows.append(
            (each.name, [Text(cell, bad if head in LOSSES else "") for head, cell in cells])
        )
    print_table(shown, rows, len(real), console)
    console.print()
    for meaning in [text for head, text in LEGEND.items() if head in shown]:
        print_hanging(Text(""), Text(meaning), console, joint="")
    _print_skipped([each for each in ran if not each["baseline"]], console)


def _print_skipped(tested: Sequence[Mapping[str, Any]], console: Console) -> None:
    """Explain different totals: print the cases that a program skipped in its own profiles."""
    parts = []
    for each in tested:
        why = Counter(
            str(result["difference"])
            for result in each["results"]
            if result["class"] == "skipped" and result["profile"] in each["profiles"]
        )
        if not why:
            continue
        summary = f"{short(each['name'])} {why.total()}"
        if len(tested) <= FEW:
            reasons = [f"{reason}: {number}" for reason, number in why.most_common(FEW)]
            summary += f" ({'; '.join(reasons)})"
        parts.append(summary)
    if parts:
        label = Text("not counted, since skipped")
        print_hanging(label, Text(one_line(", ".join(parts))), console)
