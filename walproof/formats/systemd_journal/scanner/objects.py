"""Compiled kernels that check single objects without trusting any value, and the object table."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numpy as np
from numpy import int64, uint64

from reference_impl.systemd_journal import layout
from walproof.formats.systemd_journal.scanner.constants import (
    ANSWER,
    ANSWER_AT,
    ASK,
    BAD,
    BAD_ENTRY,
    BAD_FIELD,
    BAD_OBJECT,
    CUT,
    DATA,
    DATA_BUCKETS,
    DATA_FIXED,
    DATA_TABLE,
    ENTRY,
    ENTRY_ARRAY,
    FAR,
    FIELD,
    FIELD_BUCKETS,
    FIELD_TABLE,
    HASH_MISMATCH,
    HEADER_SIZE,
    IS_TEXT,
    ITEM,
    LOST,
    NAME_SLOTS,
    NAME_WIDTH,
    NAMES,
    NO_NAME,
    PACKED,
    SIZE,
    SLOT,
    SOUND,
    TAG,
    TO_HASH,
    TYPE,
)
from walproof.formats.systemd_journal.scanner.hashing import hash_of, is_text, name_length
from walproof.scan.kernels import helper, kernel, load32, load64, popcount, same


@helper
def near(number):
    """Return an offset or count as int64, limited to :data:`FAR`."""
    return int64(number) if number < uint64(FAR) else int64(FAR)


@helper
def offset_at(data, at):
    """Return the offset or count stored at a position."""
    return near(load64(data, at))


_MIX = np.uint64(0x9E3779B97F4A7C15)


@helper
def frame(data, facts, at):
    """Return type, flags and size of the object at an offset; type 0 if invalid (SDJ-010, -011)."""
    none = (int64(0), int64(0), int64(0))
    if at & 7 or at < facts[HEADER_SIZE] or at + 16 > facts[SIZE]:
        return none
    kind, flags, size = int64(data[at]), int64(data[at + 1]), offset_at(data, at + 8)
    if kind < DATA or kind > TAG or at + size > facts[SIZE]:
        return none
    if kind == DATA:
        good = size > facts[DATA_FIXED]
    elif kind == FIELD:
        good = size > 40
    elif kind == ENTRY:
        # Sizes of items and slots are powers of two, so shifts replace divisions.
        good = size > 64 and (size - 64) & (facts[ITEM] - 1) == 0
    elif kind == ENTRY_ARRAY:
        good = size > 24 and (size - 24) & (facts[SLOT] - 1) == 0
    elif kind == TAG:
        good = size == 64
    else:
        good = size > 16 and size % 16 == 0
    if not good or (flags & 7 and kind != DATA):
        return none
    return kind, flags, size


@helper
def content(data, facts, keys, state, at, kind, flags, size):
    """Return the fault code of an object with a valid header, or SOUND, HIDDEN or ASK.

    For a valid DATA object, ``state[IS_TEXT]`` is set; ``state[NAME_ID]`` is set if the object is
    compressed, too.
    """
    if kind == ENTRY:
        if load64(data, at + 16) == 0 or load64(data, at + 24) == 0:
            return BAD_ENTRY
        limit = uint64(layout.TIME_LIMIT)
        if load64(data, at + 24) >= limit or load64(data, at + 32) >= limit:
            return BAD_ENTRY
        return BAD_ENTRY if load64(data, at + 40) | load64(data, at + 48) == 0 else SOUND
    if kind in (DATA_TABLE, FIELD_TABLE):
        # The header refers to one of each (SDJ-016); without a reference, this cannot be checked.
        named = facts[DATA_BUCKETS if kind == DATA_TABLE else FIELD_BUCKETS] - 16
        return BAD_OBJECT if at != named and frame(data, facts, named)[0] == kind else SOUND
    if kind != DATA and kind != FIELD:
        return SOUND
    packed = kind == DATA and flags & 7 != 0
    if packed and state[TO_HASH] >= size and state[ANSWER_AT] != at:
        return ASK
    state[TO_HASH] -= size  # SDJ-102
    if state[TO_HASH] < 0:
        return BAD_OBJECT
    if packed:
        state[ANSWER_AT] = -1  # valid for a single check, because each check changes the limits
        return state[ANSWER]
    start = at + (facts[DATA_FIXED] if kind == DATA else 40)
    if hash_of(data, start, at + size, keys) != load64(data, at + 16):
        return HASH_MISMATCH
    if kind == DATA:
        if name_length(data, start, at + size) == 0:
            return BAD_FIELD
        state[IS_TEXT] = is_text(data, start, at + size)
    return SOUND


@helper
def _is_name(data, start, names, at, length):
    """Return whether the name of this length at ``names[at]`` equals that at ``data[start]``."""
    if length < 8:
        if start + 8 > data.shape[0]:
            return same(data, start, names, at, length)
        odd = load64(data, start) ^ load64(names, at)
        return odd << uint64(64 - 8 * length) == 0
    done = 0
    while done + 8 <= length:
        if load64(data, start + done) != load64(names, at + done):
            return False
        done += 8
    return load64(data, start + length - 8) == load64(names, at + length - 8)


@helper
def name_id(data, start, length, insert, slots, names, lengths, state):
    """Return the number of a field name, or NO_NAME if it is not in the table.

    The name has at most 64 bytes. ``slots`` is the hash table: each slot has the number of a name
    plus 1, or 0. ``names`` contains NAME_WIDTH bytes per name, padded with zeros. If ``insert`` is
    true, the caller ensures that there is room.
    """
    mixed = uint64(length)
    at = start
    while at < start + length:
        left = start + length - at
        word = uint64(0)
        if at + 8 <= data.shape[0]:
            word = load64(data, at)
            if left < 8:
                word &= (uint64(1) << uint64(8 * left)) - uint64(1)
        else:
            for number in range(min(left, 8)):
                word |= uint64(data[at + number]) << uint64(8 * number)
        mixed = (mixed ^ word) * _MIX
        mixed ^= mixed >> uint64(29)
        at += 8
    slot = int64(mixed & uint64(NAME_SLOTS - 1))
    for _ in range(64):  # colliding names get no number
        known = int64(slots[slot]) - 1
        if known < 0:
            if not insert or state[NAMES] == NO_NAME:
                return NO_NAME
            known = int64(state[NAMES])
            for number in range(length):
                names[known * NAME_WIDTH + number] = data[start + number]
            lengths[known] = length
            slots[slot] = known + 1
            state[NAMES] += 1
            return known
        if lengths[known] == length and _is_name(data, start, names, known * NAME_WIDTH, length):
            return known
        slot = (slot + 1) & (NAME_SLOTS - 1)
    return NO_NAME


@helper
def put(faults, count, start, end, code, target):
    """Append a fault and return the number of rows. The last row merges faults without room."""
    row = min(count, faults.shape[0] - 1)
    if count > row:
        start, end = min(start, faults[row, 0]), max(end, faults[row, 1])
    faults[row, 0] = start
    faults[row, 1] = end
    faults[row, 2] = code
    faults[row, 3] = target
    return row + 1


@helper
def slot_at(data, facts, array, number):
    """Return a slot of an ENTRY_ARRAY."""
    if facts[SLOT] == 4:
        return int64(load32(data, array + 24 + 4 * number))
    return offset_at(data, array + 24 + 8 * number)


@helper
def item_at(data, facts, entry, number):
    """Return the offset in an item of an ENTRY."""
    if facts[ITEM] == 4:
        return int64(load32(data, entry + 64 + 4 * number))
    return offset_at(data, entry + 64 + 16 * number)


@helper
def kind_of(kinds, number):
    """Return type and BAD of an object; 0 for an invalid number."""
    return int64(kinds[number] & (TYPE | BAD)) if number >= 0 else int64(0)


@helper
def number_of(bits, ranks, size, at):
    """Return the number of the object at an offset; -1 if there is none."""
    if at & 7 or at <= 0 or at >= size:
        return -1
    word, bit = at >> 9, uint64(at >> 3) & uint64(63)
    in_word = bits[word]
    if (in_word >> bit) & uint64(1) == 0:
        return -1
    return int64(ranks[word]) + popcount(in_word & ((uint64(1) << bit) - uint64(1)))


@helper
def is_excused(objects, kind, at):
    """Return whether a link leads to a range already reported as lost (SDJ-048).

    ``kind`` is the type of the object at ``at``, or 0 if there is none.
    """
    state, lost = objects.state, objects.lost
    if kind & BAD or (state[CUT] >= 0 and at >= state[CUT]):
        return True
    low, high = 0, state[LOST]
    while low < high:
        middle = (low + high) // 2
        start, end = lost[middle, 0], lost[middle, 1]
        if at < start or (at == start and objects.facts[SIZE] < end):
            high = middle
        else:
            low = middle + 1
    return low > 0 and lost[low - 1, 0] <= at < lost[low - 1, 1]


@kernel
def excused_at(objects, at):
    """Return whether a link to this offset leads to a range already reported as lost."""
    number = number_of(objects.bits, objects.ranks, objects.facts[SIZE], at)
    return is_excused(objects, kind_of(objects.kinds, number), at)


@helper
def mark(marks, number, bit):
    """Mark an object as visited; return whether it was marked before."""
    seen = marks[number] & bit != 0
    marks[number] |= bit
    return seen


@helper
def packed_number(number, packed):
    """Return the number of an object among the compressed DATA."""
    low, high = 0, packed.shape[0] - 1
    while low < high:
        middle = (low + high) // 2
        if packed[middle] < number:
            low = middle + 1
        else:
            high = middle
    return low


@helper
def payload_size(objects, number, packed, lengths):
    """Return the size of ``FIELD=value`` of a valid DATA in bytes."""
    if objects.kinds[number] & PACKED:
        return lengths[packed_number(number, packed)]
    return offset_at(objects.data, objects.offsets[number] + 8) - objects.facts[DATA_FIXED]
