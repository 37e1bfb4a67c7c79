"""``python -m lab bench``: the speed of readers and of the harness, beside that of a peer."""

from __future__ import annotations

import datetime
import json
import os
import platform
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance import REPORTS, __version__
from conformance.sandbox import isolation, isolation_lines
from conformance.saving import save
from conformance.vectors import load_all
from lab.bench import harness, reading
from lab.bench.contenders import contenders
from lab.bench.reading import Row
from lab.bench.workloads import WORKLOADS
from reference_impl.formats import FORMATS
from walproof.cli.output import say
from walproof.cli.stopping import stoppable
from walproof.quantity import counted

PARTS = ("reading", "harness", "spark")
DEFAULT_ROUNDS = 5
QUICK_SCALE = 100
QUICK_VECTOR_STEP = 60

Report = dict[str, Any]


@click.command()
@click.option("--quick", is_flag=True, help="Small logs, one round: shows that it runs.")
@click.option("--rounds", type=click.IntRange(1), help="Rounds through all contenders.  [5]")
@click.option("--only", type=click.Choice(PARTS),
              help="One part. Spark is measured only if it is named.")  # fmt: skip
@click.option("--format", "formats", multiple=True, type=click.Choice(sorted(FORMATS)),
              help="Only readers of this format.")  # fmt: skip
@click.option("--report", "path", type=click.Path(path_type=Path), default=REPORTS / "bench.json",
              show_default="reports/bench.json", help="JSON file for the numbers.")  # fmt: skip
@stoppable()
def bench(
    quick: bool, rounds: int | None, only: str | None, formats: tuple[str, ...], path: Path
) -> int:
    """Measure readers (MB/s, records/s) and the harness (cases/s).

    Every number is shown beside that of a peer, measured in the same run: a real implementation of
    the format, or toml-test for the harness. Ratios can be compared between machines; the numbers
    cannot. Programs run isolated as in `walproof check`. Isolation slows their start, which counts
    for the harness but not for readers.

    \b
    python -m lab bench
    python -m lab bench --only reading --rounds 11
    python -m lab bench --format leveldb-log
    python -m lab bench --only spark

    Exit status: 0, or 1 for a usage or I/O error.
    """
    if formats and only not in (None, "reading"):
        raise click.UsageError(f"--format measures readers: it excludes --only {only}")
    if only == "spark":
        from lab.bench import spark

        spark.measure_all()
        return 0
    rounds = rounds or (1 if quick else DEFAULT_ROUNDS)
    workloads = tuple(each for each in WORKLOADS if not formats or each.format in formats)
    vectors = list(load_all().values())
    if quick:
        first_of_format = {load.format: load for load in reversed(workloads)}
        workloads = tuple(load.smaller(QUICK_SCALE) for load in first_of_format.values())
        vectors = vectors[::QUICK_VECTOR_STEP]
    reader_rows: list[Row] = []
    harness_rows: list[Row] = []
    with Console(stderr=True).status("measuring") as status:
        if only != "harness":
            reader_rows = reading.measure(contenders(), workloads, rounds, status.update)
        if only != "reading" and not formats:
            harness_rows = harness.measure(vectors, rounds, status.update)
    report = build_report(reader_rows, harness_rows, rounds, quick)
    path.parent.mkdir(parents=True, exist_ok=True)
    save(path, json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    print_report(report, Console())
    say(f"Raw numbers: {os.path.relpath(path)}")
    return 0


def build_report(
    reader_rows: Sequence[Row], harness_rows: Sequence[Row], rounds: int, quick: bool
) -> Report:
    """Return the report of one run; ``seconds`` and ``seconds_per_case`` are raw and in order."""
    return {
        "bench_version": 3,
        "walproof": __version__,
        "finished": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "rounds": rounds,
        "quick": quick,
        "machine": {
            "processor": _processor(),
            "processors": os.cpu_count(),
            "system": f"{platform.system()} {platform.machine()}",
            "python": platform.python_version(),
        },
        "reading": list(reader_rows),
        "harness": list(harness_rows),
        "isolation": isolation(True),
    }


def _processor() -> str | None:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or None
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or None)


def print_report(report: Report, console: Console) -> None:
    """Print both tables, and what the numbers are worth."""
    if report["reading"]:
        columns = ["MB/s", "records/s", "log, GB/s of processor", "×"]
        console.print(_table("Reading", "reader", columns, report["reading"], _reading_cells))
    if report["harness"]:
        columns = ["cases", "cases/s", "×"]
        console.print(_table("Harness", "program", columns, report["harness"], _harness_cells))
    machine = report["machine"]
    console.print(
        f"Medians of {counted(report['rounds'], 'round')}, page cache warm;"
        f" × is how many times the peer's speed, taken within each round."
    )
    console.print(
        f"{machine['processor'] or 'unknown processor'}, {machine['processors']} processors,"
        f" {machine['system']}, Python {machine['python']}"
    )
    if report["quick"]:
        console.print("Quick: small logs, few rounds. The numbers show only that it runs.")
    for line in isolation_lines(report["isolation"]):
        console.print(line, highlight=False)


def _reading_cells(row: Row) -> tuple[str, ...]:
    rate = row["gb_of_log_per_second"]
    return (
        f"{row['mb_per_second']:,.1f}",
        f"{row['records_per_second']:,.0f}",
        "" if rate is None else f"{rate:.2f}",
    )


def _harness_cells(row: Row) -> tuple[str, ...]:
    return f"{row['cases']}", f"{row['cases_per_second']:,.0f}"


def _table(
    title: str,
    name: str,
    columns: Sequence[str],
    rows: Sequence[Row],
    cells: Callable[[Row], tuple[str, ...]],
) -> Table:
    """Return a table with a heading for each workload and a line for each contender."""
    table = Table(title=title, title_justify="left", box=None, header_style="dim")
    # The reason why a contender is not here is a long cell: it wraps, and the names stay whole.
    table.add_column(name, no_wrap=True)
    for column in columns:
        table.add_column(column, justify="right")
    workload = None
    for row in rows:
        if row["workload"] != workload:
            workload = row["workload"]
            table.add_section()
            table.add_row(Text(str(workload), style="bold"))
        label = f"  {row['contender']}"
        if row.get("share", 1) > 1:
            label += f" ({row['records']:,} records)"
        if "unavailable" in row:
            table.add_row(label, Text(f"not here: {row['unavailable']}"))
        else:
            table.add_row(label, *cells(row), _ratio(row))
    return table


def _ratio(row: Row) -> str:
    if row["peer"] == row["contender"]:
        return "peer"
    return "–" if row["ratio_to_peer"] is None else f"{row['ratio_to_peer']:g}"
