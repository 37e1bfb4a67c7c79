"""One-shot programs: detecting the profile strict, and running it."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from conformance import VECTORS
from conformance.cases import cases_of
from conformance.one_shot import takes_strict
from conformance.process import Limits
from conformance.runner import run_subjects
from conformance.session import OneShotSession
from conformance.subject import Subject
from conformance.vectors import Vector, load
from walproof.sweep.programs import program_of

TESTS = Path(__file__).parents[1]
KNOWS = [sys.executable, str(TESTS / "walproof" / "sweep" / "knows_strict.py")]
IGNORES = [sys.executable, str(TESTS / "wrong" / "one_shot_hides_damage.py")]
DAMAGED = "leveldb-log/checksum-flipped-in-first-record"


@pytest.fixture(scope="module")
def vectors() -> list[Vector]:
    names = ("three-records", "checksum-flipped-in-first-record")
    return [load(VECTORS / "leveldb-log" / f"{name}.json") for name in names]


@pytest.fixture(scope="module")
def telling(vectors: list[Vector]) -> list[Vector]:
    """Return vectors of which a reader returns fewer records in strict."""
    candidates = [load(path) for path in sorted((VECTORS / "leveldb-log").glob("*.json"))]
    return [
        v for v in candidates
        if v.operation == "read" and len(v.body["expect_strict"]["records"])
        < len(v.body["expect"]["records"])
    ][:5]  # fmt: skip


def one_shot_subject(command: list[str], *writes: Path) -> Subject:
    return Subject("one", "one", command, one_shot=True, writes=writes)


def test_strict_is_detected_by_its_answers(vectors: list[Vector], telling: list[Vector]) -> None:
    assert takes_strict(one_shot_subject(KNOWS), telling)
    assert not takes_strict(one_shot_subject(IGNORES), telling)
    assert not takes_strict(
        one_shot_subject([sys.executable, "-c", "raise SystemExit(1)"]), telling
    )
    assert not takes_strict(one_shot_subject(KNOWS), vectors[:1])  # an intact log shows nothing


def test_a_sweep_uses_the_supported_profiles(telling: list[Vector]) -> None:
    for command, profiles in ((KNOWS, ("recover", "strict")), (IGNORES, ("recover",))):
        subject = replace(
            one_shot_subject(command), strict=takes_strict(one_shot_subject(command), telling)
        )
        assert program_of(subject, "leveldb-log", Limits()).profiles == profiles


@pytest.mark.parametrize(("strict", "profiles"), [(True, {"pass"}), (False, {"pass", "skipped"})])
def test_check_runs_the_profile_strict(
    strict: bool, profiles: set[str], vectors: list[Vector]
) -> None:
    subject = Subject("one", "one", KNOWS, one_shot=True, strict=strict)
    (done,) = run_subjects([subject], lambda _: cases_of(vectors, ("recover", "strict")), 1)
    assert {result["class"] for result in done.results} == profiles
    assert len(done.results) == 4


def test_the_repeat_command_names_an_existing_file(vectors: list[Vector], tmp_path: Path) -> None:
    assert vectors[1].option == DAMAGED
    for path in (vectors[1].path, vectors[1].input):
        shutil.copy(path, tmp_path)
    copy = load(tmp_path / vectors[1].path.name)
    assert Path(copy.option).resolve() == copy.path.resolve()
    subject = Subject("one", "one", IGNORES, one_shot=True, repeat="walproof check")
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


def test_a_program_is_never_given_the_vector_itself(tmp_path: Path, telling: list[Vector]) -> None:
    """Real readers truncate and delete the files that they open."""
    path_list = tmp_path / "told"
    rude = (
        "import pathlib, sys\n"
        "log = pathlib.Path(sys.argv[3])\n"
        f"with open({str(path_list)!r}, 'a') as asked: asked.write(f'{{log}}\\n')\n"
        "log.unlink()\n"
        "print('{\"records\": []}')\n"
    )
    assert not takes_strict(one_shot_subject([sys.executable, "-c", rude], tmp_path), telling)
    paths = path_list.read_text().splitlines()
    assert len(paths) == len(set(paths)) >= 2, "a fresh copy for each request"
    assert not {Path(path) for path in paths} & {vector.input for vector in telling}
    assert all(vector.input.exists() for vector in telling)
