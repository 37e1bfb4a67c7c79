"""Read growing logs with ``spark.readStream.format("journal")``, each record exactly once.

A batch contains the records and lost ranges that begin between two positions. Bytes before a
position no longer change, so a batch that is repeated after a crash has the same rows.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxBytes,
    ReadMaxFiles,
    SupportsTriggerAvailableNow,
)

from pyspark_journal.options import Options
from pyspark_journal.positions import (
    AFTER_ALL,
    Position,
    Range,
    identify,
    is_rewritten,
    order,
    with_checksums,
)
from pyspark_journal.reading import Reader
from reference_impl.answer import End, Lost
from reference_impl.formats import UnknownFormat
from walproof.lake.discovery import FoundLog, find
from walproof.lake.file_tree import Tree
from walproof.lake.opening import opened
from walproof.lake.splits import Piece
from walproof.lake.trees import tree_of
from walproof.log import Log
from walproof.scanners import part_from, scanner
from walproof.scanners.model import WHOLE, Event, Wanted

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

# Maximum seconds between two reads of a log that seems unchanged. The content of a mapped file may
# change while its size and time stay the same.
LOOK_AGAIN = 1.0
NOTHING = Wanted(payload=False, columns=frozenset())
Offsets = dict[str, dict[str, Any]]


class Rewritten(RuntimeError):
    """Raised if a log no longer has the bytes that a stream read. The message has the remedy."""


@dataclass(frozen=True)
class StreamPiece(Piece):
    """A log, and the range of it that a batch reads."""

    range: Range
    file: str | None = None
    restarts: int = 0

    @property
    def origin(self) -> tuple[str | None, int]:
        """The file and offset at which the batch begins."""
        return self.file, self.range.start[1]

    @property
    def epoch(self) -> int:
        """The number of times that the stream restarted at the start of the log."""
        return self.restarts

    def scan(self, log: Log, wanted: Wanted) -> Iterator[Event]:
        """Yield the events in the range. See :class:`Piece`."""
        return self.range.of(super().scan(log, wanted), log.format)


def _news(position: Position) -> tuple[object, ...]:
    """Return the parts of a position that change if there is something new to read."""
    return (position.order_key, position.epoch, position.fault)


class JournalStreamReader(Reader, DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Plans batches in the driver's worker, and reads them in tasks."""

    def __init__(self, schema: StructType, options: Options) -> None:
        super().__init__(schema, options)
        # For each log that was read to its end, the log's size, modification time and position, and
        # the time of the read.
        self._seen: dict[str, tuple[tuple[object, ...], float]] = {}
        self._logs: dict[str, FoundLog] = {}
        self._target: dict[str, Position] | None = None
        self._is_bounded = False

    def initialOffset(self) -> Offsets:
        """Return the offset at which a stream starts, before any log is read."""
        return {}

    def getDefaultReadLimit(self) -> ReadLimit:
        """Return the limit that the options set for a batch."""
        if self.options.max_trigger is not None:
            return ReadMaxBytes(self.options.max_trigger)
        if self.options.max_files is not None:
            return ReadMaxFiles(self.options.max_files)
        return ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:
        """Deliver only data that exists when the logs are next listed."""
        self._is_bounded = True
        self._target = None

    def latestOffset(self, start: Offsets, limit: ReadLimit) -> Offsets:
        """Return the positions up to which the next batch reads. Raises :class:`Rewritten`."""
        before = {key: Position.from_json(body) for key, body in start.items()}
        if self._is_bounded and self._target is None:
            self._target = self._advance(before, False)
        after = self._advance(before, not isinstance(limit, ReadAllAvailable))
        if after == before:
            return start
        return {key: after[key].to_json() for key in sorted(after)}

    def partitions(self, start: Offsets, end: Offsets) -> list[InputPartition]:
        """Return the partitions of the batch between two offsets."""
        if not self._logs:
            self._look({key: Position.from_json(body) for key, body in {**start, **end}.items()})
        pieces: list[StreamPiece] = []
        for key, body in end.items():
            after = Position.from_json(body)
            before = Position.from_json(start[key]) if key in start else Position(after.path)
            if after != before:
                pieces.append(self._piece(key, before, after))
        target = self.options.packing.target_bytes([piece.size for piece in pieces])
        return self.pack(pieces, target)

    def _look(self, before: dict[str, Position]) -> bool:
        """Find the logs, and return whether all folders could be listed."""
        looked = []
        is_whole = True
        for log in find(self.options):
            tree = self._tree(log)
            is_whole = is_whole and log.fault is None
            if log.format is None and log.fault is None:
                # A file that is too short or has an unknown format is checked again later.
                with suppress(OSError, UnknownFormat):
                    format_id = tree.detect(log.path)
                    log = replace(log, format=format_id, context=self.options.context(format_id))
            looked.append((log, tree))
        self._logs = identify(looked, before)
        return is_whole

    def _tree(self, listed: FoundLog) -> Tree:
        return tree_of(listed.path, dict(self.options.file_system))

    def _advance(self, before: dict[str, Position], is_limited: bool) -> dict[str, Position]:
        is_whole = self._look(before)
        bytes_left = self.options.max_trigger if is_limited else None
        files_left = self.options.max_files if is_limited else None
        # Forget the positions of deleted logs, unless a directory could not be listed.
        after = {key: p for key, p in before.items() if key in self._logs or not is_whole}
        moved = False
        # Read the oldest logs first, so that a constantly growing log does not block other logs.
        for key in sorted(self._logs, key=lambda key: (self._logs[key].modified, key)):
            if files_left == 0 or (bytes_left is not None and bytes_left <= 0):
                break
            start = before.get(key) or Position(self._logs[key].path)
            position, size = self._advance_one(key, start, bytes_left, not moved)
            if self._target is not None:
                target = self._target.get(key, start)
                if target.epoch == position.epoch and target.order_key <= position.order_key:
                    position = target
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
        log, tree = self._logs[key], self._tree(self._logs[key])
        facts = (log.size, log.modified, _news(before))
        seen, when = self._seen.get(key, (None, 0.0))
        if seen == facts and time.monotonic() - when < LOOK_AGAIN:
            return before, 0
        size, is_all = 0, True
        is_quiet = time.time() - log.modified >= self.options.quiet
        try:
            if log.fault is not None:
                raise log.fault
            is_new = is_rewritten(before, log, tree)
            start = self._rewritten(log, before) if is_new else before
            position, size, is_all = self._reach(log, start, is_quiet, limit, one_at_least)
            if position.order_key > start.order_key:
                position = with_checksums(position, log, tree)
        except UnknownFormat as error:
            position = replace(before, fault=str(error)) if is_quiet else before
        except OSError as error:
            position = replace(before, fault=str(error))
        if is_all:
            self._seen[key] = (log.size, log.modified, _news(position)), time.monotonic()
        return position, size

    def _reach(
        self,
        found: FoundLog,
        start: Position,
        is_quiet: bool,
        limit: int | None,
        one_at_least: bool,
    ) -> tuple[Position, int, bool]:
        """Return the next position in a log, the bytes of new records before it, and a flag.

        The flag is false if ``limit`` (in bytes) was reached. If ``one_at_least`` is true, the
        first record may exceed the limit. If ``is_quiet`` is true, damage at the end is included.
        Raises ``OSError`` and ``UnknownFormat``.
        """
        size, is_all = 0, True
        # Each position consists of a file's number, an offset in the file, and the file's name.
        damage: tuple[int, int, str | None] | None = None
        with opened(found, self.options) as log:
            format_id = log.format
            before = replace(start, format=format_id, path=found.path, fault=None)
            place = (*before.order_key, before.file)
            scan = scanner(format_id).scan(log, NOTHING, part_from(format_id, before.at))
            with closing(cast(Any, scan)) as events:
                for event in Range(before.order_key, AFTER_ALL).of(events, format_id):
                    if isinstance(event, End):
                        if is_quiet:
                            place = (0, max(1, found.size), None)
                            size = found.size
                        continue
                    number = order(format_id, event.file)
                    if isinstance(event, Lost):
                        if not event.torn and (number, event.start) >= place[:2]:
                            # Skip empty ranges too, so that the position always moves forward.
                            end = (number, max(event.end, event.start + 1), event.file)
                            damage = end if damage is None else max(damage, end)
                        continue
                    count = len(event)
                    if limit is not None:
                        count = int((size + event.size.cumsum() <= limit).sum())
                        count = max(count, int(size == 0 and one_at_least))
                        is_all = count >= len(event)
                    if count:
                        place = (
                            number,
                            int(event.at[count - 1] + event.size[count - 1]),
                            event.file,
                        )
                        size += int(event.size[:count].sum())
                        damage = None
                    if not is_all:
                        break
        if is_quiet and damage is not None and is_all:
            place = damage
        if place[:2] <= before.order_key:
            return before, 0, is_all
        return replace(before, at=place[1], file=place[2]), size, is_all

    def _rewritten(self, listed: FoundLog, before: Position) -> Position:
        if self.options.on_rewrite == "restart":
            return Position(listed.path, before.format, epoch=before.epoch + 1)
        raise Rewritten(
            f"{listed.path}: at offset {before.at}{f' of {before.file}' if before.file else ''}:"
            " the log was truncated or replaced after the stream read it, so new and old records"
            " cannot be told apart. Use a new checkpoint, or option('onRewrite', 'restart')"
            " to read it again from its start"
        )

    def _piece(self, key: str, before: Position, after: Position) -> StreamPiece:
        listed = self._logs.get(key) or FoundLog(after.path, format=after.format)
        if after.epoch != before.epoch:
            before = Position(after.path)
        if after.fault is not None:
            # If the format is unknown, the row reader reports it itself. Pass on only other faults.
            is_unknown = listed.format is None and listed.fault is None
            log = replace(listed, fault=None if is_unknown else OSError(after.fault))
            return StreamPiece(log, WHOLE, 1, Range((0, 0), (0, 0)), None, after.epoch)
        format_id = after.format or ""
        start = replace(before, format=after.format).order_key
        part = part_from(format_id, start[1], after.at)
        context = listed.context or self.options.context(format_id)
        log = replace(listed, format=after.format, context=context, fault=None)
        size = after.at - before.at if after.file == before.file else listed.size
        reach = Range(start, after.order_key)
        return StreamPiece(log, part, max(1, size), reach, before.file, after.epoch)
