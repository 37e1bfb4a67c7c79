"""Run a wrong implementation, and check that no process or file remains."""

from __future__ import annotations

import dataclasses
import os
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import psutil
import pytest

from conformance import VECTORS
from conformance.case_results import ProgramRun
from conformance.case_runner import run_programs
from conformance.checked_program import CheckedProgram
from conformance.vector_cases import cases_of
from conformance.vectors import Vector, load
from tests.family import children

HERE = Path(__file__).parent

Run = Callable[..., ProgramRun]
Marked = Callable[[], list[psutil.Process]]


@pytest.fixture(scope="session")
def vectors() -> dict[str, Vector]:
    """Return a few vectors of one format, which load quickly."""
    loaded = map(load, sorted((VECTORS / "leveldb-log").glob("*.json")))
    return {vector.id: vector for vector in loaded}


@pytest.fixture
def marked(monkeypatch: pytest.MonkeyPatch) -> Iterator[Marked]:
    """Yield a function that lists the running processes that this test started, even indirectly."""
    mark = uuid.uuid4().hex
    monkeypatch.setenv("WALPROOF_TEST_MARK", mark)

    def alive() -> list[psutil.Process]:
        results = []
        for process in psutil.process_iter(["environ", "status"]):
            environ = process.info["environ"] or {}
            is_zombie = process.info["status"] == psutil.STATUS_ZOMBIE
            if environ.get("WALPROOF_TEST_MARK") == mark and not is_zombie:
                results.append(process)
        return [process for process in results if process.pid != os.getpid()]

    yield alive
    for process in alive():
        process.kill()


@pytest.fixture
def nobody_left(marked: Marked) -> Iterator[None]:
    """Fail if a process outlives the run. Processes that pytest had started before do not count."""
    before = set(children())
    yield
    left = marked()
    assert not left, f"still alive: {left}"
    assert not set(children()) - before


@pytest.fixture(scope="session")
def run_program(vectors: Mapping[str, Vector]) -> Run:
    """Return a function that runs a program in this folder on vectors, one after another."""

    def run(
        name: str,
        slugs: Sequence[str],
        profiles: Sequence[str] = ("recover",),
        one_shot: bool = False,
        wall_ms: int | None = None,
    ) -> ProgramRun:
        chosen = [_with_wall(vectors[f"leveldb-log/{slug}"], wall_ms) for slug in slugs]
        command = [sys.executable, str(HERE / f"{name}.py")]
        subject = CheckedProgram(name, name, command, one_shot=one_shot)
        (done,) = run_programs([subject], lambda _: cases_of(chosen, profiles), 1)
        return done

    return run


def _with_wall(vector: Vector, wall_ms: int | None) -> Vector:
    if wall_ms is None:
        return vector
    return dataclasses.replace(vector, body={**vector.body, "limits": {"wall_ms": wall_ms}})
