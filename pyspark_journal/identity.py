"""Identify logs whose files are renamed while a stream reads them.

A log of one file is identified by its inode number and the bytes before the position of the stream.
A rename changes neither, so the stream continues to use the name in the checkpoint. A new file with
an old name, as after log rotation, is a separate log. An object store has no inodes, so only the
name identifies a log.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from pyspark_journal.positions import Position, is_rewritten, key_of
from walproof.lake.discovery import FoundLog
from walproof.lake.file_tree import Tree

# The number of equal bytes at the start: the bytes before a position may be alike in two logs.
HEAD = 64


@dataclass(frozen=True)
class Looked:
    """A log, and the tree that holds it. Its properties are read once."""

    listed: FoundLog
    tree: Tree

    @cached_property
    def name(self) -> str:
        """Return its own name if it has one, otherwise its path."""
        try:
            return key_of(self.listed, self.tree)
        except OSError:
            return self.listed.path  # the reader of this log reports the error

    @cached_property
    def inode(self) -> int | None:
        """Return the inode number, which survives a rename; None if the name identifies the log."""
        if self.listed.inode is None or self.listed.files or self.name != self.listed.path:
            return None
        return self.listed.inode[1]


def with_identity(position: Position, listed: FoundLog, tree: Tree) -> Position:
    """Add the log's identity to a position. Raises ``OSError``."""
    if listed.inode is None or listed.files:
        return position
    return replace(position, inode=listed.inode[1], head=_head(position, listed, tree))


def keys_of(looked: Sequence[Looked], before: Mapping[str, Position]) -> list[str]:
    """Return the names of logs in the checkpoint with the positions ``before``."""
    by_inode = {position.inode: key for key, position in before.items()}
    keys: dict[int, str] = {}
    for n, log in enumerate(looked):
        key = by_inode.get(log.inode) if log.inode is not None else None
        if key is not None and key not in keys.values() and _is_same(log, before[key]):
            keys[n] = key
    taken = set(keys.values())
    by_path = {position.path: key for key, position in before.items() if key not in taken}
    for n, log in enumerate(looked):
        if n in keys:
            continue
        key = by_path.get(log.listed.path) if log.inode is not None else None
        if key is None or key in taken:
            key = log.name
        if key in taken:
            # That name belongs to a log that now has another one.
            key = f"{key}@{log.inode}"
        keys[n] = key
        taken.add(key)
    return [keys[n] for n in range(len(looked))]


def _is_same(log: Looked, position: Position) -> bool:
    """Return whether a log with the same inode still has the bytes that were read.

    The check is necessary because inode numbers are reused. A log with the same name is accepted
    here, because the stream itself detects if its file was replaced (``is_rewritten``).
    """
    if log.listed.path == position.path:
        return True
    try:
        return not is_rewritten(position, log.listed, log.tree) and position.head == _head(
            position, log.listed, log.tree
        )
    except OSError:
        return False


def _head(position: Position, listed: FoundLog, tree: Tree) -> int:
    return zlib.crc32(tree.read(listed.path, 0, min(position.at, HEAD)))
