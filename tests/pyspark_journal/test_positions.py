"""The identity of logs, and the number of reads to find it."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from pyspark_journal.positions import Position, identify, with_checksums
from reference_impl.answer import NewRecord
from reference_impl.formats import named
from walproof.lake.discovery import FoundLog, find
from walproof.lake.file_tree import Tree
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


Looked = list[tuple[FoundLog, Tree]]


def look(folder: Path, tree: Counting) -> Looked:
    logs = find(Options.parse({"path": str(folder), "journalFormat": "leveldb-log"}))
    return [(log, cast(Tree, tree)) for log in logs]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for n in range(3):
        path = tmp_path / "logs" / f"{n:06d}.log"
        path.parent.mkdir(exist_ok=True)
        named("leveldb-log").write(path, [NewRecord(f"of {n}".encode() * 30)] * 5, {})
    return tmp_path / "logs"


def reached(looked: Looked) -> dict[str, Position]:
    """Return positions in the middle of each log, as in a stream's checkpoint."""
    return {
        log.path: with_checksums(Position(log.path, "leveldb-log", at=90), log, tree)
        for log, tree in looked
    }


def test_unmoved_logs_are_not_read(folder: Path) -> None:
    tree = Counting(folder)
    before = reached(look(folder, tree))
    tree.reads.clear()
    assert {key: log.path for key, log in identify(look(folder, tree), before).items()} == {
        key: key for key in before
    }
    assert tree.reads == []


def test_a_renamed_log_is_read_and_identified(folder: Path) -> None:
    tree = Counting(folder)
    before = reached(look(folder, tree))
    tree.reads.clear()
    (folder / "000001.log").rename(folder / "000009.log")
    known = identify(look(folder, tree), before)
    assert known.keys() == before.keys()
    assert known[str(folder / "000001.log")].path == str(folder / "000009.log")
    assert tree.reads == ["000009.log"] * 2, "its mark and its head"


def test_a_reused_inode_is_another_log(folder: Path) -> None:
    tree = Counting(folder)
    before = reached(look(folder, tree))
    renamed = folder / "000009.log"
    (folder / "000001.log").rename(renamed)
    data = bytearray(renamed.read_bytes())
    data[40] ^= 1
    renamed.write_bytes(data)  # the same inode, other bytes
    assert str(renamed) in identify(look(folder, tree), before)
