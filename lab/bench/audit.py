"""Measure whole audits: ``python -m lab bench --only audit``."""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import click
import psutil

from conformance import ROOT
from lab.bench.format_bench import Size, log_of
from reference_impl.answer import NewRecord
from reference_impl.formats import named
from walproof.log import Log
from walproof.scanners import scanner
from walproof.scanners.model import Wanted

FORMAT = "leveldb-log"
SAMPLE_SECONDS = 0.2
#: The lake has this many links to one 21.4 MB log, which makes 22.4 million records (2.4 GB).
LARGE_LOGS = 112
#: The lake has this many links to one log with a million 4 B records, which makes 10⁸ records.
DENSE_LOGS = 100
SMALL_LOGS = 100_000


@dataclass
class Run:
    """The wall-clock time of an audit, and the CPU time and peak memory of its processes.

    The keys of ``cpu_seconds`` are ``java`` and ``python``. ``peak_bytes`` is the peak memory of
    all processes together.
    """

    seconds: float = 0.0
    cpu_seconds: dict[str, float] = field(default_factory=dict)
    peak_bytes: int = 0


def audit(lake: Path, cores: int, checkout: Path = ROOT) -> Run:
    """Run and measure ``walproof audit`` from a checkout. Raises ``ClickException``."""
    run, ended = Run(), threading.Event()
    with tempfile.TemporaryDirectory() as folder:
        options = ["--out", f"{folder}/out", "--master", f"local[{cores},4]"]
        command = [sys.executable, "-m", "walproof", "audit", str(lake), *options]
        environment = {**os.environ, "PYTHONPATH": str(checkout)}
        started = time.perf_counter()
        process = psutil.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        watch = threading.Thread(target=_watch, args=(process, run, ended))
        watch.start()
        try:
            _, errors = process.communicate()
            run.seconds = time.perf_counter() - started
        finally:
            ended.set()
            watch.join()
            # If this program is interrupted, the JVM must not keep running.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    if process.returncode:
        text = errors.decode(errors="replace").strip()
        raise click.ClickException(f"{checkout}: the audit ended with {process.returncode}: {text}")
    return run


def _watch(parent: psutil.Process, run: Run, ended: threading.Event) -> None:
    cpu: dict[tuple[str, int], float] = {}
    while not ended.wait(SAMPLE_SECONDS):
        size = 0
        with suppress(psutil.Error):
            for process in [parent, *parent.children(recursive=True)]:
                with suppress(psutil.Error), process.oneshot():
                    kind = "java" if process.name() == "java" else "python"
                    times = process.cpu_times()
                    cpu[kind, process.pid] = times.user + times.system
                    # Forked workers share pages, so each shared page must count only once.
                    size += process.memory_full_info().pss
        run.peak_bytes = max(run.peak_bytes, size)
    for (kind, _), seconds in cpu.items():
        run.cpu_seconds[kind] = run.cpu_seconds.get(kind, 0.0) + seconds


def scan_seconds(lake: Path) -> float:
    """Return the CPU time that the scanner alone takes to read the logs without payloads."""
    started = time.process_time()
    for log in sorted(lake.iterdir()):
        events = scanner(FORMAT).scan(Log(FORMAT, log), Wanted(payload=False))
        with closing(cast(Any, events)):
            for _ in events:
                pass
    return time.process_time() - started


@contextmanager
def links(log: Path, count: int) -> Iterator[Path]:
    """Yield a folder of hard links to a log, created next to the log."""
    with tempfile.TemporaryDirectory(dir=log.parent) as folder:
        for number in range(count):
            os.link(log, Path(folder, f"{number:06}.log"))
        yield Path(folder)


@contextmanager
def small_logs(count: int) -> Iterator[Path]:
    """Yield a folder of ``count`` logs with three records each."""
    with tempfile.TemporaryDirectory() as folder:
        first = Path(folder, "000000.log")
        named(FORMAT).write(first, [NewRecord(bytes([n]) * 100) for n in range(3)], {})
        data = first.read_bytes()
        for number in range(1, count):
            Path(folder, f"{number:06}.log").write_bytes(data)
        yield Path(folder)


def measure_all(rounds: int, scale: float, against: Path | None) -> None:
    """Print a line for each measurement. ``scale`` is the fraction of the logs to use."""
    log = log_of(FORMAT, Size("100 B records", 200_000, 100))
    with links(log, round(LARGE_LOGS * scale)) as lake:
        megabytes = sum(each.stat().st_size for each in lake.iterdir()) / 1e6
        # The first audit is not measured, because it fills the page cache and compiles the kernels.
        audit(lake, 2)
        two, one, before = [], [], []
        for _ in range(rounds):
            two.append(audit(lake, 2))
            one.append(audit(lake, 1))
            if against is not None:
                before.append(audit(lake, 2, against))
        _say(f"{megabytes:.0f} MB, records of 100 B: {_seconds(two)} on two cores")
        _say(f"on one core: {_seconds(one)}, {_ratio(one, two):.2f} × as long")
        if before:
            _say(f"{against}: {_seconds(before)}; now {_ratio(two, before):.2f} × as long")
        java, python = (
            statistics.median(run.cpu_seconds.get(kind, 0.0) for run in two)
            for kind in ("java", "python")
        )
        scan = scan_seconds(lake)
        _say(f"CPU time: JVM {java:.1f} s, Python {python:.1f} s, of which scanning {scan:.1f} s")
    dense = log_of(FORMAT, Size("4 B records", 1_000_000, 4))
    for count in (round(DENSE_LOGS * scale / 10), round(DENSE_LOGS * scale)):
        with links(dense, count) as lake:
            run = audit(lake, 2)
        memory = f"{run.peak_bytes / 1e6:,.0f} MB"
        _say(f"{count},000,000 records of 4 B: {run.seconds:.0f} s, peak memory {memory}")
    count = round(SMALL_LOGS * scale)
    with small_logs(count) as lake:
        run = audit(lake, 2)
    _say(f"{count:,} logs of 3 records: {run.seconds:.0f} s")


def _say(line: str) -> None:
    print(line, flush=True)  # a run takes minutes


def _seconds(runs: list[Run]) -> str:
    return f"{statistics.median(run.seconds for run in runs):.1f} s"


def _ratio(runs: list[Run], others: list[Run]) -> float:
    """Compute the ratio of each round, and return the median."""
    pairs = zip(runs, others, strict=True)
    return statistics.median(run.seconds / other.seconds for run, other in pairs)
