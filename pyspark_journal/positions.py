"""Track a stream's position in a log, and the identity of the log.

The records and lost ranges that begin before a position are exactly those that have been delivered.
A position follows a complete record, or damage that no longer changes.
"""

from __future__ import annotations

import contextlib
import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reference_impl.answer import End
from walproof.formats import plugin_for
from walproof.lake.discovery import FoundLog
from walproof.lake.file_tree import Tree
from walproof.log_rows import file_name
from walproof.scanners.model import Event, Records

# Maximum number of bytes that a position's checksum covers. The bytes are before the position,
# belong to a delivered record, and no longer change.
MARK = 64
# Maximum number of bytes that a checksum covers at the start of a log. The bytes before a position
# do not identify a log, because two logs may have the same bytes there.
HEAD = 64
# A position after all bytes of any log.
AFTER_ALL = (sys.maxsize, 0)


@dataclass(frozen=True)
class Position:
    """A stream's position in a log, at byte ``at`` of ``file``.

    ``file`` is None if the log is a single file. ``mark`` is a checksum of the bytes before the
    position. ``epoch`` is the number of times that the stream restarted at the start of the log.
    ``fault`` is the error that was reported instead of records. For a local log that is a single
    file, ``inode`` is the inode number, and ``head`` is a checksum of the first bytes.
    """

    path: str
    format: str | None = None
    file: str | None = None
    at: int = 0
    mark: int = 0
    epoch: int = 0
    fault: str | None = None
    inode: int | None = None
    head: int = 0

    @classmethod
    def from_json(cls, body: dict[str, Any]) -> Position:
        """Return the position from its form in a checkpoint."""
        return cls(**body)

    def to_json(self) -> dict[str, Any]:
        """Return the position's form in a checkpoint, which omits defaults."""
        return {
            name: value for name, value in asdict(self).items() if value != getattr(_START, name)
        }

    @property
    def order_key(self) -> tuple[int, int]:
        """Return a key that sorts positions in log order."""
        return order(self.format, self.file), self.at


_START = Position("")


def order(format_id: str | None, file: str | None) -> int:
    """Return a number that sorts a file among the files of its log."""
    if file is None or format_id is None:
        return 0
    return plugin_for(format_id).discovery.order(file.rpartition("/")[2])


def with_checksums(position: Position, log: FoundLog, tree: Tree) -> Position:
    """Add the log's identity and the checksums to a position. Raises ``OSError``."""
    position = replace(position, mark=_mark(position, log, tree) or 0)
    if log.inode is None or log.members:
        return position
    return replace(position, inode=log.inode[1], head=_head(position, log, tree))


def _mark(position: Position, log: FoundLog, tree: Tree) -> int | None:
    if log.members and position.file is None:  # the whole log was refused
        return 0
    start = max(0, position.at - MARK)
    # The file may have been renamed since the position was stored.
    data = tree.read(file_name(log.path, position.file), start, position.at - start)
    return zlib.crc32(data) if len(data) == position.at - start else None


def _head(position: Position, log: FoundLog, tree: Tree) -> int:
    return zlib.crc32(tree.read(log.path, 0, min(position.at, HEAD)))


def is_rewritten(position: Position, log: FoundLog, tree: Tree) -> bool:
    """Return whether a log no longer has the bytes that were read. Raises ``OSError``.

    If a log has several files, the oldest ones may have been deleted, so only the last file that
    was read counts.
    """
    if position.at == 0:
        return False
    if position.file is not None and position.file not in log.files:
        newest = max((order(position.format, name) for name in log.files), default=-1)
        return newest <= order(position.format, position.file)
    return _mark(position, log, tree) != position.mark


def identify(
    logs: Sequence[tuple[FoundLog, Tree]], before: Mapping[str, Position]
) -> dict[str, FoundLog]:
    """Return logs by their names in a checkpoint that contains the positions ``before``.

    A local log that is a single file is identified by its inode number and the bytes before its
    position, so that it can be renamed. Object stores have no inodes, so there the name identifies
    a log.
    """
    by_inode = {each.inode: key for key, each in before.items() if each.inode is not None}
    by_path = {each.path: key for key, each in before.items()}
    known: dict[str, FoundLog] = {}
    unknown = []
    for log, tree in logs:
        name = _name(log, tree)
        has_inode = log.inode is not None and not log.members and name == log.path
        inode = log.inode[1] if has_inode and log.inode is not None else None
        key = by_inode.get(inode) if inode is not None else None
        if key is not None and key not in known and _is_same(log, tree, before[key]):
            known[key] = log
        else:
            unknown.append((log, name, inode))
    for log, name, inode in unknown:
        key = by_path.get(log.path, name) if inode is not None else name
        key = name if key in known else key
        # If this name already belongs to another log, give this log a new name.
        known[f"{key}@{inode}" if key in known else key] = log
    return known


def _name(log: FoundLog, tree: Tree) -> str:
    """Return a unique name for a log that survives the renaming of files in a log rotation."""
    if log.format is not None:
        # If the log cannot be read, the error is reported later, when its rows are read.
        with contextlib.suppress(OSError):
            name = plugin_for(log.format).discovery.stable_name(log.path, tree)
            if name is not None:
                return name
    if log.members and "name" in log.context:
        return f"{log.path}#{log.context['name']}"
    return log.path


def _is_same(log: FoundLog, tree: Tree, position: Position) -> bool:
    """Return whether a log with the same inode still has the bytes that were read.

    It may be another log, because inode numbers are reused. If the path is the same as well, the
    stream itself detects a replaced file.
    """
    if log.path == position.path:
        return True
    with contextlib.suppress(OSError):
        is_changed = is_rewritten(position, log, tree)
        return not is_changed and position.head == _head(position, log, tree)
    return False


@dataclass(frozen=True)
class Range:
    """The part of a log that a batch reads, which is everything that begins in ``[start, end)``."""

    start: tuple[int, int]
    end: tuple[int, int]

    def of(self, events: Iterator[Event], format_id: str) -> Iterator[Event]:
        """Yield the events that begin in the range."""
        for event in events:
            if isinstance(event, End):
                if self.start == (0, 0) and event.verdict == "refused":
                    yield event
                continue
            number = order(format_id, event.file)
            if not isinstance(event, Records):
                if self.start <= (number, event.start) < self.end:
                    yield event
            elif self.start[0] <= number <= self.end[0]:
                selected = np.ones(len(event), np.bool_)
                if number == self.start[0]:
                    selected &= event.at >= self.start[1]
                if number == self.end[0]:
                    selected &= event.at < self.end[1]
                if selected.any():
                    yield _settled(event if selected.all() else _chosen(event, selected), format_id)


def _chosen(run: Records, selected: NDArray[np.bool_]) -> Records:
    rows = np.flatnonzero(selected)
    return replace(
        run,
        at=run.at[rows],
        size=run.size[rows],
        payload=run.payload.take(rows) if run.payload is not None else None,
        fields={name: column.take(rows) for name, column in run.fields.items()},
        truncated=run.truncated[rows] if run.truncated is not None else None,
    )


def _settled(run: Records, format_id: str) -> Records:
    """Set fields to null that later records may change."""
    nulls = {
        column.name: pa.nulls(len(run), column.type)
        for column in plugin_for(format_id).columns
        if not column.field.is_settled and column.name in run.fields
    }
    return replace(run, fields={**run.fields, **nulls})
