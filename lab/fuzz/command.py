"""``python -m lab fuzz``: random inputs, led by coverage."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.table import Table

from conformance import BUILD, REPORTS
from conformance.saving import save
from conformance.scratch import Held
from reference_impl.formats import FORMATS
from walproof.cli.output import say, say_lines
from walproof.cli.stopping import stoppable
from walproof.progress import progress_bar
from walproof.quantity import counted, in_bytes, number

if TYPE_CHECKING:
    from lab.fuzz.run import Outcome

IN_PYTHON = ("reference", "scanner", "second", "differential")
COMPILED = ("cpp", "go", "rust")
SECONDS = 60.0
"""Time for each format, if nothing else is chosen."""


@click.command()
@click.option("--format", "chosen", type=click.Choice([*FORMATS, "all"]), default="all",
              show_default=True, help="Format to fuzz.")  # fmt: skip
@click.option("--target", type=click.Choice([*IN_PYTHON, *COMPILED]), default="differential",
              show_default=True, help="Readers to fuzz. `differential` compares the first three;"
              " the last three are generated parsers.")  # fmt: skip
@click.option("--seconds", type=click.FloatRange(1), metavar="N",
              help="Time for each format.  [default: 60]")  # fmt: skip
@click.option("--inputs", type=click.IntRange(1), metavar="N", help="Inputs for each format.")
@click.option("--seed", type=click.IntRange(1), default=1, show_default=True,
              help="Another one tries other inputs.")  # fmt: skip
@click.option("--corpus", type=click.Path(file_okay=False, path_type=Path),
              default=BUILD / "fuzz" / "corpus", metavar="DIR",
              help="Inputs that reached something new; the next run begins with them.")  # fmt: skip
@click.option("--out", type=click.Path(file_okay=False, path_type=Path),
              default=REPORTS / "fuzz", metavar="DIR", show_default=True,
              help="Where findings and summary.json go.")  # fmt: skip
@click.option("--blind", is_flag=True, help="Without coverage: seeds, changed at random.")
@click.option("--repeat", type=click.Path(exists=True, dir_okay=False, path_type=Path),
              metavar="FILE", help="Try one input again, with every check.")  # fmt: skip
@click.option("--unpack", type=click.Path(path_type=Path), metavar="DIR",
              help="With --repeat: a new folder for the log of the input.")  # fmt: skip
@stoppable()
def fuzz(
    chosen: str,
    target: str,
    seconds: float | None,
    inputs: int | None,
    seed: int,
    corpus: Path,
    out: Path,
    blind: bool,
    repeat: Path | None,
    unpack: Path | None,
) -> int:
    """Fuzz readers; report exceptions, hangs, memory use, and disagreements.

    Fuzzing starts from the logs of the vectors. It changes fields and bytes, and corrects
    checksums; an input that reaches new lines of a reader is stored and changed further. The
    executable specification is checked against the invariants of the conventions, the scanner and
    the second reader against its answer. A reader may use two seconds of CPU time, and 64 MiB plus
    16 bytes for each byte of the input. Generated parsers are fuzzed by the fuzzer of their
    language, with libFuzzer for C++ (clang) and Rust.

    \b
    python -m lab fuzz --format leveldb-log --seconds 600
    python -m lab fuzz --target scanner --inputs 1000000 --seed 7
    python -m lab fuzz --target cpp --format kahadb-journal --seconds 3600
    python -m lab fuzz --repeat reports/fuzz/findings/leveldb-log/…/input.fuzz

    Each finding is a directory with a small input and the command that repeats it.

    Exit status: 0 if nothing was found, 3 if something was, 1 for a usage or I/O error.
    """
    if repeat is not None:
        return _repeat(repeat, target, unpack)
    if unpack is not None:
        raise click.UsageError("--unpack goes with --repeat")
    from lab.fuzz.run import has_engine, run
    from lab.fuzz.worker import BLIND, GUIDED, Settings

    if target in COMPILED:
        outcomes = _compiled(
            target, list(FORMATS) if chosen == "all" else [chosen],
            0.0 if inputs is not None and seconds is None else seconds or SECONDS, inputs or 0,
            seed, out, corpus,
        )  # fmt: skip
        return _report(out, outcomes)
    if not blind and not has_engine():
        raise click.ClickException(
            "needs atheris, which is not here: make fuzz installs it; or go --blind"
        )
    budget = 0.0 if inputs is not None and seconds is None else seconds or SECONDS
    outcomes = []
    for format_id in FORMATS if chosen == "all" else [chosen]:
        findings = out / "findings" / format_id
        settings = Settings(
            format_id, target, BLIND if blind else GUIDED, seed, budget, inputs or 0,
            str(findings.absolute()), "",
        )  # fmt: skip
        with progress_bar(format_id, inputs) as bar:

            def progress(now: Outcome, show: Callable[..., None] = bar.show) -> None:
                show(f"{now.format}: {counted(len(now.findings), 'finding')}", now.inputs)

            outcomes.append(run(settings, (corpus / format_id / target).absolute(), progress))
    return _report(out, outcomes)


def _compiled(
    target: str, formats: list[str], seconds: float, inputs: int, seed: int, out: Path, corpus: Path
) -> list[Any]:  # fmt: skip
    """Build the fuzzer of a language, and run it on the grammars of formats."""
    from conformance.vectors import load_all
    from lab.fuzz.compiled.languages import LANGUAGES, NotBuilt
    from lab.fuzz.compiled.run import built, run
    from lab.fuzz.inputs import seeds

    vectors = load_all().values()
    try:
        with progress_bar(f"building {target}"):
            folder = built(LANGUAGES[target])
    except NotBuilt as error:
        raise click.ClickException(f"{target}: {error}") from None
    outcomes = []
    for format_id in formats:
        findings = (out / "findings" / format_id).absolute()
        stored = (corpus / format_id / target).absolute()
        with progress_bar(f"{target}, {format_id}"):
            begin = seeds(vectors, format_id)
            outcomes.append(
                run(target, format_id, begin, seconds, inputs, seed, findings, stored, folder)
            )
    return outcomes


def _report(out: Path, outcomes: list[Any]) -> int:
    """Write and show the outcomes; return the exit status."""
    body = {"outcomes": [outcome.to_json() for outcome in outcomes]}
    out.mkdir(parents=True, exist_ok=True)
    save(out / "summary.json", json.dumps(body, indent=1, ensure_ascii=False) + "\n")
    _show(outcomes)
    _show_findings(out, outcomes)
    if any(outcome.complaint for outcome in outcomes):
        return 1
    return 3 if any(outcome.findings for outcome in outcomes) else 0


def _show(outcomes: list[Any]) -> None:
    table = Table(box=None, pad_edge=False)
    for title in ("format", "target", "inputs", "a second", "lines reached", "corpus", "slowest",
                  "memory", "findings"):  # fmt: skip
        table.add_column(title, justify="left" if title in ("format", "target") else "right")
    for each in outcomes:
        rate = each.inputs / each.processor_seconds if each.processor_seconds else 0
        table.add_row(
            each.format, each.target, number(each.inputs), number(round(rate)),
            number(each.coverage), number(each.corpus), f"{each.slowest_seconds:.2f} s",
            in_bytes(each.largest_bytes), str(len(each.findings)),
        )  # fmt: skip
    Console().print(table)


def _show_findings(out: Path, outcomes: list[Any]) -> None:
    from lab.fuzz.findings import saved_findings

    for outcome in outcomes:
        if outcome.complaint:
            say_lines(f"{outcome.format}: {outcome.complaint}", err=True)
        for finding in saved_findings(out / "findings" / outcome.format):
            if (count := outcome.findings.get(finding["signature"])) is None:
                continue
            say("")
            say(f"{finding['signature']}  {counted(count, 'input')}", style="red")
            say_lines(f"  {finding['text']}")
            say(f"  {finding['repeat']}")


def _repeat(path: Path, target: str, unpack: Path | None) -> int:
    """Try one input again."""
    from lab.fuzz.findings import write_log
    from lab.fuzz.inputs import NotPacked
    from lab.fuzz.inputs import unpack as unpack_input
    from lab.fuzz.judge import Judge

    try:
        log = unpack_input(path.read_bytes())
    except NotPacked as error:
        raise click.ClickException(f"{path}: {error}") from None
    if log.format not in FORMATS:
        raise click.ClickException(f"{path}: line 1: {log.format!r} is no format")
    if unpack is not None:
        if unpack.exists():
            raise click.UsageError(f"--unpack {unpack}: expected a path where nothing is")
        say(str(write_log(log, unpack)))
    held = Held()
    try:
        judge = Judge(log.format, target, held.folder, always=True)
        judge.faults(log)  # the first time, modules are imported and kernels compiled
        faults = judge.faults(log)
    finally:
        held.close()
    for fault in faults:
        say(fault.signature, style="red")
        say_lines(f"  {fault.text}")
    if not faults:
        say("No fault.")
    return 3 if faults else 0
