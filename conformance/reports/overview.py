"""One line for each implementation: what it loses, what it makes up, and what it gets right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.text import Text

from conformance.describe import payload_key

from .console_text import is_unicode, say, short

Result = Mapping[str, Any]

HEADS = ("loses", "invents", "silent", "reads", "writes", "appends")
"""Losses first: they are what a user comes for."""
LEGEND = (
    "loses, invents: logs that come back without a record, or with one not owed",
    "silent: reads without an answer (crash, time-out, limit, broken message)",
    "reads, writes, appends: right results, of those that were not skipped",
)
_GAP = 2


@dataclass(frozen=True)
class Overview:
    """The numbers of one implementation; ``right`` and ``asked`` count results by operation."""

    name: str
    loses: int
    invents: int
    silent: int
    right: Mapping[str, int]
    asked: Mapping[str, int]

    def cells(self) -> list[str]:
        """The numbers under ``HEADS``; nothing stands for zero and for what was not asked."""
        shown = [
            str(number) if number else "" for number in (self.loses, self.invents, self.silent)
        ]
        for operation in HEADS[3:]:
            asked = self.asked.get(operation, 0)
            shown.append(f"{self.right.get(operation, 0):,}/{asked:,}" if asked else "")
        return shown


def overview(implementation: Mapping[str, Any]) -> Overview:
    """The numbers of an implementation of a run report."""
    results = [each for each in implementation["results"] if each["class"] != "skipped"]
    wrong = [each for each in results if each["class"] not in ("pass", "unexpected-pass")]
    asked = Counter(map(_operation, results))
    missed = Counter(map(_operation, wrong))
    return Overview(
        implementation["name"],
        _logs(each for each in wrong if _missing(each["expected"], each["actual"])),
        _logs(each for each in wrong if _missing(each["actual"], each["expected"])),
        sum(each["actual"] is None and _operation(each) == "reads" for each in wrong),
        {name: asked[name] - missed[name] for name in asked},
        asked,
    )


def _operation(result: Result) -> str:
    return {"write": "writes", "append": "appends"}.get(result["profile"], "reads")


def _logs(results: Iterable[Result]) -> int:
    """How many logs: the same loss in both profiles is one."""
    return len({each["vector"] for each in results if each["profile"] != "strict"})


def _missing(owed: Mapping[str, Any] | None, given: Mapping[str, Any] | None) -> bool:
    """Whether records of one answer are not in the other; False where there are not both."""
    if not owed or not given or "records" not in owed or "records" not in given:
        return False
    return bool(_payloads(owed) - _payloads(given))


def _payloads(answer: Mapping[str, Any]) -> Counter[str]:
    return Counter(payload_key(record) for record in answer["records"])


def print_overview(implementations: Sequence[Mapping[str, Any]], console: Console) -> None:
    """Print the table of those that ran, the null baselines last, and what its columns mean."""
    ran = [each for each in implementations if each["status"] == "ran"]
    real = [overview(each) for each in ran if not each["baseline"]]
    null = [overview(each) for each in ran if each["baseline"]]
    rows = [(one.name, one.cells()) for one in real + null]
    widths = [
        max(map(len, column)) for column in zip(HEADS, *(cells for _, cells in rows), strict=True)
    ]
    first = max([len(short(name)) for name, _ in rows] + [len("null baselines")])
    heads = (head.rjust(width) for head, width in zip(HEADS, widths, strict=True))
    say(Text(" " * (first + _GAP) + (" " * _GAP).join(heads), style="bold"), console)
    rule = "─" if is_unicode(console) else "-"
    say(Text(rule * (first + sum(widths) + _GAP * len(widths)), style="dim"), console)
    for number, (name, cells) in enumerate(rows):
        if number == len(real):
            say(Text(f"{rule * 2} null baselines {rule * 2}", style="dim"), console)
        line = Text(short(name).ljust(first))
        for head, cell, width in zip(HEADS, cells, widths, strict=True):
            bad = head in HEADS[:3] and number < len(real)
            line.append(" " * _GAP + cell.rjust(width), style="red" if bad else "")
        say(line, console)
    console.print()
    for meaning in LEGEND:
        say(Text(meaning, style="dim"), console)
