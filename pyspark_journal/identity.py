"""Which log is which, when files are renamed under a stream.

A log of one file is known by the number of its inode together with the bytes before the position
that a stream has reached: after a rename both are the same, so it goes on where it was, under the
name that the checkpoint has for it. A new file under an old name, as log rotation leaves one, is a
log of its own. Where there are no inodes, in an object store, a name is all there is.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from pyspark_journal.positions import Position, is_rewritten, key_of
from walproof.lake.discovery import FoundLog
from walproof.lake.file_tree import Tree

HEAD = 64
"""Bytes at the start that must be the same: those before a position may be alike in two logs."""


@dataclass(frozen=True)
class Looked:
    """A log that was found, and the tree in which it lies. What it reads of it, it reads once."""

    found: FoundLog
    tree: Tree

    @cached_property
    def name(self) -> str:
        """Its own name if it has one, else its path."""
        try:
            return key_of(self.found, self.tree)
        except OSError:
            return self.found.path  # whoever reads it will say what is wrong

    @cached_property
    def inode(self) -> int | None:
        """The number that stays when it is renamed; None where its name tells more."""
        if self.found.inode is None or self.found.files or self.name != self.found.path:
            return None
        return self.found.inode[1]


def with_identity(position: Position, found: FoundLog, tree: Tree) -> Position:
    """The position with what tells the log under another name. ``OSError``."""
    if found.inode is None or found.files:
        return position
    return replace(position, inode=found.inode[1], head=_head(position, found, tree))


def keys_of(looked: Sequence[Looked], before: Mapping[str, Position]) -> list[str]:
    """What each log is called in the checkpoint whose positions are ``before``."""
    by_inode = {position.inode: key for key, position in before.items()}
    keys: dict[int, str] = {}
    for n, one in enumerate(looked):
        key = by_inode.get(one.inode) if one.inode is not None else None
        if key is not None and key not in keys.values() and _is_same(one, before[key]):
            keys[n] = key
    taken = set(keys.values())
    by_path = {position.path: key for key, position in before.items() if key not in taken}
    for n, one in enumerate(looked):
        if n in keys:
            continue
        key = by_path.get(one.found.path) if one.inode is not None else None
        if key is None or key in taken:
            key = one.name
        if key in taken:
            # That name belongs to a log that has another one by now.
            key = f"{key}@{one.inode}"
        keys[n] = key
        taken.add(key)
    return [keys[n] for n in range(len(looked))]


def _is_same(one: Looked, position: Position) -> bool:
    """Whether a log with the same inode has what was read: inodes are used again.

    Where the name is the same, too, there is nothing to ask: a log that was replaced in place is
    the stream's to notice (``is_rewritten``).
    """
    if one.found.path == position.path:
        return True
    try:
        return not is_rewritten(position, one.found, one.tree) and position.head == _head(
            position, one.found, one.tree
        )
    except OSError:
        return False


def _head(position: Position, found: FoundLog, tree: Tree) -> int:
    return zlib.crc32(tree.read(found.path, 0, min(position.at, HEAD)))
