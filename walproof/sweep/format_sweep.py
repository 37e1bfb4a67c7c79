"""The format-specific part of a sweep: checksums, generated records, and choices of a writer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

from conformance.contents import Contents
from conformance.kaitai.field_map import Field
from conformance.recipes.algebra import Damage
from reference_impl.answer import Answer, NewRecord, Record

#: Replacement of the bytes ``[lo, hi)`` of the control; ``lo`` is -1 for the end of the log.
Edit = tuple[int, int, bytes]

Span = tuple[int, int]


class Call(NamedTuple):
    """A call of an operation of the damage algebra; ``file`` is empty in a log of one file."""

    operation: str
    arguments: tuple[Any, ...] = ()
    file: str = ""

    def __str__(self) -> str:
        arguments = [*map(repr, self.arguments), *([f"file={self.file!r}"] * bool(self.file))]
        return f"log.{self.operation}({', '.join(arguments)})"

    def apply(self, damage: Damage) -> None:
        """Perform the operation."""
        file = {"file": self.file} if self.file else {}
        getattr(damage, self.operation)(*self.arguments, **file)


def by_path(path: str, file: str) -> Call:
    """Return a call of the recipes' operation ``reseal`` on a field, for logs of one file."""
    return Call("reseal", (path,))


@dataclass(frozen=True)
class Seal:
    """A field that is covered by one checksum."""

    #: Generic name of the field.
    unit: str
    #: Return the edit that corrects the checksum in damaged data, given the field and all fields.
    edit: Callable[[bytes, Field, Sequence[Field]], Edit]
    #: Return the recipe operation that corrects the checksum, given the path and the file.
    reseal: Callable[[str, str], Call] = by_path
    #: True if ``reseal`` supports logs of several files.
    in_folders: bool = False
    #: Return whether a field in an undamaged log has a checksum.
    is_there: Callable[[bytes, Field], bool] = lambda data, unit: True


@dataclass(frozen=True)
class Task:
    """A request to a writer: ``append`` to a log like this control, or ``write`` a new log."""

    operation: str
    #: File name of the control.
    name: str
    #: Records of the control.
    records: Sequence[Record]
    #: Size of the control in bytes.
    size: int
    context: Mapping[str, Any]

    @property
    def appends(self) -> bool:
        """Return whether the request appends to an existing log."""
        return self.operation == "append"


class FormatSweep:
    """The format-specific settings of a sweep.

    The defaults suit a format with a checksum over each payload and no checksum over structure.
    """

    #: Checksums that cover structure.
    seals: Sequence[Seal] = ()

    #: True if a log may be intact although records are missing at its end.
    may_end_anywhere = False

    #: True if a reader that resynchronises after damage may find a record inside a payload.
    enters_payloads = False

    #: True if records are still verifiable after two changes; false if a change can disable the
    #: checksum.
    pairs_tell = True

    #: Context keys that select records, so that missing records cannot be determined.
    selecting: Collection[str] = ()

    #: Context keys of a writer with a size that determines where a record is written. For these
    #: keys, a sweep also uses the values of the vectors plus 1 and minus 1.
    near: Collection[str] = ()

    #: True if the format determines every byte that an append writes, unless :meth:`free` returns
    #: a choice.
    appends_exactly = False

    #: Context keys that describe the log itself; a writer that appends gets only the control's
    #: values.
    of_the_log: Collection[str] = ()

    def determines(self, context: Mapping[str, Any]) -> bool:
        """Return whether the format determines the bytes of a log written with this context."""
        return True

    def plain(self, task: Task) -> NewRecord:
        """Return one short record that every writer accepts."""
        return NewRecord(b"x")

    def new_records(self, chance: Random, task: Task) -> list[NewRecord]:
        """Return records to write, some of which must be refused."""
        return [NewRecord(self.payload(chance, task)) for _ in range(how_many(chance))]

    def payload(self, chance: Random, task: Task) -> bytes:
        """Return a payload: empty, short or long, or one of the control's payloads."""
        if task.records and chance.random() < 0.2:
            return chance.choice(task.records).payload
        return chance.randbytes(some_size(chance))

    def may_refuse(self, before: Answer, contents: Contents) -> bool:
        """Return whether a writer may refuse an append that the specification accepts."""
        return False

    def free(self, contents: Contents) -> list[tuple[str, str]]:
        """Return the choices of a writer that appends; see ``conformance.postconditions``."""
        return []

    def otherwise(
        self, records: Sequence[NewRecord], before: Answer, task: Task
    ) -> tuple[list[NewRecord], str] | None:
        """Return other records that a writer may append instead, and the reason; else None."""
        return None

    def owes_no_answer(self, error: Exception) -> bool:
        """Return whether an error is the correct reaction of a reader to its context."""
        return False

    def takes_back(self, records: Sequence[NewRecord]) -> bool:
        """Return whether the format requires that writing these records removes other records."""
        return False

    def may_join(self, record: Record) -> bool:
        """Return whether a record may consist of fragments of several records after a move."""
        return False

    def is_made_of(self, payload: bytes, written: Collection[bytes]) -> bool:
        """Return whether a payload consists of written parts that have their own checksums."""
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


def how_many(chance: Random) -> int:
    """Return a number of records to write, mostly small."""
    return chance.choice((0, 1, 1, 1, 2, 2, 3, 4, 6))


def some_size(chance: Random) -> int:
    """Return the length of a payload in bytes, mostly short."""
    return chance.choice(
        (0, 1, 2, 3, 7, 8, 15, 16, 31, 40, 63, 100, 127, 128, 255, 256, 300, 511, 1000, 4096, 5000)
    )
