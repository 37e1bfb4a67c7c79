"""Test which mutants die and which survive, and that the original does not change."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner, Result

from lab.mutants import hunt as hunting
from lab.mutants.choice import Choice, sources_of
from lab.mutants.command import mutants
from lab.mutants.hunt import Fate, Hunt, faults, hunt
from lab.mutants.questions import Question, Reached, WrongOriginal, ask, questions_of, reached
from lab.mutants.reviewed import Reviewed, load_reviewed
from lab.mutants.sites import Mutant, Name
from reference_impl import formats
from reference_impl.leveldb_log import layout

FORMAT = "leveldb-log"
WHY = "No log can show it."
#: Function, text before and after the change.
MUTANTS = {
    # A reader that accepts every checksum.
    "canary": ("reader.Scan._block", "masked_crc(view[pos + 6:data_end]) != checksum", "False"),
    # The last two events instead of the last one: of both, the very last is taken.
    "harmless": ("writer.append_stream", "1", "2"),
    "deadly": ("writer.append_stream", "log.truncate(last.end)", "nothing"),
    "shared": ("dialects", "131", "132"),
    "width": ("layout", "'<IHB'", "'<IHH'"),
    # More of a block after a short read: files give all that they have at once.
    "not reached": ("layout.read_block", "block += more", "block -= more"),
    "constant": ("layout", "32768", "32769"),
}  # fmt: skip


class Asked(NamedTuple):
    questions: list[Question]
    reached: Reached


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    questions = questions_of(FORMAT)
    files = frozenset(map(str, sources_of(FORMAT).values()))
    return Asked(questions, reached(questions, files, tmp_path_factory.mktemp("asked")))


def find(mutants: list[Mutant], name: str) -> Mutant:
    (result,) = [
        each
        for each in mutants
        if (each.name.function, each.name.before, each.name.after) == MUTANTS[name]
    ]
    return result


@pytest.fixture(scope="module")
def fates(
    asked: Asked, all_of_leveldb: list[Mutant], tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, Fate]:
    """Return the outcomes of one hunt; all questions run the equivalent mutant "everywhere"."""
    scratch = tmp_path_factory.mktemp("hunt")
    listed = load_reviewed(FORMAT).equivalent
    everywhere = next(each for each in all_of_leveldb if each.name in listed)
    chosen = {name: find(all_of_leveldb, name) for name in MUTANTS}
    chosen["everywhere"] = replace(everywhere, at_import=True)
    results = Hunt(FORMAT, *asked, scratch).run(list(chosen.values()))
    assert [fate.mutant for fate in results] == list(chosen.values())
    assert list(scratch.iterdir()) == [], "nothing is left of them"
    return dict(zip(chosen, results, strict=True))


@pytest.mark.parametrize(
    ("name", "killer"),
    [
        ("canary", ""),  # of a vector or an example, whichever runs first
        ("deadly", "leveldb-log/"),
        ("constant", ""),
        ("width", ""),
        ("shared", "rocksdb-wal/"),  # no vector of its own format
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
    asked: Asked, all_of_leveldb: list[Mutant], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hunting, "QUESTION_SECONDS", 0.5)
    (endless,) = [
        each
        for each in all_of_leveldb
        if each.name.function == "reader._has_record"
        and each.name.line.startswith("pos += ")
        and each.name.after == "nothing"
    ]
    (fate,) = Hunt(FORMAT, *asked, tmp_path, jobs=1).run([endless])
    assert fate.how == "time-out" and fate.killer is not None


def test_only_questions_that_reach_a_change_run(fates, asked: Asked) -> None:
    counts = {name: len(asked.reached.questions(fate.mutant)) for name, fate in fates.items()}
    assert counts["not reached"] == 0 < counts["harmless"] < counts["everywhere"]
    assert counts["everywhere"] == len(asked.questions)
    writing = {
        asked.questions[number].id
        for (file, _), numbers in asked.reached.by_line.items()
        if file.endswith("writer.py")
        for number in numbers
    }
    assert writing and all(id.endswith((", write", ", append")) for id in writing)


def test_this_process_keeps_the_original(fates, asked: Asked, tmp_path: Path) -> None:
    assert layout.BLOCK_SIZE == 32768
    for question in asked.questions[::50]:
        assert ask(question, formats.named(question.format_id), tmp_path) is None, question.id


def test_an_original_that_is_wrong_is_an_error(asked: Asked, tmp_path: Path) -> None:
    others = [replace(each, format_id="kahadb-journal") for each in asked.questions[:10]]
    with pytest.raises(WrongOriginal, match="leveldb-log/"):
        reached(others, frozenset(), tmp_path)


@pytest.fixture
def traced_once(asked: Asked) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(hunting, "questions_of", lambda format_id: asked.questions)
        patched.setattr(hunting, "reached", lambda *_: asked.reached)
        yield


def test_the_vectors_detect_a_sample_of_mutants(traced_once) -> None:
    """A survivor is a wrong reader or writer that passes all vectors. Add one that kills it."""
    report = hunt(FORMAT, Choice(sample=12))
    assert report["mutants"] == 12 and report["killed"] > 0
    assert (report["survivors"], faults(report)) == ([], [])


def test_a_report(traced_once, all_of_leveldb: list[Mutant], monkeypatch) -> None:
    """A listed survivor is equivalent, a listed dead mutant is a fault of the list."""
    harmless, deadly = (find(all_of_leveldb, name).name for name in ("harmless", "deadly"))
    monkeypatch.setattr(hunting, "load_reviewed", lambda _: Reviewed({harmless: WHY, deadly: WHY}))
    report = hunt(FORMAT, Choice(["writer.append_stream", "reader.Scan._zeros_were_a_gap"]))
    assert len(all_of_leveldb) == report["all"] > report["mutants"] > report["killed"] > 5
    (equivalent,) = report["equivalent"]
    assert (equivalent["before"], equivalent["because"]) == ("1", WHY)
    (sentence,) = faults(report)
    assert "append_stream: listed as equivalent, and leveldb-log/" in sentence


def test_a_listed_mutant_that_no_longer_exists_is_a_fault(monkeypatch) -> None:
    gone = Name("a.f", "constant", "x = 1", "1", "2")
    monkeypatch.setattr(hunting, "load_reviewed", lambda _: Reviewed({gone: WHY}))
    (sentence,) = faults(hunt(FORMAT, Choice(changed={})))
    assert "there is no such mutant" in sentence


def run(*words: object) -> Result:
    return CliRunner().invoke(mutants, [str(word) for word in words], standalone_mode=False)


@pytest.mark.parametrize(("complete", "status"), [(True, 3), (False, 0)])
def test_a_survivor_fails_where_all_were_looked_at(
    complete: bool, status: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    report = {"format": FORMAT, "survivors": [{}], "listed_and_killed": [], "listed_and_gone": []}
    monkeypatch.setattr("lab.mutants.command.hunt", lambda *_: report)
    monkeypatch.setattr("lab.mutants.command.show", lambda reports, console: None)
    monkeypatch.setattr("lab.mutants.command.load_reviewed", lambda _: Reviewed(complete=complete))
    done = run("--format", FORMAT, "--reviewed", "--out", tmp_path / "out")
    assert done.return_value == status, done.exception


def test_the_command_shows_a_survivor_with_its_source(traced_once, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(hunting, "load_reviewed", lambda format_id: Reviewed())
    words = ["--format", FORMAT, "--function", "writer.append_stream"]
    done = run(*words, "--out", tmp_path)
    assert done.return_value == 3
    (report,) = json.loads((tmp_path / "mutants.json").read_text())["formats"]
    assert report["mutants"] == report["killed"] + len(report["survivors"])
    (each,) = [each for each in report["survivors"] if each["before"] == "1"]
    assert each["file"] == "reference_impl/leveldb_log/writer.py"
    line = Path(__file__).parents[3].joinpath(each["file"]).read_text().splitlines()[each["at"] - 1]
    assert line.strip() == each["line"] and f"- {each['line']}" in done.output
    assert each["mutated"] == "last = deque(read_stream(log), maxlen=2).pop()"
    assert f"+ {each['mutated']}" in done.output and each["is_reached"]


def test_a_revision_that_is_not_there(tmp_path: Path) -> None:
    done = run("--changed", "no-such-revision", "--out", tmp_path)
    assert done.exit_code == 1 and "no-such-revision" in str(done.exception)
