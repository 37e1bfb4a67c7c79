"""Where objects may be, by the links that a file has: hints, not yet trusted (SDJ-041): kernels."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numpy as np

from walproof.scan.compiled import BYTES, I64, U64, helper, int64, kernel, types, uint64
from walproof.scan.systemd_journal.objects import KEYS, content, frame, item_at, slot_at
from walproof.scan.systemd_journal.offsets import offset_at
from walproof.scan.systemd_journal.words import (
    DATA,
    DATA_BUCKETS,
    DATA_BUCKETS_SIZE,
    ENTRY,
    ENTRY_ARRAY,
    FIELD,
    FIELD_BUCKETS,
    FIELD_BUCKETS_SIZE,
    HEADER_SIZE,
    ITEM,
    MAIN_ARRAY,
    SIZE,
    SLOT,
    SOUND,
    TAIL,
)


@kernel(types.Tuple((I64, int64, types.boolean))(BYTES, I64, KEYS, I64), makes_arrays=True)
def entries_of_main_chain(data, facts, keys, state):
    """The entries that the main chain links, hints as yet; how many, and whether they rise."""
    room = 0
    at = facts[MAIN_ARRAY]
    while at:
        kind, _, size = frame(data, facts, at)
        if kind != ENTRY_ARRAY:
            break
        for number in range((size - 24) // facts[SLOT]):
            room += slot_at(data, facts, at, number) != 0
        following = offset_at(data, at + 16)
        if following < at + size:
            break
        at = following
    found = np.empty(room, np.int64)
    count = last = 0
    rising = True
    at = facts[MAIN_ARRAY]
    while at:
        kind, _, size = frame(data, facts, at)
        if kind != ENTRY_ARRAY:
            break
        for number in range((size - 24) // facts[SLOT]):
            slot = slot_at(data, facts, at, number)
            if slot == 0:
                continue
            kind, flags, of_entry = frame(data, facts, slot)
            if kind != ENTRY:
                continue
            if content(data, facts, keys, state, slot, kind, flags, of_entry) == SOUND:
                found[count] = slot
                rising = rising and slot > last
                last = slot
                count += 1
        following = offset_at(data, at + 16)
        if following < at + size:
            break
        at = following
    return found, count, rising


@helper(types.void(U64, I64, int64))
def _know(known, facts, at):
    if at & 7 == 0 and facts[HEADER_SIZE] <= at < facts[SIZE]:
        known[at >> 9] |= uint64(1) << (uint64(at >> 3) & uint64(63))


@kernel(types.void(BYTES, I64, I64, U64), makes_arrays=True)
def know_links(data, facts, linked, known):
    """Mark all offsets that a link knows in ``known``, a bit for eight bytes of the file."""
    _know(known, facts, facts[TAIL])
    _know(known, facts, facts[DATA_BUCKETS] - 16)
    _know(known, facts, facts[FIELD_BUCKETS] - 16)
    at = facts[MAIN_ARRAY]
    _know(known, facts, at)
    while at:
        kind, _, size = frame(data, facts, at)
        if kind != ENTRY_ARRAY:
            break
        _know(known, facts, at)
        following = offset_at(data, at + 16)
        if following < at + size:
            break
        at = following
    followed = np.zeros(known.shape[0], np.uint64)
    for table in range(2):
        start = facts[FIELD_BUCKETS] if table else facts[DATA_BUCKETS]
        length = facts[FIELD_BUCKETS_SIZE] if table else facts[DATA_BUCKETS_SIZE]
        if start + length > facts[SIZE]:
            continue
        bucket = start
        while bucket + 16 <= start + length:
            at, last = offset_at(data, bucket), int64(0)
            while at > last:
                kind, _, _ = frame(data, facts, at)
                if kind != DATA and kind != FIELD:
                    break
                bit = uint64(1) << (uint64(at >> 3) & uint64(63))
                if followed[at >> 9] & bit:  # another chain led here (SDJ-057)
                    break
                followed[at >> 9] |= bit
                _know(known, facts, at)
                if kind == DATA:
                    _know(known, facts, offset_at(data, at + 40))
                last, at = at, offset_at(data, at + 24)
            _know(known, facts, offset_at(data, bucket + 8))
            bucket += 16
    after = 0
    for which in range(linked.shape[0]):
        entry = linked[which]
        _know(known, facts, entry)
        if entry >= after:  # those that overlap are read once
            size = offset_at(data, entry + 8)
            for number in range((size - 64) // facts[ITEM]):
                _know(known, facts, item_at(data, facts, entry, number))
            after = entry + size
