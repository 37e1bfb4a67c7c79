"""Entries of several systemd journals in the order in which journalctl shows them.

Of the entries that come next in each file the smallest is next of all. Two entries are compared by
their numbers if both come from one source of numbers, else by the monotonic clock if both are of
one boot, else by the wall clock, last by the hash of their fields. That is no order of all entries:
where clocks went back, journalctl's own depends on the order in which it finds the files, and it
passes over entries that it finds too late. Here none is passed over.

Upstream authority: systemd 252 ``sd-journal.c``, ``compare_locations``. Later ones also put boots
of one machine in order as a whole, by the newest time that is known of each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from reference_impl.answer import End, Event, Lost, Record
from walproof.systems.model import of_all

Source = tuple[str, Callable[[], Iterator[Event]]]
"""The name of a file, and what reads it."""


@dataclass(frozen=True)
class Place:
    """What an entry is compared by."""

    seqnum_id: str
    seqnum: int
    boot_id: str
    monotonic: int
    realtime: int
    xor_hash: int


def place_of(record: Record) -> Place:
    """The place of an entry: its cursor says all of it."""
    parts = dict(part.split("=", 1) for part in record.fields["cursor"].split(";"))
    numbers = {name: int(parts[name], 16) for name in "imtx"}
    return Place(parts["s"], numbers["i"], parts["b"], numbers["m"], numbers["t"], numbers["x"])


def is_the_same(one: Place, other: Place) -> bool:
    """Whether journalctl shows one of the two only: same boot, times and fields.

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


def comes_before(one: Place, other: Place) -> bool:
    """Whether journalctl shows ``one`` first."""
    if one.seqnum_id == other.seqnum_id and one.seqnum != other.seqnum:
        return one.seqnum < other.seqnum
    if one.boot_id == other.boot_id and one.monotonic != other.monotonic:
        return one.monotonic < other.monotonic
    return (one.realtime, one.xor_hash) < (other.realtime, other.xor_hash)


class _Head:
    """The entry that comes next in a chain of files; lost ranges and ends are put aside."""

    def __init__(self, chain: Sequence[Source], aside: list[Lost], ends: list[End]) -> None:
        self._events = self._read(chain, aside, ends)
        self.record: Record | None = None
        self.place: Place | None = None
        self.advance()

    def _read(
        self, chain: Sequence[Source], aside: list[Lost], ends: list[End]
    ) -> Iterator[Record]:
        for name, read in chain:
            for event in read():
                if isinstance(event, Record):
                    yield replace(event, file=name)
                elif isinstance(event, Lost):
                    aside.append(replace(event, file=name))
                else:
                    ends.append(replace(event, file=name))

    def advance(self) -> None:
        """Go to the next entry."""
        self.record = next(self._events, None)
        self.place = place_of(self.record) if self.record is not None else None


def merged(chains: Sequence[Sequence[Source]]) -> Iterator[Event]:
    """The entries of all chains, each once, then what is lost, then one end.

    The files of a chain follow each other. An entry that several files have is shown once.
    """
    lost: list[Lost] = []
    ends: list[End] = []
    heads = [_Head(chain, lost, ends) for chain in chains]
    while True:
        first: _Head | None = None
        for head in heads:
            if head.place is not None and (
                first is None or first.place is None or comes_before(head.place, first.place)
            ):
                first = head
        if first is None or first.record is None or first.place is None:
            break
        yield first.record
        shown = first.place
        first.advance()
        for head in heads:
            if head is not first and head.place is not None and is_the_same(head.place, shown):
                head.advance()
    yield from sorted(lost, key=lambda gap: (gap.file or "", gap.start))
    end = of_all(ends)
    yield End(end.verdict, end.reason, None)
