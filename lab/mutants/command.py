"""``python -m lab mutants``: do the vectors tell the executable specification from its mutants?"""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping, Sequence, Set
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance import REPORTS, __version__
from conformance.saving import save
from conformance.vectors import BrokenVector
from lab.mutants.choice import (
    Choice,
    NoSuchRevision,
    base_of_change,
    changed_since,
    formats_touched,
)
from lab.mutants.hunt import Report, faults, hunt
from lab.mutants.questions import WrongOriginal
from lab.mutants.reviewed import BadReview, load_reviewed
from reference_impl.formats import FORMATS
from reference_impl.paths import PACKAGES
from walproof.cli.output import say
from walproof.progress import progress_bar

OF_THIS_CHANGE = "merge-base"
#: For `--changed` without `--sample`: about a minute.
CHANGE_SAMPLE_MUTANTS = 300
MAX_SHOWN_SURVIVORS = 40


@click.command()
@click.option("--format", "format_ids", multiple=True, type=click.Choice(sorted(FORMATS)),
              help="One format, or several. [default: all]")  # fmt: skip
@click.option("--function", "functions", multiple=True, metavar="GLOB",
              help="Names such as reader.Scan.events or 'writer.*'.")  # fmt: skip
@click.option("--changed", "base", metavar="BASE",
              help="Only functions that differ from a revision, 300 mutants at most; `merge-base`"
              " is where this branch left main, on main the commit before.")  # fmt: skip
@click.option("--sample", type=click.IntRange(1), metavar="N", help="So many of each format.")
@click.option("--first-kill", is_flag=True,
              help="Faster: the first kill is enough. No table of requirements.")  # fmt: skip
@click.option("--reviewed", is_flag=True,
              help="Fail only for formats of which every survivor was looked at.")  # fmt: skip
@click.option("--jobs", default=2, show_default=True, help="Mutants that live at a time.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path),
              default=REPORTS / "mutants", show_default=True, metavar="DIR",
              help="Where mutants.json goes.")  # fmt: skip
def mutants(
    format_ids: tuple[str, ...],
    functions: tuple[str, ...],
    base: str | None,
    sample: int | None,
    first_kill: bool,
    reviewed: bool,
    jobs: int,
    out: Path,
) -> int:
    """Run the vectors on mutants of the executable specification.

    A mutant has one small change: another comparison, a constant plus or minus one, a deleted
    statement or check, another reason, another byte order. Every vector that reaches the change
    runs, and so do the examples of recognition. If none of them fails, the mutant survives. A
    survivor is a wrong reader or writer that passes all vectors, unless it is equivalent to the
    original. Equivalent mutants are listed, each with a reason, in lab/mutants/reviewed.

    \b
    python -m lab mutants --format leveldb-log
    python -m lab mutants --format zmq-raft --function 'state.*'
    python -m lab mutants --changed main
    python -m lab mutants --changed merge-base --first-kill --reviewed

    Exit status: 0 if every mutant is dead or listed as equivalent, 3 if not, 1 for a usage or I/O
    error.
    """
    console = Console()
    try:
        changed = None if base is None else _changed(base)
        if changed is not None:
            touched = formats_touched(changed)
            format_ids = tuple(each for each in format_ids or touched if each in touched)
            if not format_ids:
                console.print("No reader or writer of reference_impl differs: no mutants.")
                return 0
        at_most = sample or (None if base is None else CHANGE_SAMPLE_MUTANTS)
        choice = Choice(functions, changed, at_most)
        reports = [_hunt(each, choice, first_kill, jobs) for each in format_ids or FORMATS]
    except (BrokenVector, WrongOriginal, BadReview) as error:
        raise click.ClickException(f"ours is broken: {error}") from None
    except (NoSuchRevision, OSError) as error:
        raise click.ClickException(str(error)) from None
    show(reports, console)
    body = {
        "report_version": 1,
        "walproof": __version__,
        "finished": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "formats": reports,
    }
    try:
        out.mkdir(parents=True, exist_ok=True)
        save(out / "mutants.json", json.dumps(body, indent=1, ensure_ascii=False) + "\n")
    except OSError as error:
        raise click.ClickException(str(error)) from None
    console.print()
    say(str(out / "mutants.json"))
    counted = [each for each in reports if not reviewed or load_reviewed(each["format"]).complete]
    return 3 if any(each["survivors"] or faults(each) for each in counted) else 0


def _changed(base: str) -> Mapping[Path, Set[str]]:
    """Return the changed functions; print why there are none in a shallow clone."""
    if base != OF_THIS_CHANGE:
        return changed_since(base, PACKAGES)
    try:
        return changed_since(base_of_change(PACKAGES), PACKAGES)
    except NoSuchRevision as error:
        say(f"--changed {base}: {error}", err=True)
        return {}


def _hunt(format_id: str, choice: Choice, first_kill: bool, jobs: int) -> Report:
    with progress_bar(format_id) as bar:
        return hunt(
            format_id,
            choice,
            first_kill=first_kill,
            jobs=jobs,
            started=lambda count: bar.show(total=count),
            progress=bar.advance,
        )


def show(reports: Sequence[Report], console: Console) -> None:
    """Print survivors with their lines, the table of formats, and faults of the lists."""
    table = Table("format", "mutants", "killed", "equivalent", "survivors", "killed of the others")
    for report in reports:
        survivors = report["survivors"]
        for each in survivors[:MAX_SHOWN_SURVIVORS]:
            reached = "" if each["is_reached"] else ", where no vector gets to"
            console.print(
                Text(f"{each['file']}:{each['at']}", "bold"),
                Text(f"{each['function']}, {each['operator']}{reached}"),
            )
            console.print(Text(f"  - {each['line']}", "red"))
            console.print(Text(f"  + {each['mutated']}".rstrip(), "green"))
            console.print(Text(f"    {each['before']} → {each['after']}", "dim"))
        if len(survivors) > MAX_SHOWN_SURVIVORS:
            console.print(f"… and {len(survivors) - MAX_SHOWN_SURVIVORS} more survivors\n")
        counted = report["mutants"] - len(report["equivalent"])
        of_all = "" if report["is_whole"] else f" of {report['all']}"
        table.add_row(
            report["format"], f"{report['mutants']}{of_all}", str(report["killed"]),
            str(len(report["equivalent"])), str(len(survivors)),
            f"{report['killed'] / counted:.1%}" if counted else "",
        )  # fmt: skip
    console.print(table)
    for report in reports:
        if report["requirements"] and report["is_whole"]:
            _show_requirements(report, console)
        for sentence in faults(report):
            console.print(f"✗ {report['format']}: {sentence}", style="red", markup=False)


def _show_requirements(report: Report, console: Console) -> None:
    musts = [each for each in report["requirements"] if each["level"].startswith("MUST")]
    console.print(
        f"{report['format']}: {sum(bool(each['alone']) for each in musts)} of {len(musts)}"
        " requirements at level MUST have vectors without which a mutant would live;"
        f" {sum(bool(each['because']) for each in musts)} others have a reason"
    )
    shown = [f"{each['id']} {each['alone']}" for each in report["requirements"] if each["alone"]]
    console.print("  " + ", ".join(shown), markup=False)
