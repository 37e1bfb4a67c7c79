"""What was measured: tables for people, JSON for machines."""

from __future__ import annotations

import datetime
import json
import os
import platform
import statistics
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance import __version__, saving
from conformance.sandbox import Isolation, isolation_lines
from walproof.bench.reading import Row
from walproof.quantity import counted, in_bytes

Report = dict[str, Any]


def build(
    reading: Sequence[Row],
    asking: Sequence[Row],
    rounds: int,
    quick: bool,
    hostile: Sequence[Row] = (),
    isolation: Isolation | None = None,
    carving: Sequence[Row] = (),
    commands: Sequence[Row] = (),
    holding: Sequence[Row] = (),
    curve: Sequence[Row] = (),
    auditing: Sequence[Row] = (),
) -> Report:
    """The report of one run; ``seconds`` and ``seconds_per_case`` in it are raw and in order."""
    return {
        "bench_version": 1,
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
        "asking": list(asking),
        "hostile": list(hostile),
        "commands": list(commands),
        "isolation": isolation,
        "carving": list(carving),
        "holding": list(holding),
        "curve": list(curve),
        "auditing": list(auditing),
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
    if report["asking"]:
        console.print(_asking_table(report["asking"]))
    if report["carving"]:
        console.print(_carving_table(report["carving"]))
    if report["holding"]:
        console.print(_holding_table(report["holding"]))
        console.print(
            "Whole commands, start included, but for the check alone: processor time, and the"
            " most memory."
        )
    if report["curve"]:
        console.print(_curve_table(report["curve"]))
        console.print(
            "Whole commands and what they start: processor time, and the most memory of a process."
        )
    if report["auditing"]:
        console.print(_auditing_table(report["auditing"]))
        console.print(
            "Whole audits. After the start: against the time of one processor, divided by all; the"
            " audit of one small log tells what the start is. Of all: how much of all processors is"
            " put to use after it, against one."
        )
    if report["hostile"]:
        console.print(_hostile_table(report["hostile"]))
        console.print(
            "Once each, processor time; memory beyond what the process held before. × is growth"
            " from n to 4n as a multiple of the file's: 1 is a straight line."
        )
    if report["commands"]:
        console.print(_commands_table(report["commands"]))
        console.print(
            "Memory beyond what the process held before; TOO MUCH is more than 16 times the file"
            " and 64 MiB."
        )
    machine = report["machine"]
    if any(report.get(key) for key in ("reading", "asking", "carving", "holding", "auditing")):
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


def _asking_table(rows: Sequence[Row]) -> Table:
    def cells(row: Row) -> tuple[str, ...]:
        rate = f"{row['cases_per_second']:,.0f}"
        return f"{row['cases']}", rate, f"{row['start_seconds']:.2f} s"

    return _filled(
        _table("Asking", "implementation", "cases", "cases/s", "start", "×"), rows, cells
    )


def _carving_table(rows: Sequence[Row]) -> Table:
    def cells(row: Row) -> tuple[str, ...]:
        start = row["start_seconds"]
        began = f"{statistics.median(start):.2f}" if start else ""
        return f"{row['mb_per_second']:,.0f}", began, f"{row['finds']:,}"

    return _filled(_table("Carving", "program", "MB/s", "start, s", "finds", "×"), rows, cells)


def _holding_table(rows: Sequence[Row]) -> Table:
    def cells(row: Row) -> tuple[str, ...]:
        spent = statistics.median(row["seconds"])
        shown = f"{spent:.2f}" if spent >= 0.1 else f"{spent:.4f}"
        return shown, f"{row['mb_per_second']:,.0f}", in_bytes(row["peak_bytes"])

    return _filled(_table("Holding a log", "command", "s", "MB/s", "memory", "×"), rows, cells)


def _auditing_table(rows: Sequence[Row]) -> Table:
    def cells(row: Row) -> tuple[str, ...]:
        wall, spent = (
            f"{statistics.median(row[key]):.2f} s" for key in ("wall_seconds", "seconds")
        )
        beyond, used = (
            "" if row[key] is None else f"{row[key]:g}"
            for key in ("beyond_start", "of_all_processors")
        )
        return in_bytes(row["bytes"]), wall, spent, beyond, used

    columns = ("audit", "size", "by the clock", "of processors", "after the start", "of all", "×")
    return _filled(_table("Auditing", *columns), rows, cells)


def _curve_table(rows: Sequence[Row]) -> Table:
    table = _table("Curves", "command", "records", "time", "by the clock", "memory", "", "")
    for row in rows:
        table.add_row(Text(f"{row['contender']}: {row['workload']}", style="bold"))
        for number, count in enumerate(row["records"]):
            table.add_row(
                "",
                f"{count:,}",
                f"{row['seconds'][number]:,.2f} s",
                f"{row['wall_seconds'][number]:,.2f} s",
                _megabytes(row["peak_bytes"][number]),
            )
        bent = Text("BENT", style="bold red"), Text("GROWS", style="bold red")
        told = ("straight", "flat")
        holds = (row["is_straight"], row["is_flat"])
        said = [good if ok else bad for good, bad, ok in zip(told, bent, holds, strict=True)]
        table.add_row("", "", "", "", "", *said)
    return table


def _hostile_table(rows: Sequence[Row]) -> Table:
    table = _table("Hostile logs", "log", "n", "n", "2n", "4n", "×", "n", "2n", "4n", "×", "")
    for column in (table.columns[0], table.columns[-1]):
        column.overflow = "fold"  # what is cut off could be the one that is bent
    format_id = None
    for row in rows:
        if row["format"] != format_id:
            format_id = row["format"]
            table.add_section()
            table.add_row(Text(str(format_id), style="bold"))
        name = f"  {row['log']}, {row['reader']}"
        if "unavailable" in row:
            table.add_row(name, Text(f"not here: {row['unavailable']}"))
            continue
        table.add_row(
            name,
            _megabytes(row["file_bytes"][0]),
            *(f"{seconds:.2f} s" for seconds in row["seconds"]),
            f"{row['time_ratio']:g}",
            *map(_megabytes, row["peak_bytes"]),
            f"{row['memory_ratio']:g}",
            "straight" if row["is_straight"] else Text("BENT", style="bold red"),
        )
    return table


def _commands_table(rows: Sequence[Row]) -> Table:
    table = _table("Commands on hostile logs", "log", "command", "file", "memory", "time", "")
    for row in rows:
        table.add_row(
            f"{row['format']}, {row['log']}",
            row["command"],
            _megabytes(row["file_bytes"][-1]),
            _megabytes(row["peak_bytes"][-1]),
            f"{row['seconds'][-1]:.2f} s",
            "" if row["is_within"] else Text("TOO MUCH", style="bold red"),
        )
    return table


def _megabytes(count: float) -> str:
    return f"{count / 1e6:,.1f} MB"


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
