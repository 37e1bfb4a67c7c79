"""How fast the harness asks a reader that answers at once, beside toml-test and its own decoder.

Both rows are whole runs, with the start of everything: the harness against a program that only
prints prepared replies, and ``toml-test test`` against the decoder that its authors wrote for it.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from conformance import BUILD
from conformance.cases import Case, ReadStep, cases_of
from conformance.runner import run_subjects
from conformance.subject import Subject
from conformance.vectors import Vector
from lab.bench import noop_reader, sandbox
from lab.bench.reading import Row, ratio

WORKLOAD = "a reader that answers at once"
PEER = "toml-test"
TOOLS = {
    "toml-test": "github.com/toml-lang/toml-test/v2/cmd/toml-test@v2.2.0",
    "toml-test-decoder": "github.com/BurntSushi/toml/cmd/toml-test-decoder@v1.6.0",
}
SECONDS = 300


class NotHere(Exception):
    """The peer cannot be measured here; the text says why."""


class WrongAnswers(Exception):
    """The run was not what is measured: not every case passed."""


def measure(
    vectors: Sequence[Vector],
    rounds: int,
    progress: Callable[[str], None] = lambda _: None,
    isolated: bool = True,
) -> list[Row]:
    """A row for the harness and one for its peer. Raises :class:`WrongAnswers`."""
    why_not = None
    try:
        tools = toml_test()
    except NotHere as error:
        why_not = str(error)
    cases = cases_of([one for one in vectors if one.operation == "read"], ("recover", "strict"))
    own: list[float] = []
    peers: list[float] = []
    asked = 0
    for number in range(rounds):
        progress(f"{WORKLOAD}, round {number + 1} of {rounds}")
        own.append(ask(cases, isolated) / len(cases))
        if why_not is None:
            asked, seconds = run_toml_test(tools, isolated)
            peers.append(seconds / asked)
    title = "this harness, all vectors to read in both profiles"
    row = _row("walproof", title, len(cases), own, peers)
    title = "toml-test v2.2.0 with toml-test-decoder v1.6.0, a process for each case"
    if why_not is not None:
        return [row, _named(PEER, title) | {"unavailable": why_not}]
    return [row, _row(PEER, title, asked, peers, peers)]


def _named(name: str, title: str) -> Row:
    return {"workload": WORKLOAD, "contender": name, "title": title}


def _row(name: str, title: str, cases: int, own: Sequence[float], peers: Sequence[float]) -> Row:
    return _named(name, title) | {
        "cases": cases,
        "seconds_per_case": [round(seconds, 8) for seconds in own],
        "cases_per_second": round(1 / statistics.median(own), 1),
        "start_seconds": 0.0,
        "peer": PEER if peers else None,
        "ratio_to_peer": ratio(own, peers) if peers else None,
    }


def ask(cases: Sequence[Case], isolated: bool = True) -> float:
    """Seconds of a run with one child that has all replies ready."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "replies"
        path.write_bytes(replies(cases))
        command = [sys.executable, "-I", "-S", str(Path(noop_reader.__file__)), str(path)]
        title = "a reader that answers at once"
        subject = Subject("answers-at-once", title, command, isolated=isolated)
        started = time.perf_counter()
        (outcome,) = run_subjects([subject], lambda _: cases, 1)
        seconds = time.perf_counter() - started
    wrong = [result for result in outcome.results if result["class"] != "pass"]
    if outcome.status != "ran" or wrong or len(outcome.results) != len(cases):
        said = outcome.because or (wrong[0]["difference"] if wrong else "too few results")
        raise WrongAnswers(f"{subject.name}: {said}")
    return seconds


def replies(cases: Sequence[Case]) -> bytes:
    """The right reply to every request of these cases, a line each, in their order."""
    steps = [step for case in cases for step in case.steps()]
    assert all(isinstance(step, ReadStep) for step in steps), "cases that read"
    lines = [
        json.dumps({"seq": number, "answer": step.expect}, separators=(",", ":"))
        for number, step in enumerate(steps, 1)
        if isinstance(step, ReadStep)
    ]
    return "".join(f"{line}\n" for line in lines).encode()


def toml_test() -> dict[str, Path]:
    """The programs of the peer, built once into ``.build``. Raises :class:`NotHere`."""
    folder = BUILD / "bench" / "toml-test"
    found = {name: folder / name for name in TOOLS}
    go = shutil.which("go")
    for name, module in TOOLS.items():
        version = folder / f"{name}.version"
        if found[name].exists() and version.exists() and version.read_text() == module:
            continue
        if go is None:
            raise NotHere("go not found")
        folder.mkdir(parents=True, exist_ok=True)
        environment = os.environ | {"GOBIN": str(folder), "GOFLAGS": "-mod=mod"}
        try:
            subprocess.run(
                [go, "install", module],
                cwd=folder, env=environment, check=True, capture_output=True, timeout=SECONDS,
            )  # fmt: skip
        except subprocess.CalledProcessError as error:
            lines = error.stderr.decode(errors="replace").strip().splitlines() or ["no output"]
            raise NotHere(f"go install failed: {lines[-1][:200]}") from None
        except subprocess.TimeoutExpired:
            raise NotHere(f"go install took more than {SECONDS} s") from None
        version.write_text(module)
    return found


def run_toml_test(tools: dict[str, Path], isolated: bool = True) -> tuple[int, float]:
    """How many cases it asked of its decoder, and the seconds that took."""
    command = [str(tools["toml-test"]), "test", f"-decoder={tools['toml-test-decoder']}", "-json"]
    started = time.perf_counter()
    # Its decoder fails some cases, so the exit status says nothing here.
    try:
        printed = sandbox.run(command, SECONDS, isolated=isolated)
    except subprocess.CalledProcessError as error:
        printed = error.output
    seconds = time.perf_counter() - started
    said = json.loads(printed)
    passed = said["passed_valid"] + said["passed_invalid"]
    if passed < 500:
        raise WrongAnswers(f"toml-test: only {passed} cases passed")
    return passed + said["failed_valid"] + said["failed_invalid"], seconds
