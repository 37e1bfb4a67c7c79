"""Compare the speed of the harness with toml-test, using readers that reply at once.

Both measurements are complete runs including start-up. The harness runs a program that only prints
prepared replies. ``toml-test test`` runs the decoder of its own authors.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from conformance import BUILD
from conformance.cases import Case, ReadStep, cases_of
from conformance.process import Crash, OverLimit, Timeout, run_program
from conformance.runner import run_subjects
from conformance.saving import save
from conformance.subject import Subject
from conformance.vectors import Vector
from lab.bench import noop_reader
from lab.bench.isolated_run import run_isolated
from lab.bench.reading import Row, ratio

PEER = "toml-test"
TOOLS = {
    "toml-test": "github.com/toml-lang/toml-test/v2/cmd/toml-test@v2.2.0",
    "toml-test-decoder": "github.com/BurntSushi/toml/cmd/toml-test-decoder@v1.6.0",
}
TIMEOUT_SECONDS = 300


class NotHere(Exception):
    """The peer cannot be measured here; the text says why."""


class WrongAnswers(Exception):
    """The run was not what is measured: not every case passed."""


def measure(
    vectors: Sequence[Vector], rounds: int, progress: Callable[[str], None] = lambda _: None
) -> list[Row]:
    """Return a row for the harness and one for its peer. Raises :class:`WrongAnswers`."""
    cases = cases_of([each for each in vectors if each.operation == "read"], ("recover", "strict"))
    tools, reason = None, None
    try:
        tools = toml_test()
    except NotHere as error:
        reason = str(error)
    ours: list[float] = []
    peers: list[float] = []
    peer_cases = 0
    for number in range(rounds):
        progress(f"harness, round {number + 1} of {rounds}")
        ours.append(run_harness(cases))
        if tools is not None:
            peer_cases, seconds = run_toml_test(tools)
            peers.append(seconds)
    if not peers:
        return [Row("walproof", len(cases), ours), Row(PEER, unavailable=reason)]
    of_a_case = [seconds / len(cases) for seconds in ours]
    speed = ratio(of_a_case, [seconds / peer_cases for seconds in peers])
    return [
        Row("walproof", len(cases), ours, ratio=speed),
        Row(PEER, peer_cases, peers, is_peer=True),
    ]


def run_harness(cases: Sequence[Case]) -> float:
    """Return the seconds of a run with one program that has all replies ready."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "replies"
        save(path, replies(cases), sync=False)
        command = [sys.executable, "-I", "-S", str(Path(noop_reader.__file__)), str(path)]
        subject = Subject("answers-at-once", "a reader that answers at once", command)
        started = time.perf_counter()
        (outcome,) = run_subjects([subject], lambda _: cases, 1)
        seconds = time.perf_counter() - started
    wrong = [result for result in outcome.results if result["class"] != "pass"]
    if outcome.status != "ran" or wrong or len(outcome.results) != len(cases):
        reason = outcome.because or (wrong[0]["difference"] if wrong else "too few results")
        raise WrongAnswers(f"{subject.name}: {reason}")
    return seconds


def replies(cases: Sequence[Case]) -> bytes:
    """Return the right reply to every request of these cases, a line each, in their order."""
    steps = [step for case in cases for step in case.steps()]
    assert all(isinstance(step, ReadStep) for step in steps), "cases that read"
    lines = [
        json.dumps({"seq": number, "answer": step.expect}, separators=(",", ":"))
        for number, step in enumerate(steps, 1)
        if isinstance(step, ReadStep)
    ]
    return "".join(f"{line}\n" for line in lines).encode()


def toml_test() -> dict[str, Path]:
    """Return the programs of the peer, built once into ``.build``. Raises :class:`NotHere`."""
    folder = BUILD / "bench" / "toml-test"
    tools = {name: folder / name for name in TOOLS}
    for name, module in TOOLS.items():
        version = folder / f"{name}.version"
        if tools[name].exists() and version.exists() and version.read_text() == module:
            continue
        if shutil.which("go") is None:
            raise NotHere("go not found")
        folder.mkdir(parents=True, exist_ok=True)
        variables = {"GOBIN": str(folder), "GOFLAGS": "-mod=mod"}
        try:
            done = run_program(["go", "install", module], TIMEOUT_SECONDS, variables=variables)
        except (Crash, Timeout, OverLimit) as error:
            raise NotHere(f"go install: {error}") from None
        if done.returncode:
            lines = done.stderr.strip().splitlines() or ["no output"]
            raise NotHere(f"go install failed: {lines[-1][:200]}")
        save(version, module)
    return tools


def run_toml_test(tools: dict[str, Path]) -> tuple[int, float]:
    """Return the number of cases that it ran its decoder on, and the seconds that took."""
    command = [str(tools["toml-test"]), "test", f"-decoder={tools['toml-test-decoder']}", "-json"]
    started = time.perf_counter()
    # Its decoder fails some cases, so the exit status does not count here.
    done = run_isolated(command, TIMEOUT_SECONDS)
    seconds = time.perf_counter() - started
    body = json.loads(done.stdout)
    passed = body["passed_valid"] + body["passed_invalid"]
    if passed < 500:
        raise WrongAnswers(f"toml-test: only {passed} cases passed")
    return passed + body["failed_valid"] + body["failed_invalid"], seconds
