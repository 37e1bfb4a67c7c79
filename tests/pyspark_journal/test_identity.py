"""Which log is which: and how little is read to find out."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pyspark_journal.identity import Looked, keys_of, with_identity
from pyspark_journal.positions import Position, with_mark
from reference_impl.answer import NewRecord
from reference_impl.formats import named
from walproof.lake.discovery import find
from walproof.lake.options import parse
from walproof.lake.trees import tree_of


class Counting:
    """A tree that counts what is read of each file."""

    def __init__(self, folder: Path) -> None:
        self._tree = tree_of(str(folder), {})
        self.reads: list[str] = []

    def read(self, path: str, at: int, size: int) -> bytes:
        self.reads.append(Path(path).name)
        return self._tree.read(path, at, size)

    def __getattr__(self, name: str) -> object:
        return getattr(self._tree, name)


def look(folder: Path, tree: Counting) -> list[Looked]:
    from dataclasses import replace

    options = replace(parse({}), paths=(str(folder),))
    found = [replace(log, format="leveldb-log") for log in find(options)]
    return [Looked(log, tree) for log in found]  # type: ignore[arg-type]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for n in range(3):
        path = tmp_path / "logs" / f"{n:06d}.log"
        path.parent.mkdir(exist_ok=True)
        named("leveldb-log").write(path, [NewRecord(f"of {n}".encode() * 30)] * 5, {})
    return tmp_path / "logs"


def reached(looked: list[Looked]) -> dict[str, Position]:
    """Positions in the middle of each, as a stream leaves them in its checkpoint."""
    made = {}
    for one in looked:
        position = with_mark(Position(one.listed.path, "leveldb-log", at=90), one.tree)
        made[one.name] = with_identity(position, one.listed, one.tree)
    return made


def test_logs_that_stayed_are_not_read(folder: Path) -> None:
    tree = Counting(folder)
    before = reached(look(folder, tree))
    tree.reads.clear()
    assert keys_of(look(folder, tree), before) == sorted(before)
    assert tree.reads == []


def test_one_that_was_renamed_is_read_and_known(folder: Path) -> None:
    tree = Counting(folder)
    before = reached(look(folder, tree))
    tree.reads.clear()
    (folder / "000001.log").rename(folder / "000009.log")
    assert sorted(keys_of(look(folder, tree), before)) == sorted(before)
    assert tree.reads == ["000009.log"] * 2, "its mark and its head"


def test_an_inode_that_is_used_again_is_another_log(folder: Path) -> None:
    tree = Counting(folder)
    before = reached(look(folder, tree))
    renamed = folder / "000009.log"
    (folder / "000001.log").rename(renamed)
    data = bytearray(renamed.read_bytes())
    data[40] ^= 1
    renamed.write_bytes(data)  # the same inode, other bytes
    assert os.fspath(renamed) in keys_of(look(folder, tree), before)


def test_a_name_and_an_inode_are_found_out_once(folder: Path) -> None:
    (one, *_) = look(folder, Counting(folder))
    assert one.name is one.name and "name" in vars(one)
    assert one.inode == (folder / "000000.log").stat().st_ino and "inode" in vars(one)
