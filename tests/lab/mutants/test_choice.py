"""Mutants can be selected by function and by changed lines."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from lab.mutants.choice import NoSuchRevision, all_mutants, changed_since, choose
from lab.mutants.reviewed import Reviewed
from reference_impl.paths import PACKAGES

READER = PACKAGES / "reference_impl" / "leveldb_log" / "reader.py"


def functions(mutants) -> set[str]:
    return {each.name.function for each in mutants}


def test_by_function(all_of_leveldb) -> None:
    chosen = choose(all_of_leveldb, ["reader.Scan._t*", "layout.all_zero"])
    assert functions(chosen) == {"reader.Scan._torn", "layout.all_zero"}


def test_functions_outside_the_choice_have_no_mutants(all_of_leveldb) -> None:
    result = all_mutants("leveldb-log", Reviewed(outside={"reader._has_record": "for this test"}))
    assert functions(all_of_leveldb) - functions(result) == {"reader._has_record"}


def test_by_changed_lines(all_of_leveldb) -> None:
    (line,) = {each.line for each in all_of_leveldb if each.name.line == "pos = data_end"}
    chosen = choose(all_of_leveldb, changed={READER: {line}})
    assert {each.name.line for each in chosen} == {"pos = data_end"}
    assert choose(all_of_leveldb, changed={}) == []
    assert choose(all_of_leveldb) == all_of_leveldb


def test_lines_that_differ_from_a_revision(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        options = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
        subprocess.run(["git", "-C", str(tmp_path), *options, *words], check=True)

    path, other = tmp_path / "reference_impl" / "a.py", tmp_path / "other.py"
    path.parent.mkdir()
    for file in (path, other):
        file.write_text("one = 1\ntwo = 2\nthree = 3\n")
    git("init", "--quiet", "--initial-branch=main")
    git("add", ".")
    git("commit", "--quiet", "-m", "x")
    assert changed_since("main", tmp_path) == {}
    for file in (path, other):
        file.write_text("one = 10\ntwo = 2\nfour = 4\nfive = 5\n")
    assert changed_since("main", tmp_path) == {path: {1, 3, 4}}
    with pytest.raises(NoSuchRevision, match="nowhere"):
        changed_since("nowhere", tmp_path)
