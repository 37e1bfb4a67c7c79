"""``python -m lab site``: make web pages from a run and its vectors."""

from __future__ import annotations

from pathlib import Path

import click

from conformance import REPORTS
from conformance.reports import json_report
from conformance.vectors import load_all
from lab.site import build
from lab.site.indexed_report import run_of
from walproof.cli.output import say


@click.command()
@click.option("--run", "report", type=click.Path(path_type=Path), metavar="REPORT",
              default=REPORTS / "conformance", show_default=True,
              help="The report.json of a run, or its folder.")  # fmt: skip
@click.option("-o", "--out", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
              default=Path("build/site"), show_default=True,
              help="Folder for the site; an earlier site is replaced.")  # fmt: skip
def site(report: Path, out: Path) -> int:
    """Make a site with a page for each format, vector and implementation.

    The pages need no server: open index.html from the disk, or serve the folder below any path.

    \b
    walproof check                    run everything; the report goes to reports/conformance
    python -m lab site --out build/site

    Exit status: 0, or 1 for a usage or I/O error.
    """
    try:
        run = run_of(json_report.load(report), load_all())
    except FileNotFoundError:
        raise click.ClickException(f"{report}: no report; `walproof check` writes one") from None
    files, size = build.build(run, out)
    say(f"{out / 'index.html'}: {files:,} files, {size / 1e6:.1f} MB")
    if left := build.without_page(run):
        say(f"{len(left):,} vectors have no page: the run did not include them")
    return 0
