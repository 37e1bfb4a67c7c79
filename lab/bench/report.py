"""What was measured: tables for people, JSON for machines."""

from __future__ import annotations

import datetime
import json
import os
import platform
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance import __version__, saving
from conformance.sandbox import Isolation, isolation_lines
from lab.bench.reading import Row
from walproof.quantity import counted

Report = dict[str, Any]


def build(
    reading: Sequence[Row],
    harness: Sequence[Row],
    rounds: int,
    quick: bool,
    isolation: Isolation | None = None,
) -> Report:
    """Return the report of one run; ``seconds`` and ``seconds_per_case`` are raw and in order."""
    return {
        "bench_version": 2,
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
        "reading": list(reading),
        "harness": list(harness),
        "isolation": isolation,
    }


def _processor() -> str | None:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or None
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or None)


def save(report: Report, path: Path) -> None:
    """Write the report as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    saving.save(path, json.dumps(report, indent=1, ensure_ascii=False) + "\n")


def show(report: Report, console: Console) -> None:
    """Print both tables, and what the numbers are worth."""
    if report["reading"]:
        console.print(_reading_table(report["reading"]))
    if report["harness"]:
        console.print(_harness_table(report["harness"]))
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
    for line in isolation_lines(report["isolation"]) if report["isolation"] else ():
        console.print(line, highlight=False)


def _reading_table(rows: Sequence[Row]) -> Table:
    def cells(row: Row) -> tuple[str, ...]:
        of_limit = row.get("of_limit")
        share = "" if of_limit is None else "limit" if of_limit == 1 else f"{of_limit:.0%}"
        of_log = row.get("gb_of_log_per_second")
        worked = "" if of_log is None else f"{of_log:.2f}"
        rates = f"{row['mb_per_second']:,.1f}", f"{row['records_per_second']:,.0f}"
        return *rates, worked, share

    table = _table(
        "Reading", "reader", "MB/s", "records/s", "log, GB/s of processor", "of the limit", "×"
    )
    # Why a contender is not here is a long cell: it wraps, and the names stay whole.
    table.columns[0].no_wrap = True
    return _filled(table, rows, cells)


def _harness_table(rows: Sequence[Row]) -> Table:
    def cells(row: Row) -> tuple[str, ...]:
        rate = f"{row['cases_per_second']:,.0f}"
        return f"{row['cases']}", rate, f"{row['start_seconds']:.2f} s"

    return _filled(
        _table("Harness", "implementation", "cases", "cases/s", "start", "×"), rows, cells
    )


def _filled(table: Table, rows: Sequence[Row], cells: Callable[[Row], tuple[str, ...]]) -> Table:
    """A heading for each workload, a line for each contender."""
    workload = None
    for row in rows:
        if row["workload"] != workload:
            workload = row["workload"]
            table.add_section()
            table.add_row(Text(str(workload), style="bold"))
        name = f"  {row['contender']}"
        if row.get("share", 1) > 1:
            name += f" ({row['records']:,} records)"
        if "unavailable" in row:
            table.add_row(name, Text(f"not here: {row['unavailable']}"))
        else:
            table.add_row(name, *cells(row), _ratio(row))
    return table


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", box=None, header_style="dim")
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number == 0 else "right")
    return table


def _ratio(row: Row) -> str:
    if row["peer"] == row["contender"]:
        return "peer"
    return "–" if row["ratio_to_peer"] is None else f"{row['ratio_to_peer']:g}"
