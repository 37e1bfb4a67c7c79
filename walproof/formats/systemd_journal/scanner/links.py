"""Compiled kernels that check links: main chain, hash tables, field lists, seals without a key.

Each kernel appends rows of start, end, code and target to ``faults`` and returns the number of new
rows. It visits each object at most once per type of link (SDJ-057).
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numpy as np
from numpy import int64, uint64

from walproof.formats.systemd_journal.scanner.constants import (
    BAD,
    BAD_CHAIN,
    BAD_INDEX,
    BAD_ITEM,
    BAD_LAST,
    BAD_OBJECT,
    BAD_ORDER,
    BAD_SEAL,
    CACHED,
    DATA,
    DATA_BUCKETS,
    DATA_FIXED,
    DATA_TABLE,
    END,
    ENTRY,
    ENTRY_ARRAY,
    FIELD_BUCKETS,
    FIELD_TABLE,
    IN_CHAIN,
    IN_LIST,
    IN_TABLE,
    ITEM,
    LINKED,
    LOST,
    MAIN_ARRAY,
    NO_NAME,
    PACKED,
    SIZE,
    SLOT,
    TAG,
    TOO_LARGE,
    UNLINKED,
)
from walproof.formats.systemd_journal.scanner.objects import (
    is_excused,
    item_at,
    kind_of,
    mark,
    name_id,
    number_of,
    offset_at,
    payload_size,
    put,
    slot_at,
)
from walproof.scan.kernels import helper, kernel, load32, load64, same

_MAIN_FIELD = 176


@kernel
def main_chain(objects, entries, faults):
    """Check the chain of arrays that lists all entries in order (SDJ-033, SDJ-034).

    ``entries`` is the number of entries that the chain must list. Returns the number of faults,
    whether the chain is broken, the number of slots that lead to an entry, the last array, and the
    number of its used slots.
    """
    data, facts, marks = objects.data, objects.facts, objects.marks
    bits, ranks, kinds, whole = objects.bits, objects.ranks, objects.kinds, objects.facts[SIZE]
    count = 0
    place, at, last_slot, ended = _MAIN_FIELD, facts[MAIN_ARRAY], int64(0), False
    broken, linked, last_array, last_used = False, 0, int64(0), 0
    if at == 0 and entries:
        broken = True
        count = put(faults, count, place, place + 8, BAD_CHAIN, 0)
    while at:
        array = number_of(bits, ranks, whole, at)
        kind = kind_of(kinds, array)
        if kind != ENTRY_ARRAY or mark(marks, array, IN_CHAIN):
            broken = True
            if not is_excused(objects, kind, at):
                count = put(faults, count, place, place + 8, BAD_CHAIN, at)
            break
        used = 0
        for number in range((offset_at(data, at + 8) - 24) // facts[SLOT]):
            slot = slot_at(data, facts, at, number)
            if slot == 0:
                ended = True
                continue
            entry = number_of(bits, ranks, whole, slot)
            kind = kind_of(kinds, entry)
            if ended or slot <= last_slot or kind != ENTRY:
                if not is_excused(objects, kind, slot):
                    broken = True
                    start = at + 24 + number * facts[SLOT]
                    count = put(faults, count, start, start + facts[SLOT], BAD_CHAIN, slot)
                ended = False
                if kind != ENTRY:
                    continue
            marks[entry] |= LINKED
            linked += 1
            last_slot = max(last_slot, slot)
            used = number + 1
        last_array, last_used = at, used
        place = at + 16
        following = offset_at(data, place)
        if following and following <= at:
            broken = True
            count = put(faults, count, place, place + 8, BAD_CHAIN, following)
            break
        at = following
    return count, broken, linked, last_array, last_used


@kernel
def unlinked(objects, entries, faults):
    """Find entries missing from the main chain (SDJ-046); ``entries`` are their numbers."""
    count = 0
    marks = objects.marks
    for which in range(entries.shape[0]):
        number = entries[which]
        if marks[number] & LINKED == 0:
            at = objects.offsets[number]
            end = at + ((offset_at(objects.data, at + 8) + 7) & ~7)
            count = put(faults, count, at, end, UNLINKED, at)
    return count


@kernel
def table(objects, wanted, table_at, size, faults):
    """Check a hash table, its chains, and all objects that it must contain (SDJ-024, SDJ-095)."""
    data, marks = objects.data, objects.marks
    bits, ranks, kinds, whole = objects.bits, objects.ranks, objects.kinds, objects.facts[SIZE]
    buckets = uint64(size // 16)
    count = 0
    broken = False
    for bucket in range(size // 16):
        place = table_at + 16 * bucket
        at, tail, last = offset_at(data, place), offset_at(data, place + 8), int64(0)
        tail_place = place + 8
        followed = True
        while at:
            number = number_of(bits, ranks, whole, at)
            kind = kind_of(kinds, number)
            if kind != wanted or at <= last or mark(marks, number, IN_TABLE):
                broken = True
                pardoned = is_excused(objects, kind, at)
                if not pardoned:
                    count = put(faults, count, place, place + 8, BAD_INDEX, at)
                onward = pardoned and kind & ~BAD == wanted and at > last
                if onward and not mark(marks, number, IN_TABLE):
                    # Only its payload is damaged, so its link is valid.
                    last, place, at = at, at + 24, offset_at(data, at + 24)
                    continue
                followed = False
                break
            if load64(data, at + 16) % buckets != uint64(bucket):
                broken = True
                count = put(faults, count, place, place + 8, BAD_INDEX, at)
            last, place = at, at + 24
            at = offset_at(data, at + 24)
        if followed and tail != last:
            broken = True
            if not is_excused(objects, kind_of(kinds, number_of(bits, ranks, whole, tail)), tail):
                target = max(tail, last)
                count = put(faults, count, tail_place, tail_place + 8, BAD_LAST, target)
    if broken or objects.state[LOST]:
        return count
    for number in range(objects.offsets.shape[0]):
        if kind_of(kinds, number) == wanted and marks[number] & IN_TABLE == 0:
            at = objects.offsets[number]
            count = put(faults, count, at + 24, at + 32, BAD_INDEX, at)
    return count


@helper
def _has_name(objects, number, at, start, length, named):
    """Return whether a valid DATA object has a field of this name.

    Returns -1 if the kernel cannot determine it. ``named`` is the number of the name, or -1 if
    numbers cannot be compared.
    """
    data = objects.data
    if objects.kinds[number] & PACKED:
        if named < 0 or named == NO_NAME or objects.name_ids[number] == NO_NAME:
            return -1
        return int64(objects.name_ids[number] == named)
    payload = at + objects.facts[DATA_FIXED]
    if payload + length >= at + offset_at(data, at + 8) or data[payload + length] != 61:
        return 0
    return int64(same(data, payload, data, start, length))


@kernel
def field_lists(objects, fields, owned, faults):
    """Check the list of DATA objects of each FIELD object (SDJ-025).

    ``fields`` contains the numbers of the FIELD objects. ``owned`` contains one element per name,
    initially 0. Returns -1 if the result depends on a name without a number, which only the
    reference reader supports.
    """
    data, marks = objects.data, objects.marks
    bits, ranks, kinds, whole = objects.bits, objects.ranks, objects.kinds, objects.facts[SIZE]
    count = 0
    broken = False
    for which in range(fields.shape[0]):
        home = objects.offsets[fields[which]]
        start, end = home + 40, home + offset_at(data, home + 8)
        named = int64(-1)
        if end - start <= 64:
            named = name_id(
                data, start, end - start, False, objects.slots, objects.names, objects.lengths,
                objects.state,
            )  # fmt: skip
            for place in range(start, end):
                if data[place] == 61:
                    named = int64(-1)
        if named >= 0 and named != NO_NAME:
            owned[named] = 1
        place, at, last = home + 32, offset_at(data, home + 32), whole
        while at:
            number = number_of(bits, ranks, whole, at)
            kind = kind_of(kinds, number)
            good = kind == DATA and at < last and not mark(marks, number, IN_LIST)
            if good:
                named_so = _has_name(objects, number, at, start, end - start, named)
                if named_so < 0:
                    return -1
                good = named_so == 1
            if not good:
                broken = True
                if not is_excused(objects, kind, at):
                    count = put(faults, count, place, place + 8, BAD_INDEX, at)
                break
            last, place = at, at + 32
            at = offset_at(data, at + 32)
    if broken or objects.state[LOST]:
        return count
    for number in range(objects.offsets.shape[0]):
        if kind_of(kinds, number) != DATA or marks[number] & IN_LIST:
            continue
        name = objects.name_ids[number]
        if name == NO_NAME:
            return -1
        if owned[name]:
            at = objects.offsets[number]
            count = put(faults, count, at + 32, at + 40, BAD_INDEX, at)
    return count


@helper
def _link_at(data, start, end):
    return int64(load32(data, start)) if end - start == 4 else offset_at(data, start)


@kernel
def impostors(objects, wrong, faults):
    """Find arrays and tables that only invalid links lead to (SDJ-096).

    Call this function after all links have been followed. ``wrong`` marks the faulty objects.
    """
    facts, whole = objects.facts, objects.facts[SIZE]
    count = 0
    for which in range(wrong.shape[0]):
        if wrong[which, 2] == BAD_LAST:
            continue  # the second offset of a bucket is compared, not followed
        at = wrong[which, 3]
        number = number_of(objects.bits, objects.ranks, whole, at)
        kind = kind_of(objects.kinds, number)
        if kind == ENTRY_ARRAY:
            astray = objects.marks[number] & IN_CHAIN == 0
        elif kind in (DATA_TABLE, FIELD_TABLE):
            astray = at != facts[DATA_BUCKETS] - 16 and at != facts[FIELD_BUCKETS] - 16
        else:
            astray = False
        # A count may have a target, too. Targets are fields of eight or four bytes in the file.
        if astray and at == _link_at(objects.data, wrong[which, 0], wrong[which, 1]):
            end = at + ((offset_at(objects.data, at + 8) + 7) & ~7)
            count = put(faults, count, at, end, BAD_OBJECT, 0)
    return count


@kernel
def seals(objects, sealed, continuous, faults):
    """Check the order of tags and epochs (SDJ-073, SDJ-074); verifying the seals needs the key."""
    data = objects.data
    count = 0
    expected, before = uint64(1), uint64(0)
    for number in range(objects.offsets.shape[0]):
        at = objects.offsets[number]
        kind = data[at]
        if kind == ENTRY and expected == 1 and sealed:
            count = put(faults, count, at, at + 16, BAD_SEAL, at)
        if kind != TAG:
            continue
        if not sealed:
            count = put(faults, count, at, at + offset_at(data, at + 8), BAD_SEAL, at)
            continue
        if load64(data, at + 16) != expected:
            count = put(faults, count, at + 16, at + 24, BAD_SEAL, at)
        epoch = load64(data, at + 24)
        if expected > 1 and (epoch < before or (continuous and epoch - before > 1)):
            count = put(faults, count, at + 24, at + 32, BAD_SEAL, at)
        expected, before = expected + uint64(1), epoch
    return count


_MIX, _AGAIN = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)


@helper
def mixed(mix, at):
    """Add an entry to the digest of a list of entries.

    Lists are sorted, so two lists are equal if they have the same elements. The digest is therefore
    a sum of one independent term per entry.
    """
    term = uint64(at) * _MIX
    return mix + (term ^ (term >> uint64(32))) * _AGAIN


@kernel
def entries(
    objects, numbers, broken, digests, counts, stamps, grown_from, older, older_counts,
    packed, lengths, max_field, cached, given, faults,
):  # fmt: skip
    """Check sequence numbers and items of all entries (SDJ-015, SDJ-043, SDJ-047, SDJ-092).

    ``numbers`` are the entry numbers; ``broken`` is set if the main chain is broken. ``digests``
    and ``counts`` are filled for each DATA from the entries that contain it; ``stamps`` is work
    space with an element for each object. ``older`` and ``older_counts`` are the same for the
    entries in front of ``grown_from``, if requested. ``packed`` are the compressed DATA and
    ``lengths`` the sizes of their payloads. ``cached``, initially 0, has CACHED earlier items:
    offset, number, bytes of the payload. ``given`` has an element for each object, initially -1:
    the number of items of an entry to read, if not all. Returns the number of ``faults``, and the
    first and last entry that count for the header, or 0.
    """
    data, facts, offsets, marks = objects.data, objects.facts, objects.offsets, objects.marks
    bits, ranks, kinds, whole = objects.bits, objects.ranks, objects.kinds, objects.facts[SIZE]
    fault_count = 0
    first, last, seqnum = int64(0), int64(0), uint64(0)
    width = facts[ITEM]
    grown = older.shape[0] == 0
    end = objects.state[END]
    to_give = 256 * end + 4 * max_field
    for ordinal in range(numbers.shape[0]):
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
                    cached[slot, 2] = payload_size(objects, home, packed, lengths)
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
            elif item == 0 or not is_excused(objects, kind, item):
                target = item if item else at
                fault_count = put(faults, fault_count, start, start + width, BAD_ITEM, target)
        if broken or marks[numbers[ordinal]] & LINKED:
            first = first if first else at
            last = at
    if not grown:
        for home in range(older.shape[0]):
            older[home], older_counts[home] = digests[home], counts[home]
    return fault_count, first, last


@helper
def _list(objects, home, compact, digest, has, grown_from, older, older_has):
    """Return the fault in the entry list of a DATA object: start, end and target.

    ``end`` is 0 if there is no fault. ``older`` and ``older_has`` are the values for the entries
    before ``grown_from`` (SDJ-099).
    """
    data, facts, marks = objects.data, objects.facts, objects.marks
    bits, ranks, kinds, whole = objects.bits, objects.ranks, objects.kinds, objects.facts[SIZE]
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
            return fine if is_excused(objects, kind, first) else (home + 40, home + 48, first)
        count, mix, last = 1, mixed(mix, first), first
        if first < grown_from:
            older_count, older_mix = count, mix
    place, left = home + 48, max(int64(0), claimed - 1)
    tail, tail_used, ended = int64(0), 0, False
    while array:
        number = number_of(bits, ranks, whole, array)
        kind = kind_of(kinds, number)
        if left == 0 or kind != ENTRY_ARRAY or mark(marks, number, IN_CHAIN):
            return fine if is_excused(objects, kind, array) else (place, place + 8, array)
        used = 0
        for number in range((offset_at(data, array + 8) - 24) // facts[SLOT]):
            slot = slot_at(data, facts, array, number)
            if slot == 0:
                ended = True
                continue
            kind = kind_of(kinds, number_of(bits, ranks, whole, slot))
            if ended or left == 0 or slot < last or kind != ENTRY:
                if is_excused(objects, kind, slot):
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
        if not objects.state[LOST]:
            if older_count == older_has and older_mix == older:
                last = max(last, grown_from)
            return home + 56, home + 64, last
    elif compact and tail:
        stored = load64(data, home + 64)
        if stored and stored != uint64(tail) | (uint64(tail_used) << uint64(32)):
            return home + 64, home + 72, tail
    return fine


@kernel
def lists_of_data(objects, compact, digests, counts, grown_from, older, older_counts, faults):
    """Compare the entries that each DATA object lists with those that contain it (SDJ-036).

    If ``older`` is empty, ``digests`` and ``counts`` are used in its place.
    """
    fault_count = 0
    for number in range(objects.offsets.shape[0]):
        if kind_of(objects.kinds, number) != DATA:
            continue
        digest, has = digests[number], counts[number]
        old = older[number] if older.shape[0] else digest
        old_has = older_counts[number] if older.shape[0] else has
        home = objects.offsets[number]
        start, end, target = _list(objects, home, compact, digest, has, grown_from, old, old_has)
        if end:
            fault_count = put(faults, fault_count, start, end, BAD_INDEX, target)
    return fault_count


@helper
def _free(next_free, cell):
    """Return the next free cell from this one on; compresses the path by halving."""
    while next_free[cell] != cell:
        next_free[cell] = next_free[next_free[cell]]
        cell = next_free[cell]
    return cell


@kernel
def disjoint(faults, size):
    """Assign each byte to its first fault (SDJ-054).

    Returns rows of fault number, start and end. ``faults`` are in the order in which they were
    found. The ends of the faults divide the file into cells, and each fault takes the unassigned
    cells in its range. Assigned cells are skipped, so the total time is linear.
    """
    ends = np.empty(2 * faults.shape[0], np.int64)
    for number in range(faults.shape[0]):
        ends[2 * number] = faults[number, 0]
        ends[2 * number + 1] = min(faults[number, 1], size)
    ends = np.unique(ends)
    next_free = np.arange(ends.shape[0] + 1)
    pieces, count = np.empty((2 * faults.shape[0] + 1, 3), np.int64), 0
    for number in range(faults.shape[0]):
        cell = np.searchsorted(ends, faults[number, 0])
        last = np.searchsorted(ends, min(faults[number, 1], size))
        cell = _free(next_free, cell)
        while cell < last:
            start = cell
            while cell < last and next_free[cell] == cell:
                next_free[cell] = cell + 1
                cell += 1
            pieces[count, 0], pieces[count, 1], pieces[count, 2] = number, ends[start], ends[cell]
            count += 1
            cell = _free(next_free, cell)
    return pieces, count
