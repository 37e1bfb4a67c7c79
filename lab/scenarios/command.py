"""``python -m lab scenarios``: damage to logs, and the response of formats and systems."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.reports import json_report
from conformance.saving import save
from conformance.vectors import load_all
from lab.scenarios import book, page, results
from walproof.cli.output import say


@click.command()
@click.option("--run", "report", metavar="REPORT", type=click.Path(exists=True, path_type=Path),
              help="Store the results of real systems in this report.json.")  # fmt: skip
@click.option("--save", "is_saved", is_flag=True,
              help="Write docs/scenarios.md, and with --run the results.")  # fmt: skip
def scenarios(report: Path | None, is_saved: bool) -> int:
    """List the scenarios of damage, or write docs/scenarios.md.

    The page has a table for each scenario, such as a torn record, a lost file or a flipped bit. The
    table shows the guarantee of each format, the expected records of an example, and the results of
    real systems.

    \b
    python -m lab scenarios
    python -m lab scenarios --run reports/conformance --save

    Exit status: 0, or 1 for a usage or I/O error.
    """
    if report is not None and not is_saved:
        raise click.UsageError("--run stores results: it needs --save")
    vectors = load_all()
    examples = book.shown(vectors)
    if not is_saved:
        for id, each in book.scenarios().items():
            say(f"{id:30} {each.title} ({len(examples[id])} examples)")
        return 0
    effects = results.load_results()
    if report is not None:
        wanted = [shown.vector.id for each in examples.values() for shown in each]
        try:
            effects = results.of_report(json_report.load(report), wanted)
        except (json_report.InvalidReport, OSError) as error:
            raise click.ClickException(str(error)) from None
        results.save_results(effects)
    save(page.PAGE, page.page(vectors, effects).encode())
    say(f"wrote {page.PAGE.name} with {len(examples)} scenarios and {len(effects)} systems")
    return 0
