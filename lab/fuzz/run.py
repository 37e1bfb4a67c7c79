"""Runs the process that tries inputs, and starts it again when an input has ended it."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import psutil

from conformance.process import STDERR_MAX_BYTES, Limits, Process
from conformance.saving import save
from conformance.scratch import Held
from conformance.vectors import load_all
from lab.fuzz.findings import Findings
from lab.fuzz.inputs import MAX_INPUT_BYTES, Input, NotPacked, seeds, unpack
from lab.fuzz.judge import Fault
from lab.fuzz.mutator import HEAD_BYTES
from lab.fuzz.worker import GUIDED, LAST, PROGRESS, Settings

INPUT_SECONDS = 60
"""Wall-clock time for one input, where the machine has other work too; then it has hung."""

MEMORY_MIB = 3072
"""Memory of the whole process, with the engine's corpus."""

GRACE_SECONDS = 900.0
"""Time beyond the budget: to import, to compile, to make a last finding small."""

#: CPU time without any progress, so that a busy machine does not matter.
STUCK_SECONDS = 120.0

MAX_DEATHS = 10
"""Inputs that may end the process; then it is given up."""

_EXECUTED = re.compile(r"^stat::number_of_executed_units: +(\d+)", re.MULTILINE)
_REACHED = re.compile(r"\bcov: (\d+)")


@dataclass
class Outcome:
    """The result of a run."""

    format: str
    target: str
    engine: str
    inputs: int = 0
    void: int = 0
    processor_seconds: float = 0.0
    slowest_seconds: float = 0.0
    largest_bytes: int = 0
    coverage: int = 0
    corpus: int = 0
    deaths: int = 0
    findings: dict[str, int] = field(default_factory=dict)
    complaint: str = ""

    def take(self, progress: Mapping[str, Any]) -> None:
        """Add what a process has done."""
        self.inputs += progress["inputs"]
        self.void += progress["void"]
        self.processor_seconds += progress["processor_seconds"]
        self.slowest_seconds = max(self.slowest_seconds, progress["slowest_seconds"])
        self.largest_bytes = max(self.largest_bytes, progress["largest_bytes"])
        for signature, count in progress["findings"].items():
            self.findings[signature] = self.findings.get(signature, 0) + count

    def to_json(self) -> dict[str, Any]:
        """Return the result as ``summary.json`` has it."""
        return dict(vars(self))


def run(
    settings: Settings, corpus: Path, progress: Callable[[Outcome], None] = lambda outcome: None
) -> Outcome:
    """Try inputs until the budget is used up, and store those that reach new code in ``corpus``.

    Creates the directory ``settings.scratch``. ``progress`` is called about once a second.
    """
    outcome = Outcome(settings.format, settings.target, settings.engine)
    corpus.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    seconds, inputs, seed = settings.seconds, settings.inputs, settings.seed
    while True:
        held = Held()
        try:
            left = replace(
                settings, scratch=str(held.folder), seconds=seconds, inputs=inputs, seed=seed
            )
            ended = _run_process(left, corpus, outcome, progress)
        finally:
            held.close()
        seconds = max(0.0, settings.seconds - (time.monotonic() - started))
        inputs = max(0, settings.inputs - outcome.inputs)
        is_over = bool((settings.seconds and seconds < 1) or (settings.inputs and not inputs))
        if ended or is_over or outcome.complaint:
            break
        seed += 1
    outcome.corpus = sum(1 for _ in corpus.iterdir())
    return outcome


def _run_process(
    settings: Settings, corpus: Path, outcome: Outcome, progress: Callable[[Outcome], None]
) -> bool:
    """Run one process to its end; return whether no input ended it."""
    scratch = Path(settings.scratch)
    save(scratch / "settings.json", settings.to_json(), sync=False)
    seed_folder, artifacts = scratch / "seeds", scratch / "artifacts"
    seed_folder.mkdir()
    artifacts.mkdir()
    flags = []
    if settings.engine == GUIDED:
        for number, log in enumerate(seeds(load_all().values(), settings.format)):
            save(seed_folder / f"{number:05}", log.pack(), sync=False)
        flags = [*_flags(settings, artifacts), str(corpus), str(seed_folder)]
    command = [sys.executable, "-m", "lab.fuzz.worker", str(scratch / "settings.json"), *flags]
    limits = Limits(memory_bytes=2 * MEMORY_MIB << 20)
    process = Process(command, limits, stderr_bytes=STDERR_MAX_BYTES)
    watch = Watch(process, settings, outcome, progress)
    process.close_input()
    seconds = settings.seconds + GRACE_SECONDS if settings.seconds else float("inf")
    try:
        status, _ = process.await_exit(seconds, limits.output_bytes, watch.check)
    except Stuck:
        status = None
    finally:
        process.kill()
    text = process.stderr or ""
    done = _progress(scratch)
    if executed := _EXECUTED.search(text):
        done["inputs"] = int(executed[1])  # what was counted may be a second old
    outcome.coverage = max(outcome.coverage, *map(int, _REACHED.findall(text)), 0)
    outcome.take(done)
    if status == 0:
        return True
    return _enter_death(settings, status, text, outcome)


