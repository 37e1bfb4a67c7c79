"""Compiled kernels of the systemd scanner, which check intact files and copy fields."""

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
    Header,
)
from walproof.formats.systemd_journal.scanner.hashing import hash_of, is_text, name_length
from walproof.scanners.kernels import copy, helper, kernel, load32, load64, same

#: FAR replaces any larger offset, size or count. It is beyond the end of any file, and the sum of a
#: few such values does not overflow.
FAR = 1 << 60
#: CHAINED marks an ENTRY_ARRAY in a chain, and LISTED a DATA in a FIELD's list.
CHAINED, LISTED = 1, 2
#: Each number in a cursor (SDJ-063) follows one of these letters. Its offset in an ENTRY is given
#: in words of eight bytes.
_CURSOR_LETTERS, _CURSOR_WORDS = np.frombuffer(b"imtx", np.uint8), np.array([2, 4, 3, 7])
_DIGITS = np.frombuffer(b"0123456789abcdef", np.uint8)
#: Maximum length of a cursor in bytes (SDJ-063).
MAX_CURSOR_BYTES = 145
#: Result of a check that fails.
FAULTY = -1


class Shape(NamedTuple):
    """The size of a file and the sizes of its structures, in bytes."""

    size: int
    header_size: int
    data_fixed: int
    item_size: int
    slot_size: int

    @classmethod
    def of(cls, size: int, header: Header) -> Shape:
        """Return the shape of a file that is ``size`` bytes long."""
        return cls(size, header.header_size, header.data_fixed, header.item_size, header.slot_size)


@helper
def number_at(data, at):
    """Return the offset, size or count stored at a position, at most ``FAR``."""
    number = load64(data, at)
    return int64(number) if number < uint64(FAR) else int64(FAR)


@helper
def _slot(data, shape, at):
    if shape.slot_size == 4:
        return int64(load32(data, at))
    return number_at(data, at)


@helper
def _object(objects, shape, at):
    """Return the index of the object at an offset, or the number of objects if there is none."""
    if at & 7 or at <= 0 or at >= shape.size:
        return objects[0]
    return objects[at >> 3]


@helper
def _item(data, shape, objects, place):
    """Return the index of the object to which an item of an ENTRY refers."""
    item = int64(load32(data, place)) if shape.item_size == 4 else number_at(data, place)
    return _object(objects, shape, item)


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
def walk(data, shape, tail, offsets, ends, kinds, objects):
    """List the objects up to ``tail`` (SDJ-040).

    Return the number of objects (or ``FAULTY``) and the end of the last object.
    """
    at, last, count = int64(shape.header_size), int64(0), 0
    while last < tail:
        if count == offsets.shape[0] or not _is_framed(data, shape, at):
            return FAULTY, at
        offsets[count], kinds[count], objects[at >> 3] = at, data[at], count
        ends[count] = at + number_at(data, at + 8)
        last, at = at, (ends[count] + 7) & ~7
        count += 1
    return count if last == tail else FAULTY, at


@kernel
def check_contents(data, keys, offsets, kinds, starts, ends, name_ends, are_text):
    """Check the content of each object (SDJ-015, SDJ-044, SDJ-045)."""
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
def hash_bytes(data, is_keyed, key):
    """Return the hash of all bytes. ``key`` is an array with the two halves of the key."""
    return hash_of(data, 0, data.shape[0], (is_keyed, key[0], key[1]))


@kernel
def split_fields(data, starts, ends, name_ends, are_text):
    """Find the end of the name in each valid payload, and whether the payload is text (SDJ-090)."""
    for number in range(starts.shape[0]):
        start, end = starts[number], ends[number]
        name_ends[number] = start + name_length(data, start, end)
        are_text[number] = is_text(data, start, end)


@kernel
def copy_slices(data, starts, bounds, to):
    """Copy a slice of ``data`` to each range between ``bounds``."""
    for number in range(starts.shape[0]):
        copy(to, bounds[number], data, starts[number], bounds[number + 1] - bounds[number])


