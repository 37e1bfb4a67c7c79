"""``walproof compare-runs``: what changed between two runs."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from conformance.reports import diff as diffs
from conformance.reports import json_report, terminal
from walproof.cli.output import say_json


@click.command("compare-runs")
@click.argument("old", type=click.Path(exists=True, path_type=Path))
@click.argument("new", type=click.Path(exists=True, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the difference as JSON.")
def compare_runs(old: Path, new: Path, as_json: bool) -> int:
    """Compare two run reports: results that changed class, what came and went, scores.

    OLD and NEW are report.json files, or folders that hold one.

    \b
    walproof compare-runs before/report.json reports/conformance

    Exit status: 0 without regressions, 3 with regressions, 1 for a usage or I/O error.
    """
    try:
        found = diffs.compare(*(json_report.load(path) for path in (old, new)))
    except (json_report.InvalidReport, OSError) as error:
        raise click.ClickException(str(error)) from None
    if as_json:
        say_json(found.to_json(), indent=1)
    else:
        terminal.print_diff(found, Console())
    return 3 if found.regressions else 0
