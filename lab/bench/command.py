"""``python -m lab bench``: compare the speed of readers with a peer."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from conformance.sandbox import isolation, isolation_lines
from lab.bench import reading
from lab.bench.contenders import contenders
from lab.bench.format_bench import Size, bench_of, log_of
from lab.bench.reading import Measurement
from reference_impl.formats import FORMATS


@click.command()
@click.option("--rounds", type=click.IntRange(1), default=5, show_default=True,
              help="Rounds through all contenders.")  # fmt: skip
@click.option("--only", type=click.Choice(("reading", "commands", "spark", "audit")),
              default="reading",
              help="Measure readers, commands, Spark's source, or audits.  [reading]")  # fmt: skip
@click.option("--scale", type=click.FloatRange(0.01, 1), default=1.0, show_default=True,
              help="Share of the logs for --only commands and audit.")  # fmt: skip
@click.option("--against", metavar="DIR", type=click.Path(exists=True, path_type=Path),
              help="Another checkout, whose audit is measured in the same rounds.")  # fmt: skip
@click.option("--format", "formats", multiple=True, type=click.Choice(sorted(FORMATS)),
              help="Only readers of this format, or commands.")  # fmt: skip
def bench(
    rounds: int, only: str, scale: float, against: Path | None, formats: tuple[str, ...]
) -> int:
    """Measure readers: seconds, records/s, and the ratio to a peer.

    The peer is a real implementation of the format, measured in the same run. Only ratios can be
    compared between machines. Programs run isolated as in `walproof check`. The measured time does
    not include the start of a program.

    \b
    python -m lab bench
    python -m lab bench --format leveldb-log --rounds 11
    python -m lab bench --only commands --format leveldb-log --scale 0.1
    python -m lab bench --only spark
    python -m lab bench --only audit --scale 0.1

    Exit status: 0, or 1 for a usage or I/O error.
    """
    if only in ("spark", "audit") and formats:
        raise click.UsageError(f"--format is for readers and commands: it excludes --only {only}")
    if only == "commands":
        from lab.bench import commands

        commands.measure_all(rounds, scale, formats)
        return 0
    if only == "spark":
        from lab.bench import spark

        spark.measure_all()
        return 0
    if only == "audit":
        from lab.bench import audit

        audit.measure_all(rounds, scale, against and against.absolute())
        return 0
    console = Console()
    with Console(stderr=True).status("measuring") as status:
        for format_id in formats or FORMATS:
            for size in bench_of(format_id).logs:
                log, readers = log_of(format_id, size), contenders(format_id)
                rows = reading.measure(log, size, readers, rounds, status.update)
                show(size, rows, console)
    console.print(
        "ms: the median of all rounds, and the fastest pass. Page cache warm. × is how many times"
        " the peer's speed, taken within each round."
    )
    for line in isolation_lines(isolation(True)):
        console.print(line, highlight=False)
    return 0


def show(size: Size, rows: Sequence[Measurement], console: Console) -> None:
    """Print a table of the measured contenders, and the reason why any others were not measured."""
    table = Table(
        title=size.name, title_justify="left", box=None, pad_edge=False, header_style="dim"
    )
    table.add_column("")
    for column in ("ms", "fastest", "records/s", "log, GB/s", "×"):
        table.add_column(column, justify="right")
    for row in rows:
        if row.contender.unavailable is None:
            seconds = statistics.median(row.seconds)
            table.add_row(
                row.contender.name,
                f"{seconds * 1000:,.1f}",
                f"{row.fastest * 1000:,.1f}",
                f"{size.count / seconds:,.0f}",
                f"{row.log_bytes / seconds / 1e9:.2f}",
                "peer"
                if row.contender.is_peer
                else "–"
                if row.ratio is None
                else f"{row.ratio:.3g}",
            )
    console.print(table)
    for row in rows:
        if (why := row.contender.unavailable) is not None:
            console.print(f"{row.contender.name} was not measured: {why}", highlight=False)
