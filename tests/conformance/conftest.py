"""Fixtures that load vectors, write small adapters, and run the command line in this process."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from conformance import ROOT, VECTORS
from conformance.reports import json_report
from conformance.scratch import Scratch
from conformance.vector_cases import VectorCase, cases_of
from conformance.vectors import Vector, load
from walproof.cli import check as check_module
from walproof.cli import main

WRONG = ROOT / "tests" / "wrong"

ADAPTER = """
import json, os, sys, time

HELLO = {"name": "test", "version": "1", "language": "Python", "formats": ["leveldb-log"],
         "profiles": ["recover", "strict", "write", "append"], "reports": ["records"]}

def send(message):
    print(json.dumps(message), flush=True)

def reply(request):
    return {"seq": request["seq"], "skipped": "nothing is written yet"}

"""
LOOP = """
for line in sys.stdin:
    request = json.loads(line)
    if request["cmd"] == "bye":
        break
    send(HELLO if request["cmd"] == "hello" else reply(request))
"""

Program = Callable[..., list[str]]


@pytest.fixture(scope="session")
def vectors() -> dict[str, Vector]:
    """Return the vectors of one format. They suffice to test the harness, and load quickly."""
    loaded = map(load, sorted((VECTORS / "leveldb-log").glob("*.json")))
    return {vector.id: vector for vector in loaded}


@pytest.fixture(scope="session")
def vector(vectors: dict[str, Vector]) -> Callable[[str], Vector]:
    """Return a function that finds a vector by its slug."""
    return lambda slug: vectors[f"leveldb-log/{slug}"]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Return a function that writes an adapter with the given lines and returns its command."""

    def write(lines: str = "", loop: str = LOOP) -> list[str]:
        path = tmp_path / "adapter.py"
        path.write_text(ADAPTER + textwrap.dedent(lines) + loop)
        return [sys.executable, str(path)]

    return write


@pytest.fixture(scope="session")
def wrong() -> Callable[[str], str]:
    """Return a function that maps the name of a program in ``tests/wrong`` to its command line."""
    return lambda name: f"{sys.executable} {WRONG / name}.py"


class Outcome(NamedTuple):
    """The result of a command."""

    status: int
    out: str
    err: str


@pytest.fixture
def walproof(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], vectors: dict[str, Vector]
) -> Callable[..., Outcome]:
    """Return a function that runs ``walproof`` in this process, on vectors loaded in advance."""
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(check_module, "load_all", lambda: vectors)

    def run(*arguments: object) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["walproof", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit:
            main()
        assert isinstance(exit.value.code, int)
        return Outcome(exit.value.code, *capsys.readouterr())

    return run


@pytest.fixture
def cases(vector: Callable[[str], Vector]) -> Callable[..., list[VectorCase]]:
    """Return a function that returns the cases of the vectors with the given slugs."""
    return lambda *slugs, profiles=("recover",): cases_of(
        [vector(slug) for slug in slugs], profiles
    )


@pytest.fixture
def check(walproof: Callable[..., Outcome], tmp_path: Path) -> Callable[..., Outcome]:
    """Return a function that runs ``walproof check`` with one job, only in the profile recover.

    The reports are in the test's directory.
    """

    def run(*arguments: object, profile: str = "recover") -> Outcome:
        folder = tmp_path / "report"
        return walproof("check", "--out", folder, "--profile", profile, "--jobs", 1, *arguments)

    return run


@pytest.fixture
def report(tmp_path: Path) -> Callable[[], dict[str, Any]]:
    """Return a function that loads the report of the last ``check``."""
    return lambda: json_report.load(tmp_path / "report" / "report.json")


@pytest.fixture
def scratch() -> Iterator[Scratch]:
    """Yield a directory for scratch copies, and remove it after the test."""
    scratch = Scratch()
    yield scratch
    scratch.close()


@pytest.fixture
def start_case(scratch: Scratch, vector: Callable[[str], Vector]) -> Callable[..., Any]:
    """Return a function that prepares a one-step case; it returns the case, step and path."""

    def ask(slug: str, profile: str) -> Any:
        case = VectorCase(vector(slug), profile)
        (step,) = case.steps()
        path = scratch.new_path(case.vector.input.name)
        step.prepare(path)
        return case, step, path

    return ask
