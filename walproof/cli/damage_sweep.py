"""Run the damage sweep of ``walproof sweep``, minimise its findings, and report them."""

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
from typing import Any

import click
from rich.console import Console

from conformance import REPORTS
from conformance.process import Limits
from conformance.program_session import PROGRAM_FAILURES
from conformance.saving import save
from conformance.vectors import Vector, load_all
from reference_impl.formats import FORMATS
from walproof.cli import program_options, stopping
from walproof.cli.near_names import did_you_mean
from walproof.cli.output import say
from walproof.implementations import all_implementations
from walproof.progress import progress_bar
from walproof.sweep import controls, findings, plan, report
from walproof.sweep.enumeration import DAMAGES, ON_FILES
from walproof.sweep.histories import generate_controls
from walproof.sweep.plan import REFERENCE, NoProgram, SweepPlan, SweepProgram, program_of
from walproof.sweep.settings import PROFILES
from walproof.sweep.sweep_runner import SweepFinding, SweepResult, run_shards
from walproof.worker_pool import WorkerDied

#: Maximum number of findings to write as vectors.
MAX_VECTORS = 20
HELLO_SECONDS = 10.0
SUMMARY = "summary.json"
#: Maximum seconds for the search for a minimal finding, normally and after a stop.
MINIMISE_SECONDS, SECONDS_AFTER_STOP = 20.0, 3.0
#: ``stopped_by`` has this value if a worker died. Otherwise, it is the name of a signal.
DEAD_WORKER = "a dead worker process"


def damage_sweep(
    format: str,
    patterns: Sequence[str],
    logs: Sequence[Path],
    names: Sequence[str],
    commands: Sequence[str],
    cases: int,
    seconds: float | None,
    profiles: Sequence[str],
    damages: Sequence[str],
    dominance: bool,
    out: Path | None,
    seed: int,
    wall_ms: int,
    memory: int,
    isolated: bool,
    generated: int | None,
) -> int:
    """Run a sweep with the given options, and return the exit status."""
    shown_out = out or REPORTS / "sweep" / format
    folder = shown_out.absolute()
    profiles = ["recover"] if dominance else profiles
    try:
        vectors = load_all()
        limits = Limits(memory_bytes=memory << 20)
        is_default = dominance and not names and not commands
        if is_default:
            names = [each.name for each in all_implementations() if format in each.formats]
        programs = _programs(format, names, commands, limits, profiles, isolated, is_default)
        chosen = [controls.control_of_log(format, log, {}) for log in logs]
        if generated is not None:
            chosen += generate_controls(format, generated, seed)
        if patterns or not chosen:
            chosen += controls.choose(vectors, format, patterns)
    except controls.NoControl as error:
        slugs = [id.partition("/")[2] for id in vectors if id.startswith(f"{format}/")]
        near = did_you_mean(patterns[0].rpartition("/")[2], slugs) if patterns else ""
        raise click.ClickException(f"{error}{near}") from None
    sweep_plan = plan.make(
        format, chosen, cases, programs, limits, wall_ms, seed,
        [profile for profile in PROFILES if profile in profiles or not profiles],
        dominance, damages,
    )  # fmt: skip
    if not sweep_plan.shards and damages:
        near = did_you_mean(damages[0], (*DAMAGES, *ON_FILES))
        raise click.UsageError(f"--damage: these logs have no damage {' or '.join(damages)}{near}")
    if not sweep_plan.shards:
        raise click.UsageError(f"--profile: no program supports {' or '.join(profiles)}")
    _require_replaceable(folder)
    folder.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    results, stopped_by = _run(sweep_plan, seconds)
    run_seconds = time.monotonic() - started
    result = SweepResult()
    for number in sorted(results):
        result.add(results[number])
    all_findings = findings.ordered(result)
    limit = MINIMISE_SECONDS if stopped_by is None else SECONDS_AFTER_STOP
    findings.minimise(sweep_plan, all_findings, limit)
    (folder / SUMMARY).unlink(missing_ok=True)
    shutil.rmtree(folder / "vectors", ignore_errors=True)
    summary = report.summary(
        sweep_plan, result, _as_json(sweep_plan, all_findings, vectors, folder), run_seconds,
        is_complete=len(results) == len(sweep_plan.shards),
        stopped_by=stopped_by,
    )  # fmt: skip
    save(folder / SUMMARY, json.dumps(summary, indent=1, ensure_ascii=False) + "\n")
    report.show(summary, Console(), str(shown_out))
    if stopped_by == DEAD_WORKER:
        raise click.ClickException("a worker process died; the results are of the finished part")
    if stopped_by is not None:
        return 128 + signal.Signals[stopped_by]
    return 3 if all_findings or any(result.fails.values()) else 0


