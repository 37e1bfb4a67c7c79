"""``python -m lab crash``: what a power failure leaves of what a writer had called safe."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance.registry import Implementation
from conformance.reports.console_text import say as say_text
from conformance.saving import named_in_errors, publish, save, temporary_sibling
from conformance.session import PROGRAM_FAILURES
from conformance.subject import Subject
from conformance.text import json_text, printable
from lab.crash.concurrent_readers import Watched, run_live
from lab.crash.judge import Finding, build, payload_text
from lab.crash.model import MODELS, SECTORS
from lab.crash.recorder import CannotRecord
from lab.crash.run import Result, Run, all_writers, can_be_isolated, run
from lab.crash.strace import NotUnderstood
from reference_impl.formats import FORMATS
from walproof.cli import subjects
from walproof.cli.output import say, say_lines
from walproof.cli.stopping import stoppable
from walproof.progress import progress_bar
from walproof.quantity import counted

#: The folder of ``--out`` has all.
MAX_SHOWN_PARTS = 6


@click.command()
@click.option("--writer", "name", metavar="NAME", help="An implementation of ours.")
@click.option("--cmd", "command", metavar="COMMAND", help="A program that acknowledges records.")
@click.option("--format", "format", type=click.Choice(sorted(FORMATS)),
              help="What it writes. [default: its only format]")  # fmt: skip
@click.option("--records", "count", type=click.IntRange(1), default=8, show_default=True,
              help="Half of them are written, half appended.")  # fmt: skip
@click.option("--model", "models", multiple=True, type=click.Choice(MODELS),
              help="What a disk may do. [default: all four]")  # fmt: skip
@click.option("--sector", "sectors", multiple=True, type=click.Choice([*map(str, SECTORS)]),
              help="Bytes that are written whole. [default: 512]")  # fmt: skip
@click.option("--states", "most", type=click.IntRange(1), default=1000, show_default=True,
              help="States for each model, about.")  # fmt: skip
@click.option(
    "--seed", default=1, show_default=True, help="Chooses the states where there are more."
)
@click.option("--slow", type=click.IntRange(0), default=200, show_default=True,
              help="Milliseconds that each sync takes: who does not wait is seen.")  # fmt: skip
@click.option("--live", is_flag=True,
              help="No crash: what a reader beside the writer sees, at every moment.")  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path),
              help="A new folder for the plainest state of each finding.")  # fmt: skip
@subjects.isolation
@stoppable()
def crash(
    name: str | None,
    command: str | None,
    format: str | None,
    count: int,
    models: tuple[str, ...],
    sectors: tuple[str, ...],
    most: int,
    seed: int,
    slow: int,
    live: bool,
    out: Path | None,
    isolated: bool,
) -> int:
    """Record the system calls of a writer, and read every state that a crash may leave.

    The writer runs under strace, without isolation, and reports each record that is safe. States of
    its files are generated under each model. The executable specification and the writer's own
    system read them, and both append to copies. docs/crash.md describes the models.

    With --live, no crash is simulated. After every operation, and inside each write, the executable
    specification and the scanner read the log. They must return the records written so far, each
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
    if out is not None and out.exists():
        raise click.UsageError(f"--out {out}: expected a path where nothing is")
    if name is not None:
        writer = _writer(name)
        subject = subjects.implementation_subject(writer, isolated and can_be_isolated(writer))
        if subject.unavailable:
            raise click.ClickException(f"{name} is unavailable, because {subject.unavailable}")
    else:
        subject = subjects.foreign(command or "", isolated=isolated)
    chosen = format or _only_format(subject)
    if live and (out is not None or models):
        raise click.UsageError("--live has no models, and no states to keep")
    try:
        if live:
            sizes = [int(each) for each in sectors] or list(SECTORS)
            watched = run_live(subject, chosen, count, sizes)
            _show_live(watched, chosen)
            return 3 if watched.judgement.findings else 0
        done = _run(subject, chosen, models or MODELS, sectors, count, most, seed, slow)
    except (CannotRecord, NotUnderstood) as error:
        raise click.ClickException(f"{subject.name} was not recorded: {error}") from None
    except PROGRAM_FAILURES as error:
        raise click.ClickException(f"{subject.name}: {error}") from None
    _show(done, chosen)
    if out is not None:
        _save(done, chosen, out)
        say(f"{out}: the plainest state of each finding", err=True)
    return 3 if any(each.judgement.violations() for each in done.results) else 0


def _writer(name: str) -> Implementation:
    writers = {each.name: each for each in all_writers()}
    if name not in writers:
        raise click.UsageError(f"--writer: expected one of {', '.join(writers)}, found {name!r}")
    return writers[name]


def _only_format(subject: Subject) -> str:
    if len(subject.formats) != 1 or subject.formats[0] not in FORMATS:
        raise click.UsageError(f"--format: {subject.name} may write several; name one")
    return subject.formats[0]


