"""Compiled kernels of the SQLite scanner: checksums, links between frames, and page images.

A checksum is stored as one 64-bit value: its first number in the upper 32 bits, and its second
number in the lower 32 bits. ``big`` is true if the checksum reads the data as big-endian words.
Requirement ids refer to spec/sqlite-wal.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import int64
from numpy import uint64 as _WORD

from walproof.scan.kernels import copy, helper, kernel, load32, load64, same

FRAME_HEADER = 24
#: Bytes of the header of a frame that the checksum covers; its salts and its checksum follow.
COVERED, CHECKSUM = 8, 16

#: Indices into the state of `prove`.
RUNNING, IS_KNOWN, RUN, REPEATED, COMMIT = range(5)


@helper
def _swapped(word: Any) -> Any:
    """Return 32 bits in the other byte order."""
    return (
        word >> _WORD(24)
        | (word >> _WORD(8) & _WORD(0xFF00))
        | (word & _WORD(0xFF00)) << _WORD(8)
        | (word & _WORD(0xFF)) << _WORD(24)
    )


@helper
def _word(data: Any, at: Any, big: Any) -> Any:
    word = load32(data, at)
    return _swapped(word) if big else word


@helper
def _stored(data: Any, at: Any) -> Any:
    """Return eight bytes as a big-endian number: a stored checksum."""
    return _swapped(load32(data, at)) << _WORD(32) | _swapped(load32(data, at + 4))


@kernel
def advance(value: Any, data: Any, start: Any, end: Any, big: Any) -> Any:
    """Return the value after ``data[start:end]``, whole steps of 8 bytes (SQW-006)."""
    mask = _WORD(0xFFFFFFFF)
    s, t = _WORD(value) >> _WORD(32), _WORD(value) & mask
    if big:
        for at in range(start, end, 8):
            s = s + _swapped(load32(data, at)) + t & mask
            t = t + _swapped(load32(data, at + 4)) + s & mask
    else:
        for at in range(start, end, 8):
            s = s + load32(data, at) + t & mask
            t = t + load32(data, at + 4) + s & mask
    return s << _WORD(32) | t


@kernel
def rewind(value: Any, data: Any, start: Any, end: Any, big: Any) -> Any:
    """Return the value before ``data[start:end]``, given the one after it (SQW-009)."""
    mask = _WORD(0xFFFFFFFF)
    s, t = _WORD(value) >> _WORD(32), _WORD(value) & mask
    for back in range(8, end - start + 8, 8):
        at = end - back
        t = t - _word(data, at + 4, big) - s & mask
        s = s - _word(data, at, big) - t & mask
    return s << _WORD(32) | t


@helper
def _advance_slot(value: Any, data: Any, at: Any, slot: Any, big: Any) -> Any:
    """Return the value after what the checksum of the slot at ``at`` covers (SQW-008)."""
    value = advance(value, data, at, at + COVERED, big)
    return advance(value, data, at + FRAME_HEADER, at + slot, big)


@kernel
def repeat(commit: Any, count: Any, big: Any, before: Any, after: Any) -> Any:
    """Return the values after repetitions of a commit frame, by its bytes and without (SQW-016).

    ``before`` and ``after`` are the values around the commit frame.
    """
    whole, shown = _WORD(after), _WORD(after)
    zeros = np.zeros(len(commit), np.uint8)
    for _ in range(count):
        whole = _advance_slot(whole, commit, 0, len(commit), big)
        shown = _advance_slot(_minus(shown, _WORD(before)), zeros, 0, len(commit), big)
        shown = _minus(_WORD(after), _minus(_WORD(0), shown))
    return whole, shown


@helper
def _minus(one: Any, other: Any) -> Any:
    """Return the difference of two values, half by half."""
    mask = _WORD(0xFFFFFFFF)
    s = (one >> _WORD(32)) - (other >> _WORD(32)) & mask
    return s << _WORD(32) | ((one & mask) - (other & mask) & mask)


@kernel
def rewind_slot(data: Any, at: Any, slot: Any, big: Any) -> Any:
    """Return the value before the frame at ``at`` (SQW-009)."""
    value = rewind(_stored(data, at + CHECKSUM), data, at + FRAME_HEADER, at + slot, big)
    return rewind(value, data, at, at + COVERED, big)


@kernel
def follow(
    data: Any,
    at: Any,
    slot: Any,
    big: Any,
    value: Any,
    salts: Any,
    page: Any,
    size: Any,
    repeats: Any,
) -> Any:
    """Verify consecutive frames from ``at`` on, and return the number of valid ones.

    A valid frame has these salts, and its checksum continues ``value``. The kernel stores the page
    number and the database size of each valid frame. It also stores whether the frame repeats the
    content of the frame before it (SQW-014); that frame is in ``data`` unless ``at`` is 0.
    """
    for n in range(len(page)):
        value = _advance_slot(value, data, at, slot, big)
        number = _swapped(load32(data, at))
        is_own = load64(data, at + COVERED) == salts
        if not is_own or number == 0 or value != _stored(data, at + CHECKSUM):
            return n
        page[n] = number
        size[n] = _swapped(load32(data, at + 4))
        repeats[n] = at > 0 and is_repetition(data, at - slot, data, at, slot)
        at += slot
    return len(page)


@kernel
def is_repetition(data: Any, at: Any, other: Any, other_at: Any, slot: Any) -> Any:
    """Return whether two slots agree in page number, database size and image (SQW-014)."""
    return same(data, at, other, other_at, COVERED) and same(
        data, at + FRAME_HEADER, other, other_at + FRAME_HEADER, slot - FRAME_HEADER
    )


@kernel
def find_link(data: Any, count: Any, slot: Any) -> Any:
    """Return a link among ``count`` slots, and whether it fits only one byte order (SQW-027).

    A link is encoded as twice the number of its second slot, plus 1 for big-endian words; the first
    slot has the number 0. The kernel prefers the first link that fits only one byte order. Returns
    -1 if there is no link.
    """
    either = int64(-1)
    for n in range(1, count):
        at = n * slot
        salts = load64(data, at + COVERED)
        if salts == 0 or salts != load64(data, at - slot + COVERED) or load32(data, at) == 0:
            continue
        value = _stored(data, at - slot + CHECKSUM)
        is_little = rewind_slot(data, at, slot, False) == value
        is_big = rewind_slot(data, at, slot, True) == value
        if is_little != is_big:
            return int64(2 * n + is_big), True
        if is_little and either < 0:
            either = int64(2 * n)
    return either, False


@helper
def _find(keys: Any, value: Any) -> Any:
    """Return the index of a value in sorted ``keys``, -1 if it is not there."""
    low, high = 0, len(keys)
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low if low < len(keys) and keys[low] == value else -1


@helper
def _is_known(keys: Any, proven: Any, value: Any) -> Any:
    """Return whether a value is the one after a proven slot."""
    k = _find(keys, value)
    return k >= 0 and proven[k] >= 0


@helper
def _count(keys: Any, proven: Any, value: Any, number: Any) -> None:
    """Record a slot as the first after which a value is known, unless an earlier one is (SQW-035).

    Only values that a slot stores are in ``keys``; no frame is compared with others.
    """
    k = _find(keys, value)
    if k >= 0 and proven[k] < 0:
        proven[k] = number


@helper
def _set_padding(
    first: Any,
    end: Any,
    last: Any,
    commit: Any,
    big: Any,
    stored: Any,
    repeats: Any,
    computed: Any,
    keys: Any,
    proven: Any,
) -> None:
    """Mark the slots from ``first`` on as broken padding of the commit frame ``last`` (SQW-015)."""
    for number in range(first, end):
        before = computed[number - 1] if repeats[number - 1] else stored[number - 1]
        repeats[number] = last
        computed[number] = _advance_slot(before, commit, 0, len(commit), big)
        _count(keys, proven, computed[number], number)


@kernel
def prove(
    data: Any,
    first: Any,
    count: Any,
    slot: Any,
    big: Any,
    page: Any,
    size: Any,
    stored: Any,
    has_salts: Any,
    keys: Any,
    key: Any,
    proven: Any,
    state: Any,
    commit: Any,
    repeats: Any,
    follows: Any,
    before: Any,
    computed: Any,
    confirmed: Any,
    gained: Any,
) -> None:
    """Find the slot that each frame follows (SQW-035 to SQW-040), in slots from ``first`` on.

    Arrays other than ``data`` are indexed by the number of a slot. ``keys`` are the sorted values
    of all slots, ``key`` the index of that of each slot, and ``proven`` the first proven slot of
    each, or -1. ``state`` holds the value computed over all slots since the last proven one,
    whether it is known, the number of the first such slot, the value computed over as many
    repetitions of the last proven one, and its number, which is 0 if it is no commit frame.
    ``commit`` are its bytes. ``repeats`` is the commit frame of which a slot is broken padding
    (SQW-015), or 0.

    ``follows`` is -1 for a slot that is not proven, and -2 - k for one that follows the slot that
    counts for key k. ``confirmed``: only its salts or its checksum are at fault. ``gained``: the
    value that it stores and its image give a size of 0.
    """  # fmt: skip
    mask = _WORD(0xFFFFFFFF)
    running, is_known, run = state[RUNNING], state[IS_KNOWN], int(state[RUN])
    repeated, last = state[REPEATED], int(state[COMMIT])
    for number in range(first, first + count):
        at = (number - first) * slot
        value = rewind(stored[number], data, at + FRAME_HEADER, at + slot, big)
        gained[number] = value & mask == stored[number - 1] + (value >> _WORD(32)) & mask
        value = rewind(value, data, at, at + COVERED, big)
        before[number] = value
        computed[number] = stored[number]
        is_new = proven[key[number]] < 0
        may_be_proven = page[number] != 0 and is_new
        if may_be_proven and is_known and value == running:
            follows[number] = repeats[number - 1] if repeats[number - 1] else number - 1
            confirmed[number] = not has_salts[number]
            for earlier in range(run, number):
                if page[earlier] != 0 and not _is_known(keys, proven, computed[earlier]):
                    padded = repeats[earlier - 1]
                    follows[earlier], confirmed[earlier] = padded if padded else earlier - 1, True
                    before[earlier] = computed[earlier - 1]
                    _count(keys, proven, computed[earlier], earlier)
                    if earlier > run and page[earlier - 1] != 0 and follows[earlier - 1] == -1:
                        # The slot before it is a copy.
                        follows[earlier] = -2 - _find(keys, computed[earlier - 1])
                elif page[earlier] != 0 and earlier == number - 1:
                    # The slot before it is a copy.
                    follows[number] = -2 - _find(keys, computed[earlier])
        elif (
            may_be_proven and last > 0 and value == repeated and not _is_known(keys, proven, value)
        ):
            follows[number], confirmed[number] = last, not has_salts[number]
            _set_padding(run, number, last, commit, big, stored, repeats, computed, keys, proven)
        elif may_be_proven and has_salts[number] and _find(keys, value) >= 0:
            follows[number] = -2 - _find(keys, value)
        else:
            if is_known:
                running = _advance_slot(running, data, at, slot, big)
                computed[number] = running
            if last > 0:
                repeated = _advance_slot(repeated, commit, 0, slot, big)
                if is_new and repeated == stored[number]:
                    _set_padding(
                        run, number + 1, last, commit, big, stored, repeats, computed, keys, proven
                    )
                    run, running = number + 1, repeated
            continue
        proven[key[number]] = number
        run, running, repeated, is_known = number + 1, stored[number], stored[number], _WORD(1)
        last = 0
        if size[number] != 0:
            last = number
            copy(commit, 0, data, at, slot)
    state[RUNNING], state[IS_KNOWN], state[RUN] = running, is_known, _WORD(run)
    state[REPEATED], state[COMMIT] = repeated, _WORD(last)


@kernel
def transactions(
    committed: Any, size: Any, follows: Any, gained: Any, firsts: Any, lasts: Any
) -> Any:
    """Store the proven transactions by offset; return their number (SQW-039, SQW-040)."""
    count = 0
    first = 0
    for number in range(committed + 1, len(size)):
        before = follows[number]
        if before < 0:
            first = 0
            continue
        if first == 0 or before != number - 1:
            ends = before == 0 or size[before] != 0
            if before > committed and follows[before] < 0 and gained[before]:
                ends = False
            first = number if ends else 0
        if first != 0 and size[number] != 0:
            firsts[count], lasts[count] = first, number
            count += 1
            first = 0
    return count


@kernel
def order(
    committed: Any, firsts: Any, lasts: Any, follows: Any, following: Any, is_end: Any, ordered: Any
) -> Any:
    """Store transaction numbers in the order of SQW-039; return the length of the chain.

    ``following`` and ``is_end`` are indexed by slot number and are initially -1 and false.
    ``committed`` is -1 if the header is unknown, because then no frame can continue the committed
    ones.
    """
    # Transactions that follow the same slot are linked, the first one first.
    sibling = np.full(len(firsts), -1, np.int64)
    for n in range(len(firsts) - 1, -1, -1):
        sibling[n] = following[follows[firsts[n]]]
        following[follows[firsts[n]]] = n
        is_end[lasts[n]] = True
    seen = np.zeros(len(firsts), np.bool_)
    count = 0
    one = int64(following[committed]) if committed >= 0 else int64(-1)
    while one >= 0 and sibling[one] < 0:
        seen[one] = True
        is_end[lasts[one]] = False
        ordered[count] = one
        count += 1
        one = int64(following[lasts[one]])
    chain = count
    waiting = np.empty(2 * len(firsts) + 1, np.int64)
    for start in range(2 * len(firsts)):
        # First the ones that follow none of the others, then rings, which only a forger makes.
        root = int64(start % len(firsts))
        if start < len(firsts) and is_end[follows[firsts[root]]]:
            continue
        waiting[0], depth = -1 - root, 1  # without those that follow the same slot
        while depth > 0:
            depth -= 1
            one = waiting[depth]
            if one < 0:
                one = root
            elif sibling[one] >= 0:
                waiting[depth] = sibling[one]
                depth += 1
            if seen[one]:
                continue
            seen[one] = True
            ordered[count] = one
            count += 1
            if following[lasts[one]] >= 0:
                waiting[depth] = following[lasts[one]]
                depth += 1
    return chain


@kernel
def gather(
    data: Any, base: Any, starts: Any, lengths: Any, puts: Any, first: Any, after: Any, room: Any
) -> None:
    """Copy pieces ``first`` to ``after`` of a file, whose offset ``base`` is that of ``data``."""
    for n in range(first, after):
        copy(room, puts[n], data, starts[n] - base, lengths[n])
