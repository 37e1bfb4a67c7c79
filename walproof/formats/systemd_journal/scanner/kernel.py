"""Compiled kernels of the systemd scanner: the checks of an intact file, and copies of fields."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy import int64, uint64

from reference_impl.systemd_journal.layout import (
    DATA,
    ENTRY,
    ENTRY_ARRAY,
    FIELD,
    OBJECT_COMPRESSED,
    TAG,
    TIME_LIMIT,
)
from walproof.formats.systemd_journal.scanner.hashing import hash_of, is_text, name_length
from walproof.scan.kernels import copy, helper, kernel, load32, load64, same

#: Replaces every offset, size or count from this value on. It is beyond the end of any file, and a
#: few such values can be added without overflow.
FAR = 1 << 60
#: Marks of an object: a hash table or an entry list leads to it; the list of a FIELD leads to it.
CHAINED, LISTED = 1, 2
#: Result of a check that failed.
FAULTY = -1


class Shape(NamedTuple):
    """The parameters of a file, in bytes. A number above ``FAR`` is stored as ``FAR``."""

    size: int
    header_size: int
    data_fixed: int
    item_size: int
    slot_size: int


@helper
def number_at(data, at):
    """Return the offset, size or count stored at a position."""
    number = load64(data, at)
    return int64(number) if number < uint64(FAR) else int64(FAR)


@helper
def _slot(data, shape, at):
    if shape.slot_size == 4:
        return int64(load32(data, at))
    return number_at(data, at)


@helper
def _object(objects, shape, at):
    """Return the number of the object at an offset; that of no object is the number of objects."""
    if at & 7 or at <= 0 or at >= shape.size:
        return objects[0]
    return objects[at >> 3]


@helper
def _is_framed(data, shape, at):
    """Return whether an object may begin at an offset (SDJ-010, SDJ-011)."""
    if at + 16 > shape.size:
        return False
    kind, size = data[at], number_at(data, at + 8)
    if kind < DATA or kind > TAG or at + size > shape.size:
        return False
    if kind == DATA:
        return size > shape.data_fixed
    if data[at + 1] & OBJECT_COMPRESSED:
        return False
    if kind == FIELD:
        return size > 40
    if kind == ENTRY:
        return size > 64 and (size - 64) % shape.item_size == 0
    if kind == ENTRY_ARRAY:
        return size > 24 and (size - 24) % shape.slot_size == 0
    if kind == TAG:
        return size == 64
    return size > 16 and size % 16 == 0


@kernel
def walk(data, shape, tail, offsets, kinds, objects):
    """List the objects from the header to ``tail``, the offset of the last object (SDJ-040).

    ``objects[at // 8]`` receives the number of the object at offset ``at``. Returns the number of
    objects, or ``FAULTY``, and the end of the last object.
    """
    at, last, count = int64(shape.header_size), int64(0), 0
    while last < tail:
        if count == offsets.shape[0] or not _is_framed(data, shape, at):
            return FAULTY, at
        offsets[count], kinds[count], objects[at >> 3] = at, data[at], count
        count += 1
        last = at
        at += (number_at(data, at + 8) + 7) & ~7
    return count if last == tail else FAULTY, at


@kernel
def check_contents(data, keys, offsets, kinds, starts, ends, name_ends, are_text):
    """Check the content of each object (SDJ-015, SDJ-044, SDJ-045).

    Fills ``name_ends`` and ``are_text`` for the DATA objects.
    """
    limit = uint64(TIME_LIMIT)
    for number in range(offsets.shape[0]):
        at, kind = offsets[number], kinds[number]
        if kind == ENTRY:
            realtime = load64(data, at + 24)
            if load64(data, at + 16) == 0 or realtime == 0 or realtime >= limit:
                return False
            if load64(data, at + 32) >= limit or load64(data, at + 40) | load64(data, at + 48) == 0:
                return False
        elif kind in (DATA, FIELD):
            start, end = starts[number], ends[number]
            if hash_of(data, start, end, keys) != load64(data, at + 16):
                return False
            if kind == DATA:
                length = name_length(data, start, end)
                if length == 0:
                    return False
                name_ends[number] = start + length
                are_text[number] = is_text(data, start, end)
    return True


@kernel
def check_main_chain(data, shape, at, entries, kinds, objects, marks):
    """Check that the main chain lists the ``entries``, in order (SDJ-033, SDJ-034, SDJ-046).

    Returns the last array, or ``FAULTY``, and the number of its used slots.
    """
    before, array, used, count, is_ended = int64(0), int64(0), 0, 0, False
    while at:
        number = _object(objects, shape, at)
        if at <= before or kinds[number] != ENTRY_ARRAY:
            return FAULTY, 0
        marks[number] |= CHAINED
        array, used = at, 0
        for slot_number in range((number_at(data, at + 8) - 24) // shape.slot_size):
            slot = _slot(data, shape, at + 24 + slot_number * shape.slot_size)
            if slot == 0:
                is_ended = True
                continue
            if is_ended or count == entries.shape[0] or slot != entries[count]:
                return FAULTY, 0
            count += 1
            used = slot_number + 1
        before, at = at, number_at(data, at + 16)
    return array if count == entries.shape[0] else FAULTY, used


@kernel
def check_entries(
    data, shape, to_give, repeat_limit, entries, kinds, objects, sizes, stamps, counts, bounds,
    items,
):  # fmt: skip
    """Check sequence numbers, items and their limits (SDJ-043, SDJ-047, SDJ-092).

    Fills ``items`` and ``bounds`` for each entry, and ``counts`` for each DATA object.
    """
    seqnum, used = uint64(0), 0
    for entry in range(entries.shape[0]):
        at, to_repeat = entries[entry], repeat_limit
        if load64(data, at + 16) <= seqnum:
            return False
        seqnum = load64(data, at + 16)
        bounds[entry] = used
        for place in range(at + 64, at + number_at(data, at + 8), shape.item_size):
            item = int64(load32(data, place)) if shape.item_size == 4 else number_at(data, place)
            number = _object(objects, shape, item)
            if kinds[number] != DATA:
                return False
            to_give -= sizes[number]
            if stamps[number] == entry:
                to_repeat -= sizes[number]
            else:
                stamps[number] = entry
                counts[number] += 1
            if to_give < 0 or to_repeat < 0:
                return False
            items[used] = number
            used += 1
    bounds[entries.shape[0]] = used
    return True


@kernel
def check_table(data, shape, start, size, wanted, kinds, objects, marks):
    """Check the chains of a hash table (SDJ-024); return their length, or ``FAULTY``."""
    count = 0
    for bucket in range(size // 16):
        at, last = number_at(data, start + 16 * bucket), int64(0)
        while at:
            number = _object(objects, shape, at)
            if kinds[number] != wanted or at <= last or marks[number] & CHAINED:
                return FAULTY
            if load64(data, at + 16) % uint64(size // 16) != uint64(bucket):
                return FAULTY
            marks[number] |= CHAINED
            count += 1
            last, at = at, number_at(data, at + 24)
        if number_at(data, start + 16 * bucket + 8) != last:
            return FAULTY
    return count


@kernel
def check_field_lists(data, shape, offsets, kinds, starts, ends, name_ends, objects, marks):
    """Check the list of DATA of each FIELD (SDJ-025); return their length, or ``FAULTY``."""
    count = 0
    for field in range(offsets.shape[0]):
        if kinds[field] != FIELD:
            continue
        start, length = starts[field], ends[field] - starts[field]
        at, last = number_at(data, offsets[field] + 32), int64(shape.size)
        while at:
            number = _object(objects, shape, at)
            if kinds[number] != DATA or at >= last or marks[number] & LISTED:
                return FAULTY
            if name_ends[number] - starts[number] != length:
                return FAULTY
            if not same(data, starts[number], data, start, length):
                return FAULTY
            marks[number] |= LISTED
            count += 1
            last, at = at, number_at(data, at + 32)
    return count


@kernel
def check_entry_lists(data, shape, entries, offsets, kinds, objects, marks, bounds, items, firsts):
    """Compare the entries that each DATA lists with those that contain it (SDJ-036)."""
    lists, free = np.empty(firsts[-1], np.int32), firsts.copy()
    for entry in range(entries.shape[0]):
        for place in range(bounds[entry], bounds[entry + 1]):
            number = items[place]
            if free[number] > firsts[number] and lists[free[number] - 1] == entry:
                continue  # a repeated item
            lists[free[number]] = entry
            free[number] += 1
    for number in range(offsets.shape[0]):
        if kinds[number] != DATA:
            continue
        home, listed, stop = offsets[number], firsts[number], firsts[number + 1]
        last, array = number_at(data, home + 40), number_at(data, home + 48)
        claimed = number_at(data, home + 56)
        if (last != 0) != (claimed != 0):
            return False
        if last:
            if listed == stop or entries[lists[listed]] != last:
                return False
            listed += 1
        left, before, tail, used, is_ended = claimed - 1, int64(0), int64(0), 0, False
        while array:
            in_chain = _object(objects, shape, array)
            if left < 1 or array <= before or kinds[in_chain] != ENTRY_ARRAY:
                return False
            if marks[in_chain] & CHAINED:
                return False
            marks[in_chain] |= CHAINED
            for slot_number in range((number_at(data, array + 8) - 24) // shape.slot_size):
                slot = _slot(data, shape, array + 24 + slot_number * shape.slot_size)
                if slot == 0:
                    is_ended = True
                    continue
                if is_ended or left < 1:
                    return False
                if slot != last:  # systemd up to 247 listed a repeated field twice (SDJ-019)
                    if listed == stop or entries[lists[listed]] != slot:
                        return False
                    listed += 1
                last, left = slot, left - 1
                tail, used = array, slot_number + 1
            before, array = array, number_at(data, array + 16)
        if left > 0 or listed != stop:
            return False
        if shape.slot_size == 4 and tail:
            stored = load64(data, home + 64)
            if stored and stored != uint64(tail) | uint64(used) << uint64(32):
                return False
    return True


@kernel
def copy_ranges(data, starts, ends, to):
    """Copy ranges, one after the other."""
    at = 0
    for number in range(starts.shape[0]):
        copy(to, at, data, starts[number], ends[number] - starts[number])
        at += ends[number] - starts[number]


@helper
def _put_byte(to, at, end, byte):
    if at < end:
        to[at] = byte
    return at + 1


@kernel
def write_bodies(data, starts, name_ends, ends, are_text, bounds, body_bounds, to):
    """Write entries in the Journal Export Format (SDJ-090), and truncate long ones.

    Entry ``n`` is written to ``to[body_bounds[n]:body_bounds[n + 1]]``.
    """
    for entry in range(bounds.shape[0] - 1):
        at, end = int64(body_bounds[entry]), int64(body_bounds[entry + 1])
        for field in range(bounds[entry], bounds[entry + 1]):
            start, stop = starts[field], ends[field]
            if not are_text[field]:
                length = name_ends[field] - start
                copy(to, at, data, start, min(length, end - at))
                at = _put_byte(to, at + length, end, 10)
                start += length + 1
                for byte in range(8):
                    at = _put_byte(to, at, end, (stop - start) >> (8 * byte) & 255)
            copy(to, at, data, start, min(stop - start, end - at))
            at = _put_byte(to, at + stop - start, end, 10)
