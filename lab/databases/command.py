"""``python -m lab databases``: open and repair damaged logs with whole systems."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance.registry import Unavailable
from conformance.reports.console_text import print_hanging
from conformance.saving import save
from conformance.text import one_line
from lab.databases import page
from lab.databases.run import Result, cases_for, cases_of, open_cases
from lab.databases.systems import System, systems
from walproof.cli.output import say
from walproof.progress import progress_bar


@click.command()
@click.option("--system", "names", multiple=True, metavar="NAME", help="Only these systems.")
@click.option("--format", "format_id", metavar="ID", help="Only systems of this format.")
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
    memory. The keys, messages or entries that it returns are compared with the written ones:
    survived, lost with or without a report, or invented. Then the system writes one more item and
    opens the log again.

    \b
    python -m lab databases --list
    python -m lab databases --system leveldb-database
    python -m lab databases --system leveldb-database --case bit-in-a-payload
    python -m lab databases --save

    Exit status: 0, or 1 for a usage or I/O error.
    """
    chosen = _chosen(names, format_id)
    _must_exist(case_ids, chosen)
    if listed:
        _list(chosen)
        return 0
    if is_saved and case_ids:
        raise click.UsageError("--save stores the results of all damaged logs: it excludes --case")
    for system in chosen:
        try:
            system.implementation.make()
        except Unavailable as missing:
            say(f"{system.name}: unavailable, because {missing}", err=True)
            continue
        results = _open_all(system, case_ids)
        if is_saved:
            system.save_answers(by_mode(results))
        _print(system, results, bool(case_ids), Console())
    if is_saved:
        save(page.PAGE, page.page())
        say(f"wrote {page.PAGE.name}")
    return 0


def by_mode(results: Iterable[Result]) -> dict[str, dict[str, dict[str, object]]]:
    """Return the JSON to store of results: by mode, then by case."""
    stored: dict[str, dict[str, dict[str, object]]] = {}
    for each in results:
        stored.setdefault(each.mode, {})[each.case.id] = each.judgement.to_json()
    return stored


def _chosen(names: Sequence[str], format_id: str | None) -> list[System]:
    known = systems()
    if unknown := set(names) - {each.name for each in known}:
        names_here = ", ".join(dict.fromkeys(each.name for each in known))
        raise click.ClickException(
            f"no system {', '.join(sorted(unknown))}; there are: {names_here}"
        )
    chosen = [
        each
        for each in known
        if (not names or each.name in names) and format_id in (None, each.format)
    ]
    if not chosen:
        raise click.ClickException(f"no system here opens logs of {format_id}")
    return chosen


def _must_exist(case_ids: Sequence[str], chosen: Iterable[System]) -> None:
    known = dict.fromkeys(case.id for each in chosen for case in cases_of(each.format))
    if unknown := set(case_ids) - set(known):
        raise click.ClickException(
            f"no case {', '.join(sorted(unknown))}; there are: {', '.join(known)}"
        )


def _list(chosen: Iterable[System]) -> None:
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


def _open_all(system: System, case_ids: Sequence[str]) -> list[Result]:
    results = []
    cases = [case for case in cases_for(system) if not case_ids or case.id in case_ids]
    with progress_bar(system.name, len(system.modes) * len(cases)) as bar:
        for result in open_cases(system, system.modes, lambda case: case in cases):
            results.append(result)
            bar.advance()
    return results


def _print(system: System, results: Sequence[Result], is_detailed: bool, console: Console) -> None:
    console.print(Text(one_line(system.implementation.title), style="bold"))
    if is_detailed:
        for each in results:
            console.print(Text(f"{each.case.id}, {each.mode}"))
            effect = Text(each.judgement.effect.replace("**", ""), style=_style(each))
            print_hanging(Text("effect"), effect, console)
            if each.judgement.report:
                print_hanging(Text("report"), Text(one_line(each.judgement.report)), console)
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("damage", no_wrap=True)
    for mode in system.modes:
        table.add_column(mode, overflow="fold")
    for case in cases_for(system):
        row = [each for each in results if each.case.id == case.id]
        cells = [Text(each.judgement.effect.replace("**", ""), style=_style(each)) for each in row]
        table.add_row(case.id, *cells)
    console.print(table)
    console.print()


def _style(each: Result) -> str:
    judged = each.judgement
    is_bad = judged.is_silent or judged.invented or judged.forgotten
    if is_bad or judged.end not in ("opened", "refused"):
        return "red"
    return "yellow" if judged.lost or judged.end == "refused" else ""
