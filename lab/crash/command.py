"""``python -m lab crash``: test whether acknowledged records survive a power failure."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance.checked_program import CheckedProgram
from conformance.program_session import PROGRAM_FAILURES
from conformance.reports.console_text import say as say_text
from conformance.saving import named_in_errors, publish, save, temporary_sibling
from conformance.text import json_text, printable
from lab.crash.concurrent_readers import watch
from lab.crash.crash_run import CrashRun, all_writers, can_be_isolated, run
from lab.crash.disk_models import MODELS, SECTORS
from lab.crash.format_crash import crash_of
from lab.crash.judge import NOTES, CrashFinding, CrashJudgement, build, payload_text
from lab.crash.observer import CannotRecord
from lab.crash.recorder import record
from lab.crash.trace import Trace
from reference_impl.formats import FORMATS
from walproof.cli import program_options
from walproof.cli.output import require_new_path, say, say_lines
from walproof.progress import progress_bar
from walproof.quantity import counted

#: The console shows at most this many missing parts; the ``--out`` folder lists all of them.
MAX_SHOWN_PARTS = 6


@click.command()
@click.option("--writer", "name", metavar="NAME", help="Implementation of this repository.")
@click.option("--cmd", "command", metavar="COMMAND", help="Program that acknowledges records.")
@click.option("--format", "format", type=click.Choice(sorted(FORMATS)),
              help="Format to write. [default: the only format of the writer]")  # fmt: skip
@click.option("--records", "count", type=click.IntRange(1), default=8, show_default=True,
              help="Number of records; half are written, half appended.")  # fmt: skip
@click.option("--model", "models", multiple=True, type=click.Choice(MODELS),
              help="Model of the disk. [default: all four]")  # fmt: skip
@click.option("--sector", type=click.Choice([*map(str, SECTORS)]), default="512",
              show_default=True, help="Bytes that the disk writes atomically.")  # fmt: skip
@click.option("--states", "most", type=click.IntRange(1), default=1000, show_default=True,
              help="Approximate number of states for each model.")  # fmt: skip
@click.option("--seed", default=1, show_default=True, help="Seed that selects the states.")
@click.option("--slow", type=click.IntRange(0), default=200, show_default=True,
              help="Duration of each sync in milliseconds.")  # fmt: skip
@click.option("--live", is_flag=True,
              help="Read the log while the writer runs, without a crash.")  # fmt: skip
@click.option("-o", "--out", type=click.Path(path_type=Path),
              help="New folder for the simplest state of each finding.")  # fmt: skip
@program_options.isolation
def crash(
    name: str | None,
    command: str | None,
    format: str | None,
    count: int,
    models: tuple[str, ...],
    sector: str,
    most: int,
    seed: int,
    slow: int,
    live: bool,
    out: Path | None,
    isolated: bool,
) -> int:
    """Record the system calls of a writer, and read every state that a crash may leave.

    The writer runs without isolation, and reports each record that is safe. Its writes and syncs
    are recorded. Each model (docs/crash.md) generates the states of the files that a crash may
    leave. The executable specification and the writer's own system read each state, and append to
    a copy.

    With --live, no crash is simulated. The executable specification and the scanner read the log
    after every operation, and inside each write. They must return the records written so far, each
    once, and never fewer than before.

    \b
    python -m lab crash --writer leveldb-cpp
    python -m lab crash --cmd './my-writer' --format zmq-raft --model any --states 5000
    python -m lab crash --writer executable-spec --format leveldb-log --out /tmp/states
    python -m lab crash --writer goleveldb --live

    Exit status: 0 if there is no violation, 3 if there is one, 1 for a usage or I/O error.
    """
    if (name is None) == (command is None):
        raise click.UsageError("expected --writer NAME or --cmd COMMAND, and not both")
    if out is not None:
        require_new_path(out)
    if live and (out is not None or models):
        raise click.UsageError("--live has no models, and no states to keep")
    sector_bytes = int(sector)
    subject = _subject(name, command or "", isolated)
    if format is None:
        if len(subject.formats) != 1 or subject.formats[0] not in FORMATS:
            raise click.UsageError(f"--format: {subject.name} may write several; name one")
        format = subject.formats[0]
    try:
        if live:
            what = crash_of(format)
            records = what.records(count)
            trace, hello = record(subject.command, format, what, records)
            watched = watch(trace, format, records, sector_bytes)
            say(f"writer   {hello['name']} {hello['version']}, {format}")
            _show_live(watched, trace)
            return 3 if watched.findings else 0
        with progress_bar("recording") as bar:
            done = run(
                subject,
                format,
                models or MODELS,
                sector_bytes,
                count,
                most,
                seed,
                bar.show,
                slow / 1000,
            )
    except CannotRecord as error:
        raise click.ClickException(f"{subject.name} was not recorded: {error}") from None
    except PROGRAM_FAILURES as error:
        raise click.ClickException(f"{subject.name}: {error}") from None
    say(f"writer   {done.hello['name']} {done.hello['version']}, {format}")
    _show(done)
    if out is not None:
        with temporary_sibling(out) as unfinished:
            with named_in_errors(out):
                unfinished.mkdir(parents=True)
            _save_findings(done, format, sector_bytes, unfinished)
            publish(unfinished, out)
        say(f"{out}: the simplest state of each finding", err=True)
    return 3 if any(each.judgement.violations() for each in done.results) else 0


def _subject(name: str | None, command: str, isolated: bool) -> CheckedProgram:
    if name is None:
        return program_options.foreign(command, isolated=isolated)
    writers = {each.name: each for each in all_writers()}
    if name not in writers:
        raise click.UsageError(f"--writer: expected one of {', '.join(writers)}, found {name!r}")
    isolated = isolated and can_be_isolated(writers[name])
    subject = program_options.implementation_subjects([writers[name]], isolated)[0]
    if subject.unavailable:
        raise click.ClickException(f"{name} is unavailable, because {subject.unavailable}")
    return subject


def _show(done: CrashRun) -> None:
    say(
        f"trace    {counted(len(done.trace.operations), 'operation')},"
        f" {counted(done.trace.syncs, 'sync')}, {counted(len(done.records), 'record')} acknowledged"
    )
    table = Table(box=None, pad_edge=False)
    table.add_column("model")
    for title in ("states", "violations", "notes"):
        table.add_column(title, justify="right")
    for each in done.results:
        number = f"{each.judgement.states:,}{'' if each.complete else ' sampled'}"
        wrong, notes = each.judgement.violations(), each.judgement.notes()
        style = "red" if wrong else "green"
        table.add_row(each.model, number, Text(str(len(wrong)), style), str(len(notes)))
    console = Console()
    console.print(table)
    for each in done.results:
        for finding in [*each.judgement.violations(), *each.judgement.notes()]:
            of = f"{each.model}, {finding.count:,} of {each.judgement.states:,} states"
            _show_finding(finding, of, console)


def _show_live(watched: CrashJudgement, trace: Trace) -> None:
    say(
        f"moments  {counted(watched.states, 'moment')}, {watched.torn:,} of them inside"
        f" of a write, {counted(trace.acknowledged, 'record')}"
    )
    for each in watched.findings.values():
        _show_finding(each, counted(each.count, "moment"), Console())
    if not watched.findings:
        say("No reader went wrong.")


def _show_finding(finding: CrashFinding, of: str, console: Console) -> None:
    console.print()
    head = Text(finding.what, "yellow" if finding.what in NOTES else "red")
    say_text(head.append(f"  {of}", "dim"), console)
    state = finding.state
    say_lines(f"  who      {printable(finding.who)}")
    acknowledged = counted(state.acknowledged, "record")
    say(f"  state    after operation {state.after - 1}, {acknowledged} acknowledged")
    for each in state.missing[:MAX_SHOWN_PARTS]:
        say(f"           {each}")
    if len(state.missing) > MAX_SHOWN_PARTS:
        say(f"           and {len(state.missing) - MAX_SHOWN_PARTS} more")
    if finding.found is not None:
        say(f"  found    {counted(len(finding.found), 'record')}")
    if finding.detail:
        say(f"  said     {printable(finding.detail)}")


def _save_findings(done: CrashRun, format: str, sector: int, out: Path) -> None:
    findings = [
        (result, finding)
        for result in done.results
        for finding in [*result.judgement.violations(), *result.judgement.notes()]
    ]
    for number, (result, finding) in enumerate(findings, 1):
        folder = out / f"{number:02}-{result.model}-{finding.what.replace(' ', '-')}"
        build(finding.state, folder / "log")
        operations = done.trace.operations[: finding.state.after]
        about = {
            "format": format,
            "writer": f"{done.hello['name']} {done.hello['version']}",
            "what": finding.what,
            "who": finding.who,
            "said": finding.detail or None,
            "model": result.model,
            "sector": sector,
            "states": finding.count,
            "of": result.judgement.states,
            "operations": [str(each)[:200] for each in operations],
            "acknowledged": finding.state.acknowledged,
            "missing": list(finding.state.missing),
            "written": [payload_text(each.payload) for each in done.records],
            "found": finding.found,
        }
        save(folder / "state.json", json_text(about, 1) + "\n", sync=False)
