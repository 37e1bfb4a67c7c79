"""The reports for a terminal: the matrix, and the unexpected results.

They fit into 80 columns, but use wider terminals. They are complete without colour: each class has
its own glyph, and a letter for consoles that cannot print the glyph.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from conformance.compare import ANSWER_PARTS, every_part
from conformance.sandbox import isolation_lines as lines_of_isolation
from conformance.text import printable
from reference_impl.formats import FORMATS

from .classes import BY_NAME, CLASSES, SEVERITY
from .console_text import (
    GAP,
    column_widths,
    glyph,
    is_unicode,
    print_hanging,
    print_table,
    print_tidy,
    say,
    short,
)
from .json_report import Report
from .matrix import Cell, Line, Matrix, matrices, not_run, tally
from .overview import FEW, print_overview
from .summary import GOLDEN, Failure, cached_in, mode_of, tested
from .terminal_diff import print_diff
from .terminal_failure import show_failure

__all__ = [
    "print_diff", "print_kinds", "print_matrix", "print_report", "show_alike", "show_failure",
]  # fmt: skip


def print_report(report: Report, console: Console, full_report: Path | str | None = None) -> None:
    """Print a line for each implementation, those that could not run, and the totals."""
    console.print()
    print_overview(report["implementations"], console)
    _print_not_run(report, console)
    shown = tested(report)
    if len(shown) <= FEW:
        _print_titles(shown, report, console)
    _print_totals(report, console)
    if full_report is not None:
        say(Text(f"Full report: {full_report}; --matrix prints it by groups"), console)


def print_matrix(report: Report, console: Console, full_report: Path | str | None = None) -> None:
    """Print the matrix of each format, the implementations that could not run, a legend and totals.

    `full_report` is the path in the last line.
    """
    shown = matrices(report)
    for matrix in shown:
        console.print()
        if len(shown) > 1:
            say(Text(matrix.format, style="bold"), console)
        _print_bands(matrix, console)
    _print_not_run(report, console)
    _print_legend(report, console)
    _print_totals(report, console)
    if full_report is not None:
        say(Text(f"Full report: {full_report}"), console)


def _print_bands(matrix: Matrix, console: Console) -> None:
    """Print the matrix in as many bands of columns as the width requires."""
    every = [*matrix.lines, *matrix.baselines]
    headings = ["\npairs"]
    if any(line.written_total for line in every):  # no log was written: there is only one score
        headings.append("\nwritten")
    scores = len(headings)
    headings += ["\n".join(_heading(group)) for group in matrix.groups]
    rows = [(line.implementation["name"], _cells(line, matrix, scores, console)) for line in every]
    widths = column_widths(headings, rows)
    room = console.width - widths[0] - sum(GAP + width for width in widths[1 : 1 + scores])
    bands = _bands(widths[1 + scores :], room)
    # As few bands as possible, of about the same width.
    while len(narrower := _bands(widths[1 + scores :], room - 1)) == len(bands) and room > 0:
        bands, room = narrower, room - 1
    for number, band in enumerate(bands):
        if number:
            console.print()
        columns = [*range(scores), *(scores + index for index in band)]
        print_table(
            [headings[column] for column in columns],
            [(name, [cells[column] for column in columns]) for name, cells in rows],
            len(matrix.lines),
            console,
        )


def _bands(widths: Sequence[int], room: int) -> list[list[int]]:
    """Distribute columns of these widths to bands that fit into the room."""
    bands: list[list[int]] = [[]]
    used = 0
    for column, width in enumerate(widths):
        if bands[-1] and used + GAP + width > room:
            bands.append([])
            used = 0
        bands[-1].append(column)
        used += GAP + width
    return bands


def _cells(line: Line, matrix: Matrix, scores: int, console: Console) -> list[Text]:
    """Return the scores of a line, and its cell in each group."""
    written = f"{line.written_passed}/{line.written_total}" if line.written_total else ""
    cells = [Text(f"{line.pairs_passed}/{line.pairs_total}", "bold"), Text(written, "bold")]
    return cells[:scores] + [_cell(line.cells.get(group), console) for group in matrix.groups]


def _cell(cell: Cell | None, console: Console) -> Text:
    if cell is None or cell.worst is None:
        return Text("·" if is_unicode(console) else ".", "dim")
    mark = glyph(cell.worst, console).ljust(_glyph_width(console))
    return Text(f"{cell.passed}/{cell.run} {mark}" if cell.run else mark, cell.worst.style)


def _glyph_width(console: Console) -> int:
    return max(len(glyph(each, console)) for each in CLASSES)


def _heading(group: str) -> tuple[str, str]:
    """Return a group's name on two lines for a narrow column."""
    for break_at in ("-", "ments", "sum", "ing", "lects"):
        head, ending, rest = group.partition(break_at)
        if ending == "-":
            return head + "-", rest
        if ending and not rest and len(group) > 8:
            return head + "-", ending
    return "", group


def _print_not_run(report: Report, console: Console) -> None:
    missing = not_run(report)
    if not missing:
        return
    console.print()
    width = max(len(short(each["name"])) for each in missing)
    for each in missing:
        because = printable(each["because"] or "no reason was given")
        style = "yellow" if each["status"] == "unavailable" else "bold red"
        text = Text(short(each["name"]).ljust(width + GAP))
        text.append(each["status"], style=style)
        print_hanging(text, Text(because), console)