def _run(
    subject: Subject,
    format: str,
    models: tuple[str, ...],
    sectors: tuple[str, ...],
    count: int,
    most: int,
    seed: int,
    slow: int,
) -> Run:
    sizes = [int(size) for size in sectors] or [SECTORS[0]]
    with progress_bar("recording") as bar:
        return run(subject, format, models, sizes, count, most, seed, bar.show, slow / 1000)


def _show(done: Run, format: str) -> None:
    console = Console()
    operations = len(done.trace.operations)
    say(f"writer   {done.hello['name']} {done.hello['version']}, {format}")
    say(
        f"trace    {counted(operations, 'operation')}, {counted(done.trace.syncs, 'sync')},"
        f" {counted(len(done.records), 'record')} acknowledged"
    )
    table = Table(box=None, pad_edge=False)
    for title in ("model", "sector", "states", "violations", "notes"):
        table.add_column(title, justify="left" if title == "model" else "right")
    for each in done.results:
        number = f"{each.judgement.states:,}{'' if each.complete else ' sampled'}"
        wrong, notes = each.judgement.violations(), each.judgement.notes()
        table.add_row(
            each.model,
            str(each.sector),
            number,
            Text(str(len(wrong)), "red" if wrong else "green"),
            str(len(notes)),
        )
    console.print(table)
    for result in done.results:
        for finding in [*result.judgement.violations(), *result.judgement.notes()]:
            _show_finding(result, finding, console)


def _show_live(watched: Watched, format: str) -> None:
    say(f"writer   {watched.hello['name']} {watched.hello['version']}, {format}")
    say(
        f"moments  {counted(watched.judgement.states, 'moment')}, {watched.torn:,} of them inside"
        f" of a write, {counted(watched.trace.acknowledged, 'record')}"
    )
    for each in watched.judgement.findings.values():
        say("")
        say(f"{each.what}  {each.who}, at {counted(each.count, 'moment')}", style="red")
        say(
            f"  moment   operation {each.state.after - 1}"
            f"{''.join(f', {part}' for part in each.state.missing)},"
            f" {counted(each.state.acknowledged, 'record')} acknowledged"
        )
        if each.found is not None:
            say(f"  found    {counted(len(each.found), 'record')}")
        if each.detail:
            say(f"  said     {printable(each.detail)}")
    if not watched.judgement.findings:
        say("No reader went wrong.")


def _show_finding(result: Result, finding: Finding, console: Console) -> None:
    wrong = finding in result.judgement.violations()
    console.print()
    head = Text(finding.what, "red" if wrong else "yellow")
    of = f"{finding.count:,} of {result.judgement.states:,} states"
    say_text(head.append(f"  {result.model} {result.sector}, {of}", "dim"), console)
    state = finding.state
    say_lines(f"  who      {printable(finding.who)}")
    say(
        f"  state    after operation {state.after - 1},"
        f" {counted(state.acknowledged, 'record')} acknowledged"
    )
    for each in state.missing[:MAX_SHOWN_PARTS]:
        say(f"           {each}")
    if len(state.missing) > MAX_SHOWN_PARTS:
        say(f"           and {len(state.missing) - MAX_SHOWN_PARTS} more")
    if finding.found is not None:
        say(f"  found    {counted(len(finding.found), 'record')}")
    if finding.detail:
        say(f"  said     {printable(finding.detail)}")


def _save(done: Run, format: str, out: Path) -> None:
    """A folder for each finding: the files of its plainest state, and ``state.json``."""
    with temporary_sibling(out) as unfinished:
        with named_in_errors(out):
            unfinished.mkdir(parents=True)
        _save_findings(done, format, unfinished)
        publish(unfinished, out)


def _save_findings(done: Run, format: str, out: Path) -> None:
    number = 0
    for result in done.results:
        for finding in [*result.judgement.violations(), *result.judgement.notes()]:
            number += 1
            folder = out / f"{number:02}-{result.model}-{finding.what.replace(' ', '-')}"
            build(finding.state, folder / "log")
            about = {
                "format": format,
                "writer": f"{done.hello['name']} {done.hello['version']}",
                "what": finding.what,
                "who": finding.who,
                "said": finding.detail or None,
                "model": result.model,
                "sector": result.sector,
                "states": finding.count,
                "of": result.judgement.states,
                "operations": _operations(done, finding),
                "acknowledged": finding.state.acknowledged,
                "missing": list(finding.state.missing),
                "written": [payload_text(each.payload) for each in done.records],
                "found": finding.found,
            }
            save(folder / "state.json", json_text(about, 1) + "\n", sync=False)


def _operations(done: Run, finding: Finding) -> list[str]:
    """Return the operations of the writer before the crash, a line for each."""
    return [str(each)[:200] for each in done.trace.operations[: finding.state.after]]
