"""``python -m lab mutants``: run the vectors on mutants of the executable specification."""

from __future__ import annotations

from collections.abc import Sequence

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance.vectors import BrokenVector
from lab.mutants.choice import Changes, NoSuchRevision, changed_since, sources_of
from lab.mutants.hunt import MutationReport, hunt
from lab.mutants.reach import WrongOriginal
from lab.mutants.reviewed import BadReview
from reference_impl.formats import FORMATS
from reference_impl.paths import PACKAGES
from walproof.progress import progress_bar


@click.command()
@click.option("--format", "format_ids", multiple=True, type=click.Choice(sorted(FORMATS)),
              help="Format; repeatable. [default: all]")  # fmt: skip
@click.option("--function", "functions", multiple=True, metavar="GLOB",
              help="Names such as reader.Scan.events or 'writer.*'.")  # fmt: skip
@click.option("--changed", "base", metavar="REVISION",
              help="Only lines that differ from a revision.")  # fmt: skip
@click.option("--reviewed", is_flag=True,
              help="Fail only for formats whose survivors are all reviewed.")  # fmt: skip
@click.option("--jobs", default=2, show_default=True, help="Number of parallel processes.")
def mutants(
    format_ids: tuple[str, ...],
    functions: tuple[str, ...],
    base: str | None,
    reviewed: bool,
    jobs: int,
) -> int:
    """Run the vectors on mutants of the executable specification.

    A mutant has one small change, such as another comparison, a constant plus or minus one, a
    deleted statement or check, or another byte order. All vectors and examples of recognition that
    the change can affect are run. If none of them fails, the mutant survives. A survivor is an
    incorrect reader or writer that passes all vectors, unless it is equivalent to the original.
    Equivalent mutants are listed in lab/mutants/reviewed, each with a reason.

    \b
    python -m lab mutants --format leveldb-log
    python -m lab mutants --format zmq-raft --function 'state.*'
    python -m lab mutants --changed main

    Exit status: 0 if every mutant is killed or listed as equivalent, 3 if not, 1 for a usage or I/O
    error.
    """
    try:
        changed = None if base is None else changed_since(base, PACKAGES)
        reports = [
            _hunt(each, functions, changed, jobs)
            for each in format_ids or FORMATS
            if changed is None or changed.keys() & set(sources_of(each).values())
        ]
    except (BrokenVector, WrongOriginal, BadReview) as error:
        raise click.ClickException(f"the specification or its tests are broken: {error}") from None
    except (NoSuchRevision, OSError) as error:
        raise click.ClickException(str(error)) from None
    if functions and changed is None and not any(each.fates for each in reports):
        raise click.UsageError(f"--function {' '.join(functions)}: no function has this name")
    show(reports, Console())
    counted = [each for each in reports if not reviewed or each.reviewed.complete]
    return 3 if any(each.survivors or each.faults() for each in counted) else 0


def _hunt(
    format_id: str, functions: Sequence[str], changed: Changes | None, jobs: int
) -> MutationReport:
    with progress_bar(format_id) as bar:
        return hunt(
            format_id, functions, changed, jobs, lambda count: bar.show(total=count), bar.advance
        )


def show(reports: Sequence[MutationReport], console: Console) -> None:
    """Print the survivors with their lines, a table of formats, and errors in the review lists."""
    table = Table("format", "mutants", "killed", "equivalent", "survivors", "killed of the others")
    for report in reports:
        survivors = report.survivors
        for each in survivors:
            name = each.name
            place = f"{each.path.relative_to(PACKAGES)}:{each.line}"
            console.print(Text(place, "bold"), Text(f"{name.function}, {name.operator}"))
            console.print(Text(f"  {name.line}"))
            console.print(Text(f"  - {name.before}", "red"))
            console.print(Text(f"  + {name.after}", "green"))
        counted = len(report.fates) - report.equivalent
        of_all = "" if len(report.fates) == report.total else f" of {report.total}"
        table.add_row(
            report.format_id, f"{len(report.fates)}{of_all}", str(report.killed),
            str(report.equivalent), str(len(survivors)),
            f"{report.killed / counted:.1%}" if counted else "",
        )  # fmt: skip
    console.print(table)
    for report in reports:
        for sentence in report.faults():
            console.print(f"✗ {report.format_id}: {sentence}", style="red", markup=False)
