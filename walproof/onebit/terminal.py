"""A search on the terminal: the flips that nothing told, by field."""

from __future__ import annotations

import textwrap

from rich.console import Console
from rich.table import Table

from conformance import unseen
from conformance.text import one_line
from reference_impl.register import registers
from walproof.onebit.totals import problems
from walproof.quantity import counted
from walproof.sweep.fields import brief


def show(found: unseen.Searched, console: Console, seconds: float) -> None:
    """Fields, counts, why nothing tells; then what nothing explains."""
    entries = registers()[found.format].unseen
    rows = unseen.rows(found, entries)
    flips = sum(log.flips for log in found.logs.values())
    _say(
        console,
        f"{found.format}: {flips:,} bits of {counted(len(found.logs), 'log')}, one at a time, in"
        f" {seconds:.1f} s; {found.unseen.total():,} left the log intact with other records.",
    )
    if rows:
        shown = [one for one in unseen.EFFECTS if any(row.counts.get(one) for row in rows)]
        table = Table("field", box=None, pad_edge=False, header_style="bold")
        for head in ("flipped", *(unseen.HEADS[one] for one in shown), "why"):
            table.add_column(head, justify="right", no_wrap=True)
        for row in rows:
            counts = [f"{row.counts[one]:,}" if row.counts.get(one) else "" for one in shown]
            why = ", ".join(map(str, row.why)) or "?"
            table.add_row(one_line(brief(row.field)), f"{row.tried:,}", *counts, why)
        console.print()
        console.print(table)
        _say(console, f"\n{unseen.legend(shown).replace('*', '')}.")
    used = {number for row in rows for number in row.why}
    for number, entry in enumerate(entries, 1):
        if number in used:
            ids = f" ({', '.join(entry.requirements)})" if entry.requirements else ""
            _say(console, f"{number}. {entry.why}{ids}")
    for problem in problems(found):
        _say(console, problem, style="bold red")


def _say(console: Console, text: str, style: str = "") -> None:
    for line in text.split("\n"):
        wrapped = textwrap.fill(line, max(60, console.width - 1), subsequent_indent="   ")
        console.print(wrapped, highlight=False, markup=False, style=style)
