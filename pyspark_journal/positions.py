"""The position of a stream in a log, and the check that the log is still the same.

A position is a small JSON object in the checkpoint. All records and lost ranges that begin before
the position have been delivered, and no others. A position always follows a complete record, or
damage that no longer changes.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from reference_impl.answer import End
from walproof.formats import plugin_for
from walproof.lake.discovery import FoundLog
from walproof.lake.file_tree import Tree
from walproof.scan.model import Event, Records
from walproof.tables.rows import file_name

# The number of unchanging bytes before a position: they belong to a delivered record.
MARK = 64


@dataclass(frozen=True)
class Position:
    """The position of a stream in a log: byte ``at`` of ``file`` (None in a log of one file).

    ``mark`` is a checksum of the bytes before the position. ``epoch`` is the number of restarts
    from the start of the log. ``fault`` is the error that was reported in place of records. For a
    local log of one file, ``inode`` is the inode number, and ``head`` is a checksum of the first
    bytes.
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
        """Return the position in a checkpoint."""
        return cls(**body)

    def to_json(self) -> dict[str, Any]:
        """Return the form in a checkpoint, without defaults."""
        return {
            name: value for name, value in asdict(self).items() if value != getattr(_START, name)
        }

    @property
    def order_key(self) -> tuple[int, int]:
        """Return the position in the order of the log."""
        return order(self.format, self.file), self.at


_START = Position("")


def order(format_id: str | None, file: str | None) -> int:
    """Return the position of a file among those of its log."""
    if file is None or format_id is None:
        return 0
    return plugin_for(format_id).discovery.order(file.rpartition("/")[2])


def key_of(listed: FoundLog, tree: Tree) -> str:
    """Return the name of a log in a checkpoint: its path, or a name that remains stable.

    A path is not sufficient if files are renamed when new ones begin, or if two logs share a
    directory. Raises ``OSError``.
    """
    if listed.format is not None:
        name = plugin_for(listed.format).discovery.stable_name(listed.path, tree)
        if name is not None:
            return name
    if listed.files and "name" in listed.context:
        return f"{listed.path}#{listed.context['name']}"
    return listed.path


def with_mark(position: Position, tree: Tree) -> Position:
    """Return the position with the checksum of the bytes before it. Raises ``OSError``."""
    return replace(position, mark=_mark(position, tree) or 0)


def _mark(position: Position, tree: Tree) -> int | None:
    start = max(0, position.at - MARK)
    data = tree.read(file_name(position.path, position.file), start, position.at - start)
    return zlib.crc32(data) if len(data) == position.at - start else None


def is_rewritten(position: Position, listed: FoundLog, tree: Tree) -> bool:
    """Return whether a log no longer has the bytes that were read. Raises ``OSError``.

    For a log of several files, only the last file that was read is checked, because the oldest
    files may be deleted. This file may be missing too, if there are newer files.
    """
    if position.at == 0:
        return False
    if position.file is not None and position.file not in listed.files:
        newest = max((order(position.format, name) for name in listed.files), default=-1)
        return newest <= order(position.format, position.file)
    # Its file may have another name by now.
    return _mark(replace(position, path=listed.path), tree) != position.mark


@dataclass(frozen=True)
class Range:
    """The part of a log that a batch reads: everything that begins in ``[start, end)``."""

    start: tuple[int, int]
    end: tuple[int, int]

    def of(self, events: Iterator[Event], format_id: str) -> Iterator[Event]:
        """Yield the events in the range."""
        for event in events:
            if isinstance(event, End):
                if self.start == (0, 0) and event.verdict == "refused":
                    yield event
                continue
            number = order(format_id, event.file)
            if isinstance(event, Records):
                chosen = _chosen(event, self._first(number), self._last(number))
                if chosen is not None:
                    yield _settled(chosen, format_id)
            elif self.start <= (number, event.start) < self.end:
                yield event

    def _first(self, number: int) -> float:
        if number == self.start[0]:
            return self.start[1]
        return 0 if number > self.start[0] else float("inf")

    def _last(self, number: int) -> float:
        if number == self.end[0]:
            return self.end[1]
        return float("inf") if number < self.end[0] else 0


def _chosen(run: Records, first: float, last: float) -> Records | None:
    """Return the records of a run that begin in ``[first, last)``."""
    selected = (run.at >= first) & (run.at < last)
    if selected.all():
        return run
    rows = np.flatnonzero(selected)
    if not len(rows):
        return None
    start, count = int(rows[0]), len(rows)
    if int(rows[-1]) - start + 1 == count:  # they are adjacent, because offsets ascend
        cut = slice(start, start + count)
        return replace(
            run,
            at=run.at[cut],
            size=run.size[cut],
            payload=run.payload.slice(start, count) if run.payload is not None else None,
            fields={name: column.slice(start, count) for name, column in run.fields.items()},
            truncated=run.truncated[cut] if run.truncated is not None else None,
        )
    return replace(
        run,
        at=run.at[rows],
        size=run.size[rows],
        payload=run.payload.take(rows) if run.payload is not None else None,
        fields={name: column.take(rows) for name, column in run.fields.items()},
        truncated=run.truncated[rows] if run.truncated is not None else None,
    )


def _settled(run: Records, format_id: str) -> Records:
    """Remove fields that later records may change."""
    open_columns = [
        column
        for column in plugin_for(format_id).columns
        if not column.is_settled and column.name in run.fields
    ]
    if not open_columns:
        return run
    import pyarrow as pa

    nulls = {column.name: pa.nulls(len(run), column.type) for column in open_columns}
    return replace(run, fields={**run.fields, **nulls})
