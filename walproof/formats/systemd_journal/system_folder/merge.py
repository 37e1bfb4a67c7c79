"""Merge the entries of several systemd journals in the order of journalctl.

Each step takes the smallest of the next entries of all files. Two entries are compared by the first
of these criteria that applies:

1. their sequence numbers, if both come from the same source;
2. the monotonic clock, if both are of the same boot;
3. the newest times of their boots, if the same machine wrote both;
4. the wall clock;
5. the hash of their fields.

This is not a total order. If clocks were set back, the order of journalctl depends on the order of
the files, and journalctl skips some entries. This merge skips none.

Upstream authority: systemd 254 ``sd-journal.c``, ``compare_locations``, ``compare_boot_ids``,
``journal_file_read_tail_timestamp``. Earlier releases do not compare boots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from reference_impl.answer import End, Lost
from walproof.formats.systemd_journal.query.filters import Cursor
from walproof.formats.systemd_journal.query.journal_file import JournalEntry, JournalFile
from walproof.systems.model import of_all


@dataclass(frozen=True)
class Newest:
    """The newest known entry of a boot: its machine and its wall-clock time."""

    machine_id: bytes
    realtime: int


BootTimes = Mapping[bytes, Newest]


def is_the_same(entry: JournalEntry, other: JournalEntry | Cursor) -> bool:
    """Return whether journalctl treats two entries as the same: equal boot id, times and fields."""
    if entry.seqnum_id == other.seqnum_id and entry.seqnum != other.seqnum:
        return False
    return (entry.boot_id, entry.monotonic, entry.realtime, entry.xor_hash) == (
        other.boot_id,
        other.monotonic,
        other.realtime,
        other.xor_hash,
    )


def comes_before(entry: JournalEntry, other: JournalEntry | Cursor, boots: BootTimes) -> bool:
    """Return whether journalctl shows ``entry`` before ``other``."""
    if entry.seqnum_id == other.seqnum_id and entry.seqnum != other.seqnum:
        return entry.seqnum < other.seqnum
    if entry.boot_id == other.boot_id:
        if entry.monotonic != other.monotonic:
            return entry.monotonic < other.monotonic
    else:
        newest, other_newest = boots.get(entry.boot_id), boots.get(other.boot_id)
        is_one_machine = newest and other_newest and newest.machine_id == other_newest.machine_id
        if newest and other_newest and is_one_machine and newest.realtime != other_newest.realtime:
            return newest.realtime < other_newest.realtime
    return (entry.realtime, entry.xor_hash) < (other.realtime, other.xor_hash)


def _entries_of(
    chain: Sequence[Callable[[], JournalFile]], lost: list[Lost], ends: list[End]
) -> Iterator[JournalEntry]:
    for open_file in chain:
        file = open_file()
        yield from file.entries()
        lost += [replace(gap, file=file.name) for gap in file.lost]
        ends.append(replace(file.end, file=file.name))


def merged(
    chains: Sequence[Sequence[Callable[[], JournalFile]]], boots: BootTimes
) -> Iterator[JournalEntry | Lost | End]:
    """Yield each entry of the chains once, then the lost ranges, then one ``End``.

    A chain contains files of one source in the order of their sequence numbers.
    """
    lost: list[Lost] = []
    ends: list[End] = []
    chains_left = [_entries_of(chain, lost, ends) for chain in chains]
    heads = {entries: next(entries, None) for entries in chains_left}
    while left := {entries: entry for entries, entry in heads.items() if entry is not None}:
        shown, *others = left.values()
        for other in others:
            if comes_before(other, shown, boots):
                shown = other
        yield shown
        for entries, entry in left.items():
            if entry is shown or is_the_same(entry, shown):
                heads[entries] = next(entries, None)
    yield from sorted(lost, key=lambda gap: (gap.file or "", gap.start))
    end = of_all(ends)
    yield End(end.verdict, end.reason, None)
