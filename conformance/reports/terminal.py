"""Print a run on a terminal: a line for each implementation, the totals, and the failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance.answer_text import tail
from conformance.text import one_line, printable

from .classes import BY_NAME, SEVERITY
from .comparison import EFFECTS, RunComparison
from .console_text import GAP, print_hanging, print_table, print_tidy, say, short
from .failure import STDERR_CHARACTERS, commands, facts
from .json_report import Report
from .overview import LEGEND, LOSSES, PROFILES, overview
from .summary import Failure, cached_in, coverage, isolation_lines, not_run, nothing_checked, tested

# A run explains which cases and parts were skipped only if it has at most this many
# implementations.
FEW = 3
_LABEL_WIDTH = 14

_EFFECT_STYLES = {"regression": "bold red", "improvement": "green", "changed": "yellow"}


def print_report(report: Report, console: Console, full_report: Path | str | None = None) -> None:
    """Print a line for each implementation, the unavailable implementations, and the totals."""
    console.print()
    print_overview(report["implementations"], console)
    _print_not_run(report, console)
    _print_totals(report, console)
    if full_report is not None:
        say(Text(f"Full report: {full_report}"), console)


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


def _print_totals(report: Report, console: Console) -> None:
    ran = tested(report)
    counted = Counter(result["class"] for each in ran for result in each["results"])
    vectors = {result["vector"] for each in ran for result in each["results"]}
    text = Text(
        f"{_counted(len(ran), 'implementation')}, {_counted(len(vectors), 'vector')}, "
        f"{_counted(counted.total(), 'result')} in {report['seconds']:.1f} s"
    )
    # Passes come first. The other classes follow from the best to the worst.
    for number, name in enumerate(sorted(counted, key=lambda n: (n != "pass", -SEVERITY[n]))):
        text.append(", " if number else ": ")
        text.append(f"{counted[name]} {BY_NAME[name].label}", style=BY_NAME[name].style)
    console.print()
    print_tidy(text, console)
    if cached := cached_in(report):
        print_tidy(Text(f"{cached} --again repeats them."), console)
    broken = [each for each in not_run(report) if each["status"] == "broken"]
    wrong = sum(count for name, count in counted.items() if not BY_NAME[name].expected)
    if wrong or broken:
        parts = [_counted(wrong, "result")] if wrong else []
        parts += [f"{len(broken)} broken"] if broken else []
        say(Text(f"Not as expected: {', '.join(parts)}.", style="bold red"), console)
    elif report.get("interrupted"):
        pass  # results that are still missing may be unexpected
    elif nothing_checked(report):
        say(Text(f"Nothing was checked: {_why_nothing(ran)}.", style="bold red"), console)
    else:
        say(Text("All is as expected.", style="bold green"), console)
    for each in ran if len(ran) <= FEW else ():
        _print_coverage(report, each, console)
    for style, line in zip(("dim", "yellow"), isolation_lines(report), strict=False):
        print_tidy(Text(line, style=style), console)


def _why_nothing(ran: Sequence[Mapping[str, Any]]) -> str:
    """Return why no case ran: the most frequent reason for skipping, if there were cases."""
    reasons = Counter(result["difference"] for each in ran for result in each["results"])
    if not reasons:
        return "no reply to hello lists one of the selected formats"
    ((reason, _),) = reasons.most_common(1)
    return f"every case was skipped ({one_line(reason or 'no reason was given')})"


def _print_coverage(report: Report, implementation: Mapping[str, Any], console: Console) -> None:
    if all(each["class"] == "skipped" for each in implementation["results"]):
        return
    compared, missing = coverage(report, implementation)
    name = short(implementation["name"])
    print_hanging(Text(f"compared for {name}"), Text(compared, style="dim"), console)
    print_hanging(Text(f"not compared for {name}"), Text(missing or "nothing"), console)


def print_kinds(
    report: Report, kinds: Sequence[Sequence[Failure]], most: int, console: Console
) -> None:
    """Print the first result of each failure group, for at most ``most`` groups."""
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


def show_failure(
    report: Report,
    implementation: Mapping[str, Any],
    result: Mapping[str, Any],
    console: Console,
) -> None:
    """Print one failed result, with the differences and the command that repeats the case."""
    outcome = BY_NAME[result["class"]]
    head = Text(f"{outcome.glyph} {outcome.label}", style=outcome.style)
    print_tidy(Text.assemble(head, (f"  {result['vector']}", "bold")), console)
    title = report["vectors"][result["vector"]]["title"]
    print_tidy(Text(one_line(title), style="italic"), console, indent=2)
    table = Table.grid(padding=(0, 1))
    table.add_column(width=_LABEL_WIDTH, style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for label, lines in facts(report, implementation, result):
        table.add_row(label, Text("\n".join(lines), style="bold" * (label == "difference")))
    print_tidy(table, console, indent=2)
    if result.get("stderr"):
        console.print()
        say(Text("  stderr (tail)", style="dim"), console)
        for line in tail(result["stderr"], STDERR_CHARACTERS).splitlines():
            say(Text(f"    | {line}"), console)
    console.print()
    for label, command in commands(report, result):
        say(Text(f"  {label}", style="dim"), console)
        say(Text(f"    {command}"), console)


def show_alike(
    shown: Mapping[str, Any],
    results: Sequence[Mapping[str, Any]],
    console: Console,
    most: int = 12,
) -> None:
    """Print the names of results with the same difference as the result shown in full."""
    same_vector = [result["profile"] for result in results if result["vector"] == shown["vector"]]
    ids = list(dict.fromkeys(result["vector"] for result in results))
    ids = [id for id in ids if id != shown["vector"]]
    named = [f"this one in {' and '.join(same_vector)}"] if same_vector else []
    named += ids[:most]
    more = f" and {len(ids) - most} more" if len(ids) > most else ""
    label = Text(f"  the same in {_counted(len(results), 'more result')}")
    print_hanging(label, Text(", ".join(named) + more), console)


def print_diff(diff: RunComparison, console: Console) -> None:
    """Print the changes between two runs, regressions first."""
    for effect in EFFECTS:
        changes = [each for each in diff.changes if each.effect == effect]
        if changes:
            plural = "s" if len(changes) != 1 and effect != "changed" else ""
            say(Text(f"{len(changes)} {effect}{plural}", style=_EFFECT_STYLES[effect]), console)
        for each in changes:
            case = "  ".join(filter(None, (each.implementation, each.vector, each.profile)))
            line = Text.assemble("  ", _class(each.old), " → ", _class(each.new), f"  {case}")
            say(line, console)
            if each.difference and effect != "improvement":
                print_tidy(Text(printable(each.difference), style="dim"), console, indent=6)
            if each.repeat and effect == "regression":
                say(Text(f"      {each.repeat}"), console)
    for verb, listed in (("added", diff.added), ("removed", diff.removed)):
        for key, names in listed.items():
            if names:
                count = _counted(len(names), key.removesuffix("s"))
                print_hanging(Text(f"{count} {verb}"), Text(", ".join(names)), console)
    bad = len(diff.regressions)
    verdict = f"{bad} regression{'s' if bad != 1 else ''}." if bad else "No regressions."
    say(Text(verdict, style="bold red" if bad else "bold green"), console)


def _class(name: str) -> tuple[str, str]:
    """Return the label and the style of a result class, or any other text without a style."""
    return (BY_NAME[name].label, BY_NAME[name].style) if name in BY_NAME else (name, "")


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
