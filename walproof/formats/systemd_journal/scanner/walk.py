"""Compiled kernels that walk over all objects and resynchronise after damage.

See SDJ-040 and SDJ-041. A kernel cannot decompress. At each compressed payload, the walk therefore
returns to the caller, which checks the payload and calls the kernel again. The walk also returns
when its arrays are full.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numpy as np
from numpy import int64, uint64

from walproof.formats.systemd_journal.scanner.constants import (
    ANSWER_AT,
    ARENA,
    ASK,
    AT,
    BAD,
    BAD_HEADER,
    BAD_OBJECT,
    CUT,
    DATA,
    DATA_BUCKETS,
    DATA_BUCKETS_SIZE,
    DATA_FIXED,
    DECOMPRESS,
    DONE,
    END,
    ENTRY,
    ENTRY_ARRAY,
    FAULTS,
    FIELD,
    FIELD_BUCKETS,
    FIELD_BUCKETS_SIZE,
    FOUND,
    HEADER_SIZE,
    HIDDEN,
    IS_TEXT,
    ITEM,
    LAST,
    LINKS,
    LOST,
    MAIN_ARRAY,
    N_OBJECTS,
    NAME_ID,
    NAMES,
    NO_NAME,
    PACKED,
    PENDING,
    PENDING_END,
    PENDING_KIND,
    PHASE,
    PLACE,
    ROOM,
    SEEK,
    SIZE,
    SLOT,
    SOUND,
    TAIL,
    TEXT,
)
from walproof.formats.systemd_journal.scanner.hashing import (
    name_length,
)
from walproof.formats.systemd_journal.scanner.objects import (
    content,
    frame,
    item_at,
    name_id,
    offset_at,
    slot_at,
)
from walproof.scan.kernels import helper, kernel, popcount, trailing_zeros


@kernel
def entries_of_main_chain(data, facts, keys, state):
    """Return the unverified entries of the main chain, their number and whether they ascend."""
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
    linked = np.empty(room, np.int64)
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
                linked[count] = slot
                rising = rising and slot > last
                last = slot
                count += 1
        following = offset_at(data, at + 16)
        if following < at + size:
            break
        at = following
    return linked, count, rising


@helper
def _know(known, facts, at):
    if at & 7 == 0 and facts[HEADER_SIZE] <= at < facts[SIZE]:
        known[at >> 9] |= uint64(1) << (uint64(at >> 3) & uint64(63))


@kernel
def know_links(data, facts, linked, known):
    """Mark all linked offsets in ``known``, one bit for eight bytes of the file."""
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
        if entry >= after:  # overlapping ones are read once
            size = offset_at(data, entry + 8)
            for number in range((size - 64) // facts[ITEM]):
                _know(known, facts, item_at(data, facts, entry, number))
            after = entry + size


_TOP, _OBJECT, _RESYNC = range(3)
_FLAGS_FIELD = 12


@helper
def _next_known(known, at):
    """Return the next known offset after ``at``; -1 if there is none."""
    number = (at >> 3) + 1
    word = number >> 6
    if word >= known.shape[0]:
        return int64(-1)
    later = (known[word] >> (uint64(number) & uint64(63))) << (uint64(number) & uint64(63))
    while later == 0:
        word += 1
        if word >= known.shape[0]:
            return int64(-1)
        later = known[word]
    return ((word << 6) + trailing_zeros(later)) << 3


@helper
def _lose(state, faults, lost, start, end, code):
    faults[state[FAULTS], 0] = start
    faults[state[FAULTS], 1] = end
    faults[state[FAULTS], 2] = code
    faults[state[FAULTS], 3] = 0
    state[FAULTS] += 1
    lost[state[LOST], 0] = start
    lost[state[LOST], 1] = end
    state[LOST] += 1


@helper
def _nothing_after(state, facts, faults, lost, at):
    """Return whether there is no object at ``at`` and no known one after it, as after a crash."""
    size, arena_end = facts[SIZE], facts[HEADER_SIZE] + facts[ARENA]
    state[END] = at
    if at >= size >= arena_end:
        return  # the header claims more (SDJ-097)
    state[CUT] = at
    _lose(state, faults, lost, at, max(size, at), BAD_OBJECT)


@helper
def _note_object(state, counts, bits, offsets, kinds, name_ids, at, kind, following, mark, name):
    bits[at >> 9] |= uint64(1) << (uint64(at >> 3) & uint64(63))
    offsets[state[FOUND]] = at
    kinds[state[FOUND]] = kind | mark
    name_ids[state[FOUND]] = name
    state[FOUND] += 1
    counts[kind] += 1
    state[LAST] = at
    state[END] = following
    state[AT] = following
    state[PHASE] = _TOP


@kernel
def walk(
    data,
    facts,
    keys,
    state,
    linked,
    known,
    counts,
    bits,
    offsets,
    kinds,
    name_ids,
    faults,
    lost,
    slots,
    names,
    lengths,
):
    """Continue the walk from the header to the tail object.

    ``linked`` contains the sorted entries of the main chain. ``known`` is empty until it is needed.
    ``bits`` contains one bit for each eight bytes of the file, which is set at the start of each
    object. ``offsets``, ``kinds`` and ``name_ids`` have one element per object. The constants of
    this module describe the return values.
    """
    tail = facts[TAIL]
    while True:
        if state[NAMES] == lengths.shape[0] and lengths.shape[0] < NO_NAME:
            return ROOM
        if state[FOUND] == offsets.shape[0] or state[FAULTS] + 4 > faults.shape[0]:
            return ROOM
        if state[LOST] + 4 > lost.shape[0]:
            return ROOM
        at = state[AT]
        if state[PHASE] == _TOP:
            if state[LAST] >= tail and not (linked.shape[0] and linked[-1] >= at):
                # After the tail object: continue if the counts claim more objects (SDJ-098).
                if state[FOUND] >= facts[N_OBJECTS]:
                    return DONE
                kind, flags, size = frame(data, facts, at)
                if kind == 0:
                    return DONE
                code = content(data, facts, keys, state, at, kind, flags, size)
                if code == ASK:
                    state[SEEK] = at
                    return DECOMPRESS
                if code != SOUND and code != HIDDEN:
                    return DONE
            state[PHASE] = _OBJECT
        if state[PHASE] == _OBJECT:
            kind, flags, size = frame(data, facts, at)
            if kind and kind != DATA and kind != FIELD:
                # A size that skips an entry of the main chain is invalid (SDJ-041).
                while state[PLACE] < linked.shape[0] and linked[state[PLACE]] <= at:
                    state[PLACE] += 1
                if state[PLACE] < linked.shape[0] and linked[state[PLACE]] < at + size:
                    kind = 0
            if kind == 0:
                state[PENDING], state[PENDING_KIND], state[PENDING_END] = BAD_OBJECT, 0, 0
                state[SEEK] = at
                state[PHASE] = _RESYNC
            else:
                code = content(data, facts, keys, state, at, kind, flags, size)
                if code == ASK:
                    state[SEEK] = at
                    return DECOMPRESS
                following = at + ((size + 7) & ~7)
                if code != SOUND and code != HIDDEN:
                    # Without a valid hash the size may be wrong, too: check that an object follows.
                    if kind != ENTRY and following < tail and frame(data, facts, following)[0] == 0:
                        state[PENDING], state[PENDING_KIND] = code, kind
                        state[PENDING_END] = following
                        state[SEEK] = at
                        state[PHASE] = _RESYNC
                    else:
                        _lose(state, faults, lost, at, following, code)
                        _note_object(
                            state, counts, bits, offsets, kinds, name_ids, at, kind, following,
                            BAD, NO_NAME,
                        )  # fmt: skip
                else:
                    if code == HIDDEN:  # SDJ-027: a fault for each, all at the flags of the header
                        _lose(state, faults, lost, _FLAGS_FIELD, _FLAGS_FIELD + 4, BAD_HEADER)
                        state[LOST] -= 1  # this fault loses no object
                    mark, name = 0, int64(NO_NAME)
                    if kind == DATA:
                        mark = TEXT if state[IS_TEXT] else 0
                        if flags & 7:
                            mark |= PACKED
                            name = state[NAME_ID]
                        else:
                            start = at + facts[DATA_FIXED]
                            length = name_length(data, start, at + size)
                            name = name_id(data, start, length, True, slots, names, lengths, state)
                    _note_object(
                        state, counts, bits, offsets, kinds, name_ids, at, kind, following,
                        mark, name,
                    )  # fmt: skip
        if state[PHASE] == _RESYNC:
            # Find the next known offset of a valid object (SDJ-041). SEEK is the last one tried,
            # or the one whose payload was requested.
            if known.shape[0] == 0:
                return LINKS
            again = state[ANSWER_AT] == state[SEEK] and state[SEEK] > at
            following = int64(-1)
            while True:
                place = state[SEEK] if again else _next_known(known, state[SEEK])
                again = False
                if place < 0:
                    break
                state[SEEK] = place
                kind, flags, size = frame(data, facts, place)
                if kind == 0:
                    continue
                code = content(data, facts, keys, state, place, kind, flags, size)
                if code == ASK:
                    return DECOMPRESS
                if code in (SOUND, HIDDEN):
                    following = place
                    break
            if state[PENDING_KIND]:
                if following < 0:
                    following = state[PENDING_END]
                _lose(state, faults, lost, at, following, state[PENDING])
                _note_object(
                    state, counts, bits, offsets, kinds, name_ids, at, state[PENDING_KIND],
                    following, BAD, NO_NAME,
                )  # fmt: skip
            elif following < 0:
                _nothing_after(state, facts, faults, lost, at)
                return DONE
            else:
                _lose(state, faults, lost, at, following, BAD_OBJECT)
                state[AT] = following
                state[PHASE] = _TOP


@kernel
def rank(bits, ranks):
    """Return the number of objects before each word of ``bits``."""
    count = 0
    for word in range(bits.shape[0]):
        ranks[word] = count
        count += popcount(bits[word])


@kernel
def number_of_name(name, slots, names, lengths, state):
    """Return the number of the name of a compressed field; see ``name_id``."""
    return name_id(name, 0, name.shape[0], True, slots, names, lengths, state)
