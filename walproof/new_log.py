"""Copy the records of a log that can follow one another in its format to a new log."""

from __future__ import annotations

import contextlib
import errno
import os
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from conformance.saving import named_in_errors, publish, temporary_sibling
from conformance.text import json_text
from reference_impl.answer import End, Event, InvalidRecord, Lost, NewRecord, Record
from reference_impl.formats import named
from reference_impl.register import registers
from walproof.directory_copy import copy_owner_and_mode
from walproof.formats import plugin_for
from walproof.quantity import counted
from walproof.spool import Shelf

if TYPE_CHECKING:
    from walproof.scanners.model import ReadableLog, Records
    from walproof.scanners.run_shelf import RunShelf

#: Records that cannot be part of the new log go to a file with this suffix.
AFTER_LOSS = ".after-loss.jsonl"
#: These record fields depend on the rest of the file or repeat the payload.
ABOUT_THE_FILE = frozenset(
    {
        "batch",
        "cursor",
        "checksum",
        "missing",
        "state",
        "fields",
        "frame",
        "after_loss",
        "compression",
    }
)
#: A writer may write sequence numbers up to this one (SDJ-088).
_HIGHEST_SEQNUM = 2**64 - 2


class CannotWrite(ValueError):
    """Raised if no log of the format can hold the records, or if a log must not be appended to."""


@dataclass
class Survivors:
    """The records that a reader returns for a log.

    ``records`` can form a new log. ``others`` cannot follow these records in sequence.
    """

    log: ReadableLog
    records: Shelf[Record] | RunShelf = field(default_factory=Shelf)
    others: Sequence[Record] = field(default_factory=Shelf)
    lost_bytes: int = 0
    end: End = field(default_factory=lambda: End("refused", None, None))

    @property
    def count(self) -> int:
        """Return the number of all records."""
        return len(self.records) + len(self.others)

    def write(self, new: Path) -> None:
        """Write the new log; write the other records to a JSON lines file beside it.

        A record that the format's writer refuses, and all records after it, become other records.
        Raises ``OSError``. Raises :class:`CannotWrite` if a reader does not return the same records
        from the new log.
        """
        if self.end.verdict == "refused":
            raise CannotWrite(f"refused ({self.end.reason})")
        if self.lost_bytes and not self.count:
            raise CannotWrite("no record survives")
        format = named(self.log.format)
        context = format.copied(self.log.readable, self.log.context)
        copy = self.log.at(new, context)
        if not isinstance(self.records, Shelf):
            write_runs = plugin_for(self.log.format).write_runs
            assert write_runs is not None
            write_runs(new, self.records.runs)
            _compare(self.records, copy.columns())
            return
        write = format.write
        if self.log.is_read_by_scanner:
            write = plugin_for(self.log.format).write_records or format.write
        try:
            try:
                write(new, self._to_write(), context)
            except InvalidRecord as error:
                self._end_before(error.number)
                write(new, self._to_write(), context)
        except ValueError as error:
            raise CannotWrite(str(error)) from None
        _compare(self.records, copy.events())
        if self.others:
            with after_loss_file(new).open("x", encoding="utf-8") as lines:
                lines.writelines(f"{json_text(_in_full(record))}\n" for record in self.others)

    def _to_write(self) -> Sequence[NewRecord]:
        # Writers use only the payload and the fields of a record, so they accept records that were
        # read.
        return cast("Sequence[NewRecord]", self.records)

    def _end_before(self, number: int) -> None:
        records: Shelf[Record] = Shelf()
        others: Shelf[Record] = Shelf()
        for at, record in enumerate(self.records):
            (records if at < number else others).append(record)
        for record in self.others:
            others.append(record)
        self.records, self.others = records, others

    def publish(self, new: Path) -> None:
        """Write the new log like :meth:`write`, under a temporary name until it is complete.

        Raises ``FileExistsError`` if a path exists, and the errors of :meth:`write`.
        """
        old = self.log.path.resolve()
        for path in (new, after_loss_file(new)):
            if os.path.lexists(path):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
        with temporary_sibling(new) as scratch:
            with named_in_errors(new):
                scratch.mkdir(0o700)
                # In some formats, the file name determines the file type to write.
                self.write(created := scratch / old.name)
            with contextlib.ExitStack() as undo:
                if (others := after_loss_file(created)).exists():
                    copy_owner_and_mode(old, others)
                    publish(others, after_loss_file(new))
                    undo.callback(after_loss_file(new).unlink)
                copy_owner_and_mode(old, created)
                publish(created, new)
                undo.pop_all()


