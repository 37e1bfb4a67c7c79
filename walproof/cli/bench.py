"""``walproof bench``: speed, compared with a named peer in the same run."""

from __future__ import annotations

import os
from pathlib import Path

import click
from rich.console import Console

from conformance import REPORTS, saving
from conformance.sandbox import isolation as isolation_here
from conformance.vectors import Vector, load_all
from walproof.cli import subjects
from walproof.cli.output import say
from walproof.cli.setup import in_ci
from walproof.cli.stopping import stoppable

PARTS = (
    "reading", "asking", "hostile", "carving", "holding", "commands", "curve", "auditing",
)  # fmt: skip
QUICK_SCALE = 100
QUICK_VECTORS = 8


@click.command()
@click.option("--quick", is_flag=True, help="Small logs, one round: shows that it runs.")
@click.option("--rounds", type=click.IntRange(1), help="Rounds through all contenders.  [5]")
@click.option(
    "--only",
    type=click.Choice(PARTS),
    help="Only the readers, the harness, hostile logs, carving, or what one waits for who holds a"
    " log; or every command on hostile logs, which takes an hour, or logs of up to --records, or"
    " audits with and without Spark, which take minutes: these three are not measured unless asked"
    " for.",
)
@click.option(
    "--records",
    type=click.IntRange(100_000),
    default=10_000_000,
    show_default=True,
    help="The most records of a curve; the first log has 100,000, each other ten times as many.",
)
@click.option(
    "--report",
    "path",
    type=click.Path(path_type=Path),
    default=REPORTS / "bench.json",
    show_default="reports/bench.json",
    help="Where the numbers go, as JSON.",
)
@subjects.isolation
@stoppable()
def bench(
    quick: bool, rounds: int | None, only: str | None, records: int, path: Path, isolated: bool
) -> int:
    """Measure readers (MB/s, records/s), the harness (cases/s), hostile logs, carving, commands.

    Every number is shown beside that of a peer, measured in the same run: a real implementation
    of the format, or the executable specification for the harness. Readers of this project are
    shown with their share of the limit too: a program that reads the same bytes, sums and copies
    them with the quickest code to be had, and does nothing else. How fast the harness is by
    itself, a reader that answers at once tells; its peer there is toml-test with its own decoder.
    Ratios can be compared between machines; the numbers cannot. Implementations run as under
    `check`, in a box, and the last lines say what isolated them; what a box costs lies before the
    time that a reader measures, and is part of the start that the harness measures. Hostile logs
    are read by the readers of this project alone, in processes like any other.

    \b
    walproof bench
    walproof bench --only reading --rounds 11
    walproof bench --only hostile
    walproof bench --only carving
    walproof bench --only curve --records 100000000
    walproof bench --only auditing --rounds 3

    Exit status: 0; 1 for a usage or I/O error, or, with CI=true, if a contender is missing.
    """
    from walproof.bench import (
        asking,
        auditing,
        bytecode,
        carving,
        curve,
        curve_plot,
        holding,
        hostile,
        limit,
        reading,
        report,
    )
    from walproof.bench.contenders import contenders
    from walproof.bench.workloads import WORKLOADS

    rounds = rounds or (1 if quick else 5)
    first = {one.format: one for one in reversed(WORKLOADS)}
    workloads = [one.smaller(QUICK_SCALE) for one in first.values()] if quick else WORKLOADS
    vectors = list(load_all().values())
    if quick:
        vectors = _some_of_each_format(vectors)
    with bytecode.kept(), Console(stderr=True).status("measuring") as status:
        read = [] if only not in (None, "reading") else reading.measure(
            contenders(), workloads, rounds, status.update, isolated, limit.contender_of
        )  # fmt: skip
        asked = [] if only not in (None, "asking") else asking.measure(
            vectors, rounds, status.update, isolated
        )  # fmt: skip
        grown = [] if only not in (None, "hostile") else hostile.measure(
            *((hostile.first_of_each_format(), hostile.QUICK) if quick
              else (list(hostile.logs()), hostile.SIZES)), status.update
        )  # fmt: skip
        carved = [] if only not in (None, "carving") else carving.measure(
            carving.QUICK if quick else carving.SIZE, rounds, status.update
        )  # fmt: skip
        held_logs = [] if only not in (None, "holding") else holding.measure(
            [one.smaller(QUICK_SCALE) if quick else one for one in holding.workloads()],
            rounds, status.update,
        )  # fmt: skip
        tried = [] if only != "commands" else hostile.measure_commands(
            list(hostile.logs()), hostile.COMMAND_SIZES[: 1 if quick else 2], status.update
        )  # fmt: skip
        curves = [] if only != "curve" else curve.measure(
            curve.QUICK if quick else curve.counts_to(records), status.update
        )  # fmt: skip
        audited = [] if only != "auditing" else auditing.measure(
            auditing.QUICK if quick else auditing.LAKES, rounds, status.update
        )  # fmt: skip
    held = isolation_here(isolated) if read or asked else None
    made = report.build(read, asked, rounds, quick, grown, held, carved, tried, held_logs, curves,
                        audited)  # fmt: skip
    report.save(made, path)
    report.show(made, Console())
    if curves:
        saving.save(plot := path.with_suffix(".svg"), curve_plot.svg(curves))
        say(f"Plot: {os.path.relpath(plot)}")
    say(f"Raw numbers: {os.path.relpath(path)}")
    missing = any("unavailable" in row for row in [*read, *asked, *grown, *carved])
    return 1 if missing and in_ci() else 0


def _some_of_each_format(vectors: list[Vector]) -> list[Vector]:
    by_format: dict[str, list[Vector]] = {}
    for vector in vectors:
        by_format.setdefault(str(vector.body["format"]), []).append(vector)
    return [
        vector
        for of_one in by_format.values()
        for vector in of_one[:: max(1, len(of_one) // QUICK_VECTORS)]
    ]
