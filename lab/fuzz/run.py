"""Runs the process that tries inputs, and starts it again when an input has ended it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import psutil

from conformance.process import Limits, kill_tree, prepare_child
from conformance.saving import save
from conformance.scratch import Held
from lab.fuzz.findings import Findings
from lab.fuzz.judge import Fault
from lab.fuzz.mutator import LARGEST
from lab.fuzz.packed import Input, NotPacked, unpack
from lab.fuzz.settings import GUIDED, LAST, PROGRESS, Settings

HANGS_AFTER = 60
"""Seconds on the clock for one input, where the machine has other work too; then it has hung."""

MEMORY_MIB = 3072
"""Of the whole process, the engine's corpus with it."""

GRACE = 900.0
"""Seconds beyond the budget, on the clock: to import, to compile, to make a last finding small."""

STUCK = 120.0
"""Processor seconds without any progress; a busy machine takes its time, this does not."""

DEATHS = 10
"""Inputs that may end the process; then it is given up."""

_EXECUTED = re.compile(r"^stat::number_of_executed_units: +(\d+)", re.MULTILINE)
_REACHED = re.compile(r"\bcov: (\d+)")


@dataclass
class Outcome:
    """What came of a run."""

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
        """Add what a process said of itself."""
        self.inputs += progress["inputs"]
        self.void += progress["void"]
        self.processor_seconds += progress["processor_seconds"]
        self.slowest_seconds = max(self.slowest_seconds, progress["slowest_seconds"])
        self.largest_bytes = max(self.largest_bytes, progress["largest_bytes"])
        for signature, count in progress["findings"].items():
            self.findings[signature] = self.findings.get(signature, 0) + count

    def to_json(self) -> dict[str, Any]:
        """As ``summary.json`` has it."""
        return dict(vars(self))


def run(
    settings: Settings, corpus: Path, told: Callable[[Outcome], None] = lambda outcome: None
) -> Outcome:
    """Try inputs until the budget is used up. What is worth keeping goes to the folder ``corpus``.

    ``settings.scratch`` is made here. ``told`` hears of it about once a second.
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
            ended = _one_process(left, corpus, outcome, told)
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


def _one_process(
    settings: Settings, corpus: Path, outcome: Outcome, told: Callable[[Outcome], None]
) -> bool:
    """Run one process to its end; True if it was its own, and not that of an input."""
    scratch = Path(settings.scratch)
    save(scratch / "settings.json", settings.to_json(), sync=False)
    begin, artifacts, errors = scratch / "seeds", scratch / "artifacts", scratch / "errors"
    begin.mkdir()
    artifacts.mkdir()
    flags = []
    if settings.engine == GUIDED:
        for number, one in enumerate(_seeds(settings.format)):
            save(begin / f"{number:05}", one.pack(), sync=False)
        flags = [*_flags(settings, artifacts), str(corpus), str(begin)]
    command = [sys.executable, "-m", "lab.fuzz.worker", str(scratch / "settings.json")]
    with errors.open("wb") as said:
        process = subprocess.Popen(
            [*command, *flags], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said,
            start_new_session=True, preexec_fn=lambda: prepare_child(Limits()),
        )  # fmt: skip
    try:
        timed_out = not _wait(process, settings, outcome, told)
    finally:
        kill_tree(process.pid)
        process.wait()
    text = errors.read_text("utf-8", "replace")
    progress = _progress(scratch)
    if executed := _EXECUTED.search(text):
        progress["inputs"] = int(executed[1])  # what was counted may be a second old
    outcome.coverage = max(outcome.coverage, *map(int, _REACHED.findall(text)), 0)
    outcome.take(progress)
    if process.returncode == 0 and not timed_out:
        return True
    return _died(settings, process.returncode, text, timed_out, outcome)


def _seeds(format: str) -> list[Input]:
    from conformance.vectors import load_all
    from lab.fuzz.seeds import seeds

    return seeds(load_all().values(), format)


def _flags(settings: Settings, artifacts: Path) -> list[str]:
    flags = {
        "seed": settings.seed or 1,
        "max_len": LARGEST + 4096,
        "len_control": 0,
        "timeout": HANGS_AFTER,
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


def _wait(
    process: subprocess.Popen[bytes],
    settings: Settings,
    outcome: Outcome,
    told: Callable[[Outcome], None],
) -> bool:
    """Wait for its end. False if it did not end by itself, long after it should."""
    scratch = Path(settings.scratch)
    deadline = time.monotonic() + settings.seconds + GRACE if settings.seconds else None
    before, then = -1, 0.0
    while True:
        try:
            process.wait(1.0)
        except subprocess.TimeoutExpired:
            pass
        else:
            return True
        progress, spent = _progress(scratch), _processor_seconds(process.pid)
        if progress["inputs"] != before:
            before, then = progress["inputs"], spent
        now = Outcome(**{**vars(outcome), "findings": dict(outcome.findings)})
        now.take(progress)
        told(now)
        late = deadline is not None and time.monotonic() > deadline
        if late or spent - then > STUCK:
            return False


def _processor_seconds(pid: int) -> float:
    """What a process has used; 0 once it has ended."""
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


def _died(settings: Settings, status: int, text: str, timed_out: bool, outcome: Outcome) -> bool:
    """Enter the input that ended the process. True if there is none, and no use in going on."""
    found = _culprit(Path(settings.scratch))
    outcome.deaths += 1
    if found is None or outcome.deaths > DEATHS:
        last = text.strip().splitlines()[-12:]
        outcome.complaint = f"the process ended with {status}: " + "\n".join(last)
        return True
    kind, one = found
    if timed_out:
        kind = "timeout"
    words = next((line for line in text.splitlines() if "ERROR: " in line), f"status {status}")
    fault = Fault("process", kind, "", words.strip())
    findings = Findings(Path(settings.findings), settings.target)
    findings.add(fault, one)
    outcome.findings[fault.signature] = outcome.findings.get(fault.signature, 0) + 1
    return False


def _culprit(scratch: Path) -> tuple[str, Input] | None:
    """The input that was being tried, and what became of the process by it."""
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
    """Whether the engine that coverage leads is installed."""
    import importlib.util

    return importlib.util.find_spec("atheris") is not None and os.name == "posix"
