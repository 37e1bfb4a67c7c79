"""The format-specific part of a sweep: guarantees, generated records, and writers' choices."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from conformance.contents import Contents
from reference_impl.answer import Answer, NewRecord, Record
from walproof.sweep.history_writer import HistoryWriter

Span = tuple[int, int]


class LogState(Protocol):
    """A generated log and its earlier states."""

    @property
    def files(self) -> Mapping[str, bytes]:
        """The contents by file name. If the log is a single file, the name is empty."""

    @property
    def records(self) -> Sequence[Record]:
        """Records that the executable specification returns."""

    @property
    def earlier(self) -> Sequence[LogState]:
        """Earlier states of the log, newest first."""


@dataclass(frozen=True)
class AppendTask:
    """A request to append to a damaged copy of a control."""

    #: File name of the control.
    name: str
    #: Records of the control.
    records: Sequence[Record]
    context: Mapping[str, Any]


class FormatSweep:
    """The format-specific settings of a sweep.

    The defaults suit a format in which a checksum covers each payload, but not the structure.
    """

    #: True if a log can still be intact after it loses records at its end.
    may_end_anywhere = False

    #: True if a reader that resynchronises after damage may find a record inside a payload.
    enters_payloads = False

    #: True if records can still be verified after two changes. False if one of the changes can
    #: disable the checksum.
    pairs_tell = True

    #: These context keys select records. With such a key, missing records cannot be determined.
    selecting: Collection[str] = ()

    #: True if the format determines every byte that an append writes. Choices that :meth:`free`
    #: returns are exceptions.
    appends_exactly = False

    def write_history(self, log: HistoryWriter) -> None:
        """Write a generated log in the way that real writers do.

        By default, write a few batches.
        """
        log.write(log.records())
        for _ in range(log.chance.randrange(4)):
            log.append(log.records())

    #: True if a writer first writes a record and then the numbers that refer to it, which have
    #: lower offsets.
    writes_header_last = False

    #: A torn write ends at a multiple of this number, such as the size of a sector.
    atom = 1

    #: Number of bytes at the start of a file that a disk writes together, because they are in one
    #: sector.
    head_bytes = 0

    #: True if damage to a record may also destroy the record before it.
    may_cost_neighbour = False

    def tears_look_damaged(self, control: LogState, answer: Answer) -> bool:
        """Return whether the chapter allows an interrupted write to look like damage."""
        return False

    def reach(self, control: LogState, file: str, start: int, end: float) -> tuple[int, float]:
        """Return the range in which records may be lost if ``[start, end)`` is damaged.

        The range begins with the unit that contains the first damaged byte. By default, it is
        unlimited.
        """
        return start, math.inf

    def sized(self, task: AppendTask, size: int) -> NewRecord:
        """Return a record with a payload of about ``size`` bytes."""
        plain = self.plain(task)
        return NewRecord(b"x" * size, plain.fields)

    def plain(self, task: AppendTask) -> NewRecord:
        """Return one short record that every writer accepts."""
        return NewRecord(b"x")

    def may_refuse(self, before: Answer, contents: Contents) -> bool:
        """Return whether a writer may refuse an append that the specification accepts."""
        return False

    def free(self, contents: Contents) -> list[tuple[str, str]]:
        """Return the choices that an appending writer has. See ``conformance.postconditions``."""
        return []

    def otherwise(
        self, records: Sequence[NewRecord], before: Answer, task: AppendTask
    ) -> tuple[list[NewRecord], str] | None:
        """Return records that a writer may append instead, and the reason why it may; else None."""
        return None

    def owes_no_answer(self, error: Exception) -> bool:
        """Return whether a reader is right to raise this error because of its context."""
        return False

    def may_join(self, record: Record) -> bool:
        """Return whether a reader may join fragments of different records after units moved."""
        return False

    def is_made_of(self, payload: bytes, written: Collection[bytes]) -> bool:
        """Return whether a payload consists of written parts that have separate checksums."""
        return False

    def is_undetected(self, payload: bytes, written: Collection[bytes]) -> bool:
        """Return whether undetectable damage can turn a written payload into this one."""
        return False

    def stored_records(
        self, files: Mapping[str, bytes], records: Sequence[Record]
    ) -> Sequence[Record]:
        """Return the records in the bytes of an undamaged log, in log order.

        A log may contain records that are hidden from readers.
        """
        return records

    def tells_payloads(self, files: Mapping[str, bytes], records: Sequence[Record]) -> bool:
        """Return whether every payload in a log has a checksum."""
        return True

    def is_framing(self, before: bytes, after: bytes, record: Record) -> bool:
        """Return whether damage turned a record into framing, which no lost range covers."""
        return not any(after[record.at : record.at + record.size])

    def covers(self, data: bytes, spans: Sequence[Span]) -> bool:
        """Return whether sorted ``spans`` (records and lost ranges) and framing cover a log."""
        return True
