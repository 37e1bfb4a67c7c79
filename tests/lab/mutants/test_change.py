"""The mutants of a change: where it began, and that a change of nothing costs nothing."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from lab.mutants.choice import NoSuchRevision, base_of_change, formats_touched, sources_of
from lab.mutants.command import mutants
from lab.mutants.reviewed import Reviewed
from reference_impl.paths import PACKAGES

Git = Callable[..., str]
OPTIONS = ("--changed", "merge-base", "--first-kill", "--reviewed")


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """git in a repository with two commits on main."""

    def run(*words: str, at: Path = tmp_path) -> str:
        options = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
        done = subprocess.run(
            ["git", "-C", str(at), *options, *words], check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    run("init", "--quiet", "--initial-branch=main")
    for text in ("one", "two"):
        (tmp_path / "file").write_text(text)
        run("add", ".")
        run("commit", "--quiet", "-m", text)
    return run


def test_a_branch_began_where_it_left_main(git: Git, tmp_path: Path) -> None:
    git("checkout", "--quiet", "-b", "change")
    for text in ("three", "four"):
        (tmp_path / "file").write_text(text)
        git("commit", "--quiet", "-am", text)
    assert base_of_change(tmp_path) == git("rev-parse", "main")


def test_on_main_it_is_the_commit_before(git: Git, tmp_path: Path) -> None:
    assert base_of_change(tmp_path) == git("rev-parse", "HEAD~1")


def test_a_shallow_clone_does_not_say(git: Git, tmp_path: Path) -> None:
    shallow = tmp_path / "shallow"
    git("clone", "--quiet", "--depth", "1", f"file://{tmp_path}", str(shallow))
    with pytest.raises(NoSuchRevision, match="a shallow clone"):
        base_of_change(shallow)
    git("checkout", "--quiet", "--orphan", "other")
    git("branch", "-D", "main")
    with pytest.raises(NoSuchRevision, match="no main"):
        base_of_change(tmp_path)


def test_only_formats_that_are_touched() -> None:
    raft = sorted(sources_of("zmq-raft").values())[0]
    shared = PACKAGES / "reference_impl" / "answer.py"
    assert formats_touched({raft: {"reader"}, shared: {"reader"}}) == ["zmq-raft"]
    assert formats_touched({shared: {"reader"}}) == []


def ran(monkeypatch: pytest.MonkeyPatch, changed: object, tmp_path: Path, **report: Any) -> Result:
    assert mutants.callback is not None
    names = mutants.callback.__globals__
    monkeypatch.setitem(names, "_changed", changed)
    hunted = {"format": "zmq-raft", **report}
    monkeypatch.setitem(names, "_hunt", lambda each, *rest: {**hunted, "format": each})
    monkeypatch.setitem(names, "show", lambda reports, console: None)
    words = [*OPTIONS, "--out", str(tmp_path / "out")]
    return CliRunner().invoke(mutants, words, standalone_mode=False)


SURVIVOR = {"file": "reader.py", "at": 1, "operator": "x", "before": "a", "after": "b"}
LIVES = {"survivors": [SURVIVOR], "listed_and_killed": [], "listed_and_gone": [], "is_whole": False}


def test_a_change_of_nothing_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    done = ran(monkeypatch, lambda base: {}, tmp_path)
    assert done.return_value == 0
    assert done.output == "No reader or writer of reference_impl differs: no mutants.\n"


@pytest.mark.parametrize(("complete", "status"), [(True, 3), (False, 0)])
def test_a_survivor_fails_where_all_were_looked_at(
    complete: bool, status: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert mutants.callback is not None
    reviewed = Reviewed(complete=complete)
    monkeypatch.setitem(mutants.callback.__globals__, "load_reviewed", lambda format: reviewed)
    path = next(iter(sources_of("zmq-raft").values()))
    done = ran(monkeypatch, lambda base: {path: {"reader"}}, tmp_path, **LIVES)
    assert done.return_value == status, done.exception
