"""What somebody who holds a log waits for: the summary, and all records as JSON.

Whole commands, start included: processor time and the most memory that each held. Beside them, in
the same rounds, what one would type without Walproof, as the file of each format in ``formats/``
says. Where that can check a whole log, ``walproof verify`` is measured beside it on a small log and
a large one, and what of it is the check alone, which is most of it only on a large log.
"""

from __future__ import annotations

import functools
import json
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from conformance.process import Limits, Timeout, run_program
from walproof.bench import child
from walproof.bench.availability import why_no_scan
from walproof.bench.formats import bench_of
from walproof.bench.own import in_process
from walproof.bench.reading import Row, ratio
from walproof.bench.workloads import LARGE_WORKLOADS, WORKLOADS, Workload

SECONDS = 600
MEMORY_BYTES = 16 << 30
LOG = "LOG"
"""Stands for the path of the log in a command."""
_WALPROOF = (sys.executable, "-m", "walproof")
OWN = {
    "walproof LOG": (*_WALPROOF, "summary", LOG),
    "walproof read --jsonl LOG": (*_WALPROOF, "read", "--jsonl", LOG),
}
VERIFY = {"walproof verify LOG": (*_WALPROOF, "verify", LOG)}
ALONE = "its check alone, in a process that has begun"
VERIFIED = (10_000, 100_000)
"""Records of the logs that are verified."""
_PASSES = 5


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
        bench = bench_of(workload.format)
        others = {" ".join(one): one for one in bench.otherwise}
        rows += _measured(workload, "", OWN, others, rounds, progress)
        if not bench.verified_by:
            continue
        others = {" ".join(bench.verified_by): bench.verified_by}
        for count in dict.fromkeys(min(one, workload.count) for one in VERIFIED):
            smaller = replace(workload, count=count)
            rows += _measured(smaller, "verifying ", VERIFY, others, rounds, progress, True)
    return rows


def _measured(
    workload: Workload,
    doing: str,
    own_commands: Mapping[str, tuple[str, ...]],
    others: Mapping[str, tuple[str, ...]],
    rounds: int,
    progress: Callable[[str], None],
    alone: bool = False,
) -> Iterator[Row]:
    log = workload.log()
    missing = {
        name: f"{command[0]} not found"
        for name, command in others.items()
        if shutil.which(command[0]) is None
    }
    if alone and (why := why_no_scan()):
        missing[ALONE] = why
    there = {name: one for name, one in others.items() if name not in missing}
    commands = {**own_commands, **there}
    peer = next(iter(there), None)
    ways: dict[str, Callable[[], Mapping[str, float]]] = {
        name: functools.partial(run, command, log) for name, command in commands.items()
    }
    if alone and ALONE not in missing:
        ways[ALONE] = functools.partial(_check_alone, workload, log)
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    peaks: dict[str, list[int]] = {name: [] for name in ways}
    for measured in ways.values():
        measured()  # kernels are compiled, and the log is in memory
    for number in range(rounds):
        for name, measured in ways.items():
            progress(f"holding a log, round {number + 1} of {rounds}: {name}")
            said = measured()
            seconds[name].append(float(said["seconds"]))
            peaks[name].append(int(said["peak_bytes"]))
    records = f"{workload.count:,} records of {workload.size} B"
    about = {"workload": f"{workload.format}, {doing}{records}"}
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
    for name, why in missing.items():
        yield about | {"contender": name, "unavailable": why}


def _check_alone(workload: Workload, log: Path) -> Mapping[str, float]:
    """The median of a few checks in one process, and the most memory that it held."""
    command = in_process("soundness", workload.format)(log, _PASSES)
    done = _done(command)
    if done.returncode:
        raise OSError(f"soundness: it ended with {done.returncode}: {done.stderr[-500:]}")
    said = json.loads(done.stdout)
    return {
        "seconds": statistics.median(said["processor_seconds"]),
        "peak_bytes": said["peak_bytes"],
    }


def run(command: Sequence[str], log: Path) -> dict[str, float]:
    """What a command took on a log. Raises ``OSError`` for one that fails or takes too long."""
    words = [str(log) if word == LOG else word for word in command]
    launcher = [sys.executable, "-I", "-S", str(Path(child.__file__)), *words]
    done = _done(launcher)
    said: dict[str, float] = json.loads(done.stdout) if done.returncode == 0 else {"status": -1}
    if said["status"] != 0:
        raise OSError(f"{words[0]}: it ended with {said['status']:.0f}")
    return said


def _done(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """What a process said, of which nothing is left. Raises ``OSError`` if it does not end."""
    try:
        return run_program(command, SECONDS, limits=Limits(memory_bytes=MEMORY_BYTES))
    except Timeout:
        raise OSError(f"{command[0]}: no end within {SECONDS} s") from None
