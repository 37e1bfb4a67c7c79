"""The damage sweep of ``walproof sweep``: choose, run, minimise, propose, report."""

from __future__ import annotations

import json
import os
import shlex
import signal
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from conformance import REPORTS, known_failures
from conformance.registry import Implementation, Unavailable
from conformance.vectors import BrokenVector, Vector, load, load_all
from walproof.cli import stopping, subjects
from walproof.cli.output import say
from walproof.sweep import controls, findings, plan, shard_pool, summary, terminal
from walproof.sweep.known import Known
from walproof.sweep.minimise import minimise
from walproof.sweep.plan import Enumerations, Plan
from walproof.sweep.programs import (
    FAST,
    REFERENCE,
    Limits,
    NoProgram,
    Program,
    introduced,
    name_of,
    stamp,
)
from walproof.sweep.proposals import Proposer
from walproof.sweep.settings import PROFILES, WRITING
from walproof.sweep.store import Store

CASES = {"quick": 200_000, "full": 20_000_000}
PROPOSED = 20
"""Findings that become vector proposals."""


def damage_sweep(
    format: str,
    patterns: Sequence[str],
    names: Sequence[str],
    commands: Sequence[str],
    depth: str,
    cases: int | None,
    seconds: float | None,
    profiles: Sequence[str],
    out: Path | None,
    fresh: bool,
    seed: int,
    wall_ms: int,
    memory: int,
    isolated: bool,
    minimise_seconds: float,
) -> int:
    """Run a sweep as the command line describes it; return the exit status."""
    started = time.monotonic()
    console = Console()
    folder = out or REPORTS / "sweep" / format
    try:
        vectors = load_all()
        limits = Limits(wall_ms=wall_ms, memory_bytes=memory << 20)
        programs, ours, options = _programs(format, names, commands, limits, vectors, isolated)
        chosen = controls.choose(vectors, format, patterns, depth)
        chosen_plan, enumerations = plan.make(
            format, chosen, depth, cases or CASES[depth], "fast" in names, programs, limits, seed,
            profiles=[profile for profile in PROFILES if profile in profiles or not profiles],
        )  # fmt: skip
        if not chosen_plan.shards:
            raise click.UsageError(f"--profile: nobody here takes {' or '.join(profiles)}")
        store = Store(folder)
        todo = shard_pool.begin(chosen_plan, store, fresh, replace=out is None)
        run = _run(chosen_plan, store, todo, seconds)
    except BrokenVector as error:
        raise click.ClickException(f"a vector of ours is broken: {error}") from None
    except (shard_pool.AnotherSweep, shard_pool.ShardFailed, controls.NoControl, OSError) as error:
        raise click.ClickException(str(error)) from None
    if run["stopped_by"]:
        minimise_seconds = min(minimise_seconds, 3.0)
    report = _report_of(enumerations, store, vectors, ours, options, run, minimise_seconds, started)
    terminal.show(report, console, str(folder))
    if run["stopped_by"]:
        return 128 + signal.Signals[run["stopped_by"]]
    new = [finding for finding in report["findings"] if not finding["known"]]
    new += [about for about in report["implementations"].values() if about["fails_undamaged"]]
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
    options = {FAST: "--impl fast-scan"}
    scanners = (REFERENCE, FAST)
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
        arguments = subjects.words_of(command)
        try:
            program, why = introduced(
                Program(
                    name_of(arguments, programs),
                    tuple(arguments),
                    version=stamp(arguments),
                    isolated=isolated,
                ),
                format,
                limits,
                vectors.values(),
            )
        except NoProgram as error:
            raise click.UsageError(f"--cmd: {error}") from None
        if why is not None:
            run_in = " and ".join(program.profiles)
            say(
                f"{command}: no reply to hello ({why}); taken for one-shot, asked in {run_in}",
                err=True,
            )
        programs.append(program)
        options[program.name] = f"--cmd {shlex.quote(command)}{' --one-shot' * program.one_shot}"
        options[program.name] += subjects.flag(isolated)
    return programs, ours, options


def _run(
    chosen_plan: Plan, store: Store, todo: Sequence[int], seconds: float | None
) -> dict[str, Any]:
    """Run what is left, with a progress bar, until it is done or a signal comes."""
    done = 0
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
            spent = shard_pool.run(chosen_plan, store, todo, seconds, progress)
        except KeyboardInterrupt:
            spent = time.monotonic() - started
            stopped_by = (came or [signal.SIGINT])[0].name
    return {
        "seconds": spent,
        "cases": done,
        "resumed": len(chosen_plan.shards) - len(todo),
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
    is_new = proposal.endswith(".json")
    path = store.folder / proposal if is_new else vectors[proposal].path
    program, profile = subjects.program_name(), f"--profile {signature.profile}"
    if signature.implementation == REFERENCE and signature.profile in WRITING:
        format, _, slug = finding.best.control.partition("/")
        return f"{program} sweep --format {format} --control {slug} {profile}"
    if signature.implementation != REFERENCE:
        named = shlex.quote(os.path.relpath(path)) if is_new else proposal
        return f"{program} check {options[signature.implementation]} --vector {named} {profile}"
    vector = load(path)
    context = vector.body.get("context", {})
    items = (f"{key}={json.dumps(value)}" for key, value in context.items())
    options_of_context = "".join(f" --context {shlex.quote(item)}" for item in items)
    log = shlex.quote(os.path.relpath(vector.input))
    return f"{program} read --format {vector.body['format']} {profile}{options_of_context} {log}"


def _report_of(
    enumerations: Enumerations, store: Store, vectors: Mapping[str, Vector],
    ours: Mapping[str, Implementation], options: Mapping[str, str],
    run: dict[str, Any], minimise_seconds: float, started: float,
) -> dict[str, Any]:  # fmt: skip
    """Merge, minimise, propose; write ``findings`` and the summary."""
    chosen_plan = enumerations.plan
    markers = [store.marker(number) for number in sorted(store.done())]
    signatures = findings.merged(markers)
    failing = {signature.implementation for signature in signatures}
    try:
        known = {
            n: Known(implementation, vectors, chosen_plan)
            for n, implementation in ours.items()
            if n in failing
        }
    except known_failures.BrokenList as error:
        raise click.ClickException(str(error)) from None
    all_findings = findings.findings(signatures.values(), known)
    minimise(enumerations, all_findings, minimise_seconds)
    proposer = Proposer(enumerations, vectors, store)
    for number, finding in enumerate(all_findings):
        findings.describe(enumerations, finding)
        if number < PROPOSED:
            proposer.propose(finding)
            finding.repeat = _repeat(finding, store, vectors, options)
    store.write_table("findings/findings.parquet", findings.table(all_findings))
    run["wall"] = time.monotonic() - started
    report = summary.summary(chosen_plan, store, markers, all_findings, run)
    store.write_json("summary.json", report)
    return report
