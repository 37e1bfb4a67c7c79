"""Measure how commands with text output scale: ``python -m lab bench --only commands``."""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

from rich.console import Console
from rich.table import Table

from lab.bench.format_bench import Size, bench_of, log_of
from reference_impl.formats import FORMATS

#: Record counts of the measured logs.
COUNTS = (10**5, 10**6, 10**7)
#: Commands of ``walproof`` to measure. The path of a log is appended to each.
OURS = ("summary", "read --jsonl", "read --json", "read", "inspect")


def measure_all(rounds: int, scale: float, formats: Sequence[str]) -> None:
    """Print a table for each format and each number in :data:`COUNTS`, multiplied by ``scale``.

    The time per record and the peak memory must not grow with the log.
    """
    console = Console()
    for format_id in formats or FORMATS:
        # A format without a bench does not say which record size to measure, so it gets no table.
        for record, count in product(bench_of(format_id).logs[:1], COUNTS):
            size = replace(record, count=round(scale * count))
            console.print(_table(format_id, size, rounds))


def _table(format_id: str, size: Size, rounds: int) -> Table:
    log = log_of(format_id, size)
    peer = bench_of(format_id).text_peer
    commands = {" ".join(peer): [*peer]} if shutil.which(peer[0]) else {}
    for each in OURS:
        commands[each] = [sys.executable, "-m", "walproof", *each.split()]
    runs: dict[str, list[tuple[float, int]]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            runs[name].append(cost([*command, str(log)]))
    seconds = {name: statistics.median(each for each, _ in of_one) for name, of_one in runs.items()}
    title = f"{format_id}: {size.count:,} × {size.size} B"
    table = Table(title=title, title_justify="left", box=None, header_style="dim")
    table.add_column("")
    for column in ("CPU, s", "µs/record", "peak, MB", "× of the peer"):
        table.add_column(column, justify="right")
    for name, of_one in runs.items():
        ratio = seconds[name] / seconds[" ".join(peer)] if " ".join(peer) in seconds else None
        table.add_row(
            name,
            f"{seconds[name]:.2f}",
            f"{seconds[name] / size.count * 1e6:.2f}",
            f"{max(peak for _, peak in of_one) / 1e6:.0f}",
            "–" if ratio is None else f"{ratio:.2f}",
        )
    return table


def cost(command: Sequence[str | Path]) -> tuple[float, int]:
    """Run a command, discard its output, and return its CPU seconds and peak memory.

    The memory is in bytes, and is never below that of an idle Python process. The exit status is
    not checked.
    """
    run = [sys.executable, "-S", "-c", _MEASURE, *map(str, command)]
    seconds, peak_bytes = json.loads(subprocess.run(run, check=True, stdout=subprocess.PIPE).stdout)
    return seconds, peak_bytes


#: Before ``exec``, a child process has as much memory as its parent, and the kernel counts that
#: memory towards the child's peak. The command is therefore started by a small process, not by this
#: one.
_MEASURE = """
import json, resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024]))
"""
