"""``python -m lab fuzz``: run readers on random inputs, guided by coverage."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.table import Table

from conformance import BUILD, REPORTS
from conformance.scratch import Scratch
from reference_impl.formats import FORMATS
from walproof.cli.output import say, say_lines
from walproof.progress import progress_bar
from walproof.quantity import in_bytes, number

if TYPE_CHECKING:
    from lab.fuzz.fuzz_run import FuzzOutcome

#: Folder for inputs that reached new lines. Later runs start from these inputs, too.
CORPUS = BUILD / "fuzz" / "corpus"


@click.command()
@click.option("--format", "chosen", type=click.Choice([*FORMATS, "all"]), default="all",
              show_default=True, help="Format to fuzz.")  # fmt: skip
@click.option("--target", type=click.Choice(["differential", "cpp"]), default="differential",
              show_default=True, help="`differential` compares the readers of this project;"
              " `cpp` runs the generated parsers in C++.")  # fmt: skip
@click.option("--seconds", type=click.IntRange(1), default=60, show_default=True, metavar="N",
              help="Time for each format.")  # fmt: skip
@click.option("-o", "--out", type=click.Path(file_okay=False, path_type=Path),
              default=REPORTS / "fuzz", metavar="DIR", show_default=True,
              help="Folder for findings.")  # fmt: skip
@click.option("--repeat", type=click.Path(exists=True, dir_okay=False, path_type=Path),
              metavar="FILE", help="Input to run again, with every check.")  # fmt: skip
def fuzz(
    chosen: str,
    target: str,
    seconds: int,
    out: Path,
    repeat: Path | None,
) -> int:
    """Fuzz readers; report exceptions, hangs, memory use, and disagreements.

    Fuzzing starts from the logs of the vectors. It changes fields and bytes, and usually corrects
    the checksums. Inputs that reach new lines of a reader are stored and changed further. The
    executable specification must satisfy the invariants in the conventions, and the scanner and the
    second reader must return the same answers. For each input, a reader may use two seconds of CPU
    time, and 64 MiB of memory plus 16 bytes per byte of input. libFuzzer fuzzes the generated C++
    parsers with sanitizers (clang).

    \b
    python -m lab fuzz --format leveldb-log --seconds 600
    python -m lab fuzz --target cpp --format kahadb-journal --seconds 3600
    python -m lab fuzz --repeat reports/fuzz/findings/leveldb-log/…/input.fuzz

    Each finding is a directory with a small input, its log, and the command that repeats it.

    Exit status: 0 if nothing was found, 3 if something was, 1 for a usage or I/O error.
    """
    if repeat is not None:
        if target == "cpp":
            raise click.UsageError("--repeat runs readers in Python, and no parser in C++")
        return _repeat(repeat)
    from conformance.vectors import load_all
    from lab.fuzz import engines
    from lab.fuzz.fuzz_run import FuzzOutcome, fuzz_format
    from lab.fuzz.inputs import seeds

    if target == engines.READERS and importlib.util.find_spec("atheris") is None:
        raise click.ClickException("atheris is not installed; make fuzz installs it")
    engine = engines.ENGINES[target]
    try:
        with progress_bar(f"building {target}"):
            folder = engine.build(target)
    except engines.NotBuilt as error:
        raise click.ClickException(f"{target}: {error}") from None
    vectors = load_all().values()
    outcomes = []
    for format_id in FORMATS if chosen == "all" else [chosen]:
        run = engines.EngineRun(
            "", Path(), (CORPUS / format_id / target).absolute(),
            (out / "findings" / format_id).absolute(), seconds,
        )  # fmt: skip
        with progress_bar(f"{target}, {format_id}"):
            logs = seeds(vectors, format_id)
            outcomes.append(fuzz_format(engine, folder, FuzzOutcome(format_id, target), logs, run))
    _show(outcomes, out)
    if any(outcome.complaint for outcome in outcomes):
        return 1
    return 3 if any(outcome.findings for outcome in outcomes) else 0


def _show(outcomes: Sequence[FuzzOutcome], out: Path) -> None:
    from lab.fuzz.findings import saved_findings

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
    for each in outcomes:
        if each.complaint:
            say_lines(f"{each.format}: {each.complaint}", err=True)
        for finding in saved_findings(out / "findings" / each.format):
            if finding["signature"] in each.findings:
                say("")
                say(finding["signature"], style="red")
                say_lines(f"  {finding['text']}")
                say(f"  {finding['repeat']}")


def _repeat(path: Path) -> int:
    from lab.fuzz.inputs import NotPacked, unpack
    from lab.fuzz.judge import FuzzJudge

    try:
        log = unpack(path.read_bytes())
    except NotPacked as error:
        raise click.ClickException(f"{path}: {error}") from None
    if log.format not in FORMATS:
        raise click.ClickException(f"{path}: line 1: {log.format!r} is no format")
    held = Scratch()
    try:
        judge = FuzzJudge(log.format, held.folder)
        # The first run is not measured, because it imports modules and compiles kernels.
        judge.faults(log)
        faults = judge.faults(log)
    finally:
        held.close()
    for fault in faults:
        say(fault.signature, style="red")
        say_lines(f"  {fault.text}")
    if not faults:
        say("No fault.")
    return 3 if faults else 0
