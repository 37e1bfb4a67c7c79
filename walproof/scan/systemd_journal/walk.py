"""The walk over all objects, and getting back in step after damage (SDJ-040, SDJ-041): kernels.

A kernel cannot decompress. The walk therefore stops at each compressed payload, is told what is in
it, and goes on where it was; it also stops to get larger arrays.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from walproof.scan.compiled import (
    BYTES,
    I32,
    I64,
    I64_2D,
    U8,
    U16,
    U64,
    helper,
    int64,
    kernel,
    types,
    uint64,
)
from walproof.scan.memory import load64, popcount, trailing_zeros
from walproof.scan.systemd_journal.hashes import (
    hash_and_text,
    hash_and_text_of_two,
    hash_of,
    name_end,
    name_length,
)
from walproof.scan.systemd_journal.objects import KEYS, content, frame, name_id
from walproof.scan.systemd_journal.offsets import offset_at
from walproof.scan.systemd_journal.words import (
    ANSWER_AT,
    ARENA,
    ASK,
    AT,
    BAD,
    BAD_HEADER,
    BAD_OBJECT,
    CUT,
    DATA,
    DATA_FIXED,
    DECOMPRESS,
    DONE,
    END,
    ENTRY,
    FAULTS,
    FIELD,
    FOUND,
    HEADER_SIZE,
    HIDDEN,
    IS_TEXT,
    LAST,
    LINKS,
    LOST,
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
    SOUND,
    TAIL,
    TEXT,
    TO_HASH,
    TOLD_HIDDEN,
)

_TOP, _OBJECT, _RESYNC = range(3)
_FLAGS_FIELD = 12
_SHORT = 1 << 10
"""Bytes. A longer object is hashed alone."""


@helper()
def _next_known(known, at):
    """The next offset after ``at`` that is known; -1 if there is none."""
    number = (at >> 3) + 1
    word = number >> 6
    if word >= known.shape[0]:
        return int64(-1)
    found = (known[word] >> (uint64(number) & uint64(63))) << (uint64(number) & uint64(63))
    while found == 0:
        word += 1
        if word >= known.shape[0]:
            return int64(-1)
        found = known[word]
    return ((word << 6) + trailing_zeros(found)) << 3


@helper(types.void(I64, I64_2D, I64_2D, int64, int64, int64))
def _lose(state, faults, lost, start, end, code):
    faults[state[FAULTS], 0] = start
    faults[state[FAULTS], 1] = end
    faults[state[FAULTS], 2] = code
    faults[state[FAULTS], 3] = 0
    state[FAULTS] += 1
    lost[state[LOST], 0] = start
    lost[state[LOST], 1] = end
    state[LOST] += 1


@helper()
def _nothing_after(state, facts, faults, lost, at):
    """No object at ``at`` and none known after it: the end of what a crash left."""
    size, arena_end = facts[SIZE], facts[HEADER_SIZE] + facts[ARENA]
    state[END] = at
    if at >= size >= arena_end:
        return  # it is the header that claims more (SDJ-049)
    state[CUT] = at
    _lose(state, faults, lost, at, max(size, at), BAD_OBJECT)


@helper(types.void(I64, I64, U64, I64, U8, U16, int64, int64, int64, int64, int64))
def _found(state, counts, bits, offsets, kinds, name_ids, at, kind, following, mark, name):
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


@helper(types.UniTuple(int64, 3)(BYTES, I64, int64))
def _next_data(data, facts, at):
    """The DATA at an offset or after the one ENTRY there: its offset, and those of its payload.

    Zeros if there is none, or a compressed one, or a long one: it may be looked at in vain.
    """
    whole = facts[SIZE]
    if at + 16 <= whole and data[at] == ENTRY:
        at += (offset_at(data, at + 8) + 7) & ~7
    if at + 16 > whole or data[at] != DATA or data[at + 1] & 7:
        return int64(0), int64(0), int64(0)
    start, size = at + facts[DATA_FIXED], offset_at(data, at + 8)
    if size > _SHORT or at + size > whole or at + size <= start:
        return int64(0), int64(0), int64(0)
    return at, start, at + size


_WALK_ON = types.void(BYTES, I64, KEYS, I64, I64, I64, U64, I64, U8, U16, I32, U8, U8)


@helper(_WALK_ON)
def _walk_on(
    data, facts, keys, state, linked, counts, bits, offsets, kinds, name_ids, slots, names, lengths
):  # fmt: skip
    """Go on up to the tail object while objects are plainly sound, which nearly all are.

    What is compressed, or not sound, or has no room, is left to ``walk`` as if never looked at.
    """
    tail, fixed = facts[TAIL], facts[DATA_FIXED]
    at, last, found, next_linked = state[AT], state[LAST], state[FOUND], state[PLACE]
    to_hash = state[TO_HASH]
    ahead, ahead_digest, ahead_text = int64(0), uint64(0), False
    while last < tail and found < offsets.shape[0] and state[NAMES] < lengths.shape[0]:
        kind, flags, size = frame(data, facts, at)
        if kind == 0 or flags & 7:
            break
        mark, name = int64(0), int64(NO_NAME)
        if kind == DATA:
            start, end = at + fixed, at + size
            if at == ahead:
                digest, text = ahead_digest, ahead_text
            else:
                ahead, first, second = _next_data(data, facts, at + ((size + 7) & ~7))
                if ahead and keys[0]:
                    digest, text, ahead_digest, ahead_text = hash_and_text_of_two(
                        data, start, end, first, second, keys
                    )
                else:
                    ahead = int64(0)
                    digest, text = hash_and_text(data, start, end, keys)
            if digest != load64(data, at + 16) or size > to_hash:
                break
            length = name_end(data, start, end)
            if length == 0:
                break
            name = name_id(data, start, length, False, slots, names, lengths, state)
            if name == NO_NAME:  # one that is known was looked at before
                if name_length(data, start, end) == 0:
                    break
                name = name_id(data, start, length, True, slots, names, lengths, state)
            mark = TEXT if text else 0
            to_hash -= size
        elif kind == FIELD:
            if size > to_hash or hash_of(data, at + 40, at + size, keys) != load64(data, at + 16):
                break
            to_hash -= size
        else:
            while next_linked < linked.shape[0] and linked[next_linked] <= at:
                next_linked += 1
            if next_linked < linked.shape[0] and linked[next_linked] < at + size:
                break
            if content(data, facts, keys, state, at, kind, flags, size) != SOUND:
                break
        bits[at >> 9] |= uint64(1) << (uint64(at >> 3) & uint64(63))
        offsets[found] = at
        kinds[found] = kind | mark
        name_ids[found] = name
        found += 1
        counts[kind] += 1
        last = at
        at += (size + 7) & ~7
    if at != state[AT]:
        state[END] = at
    state[AT], state[LAST], state[FOUND], state[PLACE] = at, last, found, next_linked
    state[TO_HASH] = to_hash


_WALK = types.int64(
    BYTES, I64, KEYS, I64, I64, U64, I64, U64, I64, U8, U16, I64_2D, I64_2D, I32, U8, U8
)


@kernel(_WALK)
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
    """Go on with the walk from the header to the tail object; see the constants for why it stops.

    ``linked`` are the entries of the main chain, sorted; ``known`` is of length 0 until asked for.
    ``bits`` has a bit for eight bytes of the file, set where an object begins; ``offsets``,
    ``kinds`` and ``name_ids`` have a place for each object.
    """
    tail = facts[TAIL]
    while True:
        if state[PHASE] == _TOP:
            _walk_on(
                data, facts, keys, state, linked, counts, bits, offsets, kinds, name_ids, slots,
                names, lengths,
            )  # fmt: skip
        if state[NAMES] == lengths.shape[0] and lengths.shape[0] < NO_NAME:
            return ROOM
        if state[FOUND] == offsets.shape[0] or state[FAULTS] + 4 > faults.shape[0]:
            return ROOM
        if state[LOST] + 4 > lost.shape[0]:
            return ROOM
        at = state[AT]
        if state[PHASE] == _TOP:
            if state[LAST] >= tail and not (linked.shape[0] and linked[-1] >= at):
                # The tail object was passed: do counts know of more (SDJ-049)?
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
                # A size that leads across an entry of the main chain is none (SDJ-041).
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
                    # Without a good hash the size may be wrong too: does an object follow?
                    if kind != ENTRY and following < tail and frame(data, facts, following)[0] == 0:
                        state[PENDING], state[PENDING_KIND] = code, kind
                        state[PENDING_END] = following
                        state[SEEK] = at
                        state[PHASE] = _RESYNC
                    else:
                        _lose(state, faults, lost, at, following, code)
                        _found(
                            state, counts, bits, offsets, kinds, name_ids, at, kind, following,
                            BAD, NO_NAME,
                        )  # fmt: skip
                else:
                    if code == HIDDEN and state[TOLD_HIDDEN] == 0:  # SDJ-027: once is enough
                        state[TOLD_HIDDEN] = 1
                        _lose(state, faults, lost, _FLAGS_FIELD, _FLAGS_FIELD + 4, BAD_HEADER)
                        state[LOST] -= 1  # a fault that loses no object
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
                    _found(
                        state, counts, bits, offsets, kinds, name_ids, at, kind, following,
                        mark, name,
                    )  # fmt: skip
        if state[PHASE] == _RESYNC:
            # The next known offset where a sound object is (SDJ-041). SEEK is the last one tried,
            # or the one whose payload was asked for.
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
                _found(
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


@kernel(types.void(U64, I32))
def rank(bits, ranks):
    """How many objects there are before each word of ``bits``."""
    count = 0
    for word in range(bits.shape[0]):
        ranks[word] = count
        count += popcount(bits[word])


@kernel(int64(BYTES, I32, U8, U8, I64))
def number_of_name(name, slots, names, lengths, state):
    """The number of the name of a compressed field; see ``name_id``."""
    return name_id(name, 0, name.shape[0], True, slots, names, lengths, state)
