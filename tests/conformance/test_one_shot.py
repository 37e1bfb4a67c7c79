"""Profiles, environment and scratch copies of one-shot programs."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from conformance import VECTORS
from conformance.cases import cases_of
from conformance.process import Limits
from conformance.runner import run_subjects
from conformance.session import OneShotSession
from conformance.subject import Subject
from conformance.vectors import Vector, load
from walproof.cli.subjects import chosen_subjects
from walproof.sweep.programs import program_of

TESTS = Path(__file__).parents[1]
KNOWS = [sys.executable, str(TESTS / "walproof" / "sweep" / "knows_strict.py")]
DAMAGED = "leveldb-log/checksum-flipped-in-first-record"


@pytest.fixture(scope="module")
def vectors() -> list[Vector]:
    names = ("three-records", "checksum-flipped-in-first-record")
    return [load(VECTORS / "leveldb-log" / f"{name}.json") for name in names]


@pytest.mark.parametrize(
    ("chosen", "profiles"), [((), ("recover",)), (("strict",), ("recover", "strict"))]
)
def test_strict_runs_only_if_it_is_chosen(
    chosen: tuple[str, ...], profiles: tuple[str, ...], vectors: list[Vector]
) -> None:
    (subject,) = chosen_subjects([" ".join(KNOWS)], [], True, True, chosen, ["leveldb-log"])
    assert program_of(subject, "leveldb-log", Limits()).profiles == profiles
    (done,) = run_subjects([subject], lambda _: cases_of(vectors, ("recover", "strict")), 1)
    classes = {result["profile"]: result["class"] for result in done.results}
    assert classes == {"recover": "pass", "strict": "pass" if chosen else "skipped"}


def test_the_repeat_command_names_an_existing_file(vectors: list[Vector], tmp_path: Path) -> None:
    assert vectors[1].option == DAMAGED
    for path in (vectors[1].path, vectors[1].input):
        shutil.copy(path, tmp_path)
    copy = load(tmp_path / vectors[1].path.name)
    assert Path(copy.option).resolve() == copy.path.resolve()
    subject = Subject("one", "one", KNOWS, one_shot=True, repeat="walproof check")
    (done,) = run_subjects([subject], lambda _: cases_of([copy], ("recover",)), 1)
    assert done.results[0]["repeat"] == (f"walproof check --vector {copy.option} --profile recover")


def test_a_program_finds_profile_and_context_in_its_environment(tmp_path: Path) -> None:
    script = tmp_path / "echo.py"
    script.write_text(
        "import json, os\n"
        "told = [os.environ[f'WALPROOF_{name}'] for name in ('PROFILE', 'CONTEXT')]\n"
        "print(json.dumps({'records': [], 'signals': told}))\n"
    )
    program = OneShotSession([sys.executable, str(script)])
    context = {"last_flushed_index": 4, "meta": "caf\u00e9"}
    request = {"seq": 1, "format": "x", "path": "y", "profile": "strict", "context": context}
    signals = program.request(request, 10_000)["answer"]["signals"]
    assert (signals[0], json.loads(signals[1])) == ("strict", context)
    del request["context"], request["profile"]
    assert program.request(request, 10_000)["answer"]["signals"] == ["recover", "{}"]
