"""Runs the fuzzer of a language on each grammar of a format, and keeps what ends it."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from conformance import BUILD
from conformance.kaitai.grammars import grammar_of, names_of
from conformance.process import Limits, kill_tree, prepare_child, resident_bytes
from conformance.saving import save
from conformance.scratch import Held
from lab.fuzz.compiled.languages import HANGS_AFTER, LANGUAGES, Language, NotBuilt, Run
from lab.fuzz.findings import Findings
from lab.fuzz.judge import Fault
from lab.fuzz.packed import Input
from lab.fuzz.run import DEATHS, Outcome

PARSER = "parser"


def built(language: Language) -> Path:
    """The folder in which the fuzzer of a language was built now. Raises :class:`NotBuilt`."""
    if language.missing:
        raise NotBuilt(f"needs {', '.join(language.missing)}")
    folder = BUILD / "fuzz" / language.id
    folder.mkdir(parents=True, exist_ok=True)
    language.make(folder)
    return folder


def seeds_of(inputs: Iterable[Input], grammar: str) -> Iterator[bytes]:
    """The files that a grammar is for, each once."""
    found: dict[bytes, None] = {}
    for one in inputs:
        for name, data in one.files.items():
            if grammar_of(one.format, data[:4], name or one.name) == grammar:
                found.setdefault(data)
    yield from found


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
            kept = corpus / grammar
            kept.mkdir(parents=True, exist_ok=True)
            share = round(seconds / len(grammars)), -(-count // len(grammars))
            _grammar(
                language, Run(grammar, seeds, kept, artifacts, *share, seed), folder,
                Findings(findings, target), format, outcome,
            )  # fmt: skip
        finally:
            held.close()
    outcome.corpus = sum(1 for path in corpus.rglob("*") if path.is_file())
    return outcome


def _grammar(
    language: Language, run: Run, folder: Path, findings: Findings, format: str, outcome: Outcome
) -> None:
    deadline = time.monotonic() + run.seconds
    for death in range(DEATHS):
        before = {path.name for path in _crashers(language, folder, run)}
        status, text, peak, spent = _process(language, folder, run)
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
            _enter(path, _what_ended_it(text), run, findings, format, outcome)
            if language.id == "go":
                path.unlink()  # else it is a seed from now on
        outcome.deaths += 1
        left = deadline - time.monotonic()
        if run.seconds and left < 2:
            return
        run = Run(
            run.grammar, run.seeds, run.corpus, run.artifacts, round(left) if run.seconds else 0,
            run.inputs, run.seed + death + 1,
        )  # fmt: skip


def _process(language: Language, folder: Path, run: Run) -> tuple[int, str, int, float]:
    """Status, what was said, bytes at the peak, processor seconds."""
    said = run.artifacts.parent / "said"
    before = _children()
    with said.open("wb") as out:
        process = subprocess.Popen(
            language.command(folder, run), stdin=subprocess.DEVNULL, stdout=out, stderr=out,
            env={**os.environ, **language.environment(folder, run)}, start_new_session=True,
            preexec_fn=lambda: prepare_child(Limits()),
        )  # fmt: skip
    peak = 0
    grace = 600  # Go compiles first
    deadline = time.monotonic() + run.seconds + grace if run.seconds else None
    try:
        while process.poll() is None:
            time.sleep(0.5)
            peak = max(peak, resident_bytes(process.pid))
            if deadline is not None and time.monotonic() > deadline + HANGS_AFTER:
                break
    finally:
        kill_tree(process.pid)
        process.wait()
    text = said.read_text("utf-8", "replace")
    return process.returncode, text, peak, _children() - before


def _children() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _crashers(language: Language, folder: Path, run: Run) -> list[Path]:
    """The files of inputs that ended a process."""
    if language.id == "go":
        return sorted((folder / "package/driver/testdata/fuzz/FuzzParser").glob("*"))
    return sorted(run.artifacts.iterdir())


def _what_ended_it(text: str) -> str:
    """The line that tells a defect from another: without addresses."""
    words = ("runtime error:", "ERROR: ", "panic:", "bytes allocated", "fatal error:")
    for line in text.splitlines():
        if any(word in line for word in words):
            return line.strip().partition(" 0x")[0]
    return "it ended"


def _enter(
    path: Path, what: str, run: Run, findings: Findings, format: str, outcome: Outcome
) -> None:
    data = path.read_bytes()
    fault = Fault(f"{PARSER} of {run.grammar}, {findings.target}", "crash", what, what)
    one = Input(format, f"{run.grammar}.bin", data)
    findings.add(fault, one)
    shutil.copy(path, findings.folder / path.name)
    outcome.findings[fault.signature] = outcome.findings.get(fault.signature, 0) + 1
