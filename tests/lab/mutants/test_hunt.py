"""Mutants are killed or survive, and a hunt reports which."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner, Result

from lab.mutants import hunt as hunting
from lab.mutants.command import mutants
from lab.mutants.hunt import Fate, Hunt, MutationReport, hunt
from lab.mutants.questions import Question, questions_of
from lab.mutants.reach import Reached, WrongOriginal, reached
from lab.mutants.reviewed import Reviewed, load_reviewed
from lab.mutants.sites import Mutant, Name

FORMAT = "leveldb-log"
WHY = "No log can show it."
#: The function, the old code and the new code of each mutant.
MUTANTS = {
    # This reader accepts every checksum.
    "canary": ("reader.Scan._block", "masked_crc(view[pos + 6:data_end]) != checksum", "False"),
    # This writer keeps the last two events instead of one, but still uses only the last one.
    "harmless": ("writer.append_stream", "1", "2"),
    "deadly": ("writer.append_stream", "log.truncate(last.end)", "nothing"),
    "shared": ("dialects", "131", "132"),
    "width": ("layout", "'<IHB'", "'<IHH'"),
    # This code runs only after a short read, which does not occur with files.
    "not reached": ("layout.read_block", "block += more", "block -= more"),
    "constant": ("layout", "32768", "32769"),
}  # fmt: skip


class HuntInput(NamedTuple):
    questions: list[Question]
    reached: Reached


@pytest.fixture(scope="module")
def hunt_input(all_of_leveldb: list[Mutant], tmp_path_factory: pytest.TempPathFactory) -> HuntInput:
    questions, scratch = questions_of(FORMAT), tmp_path_factory.mktemp("hunt_input")
    return HuntInput(questions, reached(FORMAT, all_of_leveldb, questions, scratch))


def find(mutants: list[Mutant], name: str) -> Mutant:
    (result,) = [
        each
        for each in mutants
        if (each.name.function, each.name.before, each.name.after) == MUTANTS[name]
    ]
    return result


@pytest.fixture(scope="module")
def fates(
    hunt_input: HuntInput, all_of_leveldb: list[Mutant], tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, Fate]:
    """Return the outcomes of a hunt. All questions run on "everywhere", an equivalent mutant."""
    scratch = tmp_path_factory.mktemp("hunt")
    listed = load_reviewed(FORMAT).equivalent
    everywhere = next(each for each in all_of_leveldb if each.name in listed)
    chosen = {name: find(all_of_leveldb, name) for name in MUTANTS}
    chosen["everywhere"] = replace(everywhere, at_import=True)
    results = Hunt(FORMAT, *hunt_input, scratch).run(list(chosen.values()))
    assert [fate.mutant for fate in results] == list(chosen.values())
    assert list(scratch.iterdir()) == [], "nothing is left of them"
    return dict(zip(chosen, results, strict=True))


def test_a_constant_of_a_module_can_be_the_only_mutant(
    all_of_leveldb: list[Mutant], tmp_path: Path
) -> None:
    constant = find(all_of_leveldb, "constant")
    found = reached(FORMAT, [constant], questions_of(FORMAT)[:3], tmp_path)
    assert found.questions(constant) == {0, 1, 2}


@pytest.mark.parametrize(
    ("name", "killer"),
    [
        # A vector or an example kills this mutant, whichever runs first.
        ("canary", ""),
        ("deadly", "leveldb-log/"),
        ("constant", ""),
        ("width", ""),
        # No vector of leveldb-log kills this mutant.
        ("shared", "rocksdb-wal/"),
        ("harmless", None),
        ("not reached", None),
        ("everywhere", None),
    ],
)
def test_a_mutant_that_answers_differently_dies(fates, name: str, killer: str | None) -> None:
    fate = fates[name]
    assert fate.lives is (killer is None)
    assert fate.killer is None if killer is None else fate.killer.startswith(killer)


def test_a_reader_that_never_ends_dies(
    hunt_input: HuntInput,
    all_of_leveldb: list[Mutant],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hunting, "QUESTION_SECONDS", 0.5)
    (endless,) = [
        each
        for each in all_of_leveldb
        if each.name.function == "reader._has_record"
        and each.name.line.startswith("pos += ")
        and each.name.after == "nothing"
    ]
    (fate,) = Hunt(FORMAT, *hunt_input, tmp_path, jobs=1).run([endless])
    assert fate.how == "time-out" and fate.killer is not None


def test_an_original_that_is_wrong_is_an_error(hunt_input: HuntInput, tmp_path: Path) -> None:
    question = replace(hunt_input.questions[0], difference=lambda *_: "another answer")
    with pytest.raises(WrongOriginal, match=r"leveldb-log/.*: another answer"):
        reached(FORMAT, [], [question], tmp_path)


def test_the_vectors_detect_the_mutants_of_a_function(
    hunt_input: HuntInput, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A survivor is an incorrect reader that passes all vectors. Add a vector that detects it."""
    monkeypatch.setattr(hunting, "questions_of", lambda format_id: hunt_input.questions)
    monkeypatch.setattr(hunting, "reached", lambda *_: hunt_input.reached)
    report = hunt(FORMAT, ["reader._is_plausible"])
    assert report.killed > 5
    assert (report.survivors, report.faults()) == ([], [])


def test_faults_of_the_list_are_reported(fates, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = Name("a.f", "constant", "x = 1", "1", "2")
    deadly = fates["deadly"].mutant.name
    monkeypatch.setattr(hunting, "load_reviewed", lambda _: Reviewed({gone: WHY, deadly: WHY}))
    report = replace(hunt(FORMAT, changed={}), fates=[fates["deadly"]])
    killed, absent = report.faults()
    assert "append_stream: listed as equivalent, and leveldb-log/" in killed
    assert "a.f: listed as equivalent, and there is no such mutant" in absent


def run(*words: object) -> Result:
    return CliRunner().invoke(mutants, [str(word) for word in words], standalone_mode=False)


@pytest.mark.parametrize(
    ("options", "complete", "status"),
    [([], False, 3), (["--reviewed"], False, 0), (["--reviewed"], True, 3)],
)
def test_the_command_shows_survivors(
    options: list[str], complete: bool, status: int, fates, monkeypatch: pytest.MonkeyPatch
) -> None:
    reviewed = Reviewed({fates["everywhere"].mutant.name: WHY}, complete=complete)
    report = MutationReport(FORMAT, 700, list(fates.values()), reviewed, [])
    monkeypatch.setattr("lab.mutants.command.hunt", lambda *_: report)
    done = run("--format", FORMAT, *options)
    assert done.return_value == status, done.exception
    assert done.output.startswith("reference_impl/leveldb_log/writer.py:")
    assert "last = deque(read_stream(log), maxlen=1).pop()\n  - 1\n  + 2\n" in done.output
    assert "8 of 700" in done.output


def test_a_missing_function_is_an_error() -> None:
    done = run("--format", FORMAT, "--function", "no.such")
    assert "--function no.such: no function has this name" in str(done.exception)


def test_a_missing_revision_is_an_error() -> None:
    done = run("--changed", "no-such-revision")
    assert done.exit_code == 1 and "no-such-revision" in str(done.exception)
