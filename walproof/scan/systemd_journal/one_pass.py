"""Whether links are all as they should be, in file order: kernels.

Following links from one object to the next visits memory all over the file. In a sound file the
order of the objects tells what each link must be, so one pass is enough to see that nothing is
wrong. What is wrong where, ``links`` and ``lists`` find out.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from walproof.scan.compiled import I32, I64, U64, boolean, int64, kernel, uint64
from walproof.scan.memory import load32, load64
from walproof.scan.systemd_journal.copies import AHEAD, prefetch
from walproof.scan.systemd_journal.lists import mixed
from walproof.scan.systemd_journal.object_table import FOUND, kind_of, mark, number_of
from walproof.scan.systemd_journal.objects import name_id
from walproof.scan.systemd_journal.offsets import offset_at
from walproof.scan.systemd_journal.words import (
    DATA,
    ENTRY_ARRAY,
    FIELD,
    IN_CHAIN,
    IN_TABLE,
    NO_NAME,
    SIZE,
    SLOT,
)

_SLOTS_AHEAD = 512
"""So many bytes of slots ahead memory is asked for."""


@kernel(boolean(FOUND, int64, int64, int64))
def table_holds(found, wanted, table_at, size):
    """Whether the chains of a hash table have all objects of a type, and nothing else.

    They do if each object has one link to it, from its bucket or an earlier object of that bucket,
    and those without a link to the next are where their buckets end. A link leads onward in the
    file, so it has been seen when the walk comes to where it leads.
    """
    data, kinds, offsets, marks = found.data, found.kinds, found.offsets, found.marks
    bits, ranks, whole = found.bits, found.ranks, found.facts[SIZE]
    buckets, last = uint64(size // 16), offsets.shape[0] - 1
    firsts = lasts = 0
    for number in range(offsets.shape[0]):
        later = min(number + 2 * AHEAD, last)
        if kind_of(kinds, later) == wanted:
            prefetch(data, offsets[later] + 16)
        later = min(number + AHEAD, last)
        if kind_of(kinds, later) == wanted:
            place = table_at + 16 * int64(load64(data, offsets[later] + 16) % buckets)
            prefetch(data, place)
        if kind_of(kinds, number) != wanted:
            continue
        at = offsets[number]
        place = table_at + 16 * int64(load64(data, at + 16) % buckets)
        if marks[number] & IN_TABLE == 0:
            if offset_at(data, place) != at:
                return False
            firsts += 1
        following = offset_at(data, at + 24)
        if following == 0:
            if offset_at(data, place + 8) != at:
                return False
            lasts += 1
            continue
        onward = number_of(bits, ranks, whole, following)
        if onward <= number or kind_of(kinds, onward) != wanted:
            return False
        if table_at + 16 * int64(load64(data, following + 16) % buckets) != place:
            return False
        if mark(marks, onward, IN_TABLE):
            return False
    # The buckets of first and last objects were looked at, so the others must be empty.
    for place in range(table_at, table_at + size, 16):
        firsts -= load64(data, place) != 0
        lasts -= load64(data, place + 8) != 0
    return firsts == 0 and lasts == 0


@kernel(boolean(FOUND, I64, I64))
def field_lists_hold(found, newest, listed):
    """Whether each FIELD lists all DATA with its name, and nothing else.

    ``newest`` and ``listed``, at work, have a place for each name, and are 0 before.
    """
    data, kinds, offsets, name_ids = found.data, found.kinds, found.offsets, found.name_ids
    owners, last_object = 0, offsets.shape[0] - 1
    for number in range(offsets.shape[0]):
        prefetch(data, offsets[min(number + AHEAD, last_object)] + 32)
        kind, at = kind_of(kinds, number), offsets[number]
        if kind == DATA:
            name = name_ids[number]
            if name == NO_NAME or offset_at(data, at + 32) != newest[name]:
                return False
            newest[name] = at
        elif kind == FIELD:
            length = offset_at(data, at + 8) - 40
            if length > 64:
                return False
            # The names that are known are names of DATA: without "=" in them.
            known = name_id(
                data, at + 40, length, False, found.slots, found.names, found.lengths, found.state
            )
            if known == NO_NAME or listed[known]:
                return False
            listed[known] = at
            owners += 1
    for name in range(newest.shape[0]):
        if listed[name]:
            if offset_at(data, listed[name] + 32) != newest[name]:
                return False
            owners -= 1
        elif newest[name]:
            return False
    return owners == 0


@kernel(boolean(FOUND, boolean, U64, I32))
def lists_hold(found, compact, digests, counts):
    """Whether each DATA lists the entries that have it; marks the arrays on the way."""
    data, facts, kinds, offsets = found.data, found.facts, found.kinds, found.offsets
    bits, ranks, marks, whole = found.bits, found.ranks, found.marks, found.facts[SIZE]
    width = facts[SLOT]
    last_object = offsets.shape[0] - 1
    for number in range(offsets.shape[0]):
        prefetch(data, offsets[min(number + AHEAD, last_object)] + 40)
        if kind_of(kinds, number) != DATA:
            continue
        home = offsets[number]
        first, array = offset_at(data, home + 40), offset_at(data, home + 48)
        left = offset_at(data, home + 56)
        if (first != 0) != (left != 0):
            return False
        count, mix, last = int64(0), uint64(0), first
        if first:
            count, mix, left = 1, mixed(mix, first), left - 1
        tail, tail_used = int64(0), 0
        while array:
            if left == 0:
                return False
            place = number_of(bits, ranks, whole, array)
            if kind_of(kinds, place) != ENTRY_ARRAY or mark(marks, place, IN_CHAIN):
                return False
            used = 0
            slots = (offset_at(data, array + 8) - 24) // width
            first_slot = array + 24
            while used < slots:
                start = first_slot + used * width
                prefetch(data, start + _SLOTS_AHEAD)
                slot = int64(load32(data, start)) if width == 4 else offset_at(data, start)
                if slot == 0:
                    break
                if left == 0 or slot < last:
                    return False
                if slot > last:
                    mix, count = mixed(mix, slot), count + 1
                last, used, left = slot, used + 1, left - 1
            tail, tail_used = array, used
            start, end = first_slot + used * width, first_slot + slots * width
            while start + 8 <= end:
                prefetch(data, start + _SLOTS_AHEAD)
                if load64(data, start):
                    return False
                start += 8
            if start < end and load32(data, start):
                return False
            following = offset_at(data, array + 16)
            if following and following <= array:
                return False
            array = following
        # The digest is that of entries, so all that was listed are entries.
        if left or count != counts[number] or mix != digests[number]:
            return False
        if compact and tail:
            stored = load64(data, home + 64)
            if stored and stored != uint64(tail) | (uint64(tail_used) << uint64(32)):
                return False
    return True
