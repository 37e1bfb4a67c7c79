"""Choosing mutants: by function, by a change, by lot."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from lab.mutants.choice import Choice, NoSuchRevision, all_mutants, changed_since
from lab.mutants.reviewed import Reviewed
from reference_impl.paths import PACKAGES

READER = PACKAGES / "reference_impl" / "leveldb_log" / "reader.py"


def functions(mutants) -> set[str]:
    return {each.name.function for each in mutants}


def test_everything(all_of_leveldb) -> None:
    assert Choice().of(all_of_leveldb) == all_of_leveldb
    assert Choice().is_everything and not Choice(sample=5).is_everything
    assert {each.path.name for each in all_of_leveldb} == {
        "dialects.py", "layout.py", "reader.py", "writer.py",
    }  # fmt: skip


def test_by_function(all_of_leveldb) -> None:
    chosen = Choice(functions=["reader.Scan._t*", "layout.all_zero"]).of(all_of_leveldb)
    assert functions(chosen) == {"reader.Scan._torn", "layout.all_zero"}


def test_functions_that_are_outside_have_no_mutants(all_of_leveldb) -> None:
    result = all_mutants("leveldb-log", Reviewed(outside={"reader._has_record": "for this test"}))
    assert functions(all_of_leveldb) - functions(result) == {"reader._has_record"}


def test_the_lot_falls_on_the_same_ones_and_a_change_elsewhere_moves_none(all_of_leveldb) -> None:
    drawn = Choice(sample=40).of(all_of_leveldb)
    assert len(drawn) == 40
    assert drawn == Choice(sample=40).of(all_of_leveldb)
    without = [each for each in all_of_leveldb if each not in drawn[:1]]
    assert set(drawn[1:]) < set(Choice(sample=40).of(without))
    assert len(functions(drawn)) > 10


def test_functions_that_a_change_touches(all_of_leveldb) -> None:
    chosen = Choice(changed={READER: {"reader.Scan._torn", "reader"}}).of(all_of_leveldb)
    assert functions(chosen) <= {"reader.Scan._torn", "reader"} and chosen
    assert Choice(changed={}).of(all_of_leveldb) == []


BEFORE = """\
SIZE = 1
class A:
    size = 2
    def same(self): return 3
    def f(self):
        def g(): return 4
        return g
def gone(): return 5
"""
AFTER = """\
SIZE = 1  # a comment
class A:
    size = 20
    def same(self): return 3
    def f(self):
        def g(): return 40
        return g
def new(): return 6
"""


def test_functions_that_differ_from_a_revision(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        options = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
        subprocess.run(["git", "-C", str(tmp_path), *options, *words], check=True)

    path = tmp_path / "reference_impl" / "a.py"
    path.parent.mkdir()
    path.write_text(BEFORE)
    (tmp_path / "other.py").write_text("one = 1\n")
    git("init", "--quiet", "--initial-branch=main")
    git("add", ".")
    git("commit", "--quiet", "-m", "x")
    assert changed_since("main", tmp_path) == {}
    path.write_text(AFTER)
    (tmp_path / "other.py").write_text("one = 2\n")
    assert changed_since("main", tmp_path) == {path: {"a.A", "a.A.f.g", "a.new"}}
    path.write_text(BEFORE.replace("\n", "  # x\n"))
    assert changed_since("main", tmp_path) == {path: set()}
    with pytest.raises(NoSuchRevision, match="nowhere"):
        changed_since("nowhere", tmp_path)
