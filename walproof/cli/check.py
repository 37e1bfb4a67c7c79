"""``walproof check``: test whether implementations agree with the vectors."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from conformance import REPORTS, known_failures, run_report
from conformance.adapter_smoke import AdapterSmoke
from conformance.checked_program import CheckedProgram
from conformance.process import Limits
from conformance.reports import comparison, json_report, outputs, terminal, terminal_smoke
from conformance.reports.summary import by_cause, unexpected
from conformance.result_cache import ResultCache
from conformance.vector_cases import STRUCTURE, cases_of
from conformance.vectors import Selection, Vector, load, load_all
from reference_impl.formats import FORMATS
from walproof.cli.checkout import must_be_checkout
from walproof.cli.near_names import did_you_mean
from walproof.cli.output import say
from walproof.cli.program_options import chosen_subjects, foreign, isolation, words_of
from walproof.implementations import all_implementations
from walproof.progress import progress_bar
from walproof.setup import in_ci

MEMORY_MIB = 2048


@click.command()
@click.option("--cmd", "commands", multiple=True, metavar="COMMAND", help="Program to check.")
@click.option("--impl", "names", multiple=True, metavar="NAME",
              help="Implementation of this repository to check.")  # fmt: skip
@click.option("--vector", "patterns", multiple=True, metavar="GLOB",
              help="Vector id, slug or file.")  # fmt: skip
@click.option("--exclude", "excluded", multiple=True, metavar="GLOB",
              help="Vector id or slug to leave out.")  # fmt: skip
@click.option("--format", "formats", multiple=True, metavar="ID", help="Format of the vectors.")
@click.option("--requirement", "requirements", multiple=True, metavar="GLOB",
              help="Requirement id, such as LDB-028.")  # fmt: skip
@click.option("--kind", "kinds", multiple=True,
              type=click.Choice(["valid", "eof", "corrupt", "limit"]))  # fmt: skip
@click.option("--group", "groups", multiple=True, metavar="NAME", help="Group of vectors.")
@click.option("--profile", "profiles", multiple=True,
              type=click.Choice(["recover", "strict", "write", "append", STRUCTURE]))  # fmt: skip
@click.option("--one-shot", is_flag=True, help="One-shot form of COMMAND; detected if not given.")
@click.option("--jobs", default=os.cpu_count() or 2, show_default="processors",
              help="Number of parallel processes.")  # fmt: skip
@click.option("--memory", default=MEMORY_MIB, show_default=True, metavar="MIB",
              help="Memory limit of each process.")  # fmt: skip
@click.option("-o", "--out", "folder", metavar="DIR",
              type=click.Path(file_okay=False, path_type=Path),
              help="Folder for the reports.")  # fmt: skip
@click.option("--output-format", default="text", show_default=True, help="Form of the output.",
              type=click.Choice(["text", *outputs.OUTPUTS]))  # fmt: skip
@click.option("--again", is_flag=True, help="Run all implementations; ignore cached results.")
@click.option("--baseline", type=click.Path(exists=True, path_type=Path), metavar="REPORT",
              help="Earlier run to compare with: report.json or its folder.")  # fmt: skip
@click.option("--smoke", "is_smoke", is_flag=True,
              help="Test only the adapter of --cmd, step by step.")  # fmt: skip
@click.option("--seconds", default=10.0, show_default=True,
              help="With --smoke: time limit of hello and other slow steps.")  # fmt: skip
@click.option("--failures", default=5, show_default=True, help="Number of failure classes to show.")
@click.option("--known-failures", "listed", type=click.Path(path_type=Path, dir_okay=False),
              metavar="FILE", help="List of known failures of COMMAND.")  # fmt: skip
@click.option("--update-known", is_flag=True,
              help="Write the failures to the known-failures lists.")  # fmt: skip
@click.option("--cause", metavar="NAME", help="With --update-known: cause of the new failures.")
@click.option("--because", metavar="TEXT", help="Sentence that describes a new cause.")
@isolation
def check(
    commands: tuple[str, ...],
    names: tuple[str, ...],
    patterns: tuple[str, ...],
    excluded: tuple[str, ...],
    formats: tuple[str, ...],
    requirements: tuple[str, ...],
    kinds: tuple[str, ...],
    groups: tuple[str, ...],
    profiles: tuple[str, ...],
    one_shot: bool,
    jobs: int,
    memory: int,
    folder: Path | None,
    output_format: str,
    again: bool,
    baseline: Path | None,
    is_smoke: bool,
    seconds: float,
    failures: int,
    listed: Path | None,
    update_known: bool,
    cause: str | None,
    because: str | None,
    isolated: bool,
) -> int:
    """Run the vectors against implementations.

    COMMAND is any program that implements the protocol (conformance/README.md), or the one-shot
    form `COMMAND read FORMAT PATH [strict]`. It gets scratch copies of the logs and cannot see the
    expected answers. It runs in its own folder without network access; the last lines of the output
    list the isolation that was applied.

    \b
    walproof check --cmd './my-reader'
    walproof check --cmd './my-reader' --group torn-tail --failures 20
    walproof check --impl leveldb-cpp --requirement 'LDB-02*'

    --out writes report.html, report.json, junit.xml, summary.md and report.sarif to a folder.
    --output-format prints one of these reports. With --known-failures FILE, the failures that FILE
    lists are expected. --update-known writes this list.

    Results are cached. Later runs skip implementations that have not changed, and list them in the
    last lines. With --again or CI=true, all implementations run again.

    --baseline REPORT compares the results with those of an earlier run. A regression counts as an
    unexpected result.

    --smoke tests the adapter of --cmd step by step. For each fault, the output states whether the
    adapter or the implementation caused it.

    After Ctrl-C, the output contains the results so far, and no report is written.

    Exit status: 0 if all results are as expected, 3 if not, 1 for a usage error, 130 after Ctrl-C.
    """
    if is_smoke:
        if len(commands) != 1 or names:
            raise click.UsageError("--smoke requires --cmd")
        return _smoke(commands[0], formats, one_shot, seconds, isolated)
    if update_known and (listed is None or names):
        must_be_checkout("check --update-known", "writes the lists next to the adapters")
    if listed is not None and len(commands) != 1:
        raise click.UsageError("--known-failures requires --cmd")
    if listed is not None and not update_known and not listed.is_file():
        raise click.UsageError(f"--known-failures {listed}: no such file")
    console = Console()
    before = None if baseline is None else json_report.load(baseline)
    vectors = load_all()
    selection = Selection(
        _with_files(vectors, patterns), formats, requirements, kinds, groups, excluded
    )
    for option, value, known in selection.unmatched(vectors.values()):
        near = did_you_mean(value, known)
        raise click.UsageError(f"--{option} {value}: no vector has it{near}")
    chosen = selection.choose(vectors.values())
    is_all = len(chosen) == len(vectors)
    if not chosen:
        raise click.UsageError("the options exclude each other: no vector matches all of them")
    if STRUCTURE not in profiles and not cases_of(chosen, profiles):
        operations = sorted({vector.operation for vector in chosen})
        raise click.UsageError(
            f"--profile {' '.join(profiles)}: nothing to run: the chosen vectors are for"
            f" {' and '.join(operations)}"
        )
    read = {vector.body["format"] for vector in chosen}
    subjects = chosen_subjects(
        commands, names, one_shot, isolated, profiles, () if formats else read, read
    )
    if listed is not None:
        subjects[0].known = known_failures.load(listed)
    for subject in subjects:
        if memory != MEMORY_MIB:
            subject.repeat += f" --memory {memory}"
    _check_cause(subjects, update_known, cause, because)
    if all(each.formats for each in subjects):  # The condition is true for null baselines too.
        tested = {format for each in subjects for format in each.formats}
        chosen = [vector for vector in chosen if vector.body["format"] in tested] or chosen
    plan = run_report.RunPlan.of(subjects, vectors, chosen, profiles)
    of_all = is_all and not (profiles or commands or names)
    cached = of_all and isolated and not (again or update_known or in_ci())
    limits = Limits(memory_bytes=memory << 20)
    with progress_bar("running", plan.count()) as bar:
        report = run_report.run_plan(
            plan, jobs, limits, bar.advance, ResultCache(limits) if cached else None
        )
    folder = folder or REPORTS / ("check" if commands or names else "conformance")
    bad = unexpected(report)
    causes = by_cause(report, bad)
    is_text = output_format == "text"
    if report.get("interrupted"):
        if is_text:
            terminal.print_report(report, console)
            terminal.print_kinds(report, causes, failures, console)
        shown = " These are the results so far." if is_text else ""
        say(f"Interrupted.{shown} No report was written.", err=True)
        raise KeyboardInterrupt
    outputs.save(report, folder, vectors)
    if is_text:
        terminal.print_report(report, console, str(_shown(folder / "report.html")))
    else:
        click.echo(outputs.OUTPUTS[output_format](report), nl=False)
    regressions = 0
    if baseline is not None and before is not None:
        changes = comparison.compare_runs(before, report)
        regressions = len(changes.regressions)
        if is_text:
            say(f"Changes since {_shown(baseline)}:")
            terminal.print_diff(changes, console)
    if update_known:
        _update_known(report, subjects, cause, because, err=not is_text)
        return 0
    if is_text:
        terminal.print_kinds(report, causes, failures, console)
        if commands and not (bad or patterns or excluded or requirements or kinds or groups):
            _print_next_step(subjects, report)
    return 3 if bad or regressions or _not_run(report, bool(commands or names)) else 0


def _print_next_step(subjects: list[CheckedProgram], report: dict[str, Any]) -> None:
    """Print the sweep command for programs that passed, which tests damage beyond the vectors."""
    for subject, entry in zip(subjects, report["implementations"], strict=False):
        passed = [each["vector"] for each in entry["results"] if each["class"] == "pass"]
        for format in dict.fromkeys(report["vectors"][id]["format"] for id in passed):
            command = subject.repeat.replace(" check ", " sweep ", 1).replace(" --one-shot", "")
            say(f"Next, damage that no vector has: {command} --format {format} --cases 5000")


def _smoke(
    command: str, formats: tuple[str, ...], one_shot: bool, seconds: float, isolated: bool
) -> int:
    words = words_of(command)
    if unknown := [format for format in formats if format not in FORMATS]:
        raise click.UsageError(
            f"--format: expected one of {', '.join(FORMATS)}, found {unknown[0]!r}"
        )
    steps = AdapterSmoke(words, load_all(), formats or tuple(FORMATS), seconds, isolated)
    steps.run(one_shot)
    ask = foreign(command, one_shot, isolated).ask
    terminal_smoke.print_steps(steps, one_shot, ask, Console())
    return 3 if steps.wrong else 0


def _with_files(vectors: dict[str, Vector], patterns: tuple[str, ...]) -> list[str]:
    """Load vector files among the patterns into ``vectors``; replace their names by ids."""
    results = []
    for pattern in patterns:
        if pattern.endswith(".json") and Path(pattern).is_file():
            vector = load(Path(pattern))
            vectors[vector.id] = vector
            pattern = vector.id
        results.append(pattern)
    return results


def _check_cause(
    subjects: list[CheckedProgram], update_known: bool, cause: str | None, because: str | None
) -> None:
    """Reject invalid combinations of ``--cause`` and ``--because`` before anything runs."""
    if (cause or because) and not update_known:
        raise click.UsageError("--cause and --because require --update-known")
    if because is not None and (cause is None or not because.strip()):
        raise click.UsageError("--because requires --cause NAME and a text")
    if cause is None or because is not None:
        return
    lacking = [
        each.name
        for each in subjects
        if each.known.path is not None and not each.known.causes.get(cause)
    ]
    if lacking:
        raise click.UsageError(
            f"--cause {cause}: {' and '.join(lacking)} has no such cause;"
            " describe it with --because 'TEXT'"
        )


def _shown(path: Path) -> Path:
    folder = Path.cwd()
    return path.relative_to(folder) if path.is_relative_to(folder) else path


def _update_known(
    report: dict[str, Any],
    subjects: list[CheckedProgram],
    cause: str | None,
    because: str | None,
    err: bool,
) -> None:
    # The report lists the programs in the order of ``subjects``, followed by the baselines.
    for subject, entry in zip(subjects, report["implementations"], strict=False):
        if subject.known.path is None or entry["status"] != "ran":
            continue
        known = subject.known.updated(entry["results"], cause, because)
        known.save()
        say(
            f"{_shown(subject.known.path)}: {len(known.entries)} known failures,"
            f" {len(known.unexplained())} without a cause",
            err=err,
        )


def _not_run(report: dict[str, Any], asked_for: bool) -> bool:
    """Return whether an implementation that had to run did not run."""
    must_run = asked_for or in_ci()
    optional = (
        set() if asked_for else {each.name for each in all_implementations() if each.optional}
    )
    return any(
        entry["status"] == "broken"
        or (must_run and entry["status"] == "unavailable" and entry["name"] not in optional)
        or (
            must_run
            and (asked_for or entry["results"])
            and all(result["class"] == "skipped" for result in entry["results"])
        )
        for entry in report["implementations"]
    )