def _require_replaceable(folder: Path) -> None:
    """Raise an error if a folder contains anything but the results of an earlier sweep."""
    if not folder.exists() or not any(folder.iterdir()):
        return
    try:
        summary = json.loads((folder / SUMMARY).read_bytes())
    except (OSError, ValueError, RecursionError):
        summary = None
    if not (isinstance(summary, dict) and {"coverage", "findings"} <= summary.keys()):
        raise click.ClickException(
            f"{folder}: expected a new folder, or one with the results of a sweep"
        )


def format_of_programs(commands: Sequence[str], names: Sequence[str], isolated: bool) -> str:
    """Return the format that all programs read.

    Raises a usage error if they have no format, or more than one, in common.
    """
    if not names and not commands:
        raise click.UsageError("--format or a program that reads one format is required")
    subjects = program_options.chosen_subjects(commands, names, False, isolated, (), ())
    formats = set(FORMATS).intersection(*(each.formats or FORMATS for each in subjects))
    if len(formats) != 1:
        raise click.UsageError(
            f"--format: choose one of {', '.join(each for each in FORMATS if each in formats)}"
            if formats
            else "--format: no format is read by every program"
        )
    return formats.pop()


def _programs(
    format: str,
    names: Sequence[str],
    commands: Sequence[str],
    limits: Limits,
    profiles: Sequence[str],
    isolated: bool,
    may_be_unavailable: bool,
) -> list[SweepProgram]:
    if not names and not commands:
        return []
    programs: list[SweepProgram] = []
    for subject in program_options.chosen_subjects(commands, names, False, isolated, profiles, ()):
        option = "--cmd" if subject.named_by_hello else "--impl"
        if subject.formats and format not in subject.formats and "*" not in subject.formats:
            raise click.UsageError(f"{option}: {subject.name} does not read {format}")
        if subject.unavailable is not None and may_be_unavailable:
            say(f"without {subject.name}: {subject.unavailable}", err=True)
            continue
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


def _run(sweep_plan: SweepPlan, seconds: float | None) -> tuple[dict[int, SweepResult], str | None]:
    """Return the results of the finished shards and, if the sweep was stopped, the reason."""
    case_count = 0
    started = time.monotonic()
    results: dict[int, SweepResult] = {}
    with stopping.as_ctrl_c() as came, progress_bar("starting", len(sweep_plan.shards)) as bar:
        try:
            for number, result in run_shards(sweep_plan, seconds):
                results[number] = result
                case_count += result.cases
                rate = case_count / max(0.001, time.monotonic() - started)
                bar.advance(1, f"{case_count:,} cases, {rate:,.0f}/s")
        except KeyboardInterrupt:
            return results, (came or [signal.SIGINT])[0].name
        except WorkerDied:
            return results, DEAD_WORKER
    return results, None


def _as_json(
    sweep_plan: SweepPlan,
    all_findings: Sequence[SweepFinding],
    vectors: Mapping[str, Vector],
    folder: Path,
) -> list[dict[str, Any]]:
    """Return the findings as JSON; write the first :data:`MAX_VECTORS` of them as vectors."""
    writer = findings.VectorWriter(sweep_plan, vectors, folder)
    subject_of = {program.name: program.subject for program in sweep_plan.programs}
    texts = []
    for number, finding in enumerate(all_findings):
        vector = writer.write(finding) if number < MAX_VECTORS else None
        repeat = None
        if vector is not None and (name := finding.effect.implementation) != REFERENCE:
            path = shlex.quote(os.path.relpath(folder / vector))
            case = sweep_plan.controls[finding.case.control].settings[finding.case.setting]
            repeat = f"{subject_of[name].repeat} --vector {path} --profile {case.profile}"
        texts.append(report.as_json(sweep_plan, finding, vector, repeat))
    return texts
