"""``python -m lab scenarios``: damage to logs, and the response of formats and systems."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from conformance.reports import json_report
from conformance.reports.console_text import print_hanging
from conformance.saving import save
from conformance.vectors import load_all
from lab.scenarios import book, page, results
from walproof.cli.output import say


@click.command()
@click.argument("scenario", required=False)
@click.option("--run", "report", metavar="REPORT", type=click.Path(exists=True, path_type=Path),
              help="Read the results of real systems from this report.json.")  # fmt: skip
@click.option("--save", "is_saved", is_flag=True,
              help="Write docs/scenarios.md, and with --run the results.")  # fmt: skip
def scenarios(scenario: str | None, report: Path | None, is_saved: bool) -> int:
    """Show scenarios of damage (a torn record, a lost file, a flipped bit) and their outcome.

    Without SCENARIO, list them. With one, show the guarantee of each format, the expected records
    of an example, and the results of real systems.

    \b
    python -m lab scenarios
    python -m lab scenarios torn-last-record
    python -m lab scenarios --run reports/conformance --save

    Exit status: 0, or 1 for a usage or I/O error.
    """
    known, vectors = book.scenarios(), load_all()
    if scenario is not None and scenario not in known:
        raise click.ClickException(f"no scenario {scenario!r}; there are: {', '.join(known)}")
    examples = book.shown(vectors)
    effects = results.load_results()
    if report is not None:
        effects = _taken_from(
            report, [shown.vector.id for each in examples.values() for shown in each]
        )
    if is_saved:
        if report is not None:
            results.save_results(effects)
        save(page.PAGE, page.page(vectors, effects).encode())
        say(f"wrote {page.PAGE.name} with {len(known)} scenarios and {len(effects)} systems")
    elif scenario is None:
        for id, each in known.items():
            say(f"{id:30} {each.title} ({len(examples[id])} examples)")
    else:
        _print(known[scenario], page.rows(known[scenario], examples[scenario], effects), Console())
    return 0


def _taken_from(path: Path, wanted: list[str]) -> results.Results:
    try:
        return results.of_report(json_report.load(path), wanted)
    except (json_report.InvalidReport, OSError) as error:
        raise click.ClickException(str(error)) from None


def _print(scenario: book.Scenario, rows: Iterable[page.Row], console: Console) -> None:
    console.print(Text(scenario.title, style="bold"))
    print_hanging(Text(""), Text(scenario.story), console, joint="")
    for row in rows:
        console.print()
        console.print(Text(row.title, style="bold"))
        print_hanging(Text("guarantee"), Text(row.promise), console)
        print_hanging(Text("example"), Text(row.example.vector.id), console)
        print_hanging(Text("expected"), Text(row.example.expected_text), console)
        for effect, names in {results.AS_EXPECTED: row.right, **row.wrong}.items():
            if names:
                style = "" if effect == results.AS_EXPECTED else "red"
                print_hanging(Text(effect, style=style), Text(", ".join(names)), console)
        if row.not_run:
            print_hanging(Text(results.NOT_RUN), Text(", ".join(row.not_run)), console)
