"""Runs the fuzzer of a language on each grammar of a format, and keeps what ends it."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from conformance import BUILD
from conformance.kaitai.grammars import grammar_of, names_of
from conformance.process import STDERR_MAX_BYTES, Limits, Process
from conformance.saving import save
from conformance.scratch import Held
from lab.fuzz.compiled.languages import INPUT_SECONDS, LANGUAGES, Language, NotBuilt, Run
from lab.fuzz.findings import Findings
from lab.fuzz.inputs import Input
from lab.fuzz.judge import Fault
from lab.fuzz.run import MAX_DEATHS, Outcome

COMPILE_SECONDS = 600
"""Time before the first input: Go compiles first."""
LIMITS = Limits(memory_bytes=8 << 30)


def built(language: Language) -> Path:
    """Build the fuzzer of a language; return the folder. Raises :class:`NotBuilt`."""
    if language.missing:
        raise NotBuilt(f"needs {', '.join(language.missing)}")
    folder = BUILD / "fuzz" / language.id
    folder.mkdir(parents=True, exist_ok=True)
    language.make(folder)
    return folder


def seeds_of(inputs: Iterable[Input], grammar: str) -> Iterator[bytes]:
    """Yield the files that a grammar is for, each once."""
    files: dict[bytes, None] = {}
    for log in inputs:
        for name, data in log.files.items():
            if grammar_of(log.format, data[:4], name or log.name) == grammar:
                files.setdefault(data)
    yield from files


def run(
    target: str, format: str, inputs: list[Input], seconds: float, count: int, seed: int,
    findings: Path, corpus: Path, folder: Path,
) -> Outcome:  # fmt: skip
    """Fuzz the parsers of a format in a language, for so long or so many inputs in all."""
    language, outcome = LANGUAGES[target], Outcome(format, target, target)
    grammars = names_of(format)
    for grammar in grammars:
        held = Held()
        try:
            seeds, artifacts = held.folder / "seeds", held.folder / "artifacts"
            seeds.mkdir()
            artifacts.mkdir()
            for number, data in enumerate(seeds_of(inputs, grammar)):
                save(seeds / f"{number:05}", data, sync=False)
            stored = corpus / grammar
            stored.mkdir(parents=True, exist_ok=True)
            share = round(seconds / len(grammars)), -(-count // len(grammars))
            _run_grammar(
                language, Run(grammar, seeds, stored, artifacts, *share, seed), folder,
                Findings(findings, target), format, outcome,
            )  # fmt: skip
        finally:
            held.close()
    outcome.corpus = sum(1 for path in corpus.rglob("*") if path.is_file())
    return outcome


def _run_grammar(
    language: Language, run: Run, folder: Path, findings: Findings, format: str, outcome: Outcome
) -> None:
    deadline = time.monotonic() + run.seconds
    for death in range(MAX_DEATHS):
        before = {path.name for path in _crashers(language, folder, run)}
        status, text, peak, spent = _run_process(language, folder, run)
        executed = language.executed.findall(text)
        outcome.inputs += int(executed[-1]) if executed else 0
        outcome.processor_seconds += spent
        outcome.largest_bytes = max(outcome.largest_bytes, peak)
        if status == 0:
            return
        new = [p for p in _crashers(language, folder, run) if p.name not in before]
        if not new:
            outcome.complaint = f"{run.grammar}: ended with {status}: {text.strip()[-1500:]}"
            return
        for path in new:
            _enter(path, _last_error(text), run, findings, format, outcome)
            if language.id == "go":
                path.unlink()  # else it is a seed from now on
        outcome.deaths += 1
        left = deadline - time.monotonic()
        if run.seconds and left < 2:
            return
        seconds = round(left) if run.seconds else 0
        run = replace(run, seconds=seconds, seed=run.seed + death + 1)


def _run_process(language: Language, folder: Path, run: Run) -> tuple[int | None, str, int, float]:
    """Return the status, the output, the peak of memory in bytes, and the CPU time."""
    before = _children_seconds()
    command, variables = language.command(folder, run), language.environment(folder, run)
    process = Process(command, LIMITS, variables=variables, stderr_bytes=STDERR_MAX_BYTES)
    process.close_input()
    seconds = run.seconds + COMPILE_SECONDS + INPUT_SECONDS if run.seconds else float("inf")
    try:
        status, output = process.await_exit(seconds, LIMITS.output_bytes)
    finally:
        process.kill()
    text = output.decode("utf-8", "replace") + (process.stderr or "")
    return status, text, process.peak_bytes, _children_seconds() - before


def _children_seconds() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _crashers(language: Language, folder: Path, run: Run) -> list[Path]:
    """Return the files of inputs that ended a process."""
    if language.id == "go":
        return sorted((folder / "package/driver/testdata/fuzz/FuzzParser").glob("*"))
    return sorted(run.artifacts.iterdir())


def _last_error(text: str) -> str:
    """Return the line that tells a defect from another, without addresses."""
    marks = ("runtime error:", "ERROR: ", "panic:", "bytes allocated", "fatal error:")
    for line in text.splitlines():
        if any(mark in line for mark in marks):
            return line.strip().partition(" 0x")[0]
    return "it ended"


def _enter(
    path: Path, what: str, run: Run, findings: Findings, format: str, outcome: Outcome
) -> None:
    data = path.read_bytes()
    fault = Fault(f"parser of {run.grammar}, {findings.target}", "crash", what, what)
    findings.add(fault, Input(format, f"{run.grammar}.bin", data))
    shutil.copy(path, findings.folder / path.name)
    outcome.findings[fault.signature] = outcome.findings.get(fault.signature, 0) + 1
