"""``walproof sweep``: every truncation, every bit flip, against any number of implementations."""

from __future__ import annotations

import json
import os
import shlex
import signal
import time
from collections.abc import Mapping, Sequence
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from conformance import REPORTS, known_failures
from conformance.registry import Implementation, Unavailable
from conformance.vectors import BrokenVector, Vector, load, load_all
from reference_impl.formats import FORMATS
from walproof.cli import stopping, subjects
from walproof.cli.output import say
from walproof.extras import advice
from walproof.spark.java import JavaMissing
from walproof.spark.quiet import DidNotStart
from walproof.sweep import controls, findings, job, plan, summary, terminal
from walproof.sweep.children import Limits
from walproof.sweep.known import Known
from walproof.sweep.local import ShardFailed
from walproof.sweep.minimise import minimise
from walproof.sweep.plan import Enumerations, Program
from walproof.sweep.programs import NoProgram, introduced, name_of, stamp
from walproof.sweep.proposals import Proposer
from walproof.sweep.settings import PROFILES, WRITING
from walproof.sweep.store import Store

CASES = {"quick": 200_000, "full": 20_000_000}
PROPOSED = 20
"""Findings that become vector proposals."""


@click.command()
@click.option("--format", "format", required=True, type=click.Choice(sorted(FORMATS)))
@click.option("--impl", "names", multiple=True, metavar="NAME",
              help="reference (always there), fast, or an implementation of ours.")  # fmt: skip
@click.option("--cmd", "commands", multiple=True, metavar="COMMAND", help="A program to ask.")
@click.option("--depth", type=click.Choice(["quick", "full"]), default="quick", show_default=True)
@click.option("--cases", type=click.IntRange(1), metavar="N",
              help="Cases in all, at most. [default: 200000, full: 20000000]")  # fmt: skip
@click.option("--seconds", type=click.FloatRange(0), metavar="S",
              help="Begin no shard after this time; the same command goes on later.")  # fmt: skip
@click.option("--control", "patterns", multiple=True, metavar="GLOB",
              help="Vectors to damage. [default: the small undamaged ones]")  # fmt: skip
@click.option("--profile", "profiles", multiple=True, type=click.Choice(PROFILES),
              help="Ask only in this profile. [default: all four]")  # fmt: skip
@click.option("--out", metavar="DIR", help="A folder, or a URI. [default: reports/sweep/FORMAT]")
@click.option("--fresh", is_flag=True, help="Begin again, whatever the folder holds.")
@click.option("--master", metavar="MASTER",
              help="Spark's master. [default: none, all cores of this machine without"
              " Spark, unless spark-submit knows better]")  # fmt: skip
@click.option("--seed", default=1, show_default=True, help="Another one gives other pairs.")
@click.option("--wall-ms", default=2000, show_default=True, help="For each request.")
@click.option("--memory", default=2048, show_default=True, metavar="MIB", help="For each program.")
@subjects.isolation
@click.option("--minimise", "minimise_seconds", default=20.0, show_default=True, metavar="S",
              help="Time for making findings smaller.")  # fmt: skip
