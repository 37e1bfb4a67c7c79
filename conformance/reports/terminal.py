"""The reports for people at a terminal: the matrix, and what is not as expected.

They fit 80 columns, use the room of wider ones, and lose nothing without colour: each class
has a glyph of its own, and a letter where the console cannot print the glyph.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from conformance.compare import ANSWER_PARTS, every_part
from conformance.sandbox import isolation_lines as lines_of_isolation
from conformance.text import printable
from reference_impl.formats import FORMATS

from .classes import BY_NAME, CLASSES, SEVERITY
from .console_text import glyph, is_unicode, print_hanging, print_tidy, say, short
from .json_report import Report
from .matrix import Cell, Line, Matrix, matrices, not_run, tally
from .overview import FEW, print_overview
from .summary import GOLDEN, Failure, cached_in, mode_of, tested
from .terminal_diff import print_diff
from .terminal_failure import show_failure

__all__ = [
    "print_diff", "print_kinds", "print_matrix", "print_report", "show_alike", "show_failure",
]  # fmt: skip

_GAP = 2


def print_report(report: Report, console: Console, full_report: Path | str | None = None) -> None:
    """Print a line for each implementation, what could not be run, and the totals."""
    console.print()
    print_overview(report["implementations"], console)
    _print_not_run(report, console)
    asked = tested(report)
    if len(asked) <= FEW:
        _print_titles(asked, report, console)
    _print_totals(report, console)
    if full_report is not None:
        say(Text(f"Full report: {full_report}; --matrix prints it by groups"), console)


def print_matrix(report: Report, console: Console, full_report: Path | str | None = None) -> None:
    """Print the matrix of each format, what could not be run, a legend, and the totals.

    `full_report` is the path that the last line points to.
    """
    found = matrices(report)
    for matrix in found:
        console.print()
        if len(found) > 1:
            say(Text(matrix.format, style="bold"), console)
        _print_bands(matrix, console)
    _print_not_run(report, console)
    _print_legend(report, console)
    _print_totals(report, console)
    if full_report is not None:
        say(Text(f"Full report: {full_report}"), console)


def _print_bands(matrix: Matrix, console: Console) -> None:
    """Print the matrix in as many bands of columns as the width asks for."""
    every = [*matrix.lines, *matrix.baselines]
    names = [short(line.implementation["name"]) for line in every]
    first = max([len(name) for name in names] + [len("null baselines")])
    scores = _Scores.of(every)
    widths = {
        group: max(
            [len(_cell(line.cells.get(group), console)) for line in every]
            + [len(part) for part in _heading(group)]
        )
        for group in matrix.groups
    }
    room = console.width - first - _GAP - scores.width
    bands = _bands(matrix.groups, widths, room)
    # As many bands as there must be, and of about the same width.
    while len(narrower := _bands(matrix.groups, widths, room - 1)) == len(bands) and room > 0:
        bands, room = narrower, room - 1
    for number, band in enumerate(bands):
        if number:
            console.print()
        _print_band(matrix, band, widths, first, scores, console)


def _bands(groups: Sequence[str], widths: Mapping[str, int], room: int) -> list[list[str]]:
    bands: list[list[str]] = [[]]
    used = 0
    for group in groups:
        if bands[-1] and used + _GAP + widths[group] > room:
            bands.append([])
            used = 0
        bands[-1].append(group)
        used += _GAP + widths[group]
    return bands


def _print_band(
    matrix: Matrix,
    band: Sequence[str],
    widths: Mapping[str, int],
    first: int,
    scores: _Scores,
    console: Console,
) -> None:
    headings = [_heading(group) for group in band]
    for row in range(2):
        text = Text(" " * first)
        text.append(" " * _GAP + (scores.heading if row else " " * scores.width))
        for group, heading in zip(band, headings, strict=True):
            text.append(" " * _GAP + heading[row].rjust(widths[group]))
        text.stylize("bold")
        if text.plain.strip():
            say(text, console)
    total = first + _GAP + scores.width + sum(_GAP + widths[group] for group in band)
    rule = "─" if is_unicode(console) else "-"
    say(Text(rule * total, style="dim"), console)
    for line in matrix.lines:
        say(_row(line, band, widths, first, scores, console), console)
    if matrix.baselines:
        say(Text(f"{rule * 2} null baselines ".ljust(total, rule), style="dim"), console)
        for line in matrix.baselines:
            say(_row(line, band, widths, first, scores, console), console)


def _row(
    line: Line,
    band: Sequence[str],
    widths: Mapping[str, int],
    first: int,
    scores: _Scores,
    console: Console,
) -> Text:
    text = Text(short(line.implementation["name"]).ljust(first + _GAP))
    text.append(scores.text(line), style="bold")
    for group in band:
        cell = line.cells.get(group)
        worst = cell.worst if cell else None
        text.append(" " * _GAP)
        text.append(
            _cell(cell, console).rjust(widths[group]), style=worst.style if worst else "dim"
        )
    return text


def _cell(cell: Cell | None, console: Console) -> str:
    if cell is None or cell.worst is None:
        return "·" if is_unicode(console) else "."
    mark = glyph(cell.worst, console).ljust(_glyph_width(console))
    return f"{cell.passed}/{cell.run} {mark}" if cell.run else mark


def _glyph_width(console: Console) -> int:
    return max(len(glyph(each, console)) for each in CLASSES)


@dataclass(frozen=True)
class _Scores:
    """The widths of the two scores of each line. Where nobody wrote a log there is but one."""

    pairs: int
    written: int

    @classmethod
    def of(cls, every: Sequence[Line]) -> _Scores:
        """Room for the scores of these lines."""
        writers = [line for line in every if line.written_total]
        return cls(
            max([len(_pairs(line)) for line in every] + [len("pairs")]),
            max(len(_written(line)) for line in writers) if writers else 0,
        )

    @property
    def width(self) -> int:
        return len(self.heading)

    @property
    def heading(self) -> str:
        return self._side_by_side("pairs", "written")

    def text(self, line: Line) -> str:
        """The scores of one line."""
        return self._side_by_side(_pairs(line), _written(line) if line.written_total else "")

    def _side_by_side(self, pairs: str, written: str) -> str:
        if not self.written:
            return pairs.rjust(self.pairs)
        width = max(self.written, len("written"))
        return pairs.rjust(self.pairs) + " " * _GAP + written.rjust(width)


def _pairs(line: Line) -> str:
    return f"{line.pairs_passed}/{line.pairs_total}"


def _written(line: Line) -> str:
    return f"{line.written_passed}/{line.written_total}"


def _heading(group: str) -> tuple[str, str]:
    """A group's name on two lines, broken where it can be, for a narrow column."""
    for break_at in ("-", "ments", "sum", "ing", "lects"):
        head, found, rest = group.partition(break_at)
        if found == "-":
            return head + "-", rest
        if found and not rest and len(group) > 8:
            return head + "-", found
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
        text = Text(short(each["name"]).ljust(width + _GAP))
        text.append(each["status"], style=style)
        print_hanging(text, Text(because), console)


