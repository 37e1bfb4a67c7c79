"""What a run over mutants found, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from lab.mutants.run import kill_rate, wrong


def show(reports: Sequence[dict[str, Any]], console: Console, survivors: int = 40) -> None:
    """The table of formats, survivors with their lines, and what each requirement kills alone."""
    for report in reports:
        _survivors(report, console, survivors)
    console.print(_totals(reports))
    for report in reports:
        if report["requirements"] and report["is_whole"]:
            _requirements(report, console)
    for report in reports:
        others = wrong(report)[len(report["survivors"]) :]
        for sentence in others:
            console.print(f"✗ {report['format']}: {sentence}", style="red", markup=False)


def _totals(reports: Sequence[dict[str, Any]]) -> Table:
    table = Table("format", "mutants", "killed", "equivalent", "survivors", "killed of the others")
    for report in reports:
        rate = kill_rate(report)
        table.add_row(
            report["format"],
            f"{report['mutants']}" + ("" if report["is_whole"] else f" of {report['all']}"),
            str(report["killed"]),
            str(len(report["equivalent"])),
            str(len(report["survivors"])),
            "" if rate is None else f"{rate:.1%}",
        )
    return table


def _survivors(report: dict[str, Any], console: Console, at_most: int) -> None:
    for one in report["survivors"][:at_most]:
        reached = "" if one["is_reached"] else ", where no vector gets to"
        console.print(
            Text(f"{one['file']}:{one['at']}", "bold"),
            Text(f"{one['function']}, {one['operator']}{reached}"),
        )
        console.print(Text(f"  - {one['line']}", "red"))
        console.print(Text(f"  + {one['mutated']}".rstrip(), "green"))
        console.print(Text(f"    {one['before']} → {one['after']}", "dim"))
    if len(report["survivors"]) > at_most:
        console.print(f"… and {len(report['survivors']) - at_most} more survivors\n")


def _requirements(report: dict[str, Any], console: Console) -> None:
    found = report["requirements"]
    musts = [one for one in found if one["level"].startswith("MUST")]
    alone = [one for one in musts if one["alone"]]
    console.print(
        f"{report['format']}: {len(alone)} of {len(musts)} requirements at level MUST have vectors"
        f" without which a mutant would live; {sum(bool(one['because']) for one in musts)} others"
        " have a reason"
    )
    shown = [f"{one['id']} {one['alone']}" for one in found if one["alone"]]
    console.print("  " + ", ".join(shown), markup=False)