@stopping.stoppable()
def sweep(
    format: str,
    names: tuple[str, ...],
    commands: tuple[str, ...],
    depth: str,
    cases: int | None,
    seconds: float | None,
    patterns: tuple[str, ...],
    profiles: tuple[str, ...],
    out: str | None,
    fresh: bool,
    master: str | None,
    seed: int,
    wall_ms: int,
    memory: int,
    isolated: bool,
    minimise_seconds: float,
) -> int:
    """Damage undamaged vectors in every way there is, and ask implementations about each result.

    After a full score of `walproof check` this shows whether it means conformance. Truncations,
    single damages, operations on the files of a folder, other contexts and pairs of damages have a
    share of `--cases` each; so have appends to damaged logs and writes of new ones, of records that
    a number stands for. The summary says how many of how many ran. The executable specification
    reads and writes each log and must keep the invariants; every other answer, and what every other
    writer leaves, is compared with its. `fast`, its twin, is asked too if it is named.

    \b
    walproof sweep --format zmq-raft --cmd './my-reader' --cases 200000
    walproof sweep --format leveldb-log --impl fast --impl leveldb-cpp
    walproof sweep --format leveldb-log --control three-records --depth full
    walproof sweep --format zeebe-journal --cmd './my-writer' --profile append --profile write
    walproof sweep --format leveldb-log --impl fast --master spark://host:7077 --out s3://bucket/x

    COMMAND is any program that speaks the protocol (conformance/README.md), or the one-shot form
    `COMMAND read FORMAT PATH [strict]`, which is slower and cannot be told a context. It is asked
    in the profile strict too if that word changes its answers. Programs run as under `check`: each
    in a folder of its own, without network, and the last lines say what isolated them.

    DIR/sweep holds what was swept; DIR/findings (Parquet), DIR/summary.json and DIR/proposals
    (vectors) hold what was found. A sweep that was stopped goes on where it was.

    Ctrl-C and SIGTERM stop it: the summary is of what was finished, and the same command goes on.

    Exit status: 0 if nothing was found except what looks like known failures, 3 if something else
    was, 1 for a usage or I/O error, 130 or 143 if it was stopped.
    """
    started = time.monotonic()
    console = Console()
    place = out or str(REPORTS / "sweep" / format)
    try:
        vectors = load_all()
        limits = Limits(wall_ms=wall_ms, memory=memory << 20)
        programs, ours, options = _programs(format, names, commands, limits, vectors, isolated)
        chosen = controls.choose(vectors, format, patterns, depth)
        made, enumerations = plan.make(
            format, chosen, depth, cases or CASES[depth], "fast" in names, programs, limits, seed,
            profiles=[one for one in PROFILES if one in profiles or not profiles],
        )  # fmt: skip
        if not made.shards:
            raise click.UsageError(f"--profile: nobody here takes {' or '.join(profiles)}")
        store = Store(place)
        todo = job.begin(made, store, fresh, replace=out is None)
        run = _run(enumerations, store, todo, master, seconds)
    except BrokenVector as error:
        raise click.ClickException(f"a vector of ours is broken: {error}") from None
    except (
        job.AnotherSweep,
        controls.NoControl,
        JavaMissing,
        DidNotStart,
        ShardFailed,
        OSError,
    ) as error:
        raise click.ClickException(str(error)) from None
    except ModuleNotFoundError as error:
        without = ", or leave --master out" if master else ""
        raise click.ClickException(f"this {advice(error) or error}{without}") from None
    if run["stopped_by"]:
        minimise_seconds = min(minimise_seconds, 3.0)
    told = _tell(enumerations, store, vectors, ours, options, run, minimise_seconds, started)
    terminal.show(told, console, place)
    if run["stopped_by"]:
        return 128 + signal.Signals[run["stopped_by"]]
    new = [finding for finding in told["findings"] if not finding["known"]]
    new += [about for about in told["implementations"].values() if about["fails_undamaged"]]
    return 3 if new else 0


def _programs(
    format: str,
    names: Sequence[str],
    commands: Sequence[str],
    limits: Limits,
    vectors: Mapping[str, Vector],
    isolated: bool,
) -> tuple[list[Program], dict[str, Implementation], dict[str, str]]:
    """The programs to ask, those that are our own implementations, and the option for each."""
    ours = {}
    programs: list[Program] = []
    options = {plan.FAST: "--impl fast-scan"}
    scanners = (plan.REFERENCE, plan.FAST)
    named = [name for name in names if name not in scanners]
    for implementation in subjects.implementations(named, scanners):
        name = implementation.name
        if format not in implementation.formats:
            raise click.UsageError(f"--impl: {name} does not read {format}")
        try:
            implementation.make()
        except Unavailable as error:
            raise click.ClickException(f"{name} is unavailable: {error}") from None
        bare = Program(
            name, tuple(implementation.command), version=implementation.stamp(), isolated=isolated,
            writes=tuple(map(str, [implementation.output, *implementation.writes])),
        )  # fmt: skip
        try:
            program, why = introduced(bare, format, limits)
        except NoProgram as error:
            raise click.UsageError(f"--impl: {error}") from None
        if why is not None:
            raise click.ClickException(f"{name}: hello: {why}")
        programs.append(program)
        ours[name] = implementation
        options[name] = f"--impl {name}{subjects.flag(isolated)}"
    for command in dict.fromkeys(commands):
        words = subjects.words_of(command)
        try:
            program, why = introduced(
                Program(
                    name_of(words, programs), tuple(words), version=stamp(words), isolated=isolated
                ),
                format,
                limits,
                vectors.values(),
            )
        except NoProgram as error:
            raise click.UsageError(f"--cmd: {error}") from None
        if why is not None:
            asked = " and ".join(program.profiles)
            say(
                f"{command}: no reply to hello ({why}); taken for one-shot, asked in {asked}",
                err=True,
            )
        programs.append(program)
        options[program.name] = f"--cmd {shlex.quote(command)}{' --one-shot' * program.one_shot}"
        options[program.name] += subjects.flag(isolated)
    return programs, ours, options


