"""The report of a hunt: numbers, faults, and the command."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from lab.mutants.choice import Choice
from lab.mutants.command import mutants
from lab.mutants.report import hunt, kill_rate, wrong
from lab.mutants.reviewed import Reviewed

from .conftest import Asked

WHY = "Nobody ever sees it."
HARMLESS = ("writer.append_stream", "1", "2")
DEADLY = ("writer.append_stream", "log.truncate(last.end)", "nothing")


@pytest.fixture(scope="module", autouse=True)
def shared_questions(asked: Asked) -> Iterator[None]:
    """Hunts of these tests run the questions that were traced once."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("lab.mutants.report.questions_of", lambda format_id: asked.questions)
        patched.setattr("lab.mutants.report.reached", lambda *_: asked.reached)
        yield


@pytest.fixture(scope="module")
def report(shared_questions: None) -> dict[str, Any]:
    """The writer's ``append_stream``, of which nothing was reviewed."""
    choice = Choice(functions=[HARMLESS[0]])
    return hunt("leveldb-log", choice, reviewed=Reviewed())


def test_the_numbers_add_up(report) -> None:
    assert report["mutants"] == report["killed"] + len(report["survivors"]) > 5
    assert report["mutants"] < report["all"]
    assert not report["is_whole"]
    assert sum(each["mutants"] for each in report["operators"]) == report["mutants"]
    assert [each["name"] for each in report["files"]] == ["writer.py"]


def test_a_survivor_is_shown_with_its_source(report) -> None:
    (each,) = [each for each in report["survivors"] if each["before"] == "1"]
    assert each["file"] == "reference_impl/leveldb_log/writer.py"
    line = Path(__file__).parents[3].joinpath(each["file"]).read_text().splitlines()[each["at"] - 1]
    assert line.strip() == each["line"]
    assert each["mutated"] == "last = deque(read_stream(log), maxlen=2).pop()"
    assert each["is_reached"]
    assert any("maxlen" not in sentence and "lives" in sentence for sentence in wrong(report))


def test_requirements_that_kill_alone() -> None:
    result = hunt("leveldb-log", Choice(functions=["reader.Scan._zeros_were_a_gap"]))
    alone = {each["id"]: each["alone"] for each in result["requirements"]}
    assert alone["LDB-027"] > 0
    assert alone["LDB-012"] == 0
    assert "LDB-027" not in [sentence[:7] for sentence in wrong(result)], "only a whole run tells"


def test_a_listed_survivor_is_equivalent_and_a_listed_dead_one_is_wrong(mutant) -> None:
    harmless, deadly = mutant(*HARMLESS).name, mutant(*DEADLY).name
    reviewed = Reviewed({harmless: WHY, deadly: WHY})
    choice = Choice(functions=[HARMLESS[0]])
    result = hunt("leveldb-log", choice, reviewed=reviewed, first_kill=True)
    assert [each["before"] for each in result["equivalent"]] == ["1"]
    (dead,) = result["listed_and_killed"]
    assert dead["before"] == DEADLY[1] and dead["killer"].startswith("leveldb-log/")
    assert any("listed as equivalent, and leveldb-log/" in sentence for sentence in wrong(result))
    rate = kill_rate(result)
    assert rate is not None and rate == result["killed"] / (result["mutants"] - 1)


def whole(**parts: Any) -> dict[str, Any]:
    body = {
        "survivors": [], "listed_and_killed": [], "listed_and_gone": [], "requirements": [],
        "is_whole": True,
    }  # fmt: skip
    return body | parts


@pytest.mark.parametrize(
    ("level", "alone", "because", "count"),
    [
        ("MUST", 0, None, 1),
        ("MUST NOT", 0, None, 1),
        ("SHOULD", 0, None, 0),
        ("MUST", 2, None, 0),
        ("MUST", 0, WHY, 0),
        ("MUST", 2, WHY, 1),
    ],
)
def test_requirements_need_a_mutant_or_a_reason(level, alone, because, count) -> None:
    row = {"id": "LDB-001", "level": level, "alone": alone, "because": because}
    assert len(wrong(whole(requirements=[row]))) == count
    assert wrong(whole(requirements=[row], is_whole=False)) == []


def test_a_listed_mutant_that_is_gone_is_wrong() -> None:
    gone = {"function": "a.f", "operator": "constant", "line": "x = 1", "before": "1", "after": "2"}
    (sentence,) = wrong(whole(listed_and_gone=[gone]))
    assert "there is no such mutant" in sentence


def run(*words: object) -> Result:
    return CliRunner().invoke(mutants, [str(word) for word in words], standalone_mode=False)


def test_the_command(tmp_path: Path) -> None:
    done = run("--format", "leveldb-log", "--function", "layout.all_zero", "--out", tmp_path)
    assert done.exit_code == 0 and done.return_value == 0, done.output
    body = json.loads((tmp_path / "mutants.json").read_text())
    (result,) = body["formats"]
    assert result["killed"] == result["mutants"] > 0
    assert "100.0%" in done.output


def test_the_command_fails_on_a_survivor(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("lab.mutants.report.load_reviewed", lambda format_id: Reviewed())
    done = run("--format", "leveldb-log", "--function", HARMLESS[0], "--out", tmp_path)
    assert done.return_value == 3
    assert "maxlen=2" in done.output


def test_a_revision_that_is_not_there(tmp_path: Path) -> None:
    done = run("--changed", "no-such-revision", "--out", tmp_path)
    assert done.exit_code == 1 and "no-such-revision" in str(done.exception)
