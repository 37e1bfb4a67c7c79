"""``python -m lab bench``: the speed of readers and of the harness, beside that of a peer."""

from __future__ import annotations

import os
from pathlib import Path

import click
from rich.console import Console

from conformance import REPORTS
from conformance.sandbox import isolation as isolation_here
from conformance.vectors import Vector, load_all
from walproof.cli import subjects
from walproof.cli.output import say
from walproof.cli.stopping import stoppable
from walproof.setup import in_ci

PARTS = ("reading", "harness", "spark")
DEFAULT_ROUNDS = 5
QUICK_SCALE = 100
QUICK_VECTORS = 8


@click.command()
@click.option("--quick", is_flag=True, help="Small logs, one round: shows that it runs.")
@click.option("--rounds", type=click.IntRange(1), help="Rounds through all contenders.  [5]")
@click.option("--only", type=click.Choice(PARTS),
              help="One part. Spark is measured only if it is named.")  # fmt: skip
@click.option("--report", "path", type=click.Path(path_type=Path), default=REPORTS / "bench.json",
              show_default="reports/bench.json", help="JSON file for the numbers.")  # fmt: skip
@subjects.isolation
@stoppable()
def bench(quick: bool, rounds: int | None, only: str | None, path: Path, isolated: bool) -> int:
    """Measure readers (MB/s, records/s) and the harness (cases/s).

    Every number is shown beside that of a peer, measured in the same run: a real implementation
    of the format, or toml-test for the harness. Readers of this project are shown with their share
    of the limit too: a program that reads the same bytes, computes the same checksums and copies
    the payloads, and does nothing else. Ratios can be compared between machines; the numbers
    cannot. Programs run isolated as under `walproof check`; this costs time at their start, which
    counts for the harness and not for readers.

    \b
    python -m lab bench
    python -m lab bench --only reading --rounds 11
    python -m lab bench --only spark

    Exit status: 0; 1 for a usage or I/O error, or, with CI=true, if a contender is missing.
    """
    from lab.bench import harness_throughput, limit, reading, report
    from lab.bench.contenders import contenders
    from lab.bench.workloads import WORKLOADS

    if only == "spark":
        from lab.bench import spark

        spark.measure_all()
        return 0
    rounds = rounds or (1 if quick else DEFAULT_ROUNDS)
    workloads = WORKLOADS
    vectors = list(load_all().values())
    if quick:
        first_of_format = {load.format: load for load in reversed(WORKLOADS)}
        workloads = tuple(load.smaller(QUICK_SCALE) for load in first_of_format.values())
        vectors = _some_of_each_format(vectors)
    readers: list[reading.Row] = []
    harness: list[reading.Row] = []
    with Console(stderr=True).status("measuring") as status:
        if only != "harness":
            readers = reading.measure(
                contenders(), workloads, rounds, status.update, isolated, limit.contender_of
            )
        if only != "reading":
            harness = harness_throughput.measure(vectors, rounds, status.update, isolated)
    built = report.build(readers, harness, rounds, quick, isolation_here(isolated))
    report.save(built, path)
    report.show(built, Console())
    say(f"Raw numbers: {os.path.relpath(path)}")
    missing = any("unavailable" in row for row in [*readers, *harness])
    return 1 if missing and in_ci() else 0


def _some_of_each_format(vectors: list[Vector]) -> list[Vector]:
    by_format: dict[str, list[Vector]] = {}
    for vector in vectors:
        by_format.setdefault(str(vector.body["format"]), []).append(vector)
    return [
        vector
        for of_format in by_format.values()
        for vector in of_format[:: max(1, len(of_format) // QUICK_VECTORS)]
    ]
