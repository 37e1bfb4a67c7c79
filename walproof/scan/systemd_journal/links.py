"""The links between objects: main chain, hash tables, field lists, seals without a key: kernels.

Each puts the faults that it finds into ``faults``, rows of start, end, code and target, and says
how many there are. No object is visited more than once per kind of link (SDJ-057).
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from walproof.scan.compiled import I64, I64_2D, U8, boolean, helper, int64, kernel, types, uint64
from walproof.scan.memory import load32, load64, same
from walproof.scan.systemd_journal.object_table import FOUND, is_excused, kind_of, mark, number_of
from walproof.scan.systemd_journal.objects import name_id, put, slot_at
from walproof.scan.systemd_journal.offsets import offset_at
from walproof.scan.systemd_journal.words import (
    BAD,
    BAD_CHAIN,
    BAD_INDEX,
    BAD_LAST,
    BAD_OBJECT,
    BAD_SEAL,
    DATA,
    DATA_BUCKETS,
    DATA_FIXED,
    DATA_TABLE,
    ENTRY,
    ENTRY_ARRAY,
    FIELD_BUCKETS,
    FIELD_TABLE,
    IN_CHAIN,
    IN_LIST,
    IN_TABLE,
    LINKED,
    LOST,
    MAIN_ARRAY,
    NO_NAME,
    PACKED,
    SIZE,
    SLOT,
    TAG,
    UNLINKED,
)

_MAIN_FIELD = 176


@kernel(types.Tuple((int64, boolean, int64, int64, int64))(FOUND, int64, I64_2D))
def main_chain(found, entries, faults):
    """The chain of arrays that lists all entries in order (SDJ-033, SDJ-034).

    ``entries`` is how many there must be an array for. Gives, after their count: whether the chain
    is broken, how many slots lead to an entry, the last array and its used slots.
    """
    data, facts, marks = found.data, found.facts, found.marks
    bits, ranks, kinds, whole = found.bits, found.ranks, found.kinds, found.facts[SIZE]
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
            if not is_excused(found, kind, at):
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
                if not is_excused(found, kind, slot):
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


@kernel(int64(FOUND, I64, I64_2D))
def unlinked(found, entries, faults):
    """Entries that the main chain leaves out (SDJ-046); ``entries`` are their numbers."""
    count = 0
    marks = found.marks
    for which in range(entries.shape[0]):
        number = entries[which]
        if marks[number] & LINKED == 0:
            at = found.offsets[number]
            end = at + ((offset_at(found.data, at + 8) + 7) & ~7)
            count = put(faults, count, at, end, UNLINKED, at)
    return count


@kernel(int64(FOUND, int64, int64, int64, I64_2D))
def table(found, wanted, table_at, size, faults):
    """A hash table with its chains, and all objects that should be in it (SDJ-024, SDJ-048)."""
    data, marks = found.data, found.marks
    bits, ranks, kinds, whole = found.bits, found.ranks, found.kinds, found.facts[SIZE]
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
                pardoned = is_excused(found, kind, at)
                if not pardoned:
                    count = put(faults, count, place, place + 8, BAD_INDEX, at)
                onward = pardoned and kind & ~BAD == wanted and at > last
                if onward and not mark(marks, number, IN_TABLE):
                    # Damaged in its payload only: its link is as good as any.
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
            if not is_excused(found, kind_of(kinds, number_of(bits, ranks, whole, tail)), tail):
                target = max(tail, last)
                count = put(faults, count, tail_place, tail_place + 8, BAD_LAST, target)
    if broken or found.state[LOST]:
        return count
    for number in range(found.offsets.shape[0]):
        if kind_of(kinds, number) == wanted and marks[number] & IN_TABLE == 0:
            at = found.offsets[number]
            count = put(faults, count, at + 24, at + 32, BAD_INDEX, at)
    return count


@helper(int64(FOUND, int64, int64, int64, int64, int64))
def _has_name(found, number, at, start, length, named):
    """Whether the payload of a sound DATA begins with a name and ``=``; -1: a kernel cannot say.

    ``named`` is the number of the name, -1 if that is no way to tell.
    """
    data = found.data
    if found.kinds[number] & PACKED:
        if named < 0 or named == NO_NAME or found.name_ids[number] == NO_NAME:
            return -1
        return int64(found.name_ids[number] == named)
    payload = at + found.facts[DATA_FIXED]
    if payload + length >= at + offset_at(data, at + 8) or data[payload + length] != 61:
        return 0
    return int64(same(data, payload, data, start, length))


@kernel(int64(FOUND, I64, U8, I64_2D))
def field_lists(found, fields, owned, faults):
    """The list of all DATA of each FIELD (SDJ-025); ``fields`` are the numbers of these.

    ``owned`` has a place for each name, and is 0 before.

    The count is -1 where a name without a number decides: a case for the reference reader.
    """
    data, marks = found.data, found.marks
    bits, ranks, kinds, whole = found.bits, found.ranks, found.kinds, found.facts[SIZE]
    count = 0
    broken = False
    for which in range(fields.shape[0]):
        home = found.offsets[fields[which]]
        start, end = home + 40, home + offset_at(data, home + 8)
        named = int64(-1)
        if end - start <= 64:
            named = name_id(
                data, start, end - start, False, found.slots, found.names, found.lengths,
                found.state,
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
                named_so = _has_name(found, number, at, start, end - start, named)
                if named_so < 0:
                    return -1
                good = named_so == 1
            if not good:
                broken = True
                if not is_excused(found, kind, at):
                    count = put(faults, count, place, place + 8, BAD_INDEX, at)
                break
            last, place = at, at + 32
            at = offset_at(data, at + 32)
    if broken or found.state[LOST]:
        return count
    for number in range(found.offsets.shape[0]):
        if kind_of(kinds, number) != DATA or marks[number] & IN_LIST:
            continue
        name = found.name_ids[number]
        if name == NO_NAME:
            return -1
        if owned[name]:
            at = found.offsets[number]
            count = put(faults, count, at + 32, at + 40, BAD_INDEX, at)
    return count


@helper()
def _link_at(data, start, end):
    return int64(load32(data, start)) if end - start == 4 else offset_at(data, start)


@kernel(int64(FOUND, I64_2D, I64_2D))
def impostors(found, wrong, faults):
    """Arrays and tables that only wrong links lead to (SDJ-048).

    To be called when all links have been followed; ``wrong`` are the faults found on the way.
    """
    facts, whole = found.facts, found.facts[SIZE]
    count = 0
    for which in range(wrong.shape[0]):
        if wrong[which, 2] == BAD_LAST:
            continue  # the second offset of a bucket is compared, not followed
        at = wrong[which, 3]
        number = number_of(found.bits, found.ranks, whole, at)
        kind = kind_of(found.kinds, number)
        if kind == ENTRY_ARRAY:
            astray = found.marks[number] & IN_CHAIN == 0
        elif kind in (DATA_TABLE, FIELD_TABLE):
            astray = at != facts[DATA_BUCKETS] - 16 and at != facts[FIELD_BUCKETS] - 16
        else:
            astray = False
        # A count may have a target, too. What has one lies in the file, with eight bytes or four.
        if astray and at == _link_at(found.data, wrong[which, 0], wrong[which, 1]):
            end = at + ((offset_at(found.data, at + 8) + 7) & ~7)
            count = put(faults, count, at, end, BAD_OBJECT, 0)
    return count


@kernel(int64(FOUND, boolean, boolean, I64_2D))
def seals(found, sealed, continuous, faults):
    """The order of tags and epochs (SDJ-073, SDJ-074); whether seals hold needs the key."""
    data = found.data
    count = 0
    expected, before = uint64(1), uint64(0)
    for number in range(found.offsets.shape[0]):
        at = found.offsets[number]
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