@kernel
def list_items(
    data, shape, entries, counts, objects, sizes, items, bounds, totals
):  # fmt: skip
    """List the objects to which each entry's first ``counts`` items refer; omit invalid items."""
    used, total = 0, 0
    for entry in range(entries.shape[0]):
        bounds[entry], totals[entry], start = used, total, entries[entry] + 64
        for place in range(start, start + counts[entry] * shape.item_size, shape.item_size):
            number = _item(data, shape, objects, place)
            if number != objects[0]:
                items[used] = number
                used, total = used + 1, total + sizes[number]
    bounds[entries.shape[0]], totals[entries.shape[0]] = used, total


@kernel
def check_main_chain(data, shape, at, entries, kinds, objects, marks):
    """Check that the main chain lists the ``entries`` in order (SDJ-033, SDJ-034, SDJ-046).

    Return the last array (or ``FAULTY``) and the number of its used slots.
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
    totals, items,
):  # fmt: skip
    """Check sequence numbers, items and their limits (SDJ-043, SDJ-047, SDJ-092)."""
    seqnum, used, total = uint64(0), 0, to_give
    for entry in range(entries.shape[0]):
        at, to_repeat = entries[entry], repeat_limit
        if load64(data, at + 16) <= seqnum:
            return False
        seqnum = load64(data, at + 16)
        bounds[entry], totals[entry] = used, total - to_give
        for place in range(at + 64, at + number_at(data, at + 8), shape.item_size):
            number = _item(data, shape, objects, place)
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
    bounds[entries.shape[0]], totals[entries.shape[0]] = used, total - to_give
    return True


@kernel
def check_table(data, start, size, wanted, offsets, kinds):
    """Check that the chains of a hash table contain all objects of a type (SDJ-024, SDJ-095)."""
    following, last = np.empty(size // 16, np.int64), np.zeros(size // 16, np.int64)
    for bucket in range(following.shape[0]):
        following[bucket] = number_at(data, start + 16 * bucket)
    # Each chain must contain its objects in file order.
    for number in range(offsets.shape[0]):
        if kinds[number] == wanted:
            at = offsets[number]
            bucket = load64(data, at + 16) % uint64(following.shape[0])
            if following[bucket] != at:
                return False
            following[bucket], last[bucket] = number_at(data, at + 24), at
    for bucket in range(following.shape[0]):
        if following[bucket] or number_at(data, start + 16 * bucket + 8) != last[bucket]:
            return False
    return True


@kernel
def check_field_lists(
    data, shape, offsets, kinds, starts, ends, name_ends, objects, marks, field_of
):  # fmt: skip
    """Check the DATA list of each FIELD (SDJ-025). Return the total length, or ``FAULTY``."""
    count, fields = 0, -1
    for field in range(offsets.shape[0]):
        if kinds[field] != FIELD:
            continue
        fields += 1
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
            field_of[number] = fields
            count += 1
            last, at = at, number_at(data, at + 32)
    return count


@kernel
def check_entry_lists(data, shape, entries, offsets, kinds, objects, marks, bounds, items, firsts):
    """Check that each DATA lists exactly the entries that contain it (SDJ-036)."""
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
                # systemd up to 247 listed a repeated field twice (SDJ-019).
                if slot != last:
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
def mark_repeated(names, n_names, items, bounds):
    """Mark each DATA object that has the same field name as another item of the same entry."""
    marks, seen_in = np.zeros(names.shape[0], np.bool_), np.full(n_names, -1, np.int32)
    seen_items = np.empty(seen_in.shape[0], np.int32)
    for entry in range(bounds.shape[0] - 1):
        for place in range(bounds[entry], bounds[entry + 1]):
            item = items[place]
            name = names[item]
            if seen_in[name] == entry:
                marks[item] = marks[seen_items[name]] = True
            seen_in[name], seen_items[name] = entry, item
    return marks


@kernel
def sort_fields(ranks, n_ranks, items, bounds):
    """Sort the items of each entry by rank; omit negative ranks and repetitions."""
    first = bounds[0]
    chosen, rows = np.empty(bounds[-1] - first, np.int32), np.empty(bounds[-1] - first, np.int32)
    # Sort all items by rank (counting sort). Then append each one to its entry.
    places = np.zeros(n_ranks + 1, np.int64)
    for place in range(first, bounds[-1]):
        places[ranks[place - first] + 1] += 1
    places = np.cumsum(places)
    left_out = places[0]
    for entry in range(bounds.shape[0] - 1):
        for place in range(bounds[entry], bounds[entry + 1]):
            rank = ranks[place - first]
            if rank >= 0:
                at = places[rank] - left_out
                places[rank] += 1
                chosen[at], rows[at] = place, entry
    ordered, ends = np.empty_like(chosen), bounds[:-1] - first
    lasts = np.full(ends.shape[0], -1, np.int32)
    for at in range(chosen.shape[0] - left_out):
        place, entry = chosen[at], rows[at]
        if ranks[place - first] != lasts[entry]:
            ordered[ends[entry]], lasts[entry] = items[place], ranks[place - first]
            ends[entry] += 1
    return ordered, ends


@kernel
def write_bodies(data, starts, name_ends, ends, are_text, items, firsts, lasts, most, to, bounds):
    """Write entries in the Journal Export Format (SDJ-090), and mark the truncated ones."""
    are_cut = np.zeros(firsts.shape[0], np.bool_)
    at = bounds[0] = 0
    for entry in range(firsts.shape[0]):
        end = at + most
        for place in range(firsts[entry], lasts[entry]):
            item = items[place]
            start, stop = starts[item], ends[item]
            if not are_text[item]:
                length = name_ends[item] - start
                copy(to, at, data, start, min(length, end - at))
                at += length
                start += length + 1
                frame = uint64(stop - start) << uint64(8) | uint64(10)  # a newline and the size
                for _ in range(9):
                    if at < end:
                        to[at] = frame & uint64(255)
                    frame >>= uint64(8)
                    at += 1
            copy(to, at, data, start, min(stop - start, end - at))
            at += stop - start
            if at < end:
                to[at] = 10
            at += 1
        are_cut[entry] = at > end
        at = bounds[entry + 1] = min(at, end)
    return are_cut


@kernel
def write_values(data, name_ends, ends, items, entry_bounds, most, to, bounds):
    """Write the value of each item, and mark entries with a truncated value."""
    are_cut = np.zeros(entry_bounds.shape[0] - 1, np.bool_)
    at = bounds[0] = 0
    for entry in range(are_cut.shape[0]):
        for place in range(entry_bounds[entry], entry_bounds[entry + 1]):
            start, end = name_ends[items[place]] + 1, ends[items[place]]
            length = min(end - start, most)
            are_cut[entry] |= length < end - start
            copy(to, at, data, start, length)
            at += length
            bounds[place + 1] = at
    return are_cut


@kernel
def write_cursors(words, entries, start, boot_ids, to, bounds):
    """Write the cursor of each entry (SDJ-063).

    ``start`` is the text before the first number, and ``boot_ids`` contains hexadecimal digits.
    """
    at = bounds[0] = 0
    for entry in range(entries.shape[0]):
        copy(to, at, start, 0, start.shape[0])
        at += start.shape[0]
        for number in range(4):
            to[at], to[at + 1], to[at + 2] = 59, _CURSOR_LETTERS[number], 61
            at += 3
            value = words[(entries[entry] >> 3) + _CURSOR_WORDS[number]]
            shift = 60
            while shift and not value >> uint64(shift):
                shift -= 4
            for right in range(shift, -4, -4):
                to[at] = _DIGITS[value >> uint64(right) & uint64(15)]
                at += 1
            if number == 0:
                to[at], to[at + 1], to[at + 2] = 59, 98, 61
                copy(to, at + 3, boot_ids, 32 * entry, 32)
                at += 35
        bounds[entry + 1] = at
