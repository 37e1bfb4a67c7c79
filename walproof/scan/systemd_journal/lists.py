"""Entries, and what each DATA says of the entries that have it: kernels."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numpy as np

from walproof.scan.compiled import I32, I64, I64_2D, U64, helper, int64, kernel, types, uint64
from walproof.scan.memory import load64
from walproof.scan.systemd_journal.copies import AHEAD, prefetch
from walproof.scan.systemd_journal.entries import payload_size
from walproof.scan.systemd_journal.object_table import FOUND, is_excused, kind_of, mark, number_of
from walproof.scan.systemd_journal.objects import item_at, put, slot_at
from walproof.scan.systemd_journal.offsets import offset_at
from walproof.scan.systemd_journal.words import (
    BAD_INDEX,
    BAD_ITEM,
    BAD_ORDER,
    CACHED,
    DATA,
    END,
    ENTRY,
    ENTRY_ARRAY,
    IN_CHAIN,
    ITEM,
    LINKED,
    LOST,
    SIZE,
    SLOT,
    TOO_LARGE,
)

_MIX, _AGAIN = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)


@helper(types.uint64(types.uint64, int64))
def mixed(mix, at):
    """A digest of a list of entries, one entry longer.

    Lists rise, so it is one of sets: a sum, whose terms need not wait for each other.
    """
    term = uint64(at) * _MIX
    return mix + (term ^ (term >> uint64(32))) * _AGAIN


@kernel(
    types.UniTuple(int64, 3)(
        FOUND,
        I64,
        types.boolean,
        U64,
        I32,
        I32,
        int64,
        U64,
        I32,
        I64,
        I64,
        int64,
        I64_2D,
        I32,
        I64_2D,
    ),
)
def entries(
    found, numbers, broken, digests, counts, stamps, grown_from, older, older_counts,
    packed, lengths, max_field, cached, given, faults,
):  # fmt: skip
    """Sequence numbers and items of all entries (SDJ-015, SDJ-043, SDJ-047, SDJ-092).

    ``numbers`` are theirs; ``broken`` says that the main chain is. ``digests`` and ``counts``, of
    the entries that have it, are filled for each DATA; ``stamps``, one for each object, are at
    work. ``older`` and ``older_counts`` are those of the entries in front of ``grown_from``, where
    they are asked for. ``packed`` are the compressed DATA and ``lengths`` the bytes of their
    payloads. ``cached``, 0 before, has CACHED items met before: offset, number, bytes of the
    payload. ``given``, one for each object, says how many items of an entry are looked at if not
    all are, and is -1 before. Gives how many ``faults`` there are, and the first and last entry
    that count for the header, or 0.
    """
    data, facts, offsets, marks = found.data, found.facts, found.offsets, found.marks
    bits, ranks, kinds, whole = found.bits, found.ranks, found.kinds, found.facts[SIZE]
    fault_count = 0
    first, last, seqnum = int64(0), int64(0), uint64(0)
    width = facts[ITEM]
    grown = older.shape[0] == 0
    end = found.state[END]
    to_give = 256 * end + 4 * max_field
    last_ordinal = numbers.shape[0] - 1
    for ordinal in range(numbers.shape[0]):
        prefetch(data, offsets[numbers[min(ordinal + AHEAD, last_ordinal)]])
        at, to_repeat = offsets[numbers[ordinal]], end
        if not grown and at >= grown_from:
            grown = True
            for home in range(older.shape[0]):
                older[home], older_counts[home] = digests[home], counts[home]
        if load64(data, at + 16) <= seqnum:
            fault_count = put(faults, fault_count, at + 16, at + 24, BAD_ORDER, 0)
        seqnum = load64(data, at + 16)
        is_whole, digest = True, mixed(uint64(0), at)
        for number in range((offset_at(data, at + 8) - 64) // width):
            item = item_at(data, facts, at, number)
            slot = (item >> 3) & (CACHED - 1)
            kind, again = int64(DATA), int64(0)
            if cached[slot, 0] != item or item == 0:
                home = number_of(bits, ranks, whole, item)
                kind = kind_of(kinds, home)
                if kind == DATA:
                    cached[slot, 0], cached[slot, 1] = item, home
                    cached[slot, 2] = payload_size(found, home, packed, lengths)
            if kind == DATA:
                home, size = cached[slot, 1], cached[slot, 2]
                if stamps[home] == ordinal:
                    again = size
                else:
                    stamps[home] = ordinal
                    digests[home] += digest
                    counts[home] += 1
            if not is_whole:
                continue
            start = at + 64 + number * width
            if kind == DATA:
                if size <= to_give and again <= to_repeat:
                    to_give -= size
                    to_repeat -= again
                    continue
                is_whole = False
                given[numbers[ordinal]] = number
                stop = at + offset_at(data, at + 8)
                fault_count = put(faults, fault_count, start, stop, TOO_LARGE, 0)
            elif item == 0 or not is_excused(found, kind, item):
                target = item if item else at
                fault_count = put(faults, fault_count, start, start + width, BAD_ITEM, target)
        if broken or marks[numbers[ordinal]] & LINKED:
            first = first if first else at
            last = at
    if not grown:
        for home in range(older.shape[0]):
            older[home], older_counts[home] = digests[home], counts[home]
    return fault_count, first, last


@helper()
def _list(found, home, compact, digest, has, grown_from, older, older_has):
    """The fault of one DATA: start, end and target; end 0 for none.

    ``older`` and ``older_has`` are of the entries in front of ``grown_from`` (SDJ-052).
    """
    data, facts, marks = found.data, found.facts, found.marks
    bits, ranks, kinds, whole = found.bits, found.ranks, found.kinds, found.facts[SIZE]
    fine = (int64(0), int64(0), int64(0))
    first, array = offset_at(data, home + 40), offset_at(data, home + 48)
    claimed = offset_at(data, home + 56)
    if (first != 0) != (claimed != 0):
        return home + 56, home + 64, first
    count, mix, last = 0, uint64(0), int64(0)
    older_count, older_mix = 0, uint64(0)
    if first:
        kind = kind_of(kinds, number_of(bits, ranks, whole, first))
        if kind != ENTRY:
            return fine if is_excused(found, kind, first) else (home + 40, home + 48, first)
        count, mix, last = 1, mixed(mix, first), first
        if first < grown_from:
            older_count, older_mix = count, mix
    place, left = home + 48, max(int64(0), claimed - 1)
    tail, tail_used, ended = int64(0), 0, False
    while array:
        number = number_of(bits, ranks, whole, array)
        kind = kind_of(kinds, number)
        if left == 0 or kind != ENTRY_ARRAY or mark(marks, number, IN_CHAIN):
            return fine if is_excused(found, kind, array) else (place, place + 8, array)
        used = 0
        for number in range((offset_at(data, array + 8) - 24) // facts[SLOT]):
            slot = slot_at(data, facts, array, number)
            if slot == 0:
                ended = True
                continue
            kind = kind_of(kinds, number_of(bits, ranks, whole, slot))
            if ended or left == 0 or slot < last or kind != ENTRY:
                if is_excused(found, kind, slot):
                    return fine
                start = array + 24 + number * facts[SLOT]
                return start, start + facts[SLOT], slot
            if slot > last:  # systemd up to 247 listed a repeated field twice (SDJ-019)
                mix, count = mixed(mix, slot), count + 1
                if slot < grown_from:
                    older_count, older_mix = count, mix
            last, used, left = slot, number + 1, left - 1
        tail, tail_used = array, used
        place = array + 16
        following = offset_at(data, place)
        if following and following <= array:
            return place, place + 8, following
        array = following
    if left or count != has or mix != digest:
        if not found.state[LOST]:
            if older_count == older_has and older_mix == older:
                last = max(last, grown_from)
            return home + 56, home + 64, last
    elif compact and tail:
        stored = load64(data, home + 64)
        if stored and stored != uint64(tail) | (uint64(tail_used) << uint64(32)):
            return home + 64, home + 72, tail
    return fine


@kernel(int64(FOUND, types.boolean, U64, I32, int64, U64, I32, I64_2D))
def lists_of_data(found, compact, digests, counts, grown_from, older, older_counts, faults):
    """The entries that each DATA lists, against the entries that have it (SDJ-036).

    What is not asked for of ``older`` ones is the same as of all.
    """
    fault_count = 0
    for number in range(found.offsets.shape[0]):
        if kind_of(found.kinds, number) != DATA:
            continue
        digest, has = digests[number], counts[number]
        old = older[number] if older.shape[0] else digest
        old_has = older_counts[number] if older.shape[0] else has
        home = found.offsets[number]
        start, end, target = _list(found, home, compact, digest, has, grown_from, old, old_has)
        if end:
            fault_count = put(faults, fault_count, start, end, BAD_INDEX, target)
    return fault_count
