"""Objects one at a time, trusting nothing, and the table of those that were found: kernels."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.layout import Header
from walproof.scan.compiled import (
    BYTES,
    I32,
    I64,
    I64_2D,
    U8,
    boolean,
    helper,
    int64,
    types,
    uint64,
)
from walproof.scan.memory import load32, load64, same
from walproof.scan.systemd_journal.hashes import hash_of, is_text, name_length
from walproof.scan.systemd_journal.offsets import FAR, offset_at

DATA, FIELD, ENTRY, DATA_TABLE, FIELD_TABLE, ENTRY_ARRAY, TAG = range(1, 8)

# A byte for each object: its type, and
TYPE = 7
PACKED = 0x20
"""the payload is compressed;"""
TEXT = 0x40
"""the payload may stand on a line of its own;"""
BAD = 0x80
"""the frame holds and the content does not."""

CODES = (
    "",
    "bad-header",
    "bad-object",
    "bad-entry",
    "bad-item",
    "bad-order",
    "bad-field",
    "hash-mismatch",
    "bad-compression",
    "too-large",
    "bad-chain",
    "bad-chain",
    "bad-index",
    "bad-index",
    "bad-seal",
    "bad-header",
    "",
    "too-large",
)
(
    SOUND,
    BAD_HEADER,
    BAD_OBJECT,
    BAD_ENTRY,
    BAD_ITEM,
    BAD_ORDER,
    BAD_FIELD,
    HASH_MISMATCH,
    BAD_COMPRESSION,
    TOO_LARGE,
    BAD_CHAIN,
    UNLINKED,
    BAD_INDEX,
    BAD_LAST,
    BAD_SEAL,
    OUTDATED,
) = range(16)
"""UNLINKED is an entry that no chain links (SDJ-046), BAD_LAST the second offset of a bucket
(SDJ-024), OUTDATED what SDJ-049 compares."""
REST = 17
"""Faults that are not kept, as one (SDJ-093)."""
HIDDEN = 16
"""Sound, but the header hides the compression (SDJ-027)."""
ASK = -1
"""The payload has to be decompressed first, which no kernel can do."""

# What kernels are told of the file: int64, one place each.
(
    SIZE,
    HEADER_SIZE,
    DATA_FIXED,
    ITEM,
    SLOT,
    TAIL,
    N_OBJECTS,
    MAIN_ARRAY,
    DATA_BUCKETS,
    DATA_BUCKETS_SIZE,
    FIELD_BUCKETS,
    FIELD_BUCKETS_SIZE,
    INCOMPATIBLE,
    ARENA,
    COMPATIBLE,
) = range(15)

# What a walk knows, kept between calls of the kernel: int64, one place each.
(
    AT,
    PHASE,
    LAST,
    END,
    CUT,
    FOUND,
    FAULTS,
    LOST,
    PLACE,
    TO_HASH,
    ANSWER_AT,
    ANSWER,
    IS_TEXT,
    NAME_ID,
    NAMES,
    SEEK,
    PENDING,
    PENDING_KIND,
    PENDING_END,
    TOLD_HIDDEN,
) = range(20)
STATES = 20

NO_NAME = 0xFFFF
"""The name id of what is no sound DATA, and of names that did not fit into the table."""
NAME_SLOTS = 1 << 17
NAME_WIDTH = 72
_MIX = np.uint64(0x9E3779B97F4A7C15)
KEYS = types.UniTuple(types.uint64, 3)


def facts(header: Header, size: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """What kernels are told of a file."""
    told: Mapping[int, int] = {
        SIZE: size,
        HEADER_SIZE: header.header_size,
        DATA_FIXED: header.data_fixed,
        ITEM: header.item_size,
        SLOT: header.slot_size,
        TAIL: header.tail_object_offset,
        N_OBJECTS: header.n_objects,
        MAIN_ARRAY: header.entry_array_offset,
        DATA_BUCKETS: header.data_hash_table_offset,
        DATA_BUCKETS_SIZE: header.data_hash_table_size,
        FIELD_BUCKETS: header.field_hash_table_offset,
        FIELD_BUCKETS_SIZE: header.field_hash_table_size,
        INCOMPATIBLE: header.incompatible_flags,
        ARENA: header.arena_size,
        COMPATIBLE: header.compatible_flags,
    }
    return np.array([min(told[place], FAR) for place in range(len(told))], np.int64)


@helper(types.UniTuple(int64, 3)(BYTES, I64, int64))
def frame(data, facts, at):
    """Type, flags and size of the object at an offset; type 0 if there is none (SDJ-010, -011)."""
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
        good = size > 64 and (size - 64) % facts[ITEM] == 0
    elif kind == ENTRY_ARRAY:
        good = size > 24 and (size - 24) % facts[SLOT] == 0
    elif kind == TAG:
        good = size == 64
    else:
        good = size > 16 and size % 16 == 0
    if not good or (flags & 7 and kind != DATA):
        return none
    return kind, flags, size


@helper(int64(BYTES, I64, KEYS, I64, int64, int64, int64, int64))
def content(data, facts, keys, state, at, kind, flags, size):
    """What is wrong inside an object that is framed well: a code, SOUND, HIDDEN or ASK.

    Of a DATA that is sound, ``state[IS_TEXT]`` is told, of a compressed one ``NAME_ID`` too.
    """
    if kind == ENTRY:
        if load64(data, at + 16) == 0 or load64(data, at + 24) == 0:
            return BAD_ENTRY
        limit = uint64(layout.TIME_LIMIT)
        if load64(data, at + 24) >= limit or load64(data, at + 32) >= limit:
            return BAD_ENTRY
        return BAD_ENTRY if load64(data, at + 40) | load64(data, at + 48) == 0 else SOUND
    if kind in (DATA_TABLE, FIELD_TABLE):
        # The header names one of each (SDJ-016); where it names none, nothing tells.
        named = facts[DATA_BUCKETS if kind == DATA_TABLE else FIELD_BUCKETS] - 16
        return BAD_OBJECT if at != named and frame(data, facts, named)[0] == kind else SOUND
    if kind != DATA and kind != FIELD:
        return SOUND
    packed = kind == DATA and flags & 7 != 0
    if packed and state[TO_HASH] >= size and state[ANSWER_AT] != at:
        return ASK
    state[TO_HASH] -= size  # SDJ-057
    if state[TO_HASH] < 0:
        return BAD_OBJECT
    if packed:
        state[ANSWER_AT] = -1  # good for one look: the limits change with each
        return state[ANSWER]
    start = at + (facts[DATA_FIXED] if kind == DATA else 40)
    if hash_of(data, start, at + size, keys) != load64(data, at + 16):
        return HASH_MISMATCH
    if kind == DATA:
        if name_length(data, start, at + size) == 0:
            return BAD_FIELD
        state[IS_TEXT] = is_text(data, start, at + size)
    return SOUND


@helper(int64(BYTES, int64, int64, boolean, I32, U8, U8, I64))
def name_id(data, start, length, insert, slots, names, lengths, state):
    """The number of a field's name of at most 64 bytes; NO_NAME if it is not in the table.

    ``names`` has NAME_WIDTH bytes for each, padded with zeros.
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
    for _ in range(64):  # names made to collide go without a number
        known = int64(slots[slot])
        if known < 0:
            if not insert or state[NAMES] == NO_NAME:
                return NO_NAME
            known = int64(state[NAMES])
            for number in range(length):
                names[known * NAME_WIDTH + number] = data[start + number]
            lengths[known] = length
            slots[slot] = known
            state[NAMES] += 1
            return known
        if lengths[known] == length and same(data, start, names, known * NAME_WIDTH, length):
            return known
        slot = (slot + 1) & (NAME_SLOTS - 1)
    return NO_NAME


@helper(I64_2D(I64_2D, int64, int64, int64, int64, int64))
def put(faults, count, start, end, code, target):
    """Add a fault; gives the array back, a larger one when it was full."""
    if count == faults.shape[0]:
        grown = np.empty((2 * count + 16, 4), np.int64)
        for row in range(count):
            for column in range(4):
                grown[row, column] = faults[row, column]
        faults = grown
    faults[count, 0] = start
    faults[count, 1] = end
    faults[count, 2] = code
    faults[count, 3] = target
    return faults


@helper(int64(BYTES, I64, int64, int64))
def slot_at(data, facts, array, number):
    """A slot of an ENTRY_ARRAY."""
    if facts[SLOT] == 4:
        return int64(load32(data, array + 24 + 4 * number))
    return offset_at(data, array + 24 + 8 * number)


@helper(int64(BYTES, I64, int64, int64))
def item_at(data, facts, entry, number):
    """The offset in an item of an ENTRY."""
    if facts[ITEM] == 4:
        return int64(load32(data, entry + 64 + 4 * number))
    return offset_at(data, entry + 64 + 16 * number)
