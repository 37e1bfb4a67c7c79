"""The summary on a terminal: a table of formats, what is lost and why, the worst files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from conformance.reports.console_text import is_unicode, say
from walproof.inventory.summary import VERDICTS
from walproof.quantity import counted, in_bytes, number
from walproof.verdict import VERDICT_STYLE

MAX_SHOWN_REASONS = 12
MAX_SHOWN_FILES = 5
WIDE_COLUMNS = 92
"""Columns of a terminal that shows the number of files, too."""
_GAP = 2


def print_summary(summary: Mapping[str, Any], console: Console) -> None:
    """Print the summary of a result: formats, reasons, worst files, and one line for all."""
    console.print()
    _print_formats(summary, console)
    _print_reasons(summary["reasons"], console)
    _print_worst(summary["worst"], summary["paths"], console)
    _print_other_files(summary, console)
    console.print()
    say(_verdict(summary), console)


Cell = tuple[str, str]
"""Text and style."""


def _print_table(heads: Sequence[str], rows: Sequence[Sequence[Cell]], console: Console) -> None:
    """Columns, the first and the last flush left. Of a last cell that is too long the end counts:
    it is the name of a file."""
    widths = [
        max(len(text) for text in (head, *(row[n][0] for row in rows)))
        for n, head in enumerate(heads)
    ]
    total = sum(widths) + _GAP * (len(widths) - 1)
    gap = 1 if console.is_terminal and total > console.width else _GAP
    for style, cells in [("bold", [(head, "") for head in heads]), *(("", row) for row in rows)]:
        line = Text(style=style)
        for n, ((text, of_cell), width) in enumerate(zip(cells, widths, strict=True)):
            line.append(" " * gap * bool(n))
            if n == len(heads) - 1:
                text = _tail(text, console.width - len(line)) if console.is_terminal else text
                line.append(text, style=of_cell)
            else:
                line.append(text.rjust(width) if n else text.ljust(width), style=of_cell)
        say(line, console)
        if style:
            rule = "─" if is_unicode(console) else "-"
            say(Text(rule * min(total, console.width), style="dim"), console)


def _tail(text: str, room: int) -> str:
    return text if len(text) <= room else "…" + text[len(text) - max(room - 1, 0) :]


def _print_formats(summary: Mapping[str, Any], console: Console) -> None:
    heads: tuple[str, ...] = ("format", "logs", "files", "size", "records", *VERDICTS, "lost")
    rows = [_format_row(name, counts) for name, counts in summary["formats"].items()]
    if len(rows) != 1:
        rows.append(_format_row("all", summary["totals"]))
    if console.is_terminal and console.width < WIDE_COLUMNS:
        heads = (*heads[:2], *heads[3:])
        rows = [[*row[:2], *row[3:]] for row in rows]
    _print_table(heads, rows, console)


def _format_row(name: str, counts: Mapping[str, int]) -> list[Cell]:
    lost = in_bytes(counts["lost_bytes"]) if counts["lost_ranges"] else ""
    return [
        (name, "bold" if name == "all" else ""),
        (number(counts["logs"]), ""),
        (number(counts["files"]), ""),
        (in_bytes(counts["bytes"]), ""),
        (number(counts["records"]), ""),
        *(
            (number(counts[verdict]), VERDICT_STYLE[verdict]) if counts[verdict] else ("·", "dim")
            for verdict in VERDICTS
        ),
        (lost, ""),
    ]


def _print_reasons(reasons: Sequence[Mapping[str, Any]], console: Console) -> None:
    if not reasons:
        return
    console.print()
    rows: list[list[Cell]] = [
        [
            (each["reason"], VERDICT_STYLE[each["verdict"]]),
            (number(each["ranges"]) if each["ranges"] else "·", ""),
            (in_bytes(each["bytes"]) if each["ranges"] else "·", ""),
            (number(each["files"]), ""),
            (each["verdict"], ""),
            (each["format"], "dim"),
        ]
        for each in reasons[:MAX_SHOWN_REASONS]
    ]
    _print_table(("reason", "ranges", "lost", "files", "verdict", "format"), rows, console)
    _print_more(len(reasons) - MAX_SHOWN_REASONS, "reason", console)


def short_path(file: str, paths: Sequence[str]) -> str:
    """A file below the one path that was searched; whole when there are more."""
    return file.removeprefix(f"{paths[0].rstrip('/')}/") if len(paths) == 1 else file


def _print_worst(
    worst: Sequence[Mapping[str, Any]], paths: Sequence[str], console: Console
) -> None:
    if not worst:
        return
    console.print()
    rows: list[list[Cell]] = [
        [
            (each["reason"] or "", VERDICT_STYLE[each["verdict"] or "damaged"]),
            (in_bytes(each["lost_bytes"]), ""),
            (in_bytes(each["size"]), ""),
            (number(each["records"]), ""),
            (short_path(each["file"], paths), ""),
        ]
        for each in worst[:MAX_SHOWN_FILES]
    ]
    _print_table(("first fault", "lost", "of", "records", "worst files"), rows, console)


def _print_other_files(summary: Mapping[str, Any], console: Console) -> None:
    """A line for each file that could not be read, or is all zeros; then how many are no logs."""
    _print_files(summary, "unreadable", ("unreadable", "bold red"), "unreadable file", console)
    _print_files(summary, "blank", ("zeros", "yellow"), "all-zero file", console)
    others = summary["totals"]["other_files"]
    if others:
        console.print()
        what = "file is no log" if others == 1 else "files are no logs"
        say(Text(f"{number(others)} {what} of a known format.", style="dim"), console)


def _print_files(
    summary: Mapping[str, Any], key: str, label: tuple[str, str], noun: str, console: Console
) -> None:
    found = summary[key]
    if not found["count"]:
        return
    console.print()
    for each in found["first"][:MAX_SHOWN_FILES]:
        why = each["error"] if "error" in each else f"{in_bytes(each['size'])}, all 0"
        name = short_path(each["file"], summary["paths"])
        say(Text.assemble(label, f"  {name}: {why}"), console)
    _print_more(found["count"] - MAX_SHOWN_FILES, noun, console)


def _print_more(count: int, noun: str, console: Console) -> None:
    if count > 0:
        say(Text(f"… {counted(count, noun)} more in summary.html", style="dim"), console)


def _verdict(summary: Mapping[str, Any]) -> Text:
    totals = summary["totals"]
    bad = [
        (f"{number(totals[verdict])} {verdict}", VERDICT_STYLE[verdict])
        for verdict in ("damaged", "torn", "refused")
        if totals[verdict]
    ]
    if totals["unreadable"]:
        bad.append((f"{number(totals['unreadable'])} unreadable", "bold red"))
    text = Text(f"{counted(totals['logs'], 'log')}, {counted(totals['records'], 'record')}: ")
    if not totals["logs"] and not bad:
        return text.append("nothing to audit.", style="yellow")
    if not bad:
        return text.append("all intact.", style="bold green")
    for n, (words, style) in enumerate(bad):
        text.append(", " if n else "")
        text.append(words, style=style)
    lost = totals["lost_bytes"]
    return text.append(f"; {in_bytes(lost)} lost." if totals["lost_ranges"] else ".")


def work_line(summary: Mapping[str, Any], is_new: bool) -> str:
    """Return a line that says what an audit read, and how fast."""
    read, kept = summary["read"], summary["carried_over"]["logs"]
    if not is_new:
        return f"Nothing has changed since {summary['started']}: the result stands."
    seconds = summary["seconds"]
    others = " and other files" if summary["totals"]["other_files"] else ""
    words = f"Read {counted(read['logs'], 'log')}{others}, {in_bytes(read['bytes'])}"
    words += f", in {seconds:.1f} s"
    if seconds and read["bytes"] > 1 << 20:
        words += f" ({in_bytes(read['bytes'] / seconds)}/s)"
    return words + (f"; {number(kept)} unchanged, carried over." if kept else ".")
