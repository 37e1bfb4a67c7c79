"""``python -m lab mutants``: do the vectors tell the executable specification from its mutants?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance import REPORTS
from conformance.saving import save
from conformance.vectors import BrokenVector
from lab.mutants.choice import Choice, NoSuchRevision, changed_since, sources_of
from lab.mutants.hunt import Report, faults, hunt
from lab.mutants.questions import WrongOriginal
from lab.mutants.reviewed import BadReview, load_reviewed
from reference_impl.formats import FORMATS
from reference_impl.paths import PACKAGES
from walproof.cli.output import say
from walproof.progress import progress_bar

MAX_SHOWN_SURVIVORS = 40


@click.command()
@click.option("--format", "format_ids", multiple=True, type=click.Choice(sorted(FORMATS)),
              help="Format; repeatable. [default: all]")  # fmt: skip
@click.option("--function", "functions", multiple=True, metavar="GLOB",
              help="Names such as reader.Scan.events or 'writer.*'.")  # fmt: skip
@click.option("--changed", "base", metavar="REVISION",
              help="Only lines that differ from a revision.")  # fmt: skip
@click.option("--sample", type=click.IntRange(1), metavar="N", help="Mutants of each format.")
@click.option("--reviewed", is_flag=True,
              help="Fail only for formats whose survivors are all reviewed.")  # fmt: skip
@click.option("--jobs", default=2, show_default=True, help="Number of parallel processes.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path),
              default=REPORTS / "mutants", show_default=True, metavar="DIR",
              help="Folder for mutants.json.")  # fmt: skip
def mutants(
    format_ids: tuple[str, ...],
    functions: tuple[str, ...],
    base: str | None,
    sample: int | None,
    reviewed: bool,
    jobs: int,
    out: Path,
) -> int:
    """Run the vectors on mutants of the executable specification.

    A mutant has one small change, such as another comparison, a constant plus or minus one, a
    deleted statement or check, another reason, or another byte order. Every vector that reaches the
    change runs, and so do the examples of recognition. If none of them fails, the mutant survives.
    A survivor is a wrong reader or writer that passes all vectors, unless it is equivalent to the
    original. Equivalent mutants are listed, each with a reason, in lab/mutants/reviewed.

    \b
    python -m lab mutants --format leveldb-log
    python -m lab mutants --format zmq-raft --function 'state.*'
    python -m lab mutants --changed main

    Exit status: 0 if every mutant is dead or listed as equivalent, 3 if not, 1 for a usage or I/O
    error.
    """
    console = Console()
    try:
        changed = None if base is None else changed_since(base, PACKAGES)
        choice = Choice(functions, changed, sample)
        reports = [
            _hunt(each, choice, jobs)
            for each in format_ids or FORMATS
            if changed is None or changed.keys() & set(sources_of(each).values())
        ]
        show(reports, console)
        out.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"formats": reports}, indent=1, ensure_ascii=False)
        save(out / "mutants.json", text + "\n")
    except (BrokenVector, WrongOriginal, BadReview) as error:
        raise click.ClickException(f"ours is broken: {error}") from None
    except (NoSuchRevision, OSError) as error:
        raise click.ClickException(str(error)) from None
    say(str(out / "mutants.json"))
    counted = [each for each in reports if not reviewed or load_reviewed(each["format"]).complete]
    return 3 if any(each["survivors"] or faults(each) for each in counted) else 0


def _hunt(format_id: str, choice: Choice, jobs: int) -> Report:
    with progress_bar(format_id) as bar:
        return hunt(format_id, choice, jobs, lambda count: bar.show(total=count), bar.advance)


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
        of_all = "" if report["mutants"] == report["all"] else f" of {report['all']}"
        table.add_row(
            report["format"], f"{report['mutants']}{of_all}", str(report["killed"]),
            str(len(report["equivalent"])), str(len(survivors)),
            f"{report['killed'] / counted:.1%}" if counted else "",
        )  # fmt: skip
    console.print(table)
    for report in reports:
        for sentence in faults(report):
            console.print(f"✗ {report['format']}: {sentence}", style="red", markup=False)