def _run(
    enumerations: Enumerations, store: Store, todo: Sequence[int], master: str | None,
    seconds: float | None,
) -> dict[str, Any]:  # fmt: skip
    """Run what is left, with a progress bar, until it is done or a signal comes."""
    made, done = enumerations.plan, 0
    started = time.monotonic()
    stopped_by = None
    with stopping.as_ctrl_c() as came, Progress(
        TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn(),
        console=Console(stderr=True), transient=True,
        auto_refresh=False,  # a thread of its own would be in the way of a fork
    ) as bar:  # fmt: skip
        task = bar.add_task("starting", total=len(todo))
        first = time.monotonic()

        def progress(markers: Sequence[Mapping[str, Any]]) -> None:
            nonlocal done
            done += sum(sum(marker["cases"].values()) for marker in markers)
            rate = done / max(0.001, time.monotonic() - first)
            words = f"{done:,} cases, {rate:,.0f}/s"
            bar.update(task, advance=len(markers), description=words, refresh=True)

        try:
            spent = job.run(made, store, todo, master, seconds, progress, enumerations)
        except KeyboardInterrupt:
            spent = time.monotonic() - started
            stopped_by = (came or [signal.SIGINT])[0].name
    return {
        "seconds": spent,
        "cases": done,
        "resumed": len(made.shards) - len(todo),
        "stopped_by": stopped_by,
    }


def _repeat(
    finding: findings.Finding,
    store: Store,
    vectors: Mapping[str, Vector],
    options: Mapping[str, str],
) -> str | None:
    """The command that runs the simplest case again; None where nothing that it needs is here."""
    signature, proposal = finding.signature, finding.proposal
    if proposal is None:  # no answer can be stated
        return None
    path = store.local(proposal) if proposal.endswith(".json") else vectors[proposal].path
    if path is None:
        return None
    program, profile = subjects.program_name(), f"--profile {signature.profile}"
    if signature.implementation == plan.REFERENCE and signature.profile in WRITING:
        format, _, slug = finding.best.control.partition("/")
        return f"{program} sweep --format {format} --control {slug} {profile}"
    if signature.implementation != plan.REFERENCE:
        named = proposal if proposal in vectors else shlex.quote(os.path.relpath(path))
        return f"{program} check {options[signature.implementation]} --vector {named} {profile}"
    vector = load(path)
    told = vector.body.get("context", {})
    items = (f"{key}={json.dumps(value)}" for key, value in told.items())
    context = "".join(f" --context {shlex.quote(item)}" for item in items)
    log = shlex.quote(os.path.relpath(vector.input))
    return f"{program} read --format {vector.body['format']} {profile}{context} {log}"


def _tell(
    enumerations: Enumerations, store: Store, vectors: Mapping[str, Vector],
    ours: Mapping[str, Implementation], options: Mapping[str, str],
    run: dict[str, Any], minimise_seconds: float, started: float,
) -> dict[str, Any]:  # fmt: skip
    """Merge, minimise, propose; write ``findings`` and the summary."""
    made = enumerations.plan
    markers = [store.marker(number) for number in sorted(store.done())]
    signatures = findings.merged(markers)
    failing = {signature.implementation for signature in signatures}
    try:
        known = {n: Known(one, vectors, made) for n, one in ours.items() if n in failing}
    except known_failures.BrokenList as error:
        raise click.ClickException(str(error)) from None
    found = findings.findings(signatures.values(), known)
    minimise(enumerations, found, minimise_seconds)
    proposer = Proposer(enumerations, vectors, store)
    for number, finding in enumerate(found):
        findings.describe(enumerations, finding)
        if number < PROPOSED:
            proposer.propose(finding)
            finding.repeat = _repeat(finding, store, vectors, options)
    store.write_table("findings/findings.parquet", findings.table(found))
    run["wall"] = time.monotonic() - started
    told = summary.summary(made, store, markers, found, run)
    store.write_json("summary.json", told)
    return told
