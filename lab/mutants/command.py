"""``python -m lab mutants``: do the vectors tell the executable specification from its mutants?"""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from conformance import REPORTS, __version__
from conformance.saving import save
from conformance.vectors import BrokenVector
from lab.mutants import page, terminal
from lab.mutants.choice import (
    Choice,
    NoSuchRevision,
    base_of_change,
    changed_since,
    formats_touched,
)
from lab.mutants.fate_store import kept_of
from lab.mutants.reached import WrongOriginal
from lab.mutants.reviewed import BadReview, load_reviewed
from lab.mutants.run import hunt, wrong
from reference_impl.formats import FORMATS
from reference_impl.places import PACKAGES
from walproof.cli.output import say
from walproof.progress import progress_bar

OF_THIS_CHANGE = "merge-base"
OF_A_CHANGE = 300
"""Mutants that a change is judged by, if nothing else is said: about a minute."""


@click.command()
@click.option("--format", "format_ids", multiple=True, type=click.Choice(sorted(FORMATS)),
              help="One format, or several. [default: all]")  # fmt: skip
@click.option("--function", "functions", multiple=True, metavar="GLOB",
              help="Names such as reader.Scan.events or 'writer.*'.")  # fmt: skip
@click.option("--file", "files", multiple=True, metavar="GLOB", help="Names such as reader.py.")
@click.option("--changed", "base", metavar="BASE",
              help="Only functions that differ from a revision, 300 mutants at most; `merge-base`"
              " is where this branch left main, on main the commit before.")  # fmt: skip
@click.option("--sample", type=click.IntRange(1), metavar="N", help="So many of each format.")
@click.option("--seed", default=1, show_default=True, help="Another one gives another sample.")
@click.option("--first-kill", is_flag=True,
              help="Faster: the first kill is enough. No table of requirements.")  # fmt: skip
@click.option("--reviewed", is_flag=True,
              help="Fail only for formats of which every survivor was looked at.")  # fmt: skip
@click.option("--jobs", default=2, show_default=True, help="Mutants that live at a time.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path),
              default=REPORTS / "mutants", show_default=True, metavar="DIR",
              help="Where mutants.json and mutants.html go.")  # fmt: skip
def mutants(
    format_ids: tuple[str, ...],
    functions: tuple[str, ...],
    files: tuple[str, ...],
    base: str | None,
    sample: int | None,
    seed: int,
    first_kill: bool,
    reviewed: bool,
    jobs: int,
    out: Path,
) -> int:
    """Change the executable specification in every small way, and ask the vectors who notices.

    A mutant has one change: another comparison, a constant one more or less, a statement or a check
    left out, another reason, another byte order. It is asked every vector that gets to the change,
    and the examples of recognition. Nothing else kills it, so that each survivor is a wrong reader
    or writer that the vectors would certify, unless it is equivalent: those are listed, each with a
    reason, in lab/mutants/reviewed.

    \b
    python -m lab mutants --format leveldb-log
    python -m lab mutants --format zmq-raft --function 'state.*'
    python -m lab mutants --changed main
    python -m lab mutants --changed merge-base --first-kill --reviewed

    A run that was stopped goes on where it was, as long as code and vectors are the same.

    Exit status: 0 if every mutant is dead or listed as equivalent, 3 if not, 1 for a usage or I/O
    error.
    """
    console = Console()
    try:
        changed = None if base is None else _changed(base)
        if changed is not None:
            touched = formats_touched(changed)
            format_ids = tuple(one for one in format_ids or touched if one in touched)
            if not format_ids:
                console.print("No reader or writer of reference_impl differs: no mutants.")
                return 0
        at_most = sample or (None if base is None else OF_A_CHANGE)
        choice = Choice(functions, files, changed, at_most, seed)
        reports = [_hunt(one, choice, not first_kill, jobs) for one in format_ids or FORMATS]
    except (BrokenVector, WrongOriginal, BadReview) as error:
        raise click.ClickException(f"ours is broken: {error}") from None
    except (NoSuchRevision, OSError) as error:
        raise click.ClickException(str(error)) from None
    terminal.show(reports, console)
    body = {
        "report_version": 1,
        "walproof": __version__,
        "finished": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "formats": reports,
    }
    try:
        out.mkdir(parents=True, exist_ok=True)
        save(out / "mutants.json", json.dumps(body, indent=1, ensure_ascii=False) + "\n")
        page.write(body, out / "mutants.html")
    except OSError as error:
        raise click.ClickException(str(error)) from None
    console.print()
    say(str(out / "mutants.html"))
    counted = [one for one in reports if not reviewed or load_reviewed(one["format"]).complete]
    return 3 if any(map(wrong, counted)) else 0


def _changed(base: str) -> Mapping[Path, frozenset[int]]:
    """The changed lines; none where a shallow clone does not tell them, which is said."""
    if base != OF_THIS_CHANGE:
        return changed_since(base, PACKAGES)
    try:
        return changed_since(base_of_change(PACKAGES), PACKAGES)
    except NoSuchRevision as error:
        say(f"--changed {base}: {error}", err=True)
        return {}


def _hunt(format_id: str, choice: Choice, common: bool, jobs: int) -> dict[str, Any]:
    with progress_bar(format_id) as bar:
        return hunt(
            format_id,
            choice,
            common=common,
            jobs=jobs,
            started=lambda count: bar.show(total=count),
            progress=lambda fate: bar.advance(),
            kept=kept_of(format_id, common),
        )
