"""Entries of several systemd journals in the order in which journalctl shows them.

Of the entries that come next in each file the smallest is next of all. Two entries are compared by
their numbers if both come from one source of numbers, else by the monotonic clock if both are of
one boot, else by the newest times of their boots if one machine wrote both, else by the wall clock,
last by the hash of their fields. That is no order of all entries: where clocks went back,
journalctl's own depends on the order in which it finds the files, and it passes over entries that
it finds too late. Here none is passed over.

Upstream authority: systemd 254 ``sd-journal.c``, ``compare_locations``, ``compare_boot_ids``,
``journal_file_read_tail_timestamp``. Releases before it do not compare boots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from reference_impl.answer import End, Lost
from walproof.formats.systemd_journal.query.journal_file import JournalEntry, JournalFile
from walproof.systems.model import of_all


class Located(Protocol):
    """An entry, or a cursor, that has a place among entries."""

    @property
    def seqnum_id(self) -> bytes:
        """Id of the source of its sequence number."""

    @property
    def seqnum(self) -> int:
        """Its sequence number."""

    @property
    def boot_id(self) -> bytes:
        """Its boot."""

    @property
    def monotonic(self) -> int:
        """Its clock of the boot, in microseconds."""

    @property
    def realtime(self) -> int:
        """Its wall clock, in microseconds since 1970."""

    @property
    def xor_hash(self) -> int:
        """The hash of its fields."""


@dataclass(frozen=True)
class Newest:
    """The newest entry that is known of a boot: its machine, and its wall clock."""

    machine_id: bytes
    realtime: int


BootTimes = Mapping[bytes, Newest]


def is_the_same(one: Located, other: Located) -> bool:
    """Return whether journalctl shows only one of the two: same boot, times and fields.

    Their numbers count only if both come from one source: a copy by the network has numbers of its
    own.
    """
    if one.seqnum_id == other.seqnum_id and one.seqnum != other.seqnum:
        return False
    return (one.boot_id, one.monotonic, one.realtime, one.xor_hash) == (
        other.boot_id,
        other.monotonic,
        other.realtime,
        other.xor_hash,
    )


def comes_before(one: Located, other: Located, boots: BootTimes) -> bool:
    """Return whether journalctl shows ``one`` first."""
    if one.seqnum_id == other.seqnum_id and one.seqnum != other.seqnum:
        return one.seqnum < other.seqnum
    if one.boot_id == other.boot_id:
        if one.monotonic != other.monotonic:
            return one.monotonic < other.monotonic
    else:
        mine, theirs = boots.get(one.boot_id), boots.get(other.boot_id)
        is_one_machine = mine and theirs and mine.machine_id == theirs.machine_id
        if mine and theirs and is_one_machine and mine.realtime != theirs.realtime:
            return mine.realtime < theirs.realtime
    return (one.realtime, one.xor_hash) < (other.realtime, other.xor_hash)


class _Head:
    """The entry that comes next in a chain of files; lost ranges and ends are put aside."""

    def __init__(
        self, chain: Sequence[Callable[[], JournalFile]], aside: list[Lost], ends: list[End]
    ) -> None:
        self._entries = self._read(chain, aside, ends)
        self.entry: JournalEntry | None = None
        self.advance()

    def _read(
        self, chain: Sequence[Callable[[], JournalFile]], aside: list[Lost], ends: list[End]
    ) -> Iterator[JournalEntry]:
        for open_file in chain:
            file = open_file()
            yield from file.entries()
            aside += [replace(gap, file=file.name) for gap in file.lost]
            ends.append(replace(file.end, file=file.name))

    def advance(self) -> None:
        """Go to the next entry."""
        self.entry = next(self._entries, None)


def merged(
    chains: Sequence[Sequence[Callable[[], JournalFile]]], boots: BootTimes
) -> Iterator[JournalEntry | Lost | End]:
    """The entries of all chains, each once, then what is lost, then one end.

    The files of a chain follow each other, and are opened one after another. An entry that several
    files have is shown once. Raises what opening a file raises.
    """
    lost: list[Lost] = []
    ends: list[End] = []
    heads = [_Head(chain, lost, ends) for chain in chains]
    while True:
        first: _Head | None = None
        for head in heads:
            if head.entry is not None and (
                first is None or first.entry is None or comes_before(head.entry, first.entry, boots)
            ):
                first = head
        if first is None or first.entry is None:
            break
        shown = first.entry
        yield shown
        first.advance()
        for head in heads:
            if head is not first and head.entry is not None and is_the_same(head.entry, shown):
                head.advance()
    yield from sorted(lost, key=lambda gap: (gap.file or "", gap.start))
    end = of_all(ends)
    yield End(end.verdict, end.reason, None)
