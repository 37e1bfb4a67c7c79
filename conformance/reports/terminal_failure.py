"""One failure at a terminal: damage, differences, and how to repeat it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance.describe import tail
from conformance.text import printable

from .classes import BY_NAME
from .console_text import print_tidy, say
from .failure import facts
from .json_report import Report

_LABEL = 14
_STDERR = 1200


def show_failure(
    report: Report,
    implementation: Mapping[str, Any],
    result: Mapping[str, Any],
    console: Console,
) -> None:
    """Print one failed result, with the differences and the command that repeats the case."""
    vector = report["vectors"][result["vector"]]
    outcome = BY_NAME[result["class"]]
    head = Text()
    head.append(f"{outcome.glyph} {outcome.label}", style=outcome.style)
    head.append(f"  {result['vector']}", style="bold")
    print_tidy(head, console)
    print_tidy(Text(printable(vector["title"]), style="italic"), console, indent=2)
    table = Table.grid(padding=(0, 1))
    table.add_column(width=_LABEL, style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for label, value in facts(report, implementation, result):
        table.add_row(label, Text(printable(value), style="bold" if label == "difference" else ""))
    print_tidy(table, console, indent=2)
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
