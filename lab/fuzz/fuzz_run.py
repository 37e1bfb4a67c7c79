"""Run a fuzzer on a format. Each input that ends the fuzzer's process is a finding."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from conformance.kaitai.grammars import grammar_of, names_of
from conformance.process import STDERR_MAX_BYTES, Limits, Process
from conformance.saving import save
from conformance.scratch import Scratch
from lab.fuzz.engines import (
    INPUT_SECONDS,
    PARSERS,
    EngineRun,
    FuzzEngine,
    executed_inputs,
    repeat_command,
)
from lab.fuzz.findings import LOG, Findings
from lab.fuzz.inputs import Input, NotPacked, unpack
from lab.fuzz.judge import ReaderFault
from lab.fuzz.worker import PROGRESS

#: Time that a run may take beyond its budget to import modules, compile kernels and minimise the
#: last finding.
GRACE_SECONDS = 900.0
#: A run stops after this many inputs have ended the process.
MAX_DEATHS = 10
LIMITS = Limits(memory_bytes=8 << 30)
_REACHED = re.compile(r"\bcov: (\d+)")


@dataclass
class FuzzOutcome:
    """The result of a run. ``findings`` has signatures; ``complaint`` is an error of the fuzzer."""

    format: str
    target: str
    inputs: int = 0
    processor_seconds: float = 0.0
    slowest_seconds: float = 0.0
    largest_bytes: int = 0
    coverage: int = 0
    corpus: int = 0
    findings: list[str] = field(default_factory=list)
    complaint: str = ""

    def add(self, signatures: Iterable[str]) -> None:
        """Add findings that are not in the list yet."""
        self.findings = list(dict.fromkeys([*self.findings, *signatures]))


def fuzz_format(
    engine: FuzzEngine, folder: Path, outcome: FuzzOutcome, inputs: list[Input], budget: EngineRun
) -> FuzzOutcome:
    """Fuzz the readers or parsers of a format until the time is up.

    ``folder`` contains the built fuzzer.
    """
    is_compiled = outcome.target == PARSERS
    subjects = names_of(outcome.format) if is_compiled else [outcome.format]
    for subject in subjects:
        held = Scratch()
        try:
            for name in ("seeds", "artifacts"):
                (held.folder / name).mkdir()
            seeds = seeds_of(inputs, subject) if is_compiled else (log.pack() for log in inputs)
            for number, data in enumerate(seeds):
                save(held.folder / f"seeds/{number:05}", data, sync=False)
            corpus = budget.corpus / subject if is_compiled else budget.corpus
            corpus.mkdir(parents=True, exist_ok=True)
            seconds = max(1, round(budget.seconds / len(subjects)))
            run = replace(
                budget, subject=subject, scratch=held.folder, corpus=corpus, seconds=seconds
            )
            _run_subject(engine, folder, run, outcome)
        finally:
            held.close()
    outcome.corpus = sum(1 for path in budget.corpus.rglob("*") if path.is_file())
    return outcome


def seeds_of(inputs: Iterable[Input], grammar: str) -> Iterator[bytes]:
    """Yield each distinct file that a grammar parses."""
    files: dict[bytes, None] = {}
    for log in inputs:
        for name, data in log.files.items():
            if grammar_of(log.format, data[:4], name or log.name) == grammar:
                files.setdefault(data)
    yield from files


def _run_subject(engine: FuzzEngine, folder: Path, run: EngineRun, outcome: FuzzOutcome) -> None:
    """Run the fuzzer, and restart it after each input that ended its process."""
    deadline = time.monotonic() + run.seconds
    for _ in range(MAX_DEATHS):
        status, text = _run_process(engine, folder, run, outcome)
        if status == 0:
            return
        crashers = run.crashers()
        if not crashers:
            outcome.complaint = f"{run.subject}: ended with {status}: {text.strip()[-1500:]}"
            return
        for path in crashers:
            _enter(path, text, folder, run, outcome)
            path.unlink()
        seconds = round(deadline - time.monotonic())
        if seconds < 2:
            return
        run = replace(run, seconds=seconds)
    outcome.complaint = f"{run.subject}: given up after {MAX_DEATHS} crashes"


def _run_process(
    engine: FuzzEngine, folder: Path, run: EngineRun, outcome: FuzzOutcome
) -> tuple[int | None, str]:
    """Run the fuzzer once. Return its exit status, or None if it hung, and its output."""
    before = _children_seconds()
    process = Process(
        engine.command(folder, run), LIMITS, variables={"WALPROOF_GRAMMAR": run.subject},
        stderr_bytes=STDERR_MAX_BYTES,
    )  # fmt: skip
    process.close_input()
    seconds = run.seconds + GRACE_SECONDS + INPUT_SECONDS
    try:
        status, output = process.await_exit(seconds, LIMITS.output_bytes)
    finally:
        process.kill()
    text = output.decode("utf-8", "replace") + (process.stderr or "")
    progress = _progress(run.scratch)
    outcome.inputs += executed_inputs(text)
    outcome.processor_seconds += round(_children_seconds() - before, 2)
    outcome.slowest_seconds = max(outcome.slowest_seconds, progress.get("slowest_seconds", 0.0))
    largest = progress.get("largest_bytes", process.peak_bytes)
    outcome.largest_bytes = max(outcome.largest_bytes, largest)
    outcome.coverage = max(outcome.coverage, *map(int, _REACHED.findall(text)), 0)
    outcome.add(progress.get("findings", ()))
    return status, text


def _children_seconds() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _progress(scratch: Path) -> dict[str, Any]:
    try:
        return dict(json.loads((scratch / PROGRESS).read_text("utf-8")))
    except FileNotFoundError:
        return {}


def _enter(path: Path, text: str, folder: Path, run: EngineRun, outcome: FuzzOutcome) -> None:
    kind = path.name.partition("-")[0]
    kind = {"oom": "over-memory", "timeout": "timeout"}.get(kind, "crash")
    data, message, findings = path.read_bytes(), _last_error(text), Findings(run.findings)
    if outcome.target == PARSERS:
        fault = ReaderFault(f"parser of {run.subject}, {outcome.target}", kind, message, message)
        log = Input("", outcome.format, data, f"{run.subject}.bin")
        findings.add(
            fault,
            log,
            lambda saved: repeat_command(folder, run, saved / LOG / log.name),
        )
    else:
        try:
            log = unpack(data)
        except NotPacked as error:
            outcome.complaint = f"{path.name}: {error}"
            return
        fault = ReaderFault("process", kind, message, message)
        findings.add(fault, log)
    outcome.add([fault.signature])


def _last_error(text: str) -> str:
    marks = ("runtime error:", "ERROR: ", "panic:", "bytes allocated", "fatal error:")
    for line in text.splitlines():
        if any(mark in line for mark in marks):
            return re.sub(r"^==\d+== ?", "", line.strip()).partition(" 0x")[0]
    return "it ended"
