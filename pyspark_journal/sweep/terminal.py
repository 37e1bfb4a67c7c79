"""The summary of a sweep on the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from pyspark_journal.sweep.summary import TOLD


def show(told: Mapping[str, Any], console: Console, place: str) -> None:
    """Cases by class, implementations, rate, the most telling findings."""
    _cases(told, console)
    _implementations(told, console)
    _shares(told, console)
    console.print(_rate(told), highlight=False, soft_wrap=True)
    _findings(told["findings"], console)
    console.print(f"\nEverything: {place}", highlight=False, soft_wrap=True)


def _cases(told: Mapping[str, Any], console: Console) -> None:
    names = list(told["implementations"])
    table = Table("damage", box=None, pad_edge=False, header_style="bold")
    for name in ["cases", *(f"{name} asked" for name in names[1:])]:
        table.add_column(name, justify="right")
    for operation, count in told["by_operation"].items():
        asked = [
            told["implementations"][name]["asked_by_operation"].get(operation, 0)
            for name in names[1:]
        ]
        table.add_row(operation, f"{count:,}", *(f"{n:,}" for n in asked))
    console.print(table)
    shards = told["shards"]
    partly = (
        "" if told["complete"] else f" Not finished: {shards['done']} of {shards['of']} shards."
    )
    console.print(
        f"{told['cases']:,} cases on {len(told['controls'])} controls of {told['format']}:"
        f" {told['distinct']:,} different logs. Depth {told['depth']}.{partly}\n",
        highlight=False, soft_wrap=True,
    )  # fmt: skip


def _implementations(told: Mapping[str, Any], console: Console) -> None:
    table = Table("implementation", box=None, pad_edge=False, header_style="bold")
    for name in ("asked", "agree", "differ", "crash", "timeout", "other"):
        table.add_column(name, justify="right")
    for name, about in told["implementations"].items():
        counts = dict(about["outcomes"])
        shown = [counts.pop(key, 0) for key in ("agrees", "differs", "crash", "timeout")]
        label = f"{name} ({about['version']})" if about["version"] else name
        row = (about["asked"], *shown, sum(counts.values()))
        table.add_row(label, *(f"{n:,}" for n in row))
    console.print(table)
    console.print(
        "reference is the executable specification, held to the invariants of"
        " spec/conventions.md; the others are compared with it.\n",
        highlight=False, soft_wrap=True,
    )  # fmt: skip


def _shares(told: Mapping[str, Any], console: Console) -> None:
    for name, about in told["implementations"].items():
        if about["skipped_because"]:
            console.print(f"{name} skipped: {about['skipped_because']}", highlight=False)
        if about["asked"] == told["cases"]:
            console.print(f"{name} read every case.", highlight=False)
        else:
            console.print(
                f"{name} was asked {about['asked']:,} of {told['cases']:,} cases"
                f" ({about['share']:.1%}), evenly spaced within each operation and control.",
                highlight=False, soft_wrap=True,
            )  # fmt: skip


def _rate(told: Mapping[str, Any]) -> str:
    run = told["run"]
    if not run["seconds"]:
        return "Nothing was left to run."
    resumed = f", {run['resumed']} shards were there from before" if run["resumed"] else ""
    processor = max(0.001, told["seconds_of_workers"].get("processor", 0.0))
    return (
        f"{run['cases']:,} cases in {run['seconds']:.1f} s:"
        f" {run['cases'] / run['seconds']:,.0f} cases/s on {run['processors']} processors"
        f" (load {run['load']:.1f} at the end{resumed}); {run['wall']:.1f} s with all else."
        f" The workers' own processor time, without the programs: {processor:,.0f} s,"
        f" {told['cases'] / processor:,.0f} cases/s for each processor.\n"
    )


def _findings(findings: Sequence[Mapping[str, Any]], console: Console) -> None:
    if not findings:
        console.print("No findings.")
        return
    known = sum(1 for finding in findings if finding["known"])
    console.print(
        f"{len(findings)} findings, {known} of them look like known failures."
        f"{f' The {TOLD} most telling:' if len(findings) > TOLD else ''}",
        highlight=False, style="bold",
    )  # fmt: skip
    for number, finding in enumerate(findings[:TOLD], 1):
        by = ", ".join(f"{name} {n:,}" for name, n in finding["by_operation"].items())
        lines = [
            finding["sentence"],
            f"{finding['cases']:,} cases: {by}.",
        ]
        if finding["fields"]:
            lines.append(f"Fields: {', '.join(finding['fields'][:4])}.")
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
