"""What there is to know of a format, to damage its logs and to judge what readers say of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from conformance.contents import Contents
from conformance.kaitai.field_map import Field
from reference_impl.answer import End, Event, NewRecord, Record

Edit = tuple[int, int, bytes]
"""Replace ``[lo, hi)`` of the control by these bytes; ``lo`` is -1 for the end of the log."""

Span = tuple[int, int]


@dataclass(frozen=True)
class Seal:
    """What one checksum covers: a field of the grammar, its leaf with the checksum, and how.

    ``edit`` gives the right checksum for damaged bytes, from the field and all fields of the file;
    ``reseal`` does it with the recipes' verb; ``in_folders`` says that the verb knows logs of
    several files. ``is_there`` says whether an undamaged field has a checksum at all.
    """

    unit: str
    edit: Callable[[bytes, Field, Sequence[Field]], Edit]
    reseal: Callable[[Any, str, str], None]
    in_folders: bool = False
    is_there: Callable[[bytes, Field], bool] = lambda data, unit: True


@dataclass(frozen=True)
class Task:
    """What a writer gets: to ``append`` to a log like this control, or to ``write`` one.

    ``records`` are those of the control, ``size`` its bytes, ``name`` the file name.
    """

    operation: str
    name: str
    records: Sequence[Record]
    size: int
    context: Mapping[str, Any]

    @property
    def appends(self) -> bool:
        """Whether the log is there already."""
        return self.operation == "append"


def by_path(log: Any, path: str, file: str) -> None:
    """The verb ``reseal`` of the recipes."""
    log.reseal(path)


class FormatSweep:
    """A format with a checksum over each payload and none over structure."""

    seals: Sequence[Seal] = ()
    """The checksums over structure."""

    read_in_memory: Callable[[bytes, str], Iterator[Event]] | None = None
    """How the executable specification reads the bytes of a log of one file, in a profile."""

    may_end_anywhere = False
    """Whether a log may be intact though records are missing at its end."""

    enters_payloads = False
    """Whether a reader that looks for the next record after damage may find one in a payload."""

    pairs_tell = True
    """Whether a record is still known to be right after two damages: not if one of them can switch
    the checksum off."""

    selecting: Collection[str] = ()
    """Keys of the context that choose among records: then nobody can say which are missing."""

    near: Collection[str] = ()
    """Keys of a writer's context of which the numbers beside those of the vectors are told, too:
    sizes that decide where a record goes."""

    appends_exactly = False
    """Whether every byte is determined that a writer which appends leaves."""

    of_the_log: Collection[str] = ()
    """Keys that say what a log is: a writer that appends is told those of the control alone."""

    def determines(self, context: Mapping[str, Any]) -> bool:
        """Whether the format determines the bytes of a log that is written with this context."""
        return True

    def plain(self, task: Task) -> NewRecord:
        """One short record that a writer takes."""
        return NewRecord(b"x")

    def new_records(self, chance: Random, task: Task) -> list[NewRecord]:
        """Records to write: of all kinds, of sizes at the edges, some that must be refused."""
        return [NewRecord(self.payload(chance, task)) for _ in range(how_many(chance))]

    def payload(self, chance: Random, task: Task) -> bytes:
        """One payload: of no byte, of one, of a few, of many; or one that the control has."""
        if task.records and chance.random() < 0.2:
            return chance.choice(task.records).payload
        return chance.randbytes(some_size(chance))

    def may_refuse(self, end: End, contents: Contents) -> bool:
        """Whether a writer may refuse to append where the executable specification does not."""
        return False

    def free(self, contents: Contents) -> list[tuple[str, str]]:
        """What a writer that appends is free to do otherwise: see ``postconditions``."""
        return []

    def otherwise(
        self, records: Sequence[NewRecord], end: End, task: Task
    ) -> tuple[list[NewRecord], str] | None:
        """Another right way to append these: as is done with those given, and why."""
        return None

    def owes_no_answer(self, error: Exception) -> bool:
        """Whether what a reader raised is its right answer to its context: there is no case."""
        return False

    def takes_back(self, records: Sequence[NewRecord]) -> bool:
        """Whether a writer that takes these records removes others, as it must."""
        return False

    def may_join(self, record: Record) -> bool:
        """Whether a record may be made from fragments of several that were moved."""
        return False

    def is_made_of(self, payload: bytes, written: Collection[bytes]) -> bool:
        """Whether a payload that nobody wrote can be made of parts that were, each under a checksum
        of its own: then a reader returns it, and says that the log is damaged."""
        return False

    def tells_payloads(self, files: Mapping[str, bytes], records: Sequence[Record]) -> bool:
        """Whether a log has a checksum over each payload: else changes and losses go unnoticed."""
        return True

    def covers(self, data: bytes, spans: Sequence[Span]) -> bool:
        """Whether records and lost ranges, sorted, and framing cover a log of one file."""
        return True


def how_many(chance: Random) -> int:
    """How many records a writer gets: mostly a few."""
    return chance.choice((0, 1, 1, 1, 2, 2, 3, 4, 6))


def some_size(chance: Random) -> int:
    """How long a payload is: mostly short, seldom longer than a page or a block."""
    return chance.choice(
        (0, 1, 2, 3, 7, 8, 15, 16, 31, 40, 63, 100, 127, 128, 255, 256, 300, 511, 1000, 4096, 5000)
    )