def _print_legend(report: Report, console: Console) -> None:
    ran = [each for each in report["implementations"] if each["status"] == "ran"]
    counted = tally(ran)
    console.print()
    _note("pairs: a damaged log counts only together with its control", console)
    if any(each["score"].get("written_total") for each in ran):
        _note("written: logs that were written or appended to, a separate score", console)
    _note("cells: passed/run, and the worst class that occurs", console)
    for each in CLASSES:
        if each.name in counted:
            text = Text("  ")
            text.append(glyph(each, console).ljust(_glyph_width(console)), style=each.style)
            text.append(f" {each.label}: {each.meaning}")
            print_tidy(text, console)
    _print_titles([each for each in ran if not each["baseline"]], report, console)


def _print_titles(titled: Sequence[Mapping[str, Any]], report: Report, console: Console) -> None:
    """Describe implementations: title, version, language, and reported parts of the formats."""
    formats = {vector["format"] for vector in report["vectors"].values()} & set(FORMATS)
    if titled:
        console.print()
        width = max(len(short(each["name"])) for each in titled)
        parts_of = {*every_part(formats), *ANSWER_PARTS}
        for each in titled:
            parts = [each["version"], each["language"]]
            facts = [printable(part) for part in parts if part]
            facts.append(
                "reports " + " ".join(part for part in each["reports"] if part in parts_of)
            )
            line = Text(short(each["name"]).ljust(width + GAP), style="bold")
            label = Text.assemble(line, printable(each["title"] or "untitled"))
            print_hanging(label, Text(", ".join(facts), style="dim"), console, joint=", ")


def _note(text: str, console: Console) -> None:
    print_tidy(Text(text, style="dim"), console)


def _print_totals(report: Report, console: Console) -> None:
    ran = tested(report)
    counted = tally(ran)
    vectors = {result["vector"] for each in ran for result in each["results"]}
    text = Text(
        f"{_counted(len(ran), 'implementation')}, {_counted(len(vectors), 'vector')}, "
        f"{_counted(counted.total(), 'result')} in {report['seconds']:.1f} s: "
    )
    for number, (name, count) in enumerate(_best_first(counted)):
        each = BY_NAME[name]
        text.append(", " if number else "")
        text.append(f"{count} {each.label}", style=each.style if name != "pass" else "green")
    console.print()
    print_tidy(text, console)
    if (mode := mode_of(report)) != GOLDEN:
        print_tidy(Text(f"Mode: {mode}."), console)
    if cached := cached_in(report):
        print_tidy(Text(f"{cached} --again repeats them."), console)
    broken = [each for each in not_run(report) if each["status"] == "broken"]
    wrong = sum(count for name, count in counted.items() if not BY_NAME[name].expected)
    if wrong or broken:
        parts = [_counted(wrong, "result")] if wrong else []
        parts += [f"{len(broken)} broken"] if broken else []
        say(Text(f"Not as expected: {', '.join(parts)}.", style="bold red"), console)
    elif counted.total() == counted["skipped"]:
        say(Text("Nothing was checked: every case was skipped.", style="bold red"), console)
    else:
        say(Text("All is as expected.", style="bold green"), console)
    for style, line in isolation_lines(report):
        print_tidy(Text(line, style=style), console)


def isolation_lines(report: Report) -> list[tuple[str, str]]:
    """Return what isolated the programs, and what did not: a style and a line each."""
    isolation = report.get("isolation")
    if isolation is None:
        return []
    return list(zip(("dim", "yellow"), lines_of_isolation(isolation), strict=False))


def print_kinds(
    report: Report, kinds: Sequence[Sequence[Failure]], most: int, console: Console
) -> None:
    """Print the first result of each failure group.

    ``most`` is the maximum number of groups; the number of other groups is printed after them.
    ``kinds`` are the groups of :func:`conformance.reports.summary.by_cause`.
    """
    for (implementation, result), *alike in kinds[:most]:
        console.print()
        show_failure(report, implementation, result, console)
        if alike:
            console.print()
            show_alike(result, [other for _, other in alike], console)
    if len(kinds) > most:
        left, more = sum(map(len, kinds[most:])), len(kinds) - most
        console.print(
            f"\n{left} more, of {more} more kind{'s' * (more > 1)}:"
            f" --failures {len(kinds)}, or the report."
        )


def show_alike(
    shown: Mapping[str, Any],
    results: Sequence[Mapping[str, Any]],
    console: Console,
    most: int = 12,
) -> None:
    """Print the names of results that differ like the one shown in full."""
    same_vector = [result["profile"] for result in results if result["vector"] == shown["vector"]]
    ids = list(dict.fromkeys(result["vector"] for result in results))
    ids = [id for id in ids if id != shown["vector"]]
    named = [f"this one in {' and '.join(same_vector)}"] if same_vector else []
    named += ids[:most]
    more = f" and {len(ids) - most} more" if len(ids) > most else ""
    label = Text(f"  the same in {_counted(len(results), 'more result')}")
    print_hanging(label, Text(", ".join(named) + more), console)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _best_first(counted: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return passes first, then known failures, the worst last."""
    return sorted(counted.items(), key=lambda item: (item[0] != "pass", -SEVERITY[item[0]]))
