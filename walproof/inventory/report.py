"""Show the summary on a terminal, and as one self-contained HTML file without scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup
from rich.console import Console
from rich.text import Text

from conformance import templates
from conformance.reports.console_text import say
from walproof.inventory.summary import VERDICTS
from walproof.quantity import counted, in_bytes, number
from walproof.verdict import VERDICT_STYLE

_TEMPLATES = Path(__file__).with_name("templates")
MAX_SHOWN_REASONS, MAX_SHOWN_REASONS_OF_PAGE = 12, 24
MAX_SHOWN_FILES = 5
#: Smallest width of a terminal that shows the number of files.
WIDE_COLUMNS = 92


#: Text and style.
Cell = tuple[str, str]


def print_summary(summary: Mapping[str, Any], console: Console) -> None:
    """Print the summary of a result: formats, reasons, worst files, and the overall verdict."""
    paths, reasons = summary["paths"], summary["reasons"]
    heads: tuple[str, ...] = ("format", "logs", "files", "size", "records", *VERDICTS, "lost")
    rows = [_format_row(name, counts) for name, counts in summary["formats"].items()]
    if len(rows) != 1:
        rows.append(_format_row("all", summary["totals"]))
    if console.is_terminal and console.width < WIDE_COLUMNS:
        heads, rows = (*heads[:2], *heads[3:]), [[*row[:2], *row[3:]] for row in rows]
    _print_table(heads, rows, console)
    rows = [_reason_row(reason) for reason in reasons[:MAX_SHOWN_REASONS]]
    _print_table(("reason", "ranges", "lost", "files", "verdict", "format"), rows, console)
    _print_more(len(reasons) - MAX_SHOWN_REASONS, "reason", console)
    rows = [_worst_row(file, paths) for file in summary["worst"][:MAX_SHOWN_FILES]]
    _print_table(("first fault", "lost", "of", "records", "worst files"), rows, console)
    for listed, label, noun in (
        (summary["unreadable"], ("unreadable", "bold red"), "unreadable file"),
        (summary["blank"], ("zeros", "yellow"), "all-zero file"),
    ):
        if listed["count"]:
            console.print()
        for file in listed["first"][:MAX_SHOWN_FILES]:
            detail = file["error"] if "error" in file else f"{in_bytes(file['size'])}, all 0"
            say(Text.assemble(label, f"  {short_path(file['file'], paths)}: {detail}"), console)
        _print_more(listed["count"] - MAX_SHOWN_FILES, noun, console)
    if count := summary["totals"]["other_files"]:
        noun = "file is not a log" if count == 1 else "files are not logs"
        console.print()
        say(Text(f"{number(count)} {noun} of a known format.", style="dim"), console)
    console.print()
    say(_verdict(summary), console)


def _format_row(name: str, counts: Mapping[str, int]) -> list[Cell]:
    return [
        (name, "bold" if name == "all" else ""),
        *((number(counts[key]), "") for key in ("logs", "files")),
        (in_bytes(counts["bytes"]), ""),
        (number(counts["records"]), ""),
        *(
            (number(counts[verdict]), VERDICT_STYLE[verdict]) if counts[verdict] else ("·", "dim")
            for verdict in VERDICTS
        ),
        (in_bytes(counts["lost_bytes"]) if counts["lost_ranges"] else "", ""),
    ]


def _reason_row(reason: Mapping[str, Any]) -> list[Cell]:
    return [
        (reason["reason"], VERDICT_STYLE[reason["verdict"]]),
        (number(reason["ranges"]) if reason["ranges"] else "·", ""),
        (in_bytes(reason["bytes"]) if reason["ranges"] else "·", ""),
        (number(reason["files"]), ""),
        (reason["verdict"], ""),
        (reason["format"], "dim"),
    ]


def _worst_row(file: Mapping[str, Any], paths: Sequence[str]) -> list[Cell]:
    return [
        (file["reason"] or "", VERDICT_STYLE[file["verdict"] or "damaged"]),
        (in_bytes(file["lost_bytes"]), ""),
        (in_bytes(file["size"]), ""),
        (number(file["records"]), ""),
        (short_path(file["file"], paths), ""),
    ]


def short_path(file: str, paths: Sequence[str]) -> str:
    """Return the path of a file, relative to the searched path if only one path was searched."""
    return file.removeprefix(f"{paths[0].rstrip('/')}/") if len(paths) == 1 else file


def _print_table(heads: Sequence[str], rows: Sequence[Sequence[Cell]], console: Console) -> None:
    if not rows:
        return
    console.print()
    widths = [
        max(len(text) for text in (head, *(row[n][0] for row in rows)))
        for n, head in enumerate(heads)
    ]
    last = len(heads) - 1
    for style, cells in [("bold", [(head, "") for head in heads]), *(("", row) for row in rows)]:
        line = Text(style=style)
        for n, ((text, of_cell), width) in enumerate(zip(cells, widths, strict=True)):
            padded = text.rjust(width) if 0 < n < last else text.ljust(width)
            line.append(padded if n == last else padded + "  ", style=of_cell)
        say(line, console)
        if style:
            say(Text("─" * min(sum(widths) + 2 * last, console.width), style="dim"), console)


def _print_more(count: int, noun: str, console: Console) -> None:
    if count > 0:
        say(Text(f"… {counted(count, noun)} more", style="dim"), console)


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
        return text.append("no logs found.", style="yellow")
    if not bad:
        return text.append("all intact.", style="bold green")
    for n, (part, style) in enumerate(bad):
        text.append(", " if n else "")
        text.append(part, style=style)
    lost = totals["lost_bytes"]
    return text.append(f"; {in_bytes(lost)} lost." if totals["lost_ranges"] else ".")


def work_line(summary: Mapping[str, Any], is_new: bool) -> str:
    """Return a line with the amount of data that an audit read."""
    if not is_new:
        return f"No changes since {summary['started']}; result is up to date."
    read, unchanged = summary["read"], summary["carried_over"]["logs"]
    line = f"Read {counted(read['logs'], 'file')}, {in_bytes(read['bytes'])}"
    line += f", in {summary['seconds']:.1f} s"
    return line + (f"; {number(unchanged)} unchanged and reused." if unchanged else ".")


def page(summary: Mapping[str, Any]) -> str:
    """Return the summary of an audit as HTML."""
    environment = templates.environment(_TEMPLATES, autoescape=True)
    environment.filters.update(size=in_bytes, number=number, counted=counted)
    return environment.get_template("summary.html.j2").render(
        s=summary,
        verdicts=VERDICTS,
        short=lambda file: short_path(file, summary["paths"]),
        style=Markup((_TEMPLATES / "summary.css").read_text(encoding="utf-8")),
        reasons=summary["reasons"][:MAX_SHOWN_REASONS_OF_PAGE],
    )
