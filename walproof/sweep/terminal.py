"""The summary of a sweep on the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance.reports.console_text import say
from conformance.sandbox import isolation_lines
from walproof.quantity import counted
from walproof.sweep.fields import brief
from walproof.sweep.summary import TOLD

SHOWN = 5
"""Kinds of damage and places that are named in one line."""


def show(summary: Mapping[str, Any], console: Console, place: str) -> None:
    """Cases by damage, implementations, rate, the most telling findings."""
    _cases(summary, console)
    _implementations(summary, console)
    _say(console, f"\n{_rate(summary)}\n")
    _findings(summary["findings"], console)
    console.print()
    say(Text(f"Everything: {place}"), console)
    for line in isolation_lines(summary["isolation"]) if summary["isolation"] else ():
        _say(console, line)


def _say(console: Console, text: str, style: str = "") -> None:
    console.print(text, highlight=False, markup=False, style=style)


def _cases(summary: Mapping[str, Any], console: Console) -> None:
    table = Table("cases", box=None, pad_edge=False, header_style="bold")
    for name in ("ran", "of possible", "share"):
        table.add_column(name, justify="right")
    for group, covered in summary["coverage"].items():
        ran, possible = covered["ran"], covered["possible"]
        table.add_row(group, f"{ran:,}", f"{possible:,}", _share(ran, possible))
    console.print(table)
    by_operation = ", ".join(f"{name} {n:,}" for name, n in summary["by_operation"].items())
    _say(console, f"By damage: {by_operation}.")
    by_profile = ", ".join(f"{name} {n:,}" for name, n in summary["by_profile"].items())
    varied = ", ".join(f"{name} {n:,}" for name, n in summary["by_varied_key"].items())
    _say(console, f"Profiles: {by_profile}. Context keys varied: {varied or 'none'}.")
    text = (
        f"{counted(summary['cases'], 'case')} on {counted(len(summary['controls']), 'control')} of"
        f" {summary['format']}, {summary['distinct']:,} different, depth {summary['depth']}."
    )
    if summary["doubles_skipped"] or summary["void"]:
        text += f" Left out: {summary['doubles_skipped']:,} that were there already"
        text += f" and {summary['void']:,} numbers that stand for no log, or for one"
        text += " larger than the harness looks at."
    if not summary["complete"]:
        shards = summary["shards"]
        text += f" {shards['done']} of {shards['of']} shards are done: the same command goes on."
    if summary["stopped_by"]:
        text = f"Stopped by {summary['stopped_by']}; this is what was finished. {text}"
    _say(console, f"{text}\n")


def _share(ran: int, possible: int) -> str:
    if not possible:
        return "-"
    share = ran / possible
    return f"{share:.0%}" if share >= 0.1 else f"{share:.2g}" if share < 0.001 else f"{share:.1%}"


def _implementations(summary: Mapping[str, Any], console: Console) -> None:
    rows = {}
    for name, about in summary["implementations"].items():
        counts = dict(about["outcomes"])
        shown = {key: counts.pop(key, 0) for key in ("agrees", "differs", "crash", "timeout")}
        rows[name] = (about["asked"], *shown.values(), sum(counts.values()))
    table = Table("implementation", box=None, pad_edge=False, header_style="bold")
    titles = ("asked", "agrees", "differs", "crash", "timeout", "other")
    always = titles[:3]
    shown_columns = [
        n for n, t in enumerate(titles) if t in always or any(row[n] for row in rows.values())
    ]
    for n in shown_columns:
        table.add_column(titles[n], justify="right", no_wrap=True)
    for name, row in rows.items():
        version = summary["implementations"][name]["version"]
        table.add_row(_label(name, version), *(f"{row[n]:,}" for n in shown_columns))
    console.print(table)
    _say(
        console,
        "reference is the executable specification: it must keep the invariants of"
        " spec/conventions.md. The others are compared with it.",
    )
    _unsound(summary, console)
    _shares(summary, console)


def _unsound(summary: Mapping[str, Any], console: Console) -> None:
    """One line for each program that is wrong about logs that nobody damaged."""
    for name, about in summary["implementations"].items():
        failed = about["fails_undamaged"]
        if not failed:
            continue
        listed = [f"{where}: {brief(text)}" for where, text in failed.items()]
        more = f"; and {len(listed) - SHOWN} more" if len(listed) > SHOWN else ""
        _say(
            console,
            f"{name} fails {counted(len(failed), 'undamaged control')}:"
            f" {'; '.join(listed[:SHOWN])}{more}. Its answers on their damages are not counted:"
            f" {counted(about['left_with_them'], 'case')}.",
            style="bold",
        )


def _label(name: str, version: str | None) -> str:
    """Name and version; most versions begin with the name."""
    if not version:
        return name
    return version if version.startswith(name) else f"{name} ({version})"


def _shares(summary: Mapping[str, Any], console: Console) -> None:
    whole = [
        name
        for name, about in summary["implementations"].items()
        if about["asked"] == summary["cases"] and not about["skipped_because"]
    ]
    if whole:
        _say(console, f"{' and '.join(whole)} read every case.")
    for name, about in summary["implementations"].items():
        if about["skipped_because"]:
            _say(console, f"{name} skipped: {about['skipped_because']}")
        if name not in whole:
            _say(
                console,
                f"{name} was asked {about['share'] or 0:.1%} of the cases: those in a profile and"
                " with a context that it takes.",
            )
        because = about["not_asked_because"]
        if because:
            kinds = [f"{why} ({n:,})" for why, n in because.items()]
            text = f"{name} was not asked {counted(sum(because.values()), 'case')} more, where its"
            text += f" others had hung or died: {', '.join(kinds[:SHOWN])}"
            more = len(kinds) - SHOWN
            _say(console, f"{brief(text)}{f', and {more} kinds more' if more > 0 else ''}.")


def _rate(summary: Mapping[str, Any]) -> str:
    run = summary["run"]
    if not run["seconds"]:
        return "Nothing was left to run."
    text = f"{counted(run['cases'], 'case')} in {run['seconds']:.1f} s"
    if run["resumed"]:
        text += f", besides {counted(run['resumed'], 'shard')} from before"
    processor = max(0.001, summary["seconds_of_workers"].get("processor", 0.0))
    return (
        f"{text}: {run['cases'] / run['seconds']:,.0f} a second on"
        f" {counted(run['processors'], 'processor')}, load {run['load']:.1f} at the end."
        f" {run['wall']:.1f} s with planning and reporting. Without the programs, damaging and"
        f" reading took {processor:,.0f} s of processor time: {summary['cases'] / processor:,.0f}"
        " cases a second on each."
    )


def _findings(findings: Sequence[Mapping[str, Any]], console: Console) -> None:
    if not findings:
        console.print("No findings.")
        return
    known = sum(1 for finding in findings if finding["known"])
    look = "looks like a known failure" if known == 1 else "look like known failures"
    text = f"{counted(len(findings), 'finding')}, of which {known or 'none'} {look}."
    if len(findings) > TOLD:
        text += f" The {TOLD} most telling:"
    _say(console, text, style="bold")
    for number, finding in enumerate(findings[:TOLD], 1):
        lines = [finding["sentence"], _counts(finding)]
        if finding["known"]:
            lines.append(f"Looks like the known failure {finding['known']['cause']}.")
        if finding["proposal"]:
            lines.append(f"Vector: {finding['proposal']}")
        console.print()
        for n, line in enumerate(lines):
            head = f"{number:2}. " if n == 0 else "    "
            console.print(
                textwrap.fill(line, max(60, console.width - 1), initial_indent=head,
                              subsequent_indent="    ", break_long_words=False,
                              break_on_hyphens=False),
                highlight=False, markup=False, soft_wrap=True,
            )  # fmt: skip
        if finding["repeat"]:
            say(Text(f"    Again: {finding['repeat']}"), console)


def _counts(finding: Mapping[str, Any]) -> str:
    """How many cases, where they were damaged, and how they were asked."""
    places = [f"{operation} of {field} {n:,}" for operation, field, n in finding["places"]]
    if pairs := finding["by_operation"].get("pair"):
        places.append(f"pairs {pairs:,}")
    if undamaged := finding["by_operation"].get("none"):
        places.append(f"undamaged {undamaged:,}")
    text = f"{counted(finding['cases'], 'case')}: {', '.join(map(brief, places[:SHOWN]))}"
    if len(places) > SHOWN:
        text += f", and {len(places) - SHOWN} more"
    settings = [f"{name} {n:,}" for name, n in finding["by_profile"].items()]
    settings += [f"with another {key} {n:,}" for key, n in finding["by_varied_key"].items()]
    return f"{text}. Asked: {', '.join(settings)}."
