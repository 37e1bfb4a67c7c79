"""The damage sweep of ``walproof sweep``: choose, run, minimise, propose, report."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import click
from rich.console import Console

from conformance import REPORTS
from conformance.process import Limits
from conformance.saving import save
from conformance.session import PROGRAM_FAILURES
from conformance.vectors import Vector, load_all
from walproof.cli import stopping, subjects
from walproof.progress import progress_bar
from walproof.sweep import controls, findings, plan, report
from walproof.sweep.known import Known
from walproof.sweep.minimise import minimise
from walproof.sweep.plan import Enumerations, Plan
from walproof.sweep.programs import REFERENCE, NoProgram, Program, program_of
from walproof.sweep.proposals import Proposer
from walproof.sweep.result import Result
from walproof.sweep.settings import PROFILES
from walproof.sweep.shard_runner import run_shards
from walproof.worker_pool import WorkerDied

#: Largest number of findings that become vector proposals.
MAX_PROPOSALS = 20
HELLO_SECONDS = 10.0
SUMMARY = "summary.json"
#: Time limit for minimising findings.
MINIMISE_SECONDS = 20.0
#: Time limit for minimising findings after a stop.
SECONDS_AFTER_STOP = 3.0
#: The value of ``stopped_by`` after the death of a worker; other values are names of signals.
DEAD_WORKER = "a dead worker process"


def damage_sweep(
    format: str,
    patterns: Sequence[str],
    names: Sequence[str],
    commands: Sequence[str],
    cases: int,
    seconds: float | None,
    profiles: Sequence[str],
    out: Path | None,
    seed: int,
    wall_ms: int,
    memory: int,
    isolated: bool,
) -> int:
    """Run a sweep with the given options; return the exit status."""
    shown_out = out or REPORTS / "sweep" / format
    folder = shown_out.absolute()
    try:
        vectors = load_all()
        limits = Limits(memory_bytes=memory << 20)
        programs = _programs(format, names, commands, limits, profiles, isolated)
        chosen = controls.choose(vectors, format, patterns)
        chosen_plan, enumerations = plan.make(
            format, chosen, cases, programs, limits, wall_ms, seed,
            profiles=[profile for profile in PROFILES if profile in profiles or not profiles],
        )  # fmt: skip
        if not chosen_plan.shards:
            raise click.UsageError(f"--profile: no program supports {' or '.join(profiles)}")
        _require_replaceable(folder)
        folder.mkdir(parents=True, exist_ok=True)
        started = time.monotonic()
        results, stopped_by = _run(chosen_plan, seconds)
        run_seconds = time.monotonic() - started
    except controls.NoControl as error:
        raise click.ClickException(str(error)) from None
    result = Result()
    for number in sorted(results):
        result.add(results[number])
    minimise_seconds = MINIMISE_SECONDS if stopped_by is None else SECONDS_AFTER_STOP
    all_findings = _findings(enumerations, result, vectors, minimise_seconds)
    (folder / SUMMARY).unlink(missing_ok=True)
    shutil.rmtree(folder / "proposals", ignore_errors=True)
    proposer = Proposer(enumerations, vectors, folder)
    for finding in all_findings[:MAX_PROPOSALS]:
        proposer.propose(finding)
        finding.repeat = _repeat(finding, folder, chosen_plan)
    summary = report.summary(
        chosen_plan, result, all_findings, run_seconds,
        is_complete=len(results) == len(chosen_plan.shards),
        stopped_by=stopped_by,
    )  # fmt: skip
    save(folder / SUMMARY, json.dumps(summary, indent=1, ensure_ascii=False) + "\n")
    report.show(summary, Console(), str(shown_out))
    if stopped_by == DEAD_WORKER:
        raise click.ClickException("a worker process died; the results are of the finished part")
    if stopped_by is not None:
        return 128 + signal.Signals[stopped_by]
    is_new = any(finding.cause is None for finding in all_findings)
    return 3 if is_new or any(result.fails.values()) else 0


def _require_replaceable(folder: Path) -> None:
    """Raise an error if a folder holds anything but the results of an earlier sweep."""
    if not folder.exists() or not any(folder.iterdir()):
        return
    try:
        summary = json.loads((folder / SUMMARY).read_bytes())
    except (OSError, ValueError):
        summary = None
    if not (isinstance(summary, dict) and {"coverage", "findings"} <= summary.keys()):
        raise click.ClickException(
            f"{folder}: expected a new folder, or one with the results of a sweep"
        )


def _programs(
    format: str,
    names: Sequence[str],
    commands: Sequence[str],
    limits: Limits,
    profiles: Sequence[str],
    isolated: bool,
) -> list[Program]:
    if not names and not commands:
        return []
    programs: list[Program] = []
    for subject in subjects.chosen_subjects(commands, names, False, isolated, profiles, ()):
        option = "--cmd" if subject.named_by_hello else "--impl"
        if subject.formats and format not in subject.formats and "*" not in subject.formats:
            raise click.UsageError(f"{option}: {subject.name} does not read {format}")
        if subject.unavailable is not None:
            raise click.ClickException(f"{subject.name} is unavailable: {subject.unavailable}")
        try:
            at_first = replace(limits, start_seconds=HELLO_SECONDS)
            programs.append(program_of(subject, format, at_first, programs))
        except NoProgram as error:
            raise click.UsageError(f"{option}: {error}") from None
        except PROGRAM_FAILURES as error:
            raise click.ClickException(f"{subject.name}: hello: {error}") from None
    return programs


def _run(chosen_plan: Plan, seconds: float | None) -> tuple[dict[int, Result], str | None]:
    """Return the results of the finished shards, and the reason if the sweep was stopped."""
    done = 0
    started = time.monotonic()
    results: dict[int, Result] = {}
    with stopping.as_ctrl_c() as came, progress_bar("starting", len(chosen_plan.shards)) as bar:
        try:
            for number, result in run_shards(chosen_plan, seconds):
                results[number] = result
                done += result.cases
                rate = done / max(0.001, time.monotonic() - started)
                bar.advance(1, f"{done:,} cases, {rate:,.0f}/s")
        except KeyboardInterrupt:
            return results, (came or [signal.SIGINT])[0].name
        except WorkerDied:
            return results, DEAD_WORKER
    return results, None


def _findings(
    enumerations: Enumerations,
    result: Result,
    vectors: Mapping[str, Vector],
    minimise_seconds: float,
) -> list[findings.Finding]:
    chosen_plan = enumerations.plan
    failing = {signature.implementation for signature in result.occurrences}
    ours = [
        program.name
        for program in chosen_plan.programs
        if program.name in failing and not program.subject.named_by_hello
    ]
    known = {
        implementation.name: Known(implementation, vectors, chosen_plan)
        for implementation in subjects.implementations(ours)
    }
    all_findings = findings.findings(result.occurrences.values(), known)
    minimise(enumerations, all_findings, minimise_seconds)
    for finding in all_findings:
        findings.describe(enumerations, finding)
    return all_findings


def _repeat(finding: findings.Finding, folder: Path, plan: Plan) -> str | None:
    """Return the command that repeats the simplest case; None if no vector contains this case."""
    signature, proposal = finding.signature, finding.proposal
    if proposal is None or signature.implementation == REFERENCE:
        return None
    (program,) = [each for each in plan.programs if each.name == signature.implementation]
    is_new = proposal.endswith(".json")
    vector = shlex.quote(os.path.relpath(folder / proposal)) if is_new else proposal
    return f"{program.subject.repeat} --vector {vector} --profile {signature.profile}"
