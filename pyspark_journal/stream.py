"""``spark.readStream.format("journal")``: logs that grow, every record once.

The checkpoint has a position for each log (``positions.py``). A batch holds what begins between two
positions. What lies before a position no longer changes, so a batch that is made again after a
crash has the same rows.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxBytes,
    ReadMaxFiles,
    SupportsTriggerAvailableNow,
)

from pyspark_journal.following import advance
from pyspark_journal.identity import Looked, keys_of, with_identity
from pyspark_journal.options import Options
from pyspark_journal.positions import Position, Range, is_rewritten
from reference_impl.formats import UnknownFormat
from walproof.lake.discovery import FoundLog, find
from walproof.lake.file_tree import Tree
from walproof.lake.splits import Piece
from walproof.lake.trees import tree_of
from walproof.scan import part_from
from walproof.scan.model import WHOLE, Event

if TYPE_CHECKING:
    import pyarrow as pa

    from pyspark_journal.schema import Columns

LOOK_AGAIN = 1.0
"""Seconds until a log that looks unchanged is read again: a mapped file may change without a new
size or time."""
Offsets = dict[str, dict[str, Any]]


class Rewritten(RuntimeError):
    """A log no longer has what a stream read from it; the message names it and the way out."""


@dataclass(frozen=True)
class StreamPiece(Piece):
    """A log and what a batch reads of it."""

    range: Range


class StreamPartition(InputPartition):
    """Pieces of logs for one task of a batch."""

    def __init__(self, pieces: Sequence[StreamPiece]) -> None:
        super().__init__(None)
        self.pieces = pieces


@dataclass
class _Seen:
    """The state of a log when it was last read to its end, and when that was."""

    found: FoundLog
    after: Position
    when: float

    def still_holds(self, found: FoundLog, before: Position) -> bool:
        """Whether reading it again from there would find nothing new."""
        return (
            _news(self.after) == _news(before)
            and (self.found.size, self.found.modified) == (found.size, found.modified)
            and time.monotonic() - self.when < LOOK_AGAIN
        )


def _news(position: Position) -> tuple[object, ...]:
    """The parts of a position that change when there is something to deliver: not its path."""
    return (position.place, position.epoch, position.fault)


class JournalStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Plans batches in the driver's worker, reads them in tasks."""

    def __init__(self, columns: Columns, options: Options) -> None:
        self.columns = columns
        self.options = options
        self._seen: dict[str, _Seen] = {}
        self._logs: dict[str, FoundLog] = {}
        self._target: dict[str, Position] | None = None
        self._is_bounded = False

    def initialOffset(self) -> Offsets:
        """The offset before any log was read."""
        return {}

    def getDefaultReadLimit(self) -> ReadLimit:
        """The limit that the options set."""
        if self.options.max_trigger is not None:
            return ReadMaxBytes(self.options.max_trigger)
        if self.options.max_files is not None:
            return ReadMaxFiles(self.options.max_files)
        return ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:
        """From now on, deliver only what the next look at the logs finds."""
        self._is_bounded = True
        self._target = None

    def latestOffset(self, start: Offsets, limit: ReadLimit) -> Offsets:
        """The positions up to which the next batch reads. Raises :class:`Rewritten`."""
        before = {key: Position.from_json(body) for key, body in start.items()}
        is_limited = not isinstance(limit, ReadAllAvailable)
        if not self._is_bounded:
            after = self._advance(before, is_limited)
        elif self._target is None:
            self._target = self._advance(before, False)
            after = self._advance(before, True) if is_limited else self._target
        else:
            after = self._advance(before, is_limited)
        if after == before:
            return start
        return {key: after[key].to_json() for key in sorted(after)}

    def partitions(self, start: Offsets, end: Offsets) -> list[InputPartition]:
        """The partitions of the batch between two offsets."""
        if not self._logs:
            self._look({key: Position.from_json(body) for key, body in {**start, **end}.items()})
        pieces: list[StreamPiece] = []
        for key, body in end.items():
            after = Position.from_json(body)
            before = Position.from_json(start[key]) if key in start else Position(after.path)
            if after != before:
                pieces.append(self._piece(key, before, after))
        packing = self.options.packing
        packed = packing.pack(pieces, packing.target_bytes([piece.size for piece in pieces]))
        return [StreamPartition(some) for some in packed]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a partition."""
        from pyspark_journal.reading import Reader

        def in_range(piece: Piece, events: Iterator[Event], format_id: str) -> Iterator[Event]:
            assert isinstance(piece, StreamPiece)
            return piece.range.of(events, format_id)

        if isinstance(partition, StreamPartition):
            yield from Reader(self.columns, self.options).batches(partition.pieces, in_range)

    def commit(self, end: Offsets) -> None:
        """Do nothing: there is nothing to free after a commit."""

    def stop(self) -> None:
        """Do nothing: nothing is held open."""

    def _look(self, before: dict[str, Position]) -> bool:
        """Find the logs. False when some folder could not be listed."""
        looked = []
        is_whole = True
        for found in find(self.options):
            tree = self._tree(found)
            is_whole = is_whole and found.fault is None
            if found.format is None and found.fault is None:
                # A file that is still too short, or of no known format, is looked at again later.
                with contextlib.suppress(OSError, UnknownFormat):
                    format_id = tree.detect(found.path)
                    context = self.options.context(format_id)
                    found = replace(found, format=format_id, context=context)
            looked.append(Looked(found, tree))
        self._logs = dict(zip(keys_of(looked, before), (one.found for one in looked), strict=True))
        return is_whole

    def _tree(self, found: FoundLog) -> Tree:
        return tree_of(found.path, dict(self.options.file_system))

    def _advance(self, before: dict[str, Position], is_limited: bool) -> dict[str, Position]:
        # In bounded mode the logs were found when the bound was set.
        is_whole = True if self._target is not None else self._look(before)
        bytes_left = self.options.max_trigger if is_limited else None
        files_left = self.options.max_files if is_limited else None
        # Forget the positions of logs that are gone, unless a folder could not be listed.
        after = {key: p for key, p in before.items() if key in self._logs or not is_whole}
        moved = False
        # Oldest first: a log that grows all the time must not starve the others.
        for key in sorted(self._logs, key=lambda key: (self._logs[key].modified, key)):
            if self._target is not None and key not in self._target:
                continue
            if files_left == 0 or (bytes_left is not None and bytes_left <= 0):
                break
            known = before.get(key)
            start = known or Position(self._logs[key].path)
            position, size = self._advance_one(key, start, bytes_left, not moved)
            if _news(position) == _news(start):
                continue
            after[key] = position
            moved = True
            if files_left is not None:
                files_left -= 1
            if bytes_left is not None:
                bytes_left -= size
        return after

    def _advance_one(
        self, key: str, before: Position, limit: int | None, one_at_least: bool
    ) -> tuple[Position, int]:
        found, tree = self._logs[key], self._tree(self._logs[key])
        target = self._target.get(key) if self._target is not None else None
        if target is not None and _news(target) == _news(before):
            return before, 0
        seen = self._seen.get(key)
        if seen is not None and seen.still_holds(found, before):
            return before, 0
        size, is_all = 0, True
        try:
            if found.fault is not None:
                raise found.fault
            start = before
            if is_rewritten(before, found, tree):
                start = self._rewritten(found, before)
            bound = target.place if target is not None and target.epoch == start.epoch else None
            reached = advance(found, start, tree, self.options, limit, bound, one_at_least)
            position = with_identity(reached.position, found, tree)
            size, is_all = reached.size, reached.is_all
        except UnknownFormat as error:
            is_quiet = time.time() - found.modified >= self.options.quiet
            position = replace(before, fault=str(error)) if is_quiet else before
        except OSError as error:
            position = replace(before, fault=str(error))
        if is_all:
            self._seen[key] = _Seen(found, position, time.monotonic())
        return position, size

    def _rewritten(self, found: FoundLog, before: Position) -> Position:
        if self.options.on_rewrite == "restart":
            return Position(found.path, before.format, epoch=before.epoch + 1)
        raise Rewritten(
            f"{found.path}: at offset {before.at}{f' of {before.file}' if before.file else ''}:"
            " the log was truncated or replaced since the stream read it; its new records cannot"
            " be told from the old ones. Use a new checkpoint, or option('onRewrite', 'restart')"
            " to read it again from its start"
        )

    def _piece(self, key: str, before: Position, after: Position) -> StreamPiece:
        found = self._logs.get(key) or FoundLog(after.path, format=after.format)
        if after.epoch != before.epoch:
            before = Position(after.path)
        if after.fault is not None:
            # Its reader reports a file of no known format; any other fault is reported as found.
            is_unknown = found.format is None and found.fault is None
            log = replace(found, fault=None if is_unknown else OSError(after.fault))
            return StreamPiece(log, WHOLE, 1, Range((0, 0), (0, 0)))
        format_id = after.format or ""
        start = replace(before, format=after.format).place
        part = part_from(format_id, start[1], after.at)
        context = found.context or self.options.context(format_id)
        log = replace(found, format=after.format, context=context, fault=None)
        size = after.at - before.at if after.file == before.file else found.size
        return StreamPiece(log, part, max(1, size), Range(start, after.place))