def after_loss_file(log: Path) -> Path:
    """Return the path for the records that cannot be part of a new log."""
    return log.with_name(f"{log.name}{AFTER_LOSS}")


def read_survivors(log: ReadableLog) -> Survivors:
    """Read a log, and separate the records that can form a new log from all others.

    A record cannot be part of a new log if it is marked ``after_loss``, if there is a gap before
    its index (ZBJ-023, ZMR-020), or if its sequence number does not increase (SDJ-047). Raises
    ``OSError``, and ``ValueError`` for a context that the format rejects.
    """
    if log.is_read_by_scanner and plugin_for(log.format).write_runs is not None:
        return _read_runs(log)
    records: Shelf[Record] = Shelf()
    others: Shelf[Record] = Shelf()
    survivors = Survivors(log, records, others)
    seqnums: list[int] = []
    fields = registers()[log.format].fields
    is_gapless = "index" in fields and fields["index"].is_gapless
    next_index: int | None = None
    for event in log.events():
        if isinstance(event, Lost):
            survivors.lost_bytes += event.end - event.start
        elif isinstance(event, End):
            survivors.end = event
        else:
            index = int(event.fields["index"]) if is_gapless and "index" in event.fields else None
            if index is not None and next_index is None and not survivors.count:
                context = named(log.format).copied(log.readable, log.context)
                first = context.get("first_index")
                next_index = None if first is None else int(first)
            is_gap = index is not None and next_index is not None and index > next_index
            if is_gap or event.fields.get("after_loss"):
                others.append(event)
                continue
            next_index = None if index is None else index + 1
            records.append(event)
            if "seqnum" in event.fields:
                seqnums.append(int(event.fields["seqnum"]))
    if len(rising := _longest_rising(seqnums)) < len(seqnums):
        kept: Shelf[Record] = Shelf()
        survivors.records = kept
        for number, record in enumerate(records):
            (kept if number in rising else others).append(record)
    return survivors


def _read_runs(log: ReadableLog) -> Survivors:
    """Read a log of a format in which a new log can hold all records."""
    from walproof.scanners.run_shelf import RunShelf

    survivors = Survivors(log, runs := RunShelf(log.format))
    for event in log.columns():
        if isinstance(event, Lost):
            survivors.lost_bytes += event.end - event.start
        elif isinstance(event, End):
            survivors.end = event
        else:
            runs.append(event)
    return survivors


def _longest_rising(numbers: Sequence[int]) -> set[int]:
    """Return the positions of the longest increasing subsequence of writable numbers."""
    # For each length, the lowest number at which an increasing subsequence of this length ends.
    lowest_ends: list[int] = []
    positions: list[int] = []  # of these numbers
    before: dict[int, int] = {}
    for position, number in enumerate(numbers):
        if number > _HIGHEST_SEQNUM:
            continue
        length = bisect_left(lowest_ends, number)
        lowest_ends[length : length + 1] = [number]
        positions[length : length + 1] = [position]
        if length:
            before[position] = positions[length - 1]
    chosen = set()
    last = positions[-1] if positions else None
    while last is not None:
        chosen.add(last)
        last = before.get(last)
    return chosen


def _in_full(record: Record) -> dict[str, Any]:
    """Return a record as JSON, with its full payload in hexadecimal."""
    body = record.to_json()
    body.pop("payload_sha256", None)
    return {**body, "payload": record.payload.hex()}


def _compare(old: Shelf[Record] | RunShelf, new: Iterable[Event | Records]) -> None:
    """Raise :class:`CannotWrite` unless the new log is intact and contains the old records."""
    count = 0
    for event in new:
        if isinstance(event, Record):
            if count < len(old):
                _compare_records(count, old[count], event)
            count += 1
        elif isinstance(event, End):
            if event.verdict != "intact":
                raise CannotWrite(f"the new log reads as {event.verdict} ({event.reason})")
        elif not isinstance(event, Lost):
            for number, old_record, new_record in cast("RunShelf", old).differing(count, event):
                _compare_records(number, old_record, new_record)
            count += len(event)
    if len(old) != count:
        raise CannotWrite(f"the new log has {counted(count, 'record')}, expected {len(old):,}")


def _compare_records(number: int, old: Record, new: Record) -> None:
    if old.payload != new.payload:
        raise CannotWrite(f"record {number} at {old.at} reads back with another payload")
    for name in sorted((old.fields.keys() | new.fields.keys()) - ABOUT_THE_FILE):
        if (was := old.fields.get(name)) != (result := new.fields.get(name)):
            raise CannotWrite(f"record {number} at {old.at}: {name} is {was} and would be {result}")
