"""The format-specific part of a sweep: guarantees, generated records, choices of a writer."""

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
    """A generated log, with its earlier states, newest first."""

    @property
    def files(self) -> Mapping[str, bytes]:
        """The contents by file name. In a log of one file, the name is empty."""

    @property
    def records(self) -> Sequence[Record]:
        """Records that the executable specification returns."""

    @property
    def earlier(self) -> Sequence[LogState]:
        """The states before."""


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

    The defaults suit a format with a checksum over each payload and no checksum over structure.
    """

    #: True if a log may be intact although records are missing at its end.
    may_end_anywhere = False

    #: True if a reader that resynchronises after damage may find a record inside a payload.
    enters_payloads = False

    #: True if records are still verifiable after two changes, and false if a change can disable the
    #: checksum.
    pairs_tell = True

    #: Context keys that select records, so that missing records cannot be determined.
    selecting: Collection[str] = ()

    #: True if the format determines every byte that an append writes, unless :meth:`free` returns
    #: a choice.
    appends_exactly = False

    def write_history(self, log: HistoryWriter) -> None:
        """Write a generated log in the way that real writers do.

        By default, write a few batches.
        """
        log.write(log.records())
        for _ in range(log.chance.randrange(4)):
            log.append(log.records())

    #: True if a writer writes a record before the numbers that point to it. These numbers have
    #: lower offsets.
    writes_header_last = False

    #: A torn write ends at a multiple of this number, because sectors do.
    atom = 1

    #: Number of bytes at the start of a file that a disk writes at once, because they are in one
    #: sector.
    head_bytes = 0

    #: True if damage to a record may also cost the record before it.
    may_cost_neighbour = False

    def tears_look_damaged(self, control: LogState, answer: Answer) -> bool:
        """Return whether, by the chapter, an interrupted write may look like damage."""
        return False

    def reach(self, control: LogState, file: str, start: int, end: float) -> tuple[int, float]:
        """Return the range of records that may be lost if ``[start, end)`` is damaged.

        The range begins with the unit of the first damaged byte. By default, it has no end.
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
        """Return the choices of a writer that appends. See ``conformance.postconditions``."""
        return []

    def otherwise(
        self, records: Sequence[NewRecord], before: Answer, task: AppendTask
    ) -> tuple[list[NewRecord], str] | None:
        """Return other records that a writer may append instead, and the reason, or None."""
        return None

    def owes_no_answer(self, error: Exception) -> bool:
        """Return whether an error is the correct reaction of a reader to its context."""
        return False

    def may_join(self, record: Record) -> bool:
        """Return whether fragments may be joined to a wrong record after units have moved."""
        return False

    def is_made_of(self, payload: bytes, written: Collection[bytes]) -> bool:
        """Return whether a payload consists of written parts that have their own checksums."""
        return False

    def is_undetected(self, payload: bytes, written: Collection[bytes]) -> bool:
        """Return whether a change that nothing detects turns a written payload into this one."""
        return False

    def stored_records(
        self, files: Mapping[str, bytes], records: Sequence[Record]
    ) -> Sequence[Record]:
        """Return the records in the bytes of an undamaged log, in log order.

        A log may store hidden records that a reader does not return.
        """
        return records

    def tells_payloads(self, files: Mapping[str, bytes], records: Sequence[Record]) -> bool:
        """Return whether each payload of a log has a checksum."""
        return True

    def is_framing(self, before: bytes, after: bytes, record: Record) -> bool:
        """Return whether damage turned a record into framing, which no lost range covers."""
        return not any(after[record.at : record.at + record.size])

    def covers(self, data: bytes, spans: Sequence[Span]) -> bool:
        """Return whether framing and the sorted spans of records and lost ranges cover a log."""
        return True
