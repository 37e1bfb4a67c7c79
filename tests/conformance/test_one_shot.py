"""One-shot programs get a profile, an environment and a scratch copy."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from conformance import VECTORS
from conformance.case_results import ProgramRun
from conformance.case_runner import run_programs
from conformance.checked_program import CheckedProgram
from conformance.process import Limits
from conformance.program_session import OneShotSession
from conformance.vector_cases import cases_of
from conformance.vectors import Vector, load
from walproof.cli.program_options import chosen_subjects
from walproof.sweep.plan import program_of

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
    (done,) = run_programs([subject], lambda _: cases_of(vectors, ("recover", "strict")), 1)
    classes = {result["profile"]: result["class"] for result in done.results}
    assert classes == {"recover": "pass", "strict": "pass" if chosen else "skipped"}


def test_the_repeat_command_names_an_existing_file(vectors: list[Vector], tmp_path: Path) -> None:
    assert vectors[1].option == DAMAGED
    for path in (vectors[1].path, vectors[1].input):
        shutil.copy(path, tmp_path)
    copy = load(tmp_path / vectors[1].path.name)
    assert Path(copy.option).resolve() == copy.path.resolve()
    subject = CheckedProgram("one", "one", KNOWS, one_shot=True, repeat="walproof check")
    (done,) = run_programs([subject], lambda _: cases_of([copy], ("recover",)), 1)
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


def run_script(script: Path, text: str, vectors: list[Vector]) -> ProgramRun:
    script.write_text(f"import sys\nopen({str(script)!r} + '.runs', 'a').write('x')\n{text}")
    subject = CheckedProgram(
        "s", "s", [sys.executable, str(script)], one_shot=True, isolated=False, repeat=""
    )
    (done,) = run_programs([subject], lambda _: cases_of(vectors), 1)
    return done


def test_a_program_that_never_starts_ends_the_run(tmp_path: Path) -> None:
    every = [load(path) for path in sorted((VECTORS / "leveldb-log").glob("c*.json"))]
    intact = [load(VECTORS / "leveldb-log" / f"{name}.json")
              for name in ("three-records", "empty-log", "one-record")]  # fmt: skip
    script = tmp_path / "broken.py"
    done = run_script(script, "import no_such_module\n", intact + every)
    assert done.status == "broken" and not done.results
    assert done.because == (
        "no answer to 3 intact logs: exit status 1;"
        " it wrote: ModuleNotFoundError: No module named 'no_such_module'"
    )
    assert len((tmp_path / "broken.py.runs").read_text()) == 3


def test_a_program_that_reads_one_intact_log_is_asked_about_all(tmp_path: Path) -> None:
    every = [load(VECTORS / "leveldb-log" / f"{name}.json")
             for name in ("three-records", "empty-log", "one-record", "block-dropped")]  # fmt: skip
    answers = "print('{\"records\": []}' if not open(sys.argv[3], 'rb').read() else sys.exit(1))"
    done = run_script(tmp_path / "reader.py", answers, every)
    classes = [each["class"] for each in done.results if each["profile"] == "recover"]
    assert done.status == "ran" and classes == ["crash", "pass", "crash", "crash"]
