"""``python -m lab databases``: open and repair damaged logs with whole systems."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance.registry import ImplementationUnavailable
from conformance.reports.console_text import print_hanging
from conformance.saving import save
from conformance.text import one_line
from lab.databases import page
from lab.databases.damaged_logs import formats
from lab.databases.judge import OpeningJudgement
from lab.databases.open_cases import cases_for, cases_of, open_cases
from lab.databases.systems import Answers, DatabaseSystem, systems
from walproof.cli.output import say
from walproof.progress import progress_bar


@click.command()
@click.option("--system", "names", multiple=True,
              type=click.Choice(sorted({each.name for each in systems()})),
              help="Only these systems.")  # fmt: skip
@click.option("--format", "format_id", type=click.Choice(formats()),
              help="Only systems of this format.")  # fmt: skip
@click.option("--case", "case_ids", multiple=True, metavar="ID", help="Only these damaged logs.")
@click.option("--list", "listed", is_flag=True, help="List the systems, their modes and the logs.")
@click.option("--save", "is_saved", is_flag=True,
              help="Store the results, and write docs/databases.md.")  # fmt: skip
def databases(
    names: tuple[str, ...],
    format_id: str | None,
    case_ids: tuple[str, ...],
    listed: bool,
    is_saved: bool,
) -> int:
    """Open damaged logs with whole systems, in each of their modes, and repair them.

    A released system opens each log in a new directory, in a sandbox with limits of time and
    memory. The returned keys, messages or entries are compared with the written ones. Each of them
    survived, was lost with or without a report, or was invented. Then the system writes one more
    item and opens the log again.

    \b
    python -m lab databases --list
    python -m lab databases --system leveldb-database
    python -m lab databases --system leveldb-database --case bit-in-a-payload
    python -m lab databases --save

    Exit status: 0, or 1 for a usage or I/O error.
    """
    chosen = [
        each
        for each in systems()
        if (not names or each.name in names) and format_id in (None, each.format)
    ]
    known = dict.fromkeys(case.id for each in chosen for case in cases_of(each.format))
    if unknown := set(case_ids) - set(known):
        raise click.ClickException(
            f"no case {', '.join(sorted(unknown))}; there are: {', '.join(known)}"
        )
    if listed:
        _list(chosen)
        return 0
    if is_saved and case_ids:
        raise click.UsageError("--save stores the results of all damaged logs: it excludes --case")
    for system in chosen:
        try:
            system.implementation.make()
        except ImplementationUnavailable as missing:
            say(f"{system.name}: unavailable, because {missing}", err=True)
            continue
        results = _open_all(system, case_ids)
        if is_saved:
            system.save_answers(results)
        _print(system, results, bool(case_ids), Console())
    if is_saved:
        save(page.PAGE, page.page())
        say(f"wrote {page.PAGE.name}")
    return 0


def _list(chosen: Iterable[DatabaseSystem]) -> None:
    for format_id in dict.fromkeys(each.format for each in chosen):
        say(format_id)
        for system in chosen:
            if system.format == format_id:
                say(f"  {system.name}: {system.implementation.title}")
                for mode, what in system.modes.items():
                    say(f"    {mode:15} {what}")
        say("  damaged logs")
        for case in cases_of(format_id):
            say(f"    {case.id:32} {'; '.join(case.operations)}")


def _open_all(
    system: DatabaseSystem, case_ids: Sequence[str]
) -> dict[str, dict[str, OpeningJudgement]]:
    results: dict[str, dict[str, OpeningJudgement]] = {mode: {} for mode in system.modes}
    cases = [case for case in cases_for(system) if not case_ids or case.id in case_ids]
    with progress_bar(system.name, len(system.modes) * len(cases)) as bar:
        for mode, case, judgement in open_cases(system, system.modes, lambda case: case in cases):
            results[mode][case.id] = judgement
            bar.advance()
    return results


def _print(system: DatabaseSystem, results: Answers, is_detailed: bool, console: Console) -> None:
    console.print(Text(one_line(system.implementation.title), style="bold"))
    if is_detailed:
        for mode, of_mode in results.items():
            for id, each in of_mode.items():
                console.print(Text(f"{id}, {mode}"))
                print_hanging(Text("effect"), _effect(each), console)
                if each.report:
                    print_hanging(Text("report"), Text(one_line(each.report)), console)
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("damage", no_wrap=True)
    for mode in results:
        table.add_column(mode, overflow="fold")
    for case in cases_for(system):
        table.add_row(case.id, *(_effect(of_mode[case.id]) for of_mode in results.values()))
    console.print(table)
    console.print()


def _effect(each: OpeningJudgement) -> Text:
    is_bad = each.is_silent or each.invented or each.forgotten
    if is_bad or each.end not in ("opened", "refused"):
        style = "red"
    else:
        style = "yellow" if each.lost or each.end == "refused" else ""
    return Text(each.effect.replace("**", ""), style=style)
