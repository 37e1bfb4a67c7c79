"""The identity of logs, and the number of reads to find it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pyspark_journal.identity import Looked, keys_of, with_identity
from pyspark_journal.positions import Position, with_mark
from reference_impl.answer import NewRecord
from reference_impl.formats import named
from walproof.lake.discovery import find
from walproof.lake.options import Options
from walproof.lake.trees import tree_of


class Counting:
    """A tree that counts the reads of each file."""

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

    options = replace(Options.parse({}), paths=(str(folder),))
    logs = [replace(log, format="leveldb-log") for log in find(options)]
    return [Looked(log, tree) for log in logs]  # type: ignore[arg-type]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for n in range(3):
        path = tmp_path / "logs" / f"{n:06d}.log"
        path.parent.mkdir(exist_ok=True)
        named("leveldb-log").write(path, [NewRecord(f"of {n}".encode() * 30)] * 5, {})
    return tmp_path / "logs"


def reached(looked: list[Looked]) -> dict[str, Position]:
    """Return positions in the middle of each log, as in a stream's checkpoint."""
    identified = {}
    for log in looked:
        position = with_mark(Position(log.listed.path, "leveldb-log", at=90), log.tree)
        identified[log.name] = with_identity(position, log.listed, log.tree)
    return identified


def test_unmoved_logs_are_not_read(folder: Path) -> None:
    tree = Counting(folder)
    before = reached(look(folder, tree))
    tree.reads.clear()
    assert keys_of(look(folder, tree), before) == sorted(before)
    assert tree.reads == []


def test_a_renamed_log_is_read_and_identified(folder: Path) -> None:
    tree = Counting(folder)
    before = reached(look(folder, tree))
    tree.reads.clear()
    (folder / "000001.log").rename(folder / "000009.log")
    assert sorted(keys_of(look(folder, tree), before)) == sorted(before)
    assert tree.reads == ["000009.log"] * 2, "its mark and its head"


def test_a_reused_inode_is_another_log(folder: Path) -> None:
    tree = Counting(folder)
    before = reached(look(folder, tree))
    renamed = folder / "000009.log"
    (folder / "000001.log").rename(renamed)
    data = bytearray(renamed.read_bytes())
    data[40] ^= 1
    renamed.write_bytes(data)  # the same inode, other bytes
    assert os.fspath(renamed) in keys_of(look(folder, tree), before)


def test_name_and_inode_are_read_once(folder: Path) -> None:
    (log, *_) = look(folder, Counting(folder))
    assert log.name is log.name and "name" in vars(log)
    assert log.inode == (folder / "000000.log").stat().st_ino and "inode" in vars(log)