def _print_legend(report: Report, console: Console) -> None:
    ran = [each for each in report["implementations"] if each["status"] == "ran"]
    found = tally(ran)
    console.print()
    _note("pairs: a damaged log counts only together with its control", console)
    if any(each["score"].get("written_total") for each in ran):
        _note("written: logs that were written or appended to, a score of its own", console)
    _note("cells: passed/run, and the worst class that occurs", console)
    for each in CLASSES:
        if each.name in found:
            text = Text("  ")
            text.append(glyph(each, console).ljust(_glyph_width(console)), style=each.style)
            text.append(f" {each.label}: {each.meaning}")
            print_tidy(text, console)
    _print_titles([each for each in ran if not each["baseline"]], report, console)


def _print_titles(titled: Sequence[Mapping[str, Any]], report: Report, console: Console) -> None:
    """Introduce implementations: who they are, and which parts of these formats they report."""
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
            line = Text(short(each["name"]).ljust(width + _GAP), style="bold")
            label = Text.assemble(line, printable(each["title"] or "untitled"))
            print_hanging(label, Text(", ".join(facts), style="dim"), console, joint=", ")


def _note(text: str, console: Console) -> None:
    print_tidy(Text(text, style="dim"), console)


def _print_totals(report: Report, console: Console) -> None:
    ran = tested(report)
    found = tally(ran)
    asked = {result["vector"] for each in ran for result in each["results"]}
    text = Text(
        f"{_counted(len(ran), 'implementation')}, {_counted(len(asked), 'vector')}, "
        f"{_counted(found.total(), 'result')} in {report['seconds']:.1f} s: "
    )
    for number, (name, count) in enumerate(_best_first(found)):
        each = BY_NAME[name]
        text.append(", " if number else "")
        text.append(f"{count} {each.label}", style=each.style if name != "pass" else "green")
    console.print()
    print_tidy(text, console)
    if (mode := mode_of(report)) != GOLDEN:
        print_tidy(Text(f"Asked: {mode}."), console)
    if kept := cached_in(report):
        print_tidy(Text(f"{kept} --again asks everybody."), console)
    broken = [each for each in not_run(report) if each["status"] == "broken"]
    wrong = sum(count for name, count in found.items() if not BY_NAME[name].expected)
    if wrong or broken:
        parts = [_counted(wrong, "result")] if wrong else []
        parts += [f"{len(broken)} broken"] if broken else []
        say(Text(f"Not as expected: {', '.join(parts)}.", style="bold red"), console)
    elif found.total() == found["skipped"]:
        say(Text("Nothing was checked: every case was skipped.", style="bold red"), console)
    else:
        say(Text("All is as expected.", style="bold green"), console)
    for style, line in isolation_lines(report):
        print_tidy(Text(line, style=style), console)


def isolation_lines(report: Report) -> list[tuple[str, str]]:
    """What isolated the programs, and what did not: a style and a line each."""
    isolation = report.get("isolation")
    if isolation is None:
        return []
    return list(zip(("dim", "yellow"), lines_of_isolation(isolation), strict=False))


def print_kinds(
    report: Report, kinds: Sequence[Sequence[Failure]], most: int, console: Console
) -> None:
    """Print the first result of each kind of failure, at most so many, and what is left.

    ``kinds`` are as :func:`conformance.reports.summary.by_cause` gives them.
    """
    for (implementation, result), *alike in kinds[:most]:
        console.print()
        show_failure(report, implementation, result, console)
        if alike:
            console.print()
            show_alike(result, [one for _, one in alike], console)
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
    """Name the results that differ like the one that was shown in full."""
    own = [result["profile"] for result in results if result["vector"] == shown["vector"]]
    ids = list(dict.fromkeys(result["vector"] for result in results))
    ids = [id for id in ids if id != shown["vector"]]
    named = [f"this one in {' and '.join(own)}"] if own else []
    named += ids[:most]
    more = f" and {len(ids) - most} more" if len(ids) > most else ""
    label = Text(f"  the same in {_counted(len(results), 'more result')}")
    print_hanging(label, Text(", ".join(named) + more), console)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _best_first(found: Mapping[str, int]) -> list[tuple[str, int]]:
    """Passes first, then what is foreseen, and the worst last."""
    return sorted(found.items(), key=lambda item: (item[0] != "pass", -SEVERITY[item[0]]))