class Stuck(Exception):
    """The process makes no progress."""


class Watch:
    """Looks once a second at the progress of a process."""

    def __init__(
        self, process: Process, settings: Settings, outcome: Outcome,
        progress: Callable[[Outcome], None],
    ) -> None:  # fmt: skip
        self._process, self._outcome, self._progress = process, outcome, progress
        self._scratch = Path(settings.scratch)
        self._next = 0.0
        self._inputs, self._spent = -1, 0.0

    def check(self) -> None:
        """Report the progress. Raises :class:`Stuck`."""
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + 1
        done, spent = _progress(self._scratch), _processor_seconds(self._process.pid)
        if done["inputs"] != self._inputs:
            self._inputs, self._spent = done["inputs"], spent
        now = replace(self._outcome, findings=dict(self._outcome.findings))
        now.take(done)
        self._progress(now)
        if spent - self._spent > STUCK_SECONDS:
            raise Stuck


def _flags(settings: Settings, artifacts: Path) -> list[str]:
    flags = {
        "seed": settings.seed or 1,
        "max_len": MAX_INPUT_BYTES + HEAD_BYTES,
        "len_control": 0,
        "timeout": INPUT_SECONDS,
        "rss_limit_mb": MEMORY_MIB,
        "artifact_prefix": f"{artifacts}/",
        "print_final_stats": 1,
        "reload": 0,
    }
    if settings.inputs:
        flags["runs"] = settings.inputs
    if settings.seconds:
        flags["max_total_time"] = max(1, round(settings.seconds))
    return [f"-{name}={value}" for name, value in flags.items()]


def _processor_seconds(pid: int) -> float:
    """Return the CPU time of a process; 0 once it has ended."""
    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.Error:
        return 0.0
    return float(times.user + times.system)


def _progress(scratch: Path) -> dict[str, Any]:
    try:
        return dict(json.loads((scratch / PROGRESS).read_text("utf-8")))
    except (OSError, ValueError):
        return {
            "inputs": 0, "void": 0, "processor_seconds": 0.0, "slowest_seconds": 0.0,
            "largest_bytes": 0, "findings": {},
        }  # fmt: skip


def _enter_death(settings: Settings, status: int | None, text: str, outcome: Outcome) -> bool:
    """Record the input that crashed the process, and return whether the run should stop.

    ``status`` is None if the process had to be killed.
    """
    culprit = _culprit(Path(settings.scratch))
    outcome.deaths += 1
    if culprit is None or outcome.deaths > MAX_DEATHS:
        last = text.strip().splitlines()[-12:]
        outcome.complaint = f"the process ended with {status}: " + "\n".join(last)
        return True
    kind, log = culprit
    if status is None:
        kind = "timeout"
    line = next((line for line in text.splitlines() if "ERROR: " in line), f"status {status}")
    fault = Fault("process", kind, "", line.strip())
    findings = Findings(Path(settings.findings), settings.target)
    findings.add(fault, log)
    outcome.findings[fault.signature] = outcome.findings.get(fault.signature, 0) + 1
    return False


def _culprit(scratch: Path) -> tuple[str, Input] | None:
    """Return the input that was being tried, and how it ended the process."""
    for path in sorted((scratch / "artifacts").iterdir()):
        kind = path.name.partition("-")[0]
        try:
            return {"oom": "over-memory"}.get(kind, kind), unpack(path.read_bytes())
        except NotPacked:
            continue
    last = scratch / LAST
    if last.exists():
        data = last.read_bytes()
        length = int.from_bytes(data[:8], "little")
        try:
            return "crash", unpack(data[8 : 8 + length])
        except NotPacked:
            return None
    return None


def has_engine() -> bool:
    """Return whether the engine that coverage leads is installed."""
    return importlib.util.find_spec("atheris") is not None and os.name == "posix"
