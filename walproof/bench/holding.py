"""What somebody who holds a log waits for: the summary, and all records as JSON.

Whole commands, start included: processor time and the most memory that each held. Beside them, in
the same rounds, what one would type without Walproof, as the file of each format in ``formats/``
says.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from walproof.bench import child
from walproof.bench.formats import bench_of
from walproof.bench.reading import Row, ratio
from walproof.bench.workloads import LARGE_WORKLOADS, WORKLOADS, Workload

SECONDS = 600
LOG = "LOG"
"""Stands for the path of the log in a command."""
_WALPROOF = (sys.executable, "-c", "from walproof.cli import main; main()")
OWN = {
    "walproof LOG": (*_WALPROOF, "summary", LOG),
    "walproof read --jsonl LOG": (*_WALPROOF, "read", "--jsonl", LOG),
}


def workloads() -> Iterator[Workload]:
    """The log with the most records, of each format for which there is something else to type."""
    formats = dict.fromkeys(one.format for one in (*LARGE_WORKLOADS, *WORKLOADS))
    for format_id in formats:
        if bench_of(format_id).otherwise:
            own = [one for one in (*LARGE_WORKLOADS, *WORKLOADS) if one.format == format_id]
            yield max(own, key=lambda one: one.count)


def measure(
    logs: Sequence[Workload], rounds: int, progress: Callable[[str], None] = lambda _: None
) -> list[Row]:
    """A row for each command on each log; the peer is the first one that is not ours."""
    rows: list[Row] = []
    for workload in logs:
        progress(f"making a log of {workload.count:,} records")
        rows += _measured(workload, rounds, progress)
    return rows


def _measured(workload: Workload, rounds: int, progress: Callable[[str], None]) -> Iterator[Row]:
    log = workload.log()
    others = {" ".join(one): one for one in bench_of(workload.format).otherwise}
    missing = [name for name, command in others.items() if shutil.which(command[0]) is None]
    commands = OWN | {name: one for name, one in others.items() if name not in missing}
    peer = next((name for name in commands if name not in OWN), None)
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    peaks: dict[str, list[int]] = {name: [] for name in commands}
    for command in commands.values():
        run(command, log)  # kernels are compiled, and the log is in memory
    for number in range(rounds):
        for name, command in commands.items():
            progress(f"holding a log, round {number + 1} of {rounds}: {name}")
            said = run(command, log)
            seconds[name].append(float(said["seconds"]))
            peaks[name].append(int(said["peak_bytes"]))
    about = {"workload": f"{workload.format}, {workload.count:,} records of {workload.size} B"}
    size = log.stat().st_size
    for name, own in seconds.items():
        yield about | {
            "contender": name,
            "log_bytes": size,
            "seconds": [round(one, 6) for one in own],
            "mb_per_second": round(size / statistics.median(own) / 1e6, 3),
            "peak_bytes": max(peaks[name]),
            "peer": peer,
            "ratio_to_peer": ratio(own, seconds[peer]) if peer else None,
        }
    for name in missing:
        yield about | {"contender": name, "unavailable": f"{others[name][0]} not found"}


def run(command: Sequence[str], log: Path) -> dict[str, float]:
    """What a command took on a log. Raises ``OSError`` for one that fails."""
    words = [str(log) if word == LOG else word for word in command]
    launcher = [sys.executable, "-I", "-S", str(Path(child.__file__)), *words]
    done = subprocess.run(launcher, capture_output=True, timeout=SECONDS, check=False)
    said: dict[str, float] = json.loads(done.stdout) if done.returncode == 0 else {"status": -1}
    if said["status"] != 0:
        raise OSError(f"{words[0]}: it ended with {said['status']:.0f}")
    return said
