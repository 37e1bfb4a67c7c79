"""One failure at a terminal: damage, expected and actual answer, and how to repeat it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance.chapter import chapter
from conformance.describe import tail
from conformance.text import printable

from .align import Kind
from .classes import BY_NAME
from .console_text import print_tidy, say
from .json_report import Report
from .side_by_side import (
    Line,
    Side,
    lines,
    reported,
    request_facts,
    unsaid,
)

# The mark of a line, and its style. The mark alone identifies the type.
_MARKS: dict[Kind, tuple[str, str]] = {
    "same": (" ", ""),
    "missing": ("-", "red"),
    "extra": ("+", "magenta"),
    "different": ("~", "yellow"),
}
_LABEL = 14
_WIDEST = 132
_STDERR = 1200


def show_failure(
    report: Report,
    implementation: Mapping[str, Any],
    result: Mapping[str, Any],
    console: Console,
) -> None:
    """Print one failed result, with both answers and the command that repeats the case.

    `implementation` and `result` are entries of `report`.
    """
    vector = report["vectors"][result["vector"]]
    outcome = BY_NAME[result["class"]]
    head = Text()
    head.append(f"{outcome.glyph} {outcome.label}", style=outcome.style)
    head.append(f"  {result['vector']}", style="bold")
    print_tidy(head, console)
    print_tidy(Text(printable(vector["title"]), style="italic"), console, indent=2)

    expected, actual = result.get("expected"), reported(implementation, result)
    compared = lines(expected, actual)
    _print_facts(_facts(vector, implementation, result, compared), console)
    agree = expected is not None and actual is not None and all(x.kind == "same" for x in compared)
    if compared and not agree:  # otherwise something besides the answer differs
        console.print()
        answer = f"none: {outcome.label}" if actual is None else ""
        if actual is not None and result["profile"] in ("write", "append"):
            answer = "the file, read back"
        print_tidy(_side_by_side(compared, answer, console), console, indent=2)
    if result.get("stderr"):
        console.print()
        say(Text("  stderr (tail)", style="dim"), console)
        print_tidy(Text(tail(result["stderr"], _STDERR)), console, indent=4)
    console.print()
    if vector.get("input"):
        heading = "the expected log" if result["profile"] == "write" else "the log"
        say(Text(f"  {heading}", style="dim"), console)
        say(Text(f"    {vector['input']}"), console)
    say(Text("  repeat it with", style="dim"), console)
    say(Text(f"    {result['repeat']}", style="bold"), console)
    if result.get("ask"):
        say(Text("  see the messages and keep the log", "dim"), console)
        say(Text(f"    {result['ask']}"), console)


def _print_facts(facts: Iterable[tuple[str, str]], console: Console) -> None:
    table = Table.grid(padding=(0, 1))
    table.add_column(width=_LABEL, style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for label, value in facts:
        table.add_row(label, Text(printable(value), style="bold" if label == "difference" else ""))
    print_tidy(table, console, indent=2)


def _facts(
    vector: Mapping[str, Any],
    implementation: Mapping[str, Any],
    result: Mapping[str, Any],
    compared: Sequence[Line],
) -> list[tuple[str, str]]:
    name = " ".join(filter(None, (implementation["name"], implementation["version"])))
    facts = [
        ("implementation", f"{name}, profile {result['profile']}"),
        ("requirement", "\n".join(_requirements(vector))),
    ]
    if vector["damage"]:
        facts.append(("damaged", "\n".join(vector["damage"])))
    if vector["control"]:
        same = [
            BY_NAME[each["class"]].label
            for each in implementation["results"]
            if (each["vector"], each["profile"]) == (vector["control"], result["profile"])
        ]
        facts.append(("control", f"{vector['control']}: {same[0] if same else 'not run'}"))
    facts += request_facts(result["vector"], vector)
    if difference := unsaid(result.get("difference") or "", compared):
        facts.append(("difference", difference))
    for label, key in (("cause", "cause"), ("reported", "issue")):
        if result.get(key):
            facts.append((label, result[key]))
    return facts


def _requirements(vector: Mapping[str, Any]) -> Iterator[str]:
    """Yield each requirement in full, or its id alone if the chapter no longer has it."""
    known = chapter(vector["format"]).requirements
    for id in vector["requirements"]:
        yield f"{id} {known[id].text}" if id in known else id


def _side_by_side(compared: Sequence[Line], answer: str, console: Console) -> Table:
    table = Table.grid(padding=(0, 1))
    half = max(16, (min(console.width, _WIDEST) - _LABEL - 9) // 2)
    table.add_column(width=_LABEL, style="dim", no_wrap=True)
    table.add_column(width=1)
    table.add_column(width=half, overflow="fold")
    table.add_column(width=1, style="dim")
    table.add_column(width=half, overflow="fold")
    heading = Text.assemble(("actual", "bold"), f" ({answer})" if answer else "")
    table.add_row("", "", Text("expected", style="bold"), "│", heading)
    for line in compared:
        mark, style = _MARKS[line.kind]
        given = _side(line.actual, style)
        if line.note:
            given.append(f"\n{line.note}", style=f"italic {style}")
        left = _side(line.expected, style if line.kind == "missing" else "")
        # Continue the rule beside a side of several lines.
        height = max(_height(left, half, console), _height(given, half, console))
        bar = "\n".join("│" * height)
        table.add_row(line.label, Text(mark, style=style), left, bar, given)
    return table


def _side(side: Side, style: str) -> Text:
    text = Text(side.what, style="dim" if side.absent else style)
    if side.where:
        text.append(f"  {side.where}", style="dim")
    return text


def _height(text: Text, width: int, console: Console) -> int:
    return len(text.wrap(console, width, overflow="fold"))
