"""Payloads of records: the fields of an entry in export format (SDJ-042, SDJ-090): a kernel."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numpy as np

from walproof.scan.compiled import (
    BYTES,
    I32,
    I64,
    U8,
    U16,
    U64,
    helper,
    int64,
    kernel,
    types,
    uint64,
)
from walproof.scan.memory import copy_wide, load64, store64, trailing_zeros
from walproof.scan.systemd_journal.entries import packed_number
from walproof.scan.systemd_journal.hashes import name_length
from walproof.scan.systemd_journal.object_table import FOUND
from walproof.scan.systemd_journal.offsets import offset_at
from walproof.scan.systemd_journal.words import DATA_FIXED, NO_NAME, PACKED, RANKED, TEXT

_BOOT_ID = np.frombuffer(b"_BOOT_ID", np.uint8)
_FEW = 48
"""So many fields are sorted by insertion."""


@helper(types.Tuple((int64, int64, types.boolean))(FOUND, int64, I64, I64, I64))
def _bounds(found, number, packed, lengths, places):
    """Where a payload lies: start, end, and whether in the decompressed bytes."""
    if found.kinds[number] & PACKED:
        which = packed_number(number, packed)
        return places[which], places[which] + lengths[which], True
    at = found.offsets[number]
    return at + found.facts[DATA_FIXED], at + offset_at(found.data, at + 8), False


@helper()
def _swapped(word):
    word = ((word & uint64(0x00FF00FF00FF00FF)) << uint64(8)) | (
        (word >> uint64(8)) & uint64(0x00FF00FF00FF00FF)
    )
    word = ((word & uint64(0x0000FFFF0000FFFF)) << uint64(16)) | (
        (word >> uint64(16)) & uint64(0x0000FFFF0000FFFF)
    )
    return (word << uint64(32)) | (word >> uint64(32))


@helper(int64(BYTES, int64, int64, BYTES, int64, int64))
def _compared(one, at, end, other, other_at, other_end):
    """-1, 0 or 1 as the first bytes sort before, with, or after the others."""
    while at + 8 <= end and other_at + 8 <= other_end:
        mine, theirs = load64(one, at), load64(other, other_at)
        if mine != theirs:
            return -1 if _swapped(mine) < _swapped(theirs) else 1
        at += 8
        other_at += 8
    while at < end and other_at < other_end:
        if one[at] != other[other_at]:
            return -1 if one[at] < other[other_at] else 1
        at += 1
        other_at += 1
    if at < end:
        return 1
    return -1 if other_at < other_end else 0


@helper(int64(FOUND, int64, int64, I64, I64, I64, BYTES))
def _order(found, key, other, packed, lengths, places, plain):
    """How two fields sort. A key is the rank of the name, then the number of the object.

    Names without a number have the rank NO_NAME, and say nothing.
    """
    rank, other_rank = key >> 32, other >> 32
    if rank != other_rank and rank != NO_NAME and other_rank != NO_NAME:
        return -1 if rank < other_rank else 1
    if key == other:
        return 0
    at, end, there = _bounds(found, key & 0xFFFFFFFF, packed, lengths, places)
    to, to_end, other_there = _bounds(found, other & 0xFFFFFFFF, packed, lengths, places)
    if there and other_there:
        return _compared(plain, at, end, plain, to, to_end)
    if there:
        return _compared(plain, at, end, found.data, to, to_end)
    if other_there:
        return _compared(found.data, at, end, plain, to, to_end)
    return _compared(found.data, at, end, found.data, to, to_end)


@helper(types.boolean(int64, int64))
def _plainly(key, other):
    """Whether the ranks of two keys tell how they sort, which is the rule."""
    return (key ^ other) >> 32 != 0 and (key >> 32) != NO_NAME and (other >> 32) != NO_NAME


@helper(int64(FOUND, I32, int64, int64, int64, U16, U64, I32, I64))
def _sort_plainly(found, items, start, end, boot, ranks, marked, chosen, numbers):
    """Put the numbers of an entry's objects into ``numbers``, as their names sort, each once.

    A bit for each rank says which names the entry has, and bits come out in order. How many there
    are; -1 where two fields have one name, or a name has no bit, which others must sort.
    """
    name_ids = found.name_ids
    words, count, is_plain = uint64(0), 0, True
    for place in range(start, end):
        number = items[place]
        name = name_ids[number]
        if int64(name) == boot:
            continue
        rank = int64(ranks[name])
        if rank >= RANKED:
            is_plain = False
            break
        word, bit = rank >> 6, uint64(1) << uint64(rank & 63)
        if marked[word] & bit:
            if chosen[rank] == number:
                continue
            is_plain = False
            break
        marked[word] |= bit
        words |= uint64(1) << uint64(word)
        chosen[rank] = number
    while words:
        word = trailing_zeros(words)
        words &= words - uint64(1)
        left = marked[word]
        marked[word] = 0
        while left and is_plain:
            numbers[count] = int64(chosen[(word << 6) + trailing_zeros(left)])
            left &= left - uint64(1)
            count += 1
    return int64(count) if is_plain else int64(-1)


@helper(types.void(FOUND, I64, int64, I64, I64, I64, BYTES))
def _sort_few(found, keys, count, packed, lengths, places, plain):
    """By insertion."""
    for number in range(1, count):
        key = keys[number]
        place = number
        while place:
            other = keys[place - 1]
            if _plainly(key, other):
                if key > other:
                    break
            elif _order(found, key, other, packed, lengths, places, plain) >= 0:
                break
            keys[place] = other
            place -= 1
        keys[place] = key


@helper(types.void(FOUND, I64, I64, int64, I64, I64, I64, BYTES))
def _sort_many(found, keys, spare, count, packed, lengths, places, plain):
    """Merging runs that double: linear in bytes for each doubling."""
    width = 1
    while width < count:
        for start in range(0, count, 2 * width):
            one, middle = start, min(start + width, count)
            two, end = middle, min(start + 2 * width, count)
            for to in range(start, end):
                if two >= end or (
                    one < middle
                    and _order(found, keys[one], keys[two], packed, lengths, places, plain) <= 0
                ):
                    spare[to] = keys[one]
                    one += 1
                else:
                    spare[to] = keys[two]
                    two += 1
        for place in range(count):
            keys[place] = spare[place]
        width *= 2


@helper(int64(BYTES, int64, int64, int64, types.boolean, U8, int64, int64))
def _put(source, start, end, name, text, into, to, room):
    """One field in export format, or as much of it as there is room for. Where the next one goes,
    were there room."""
    if text:
        copy_wide(into, to, source, start, min(end - start, room))
        if end - start < room:
            into[to + end - start] = 10
        return to + end - start + 1
    done = min(name, room)
    copy_wide(into, to, source, start, done)
    size = end - start - name - 1
    if room >= name + 9:
        into[to + name] = 10
        store64(into, to + name + 1, uint64(size))
    else:
        for number in range(name, room):
            byte = uint64(10) if number == name else uint64(size) >> uint64(8 * (number - name - 1))
            into[to + number] = byte & uint64(255)
    if room > name + 9:
        copy_wide(into, to + name + 9, source, start + name + 1, min(size, room - name - 9))
        if room > name + 9 + size:
            into[to + name + 9 + size] = 10
    return to + name + 10 + size


@helper(int64(FOUND, int64, I64, I64, I64, BYTES, U8, int64, int64))
def _put_any(found, number, packed, lengths, places, plain, into, to, room):
    """See ``_put``."""
    start, end, there = _bounds(found, number, packed, lengths, places)
    text = found.kinds[number] & TEXT != 0
    name = int64(found.name_ids[number])
    if name != NO_NAME:
        length = int64(found.lengths[name])
    elif there:
        length = name_length(plain, start, end)
    else:
        length = name_length(found.data, start, end)
    if there:
        return _put(plain, start, end, length, text, into, to, room)
    return _put(found.data, start, end, length, text, into, to, room)


@helper(types.boolean(FOUND, int64, I64, I64, I64, BYTES))
def _is_boot_id(found, number, packed, lengths, places, plain):
    start, end, there = _bounds(found, number, packed, lengths, places)
    if end - start <= 8:
        return False
    for place in range(8):
        byte = plain[start + place] if there else found.data[start + place]
        if byte != _BOOT_ID[place]:
            return False
    return (plain[start + 8] if there else found.data[start + 8]) == 61


_BODIES = types.void(
    FOUND,
    I32,
    I32,
    int64,
    int64,
    int64,
    U16,
    I32,
    U64,
    I32,
    I64,
    I64,
    I64,
    BYTES,
    I64,
    I64,
    I32,
    U8,
    U8,
)


@kernel(_BODIES)
def bodies(
    found,
    items,
    bounds,
    most,
    before,
    boot,
    ranks,
    stamps,
    marked,
    chosen,
    packed,
    lengths,
    places,
    plain,
    keys,
    spare,
    body_bounds,
    body_bytes,
    cut,
):
    """Each field once, sorted by bytes, without ``_BOOT_ID``; at most ``most`` bytes of a record.

    ``boot`` is the number of that name. ``ranks`` sorts the names, by their numbers. ``stamps``,
    one for each object, are -1 in the first run; ``before`` counts the entries of earlier ones.
    ``marked``, 0 before, and ``chosen``, at work, have a bit and a place for each of RANKED ranks;
    ``keys`` and ``spare``, at work, a place for each item of the longest entry.
    ``cut`` marks the records that were cut. ``body_bytes`` has SLACK bytes of room more.
    """
    data, kinds, offsets, name_ids = found.data, found.kinds, found.offsets, found.name_ids
    fixed = found.facts[DATA_FIXED]
    to = int64(0)
    for row in range(bounds.shape[0] - 1):
        body_bounds[row] = to
        start, end = int64(bounds[row]), int64(bounds[row + 1])
        count = _sort_plainly(found, items, start, end, boot, ranks, marked, chosen, keys)
        plainly = count >= 0
        if not plainly:
            count = 0
            for place in range(start, end):
                number = items[place]
                name = int64(name_ids[number])
                if name == boot or stamps[number] == before + row:
                    continue
                stamps[number] = before + row
                if name == NO_NAME and _is_boot_id(found, number, packed, lengths, places, plain):
                    continue
                keys[count] = (int64(ranks[name]) << 32) | int64(number)
                count += 1
            if count <= _FEW:
                _sort_few(found, keys, count, packed, lengths, places, plain)
            else:
                _sort_many(found, keys, spare, count, packed, lengths, places, plain)
        first = to
        for place in range(count):
            if (
                place
                and not plainly
                and not _plainly(keys[place - 1], keys[place])
                and _order(found, keys[place - 1], keys[place], packed, lengths, places, plain) == 0
            ):
                continue
            number = keys[place] & 0xFFFFFFFF
            kind, room = kinds[number], first + most - to
            if kind & TEXT and not kind & PACKED:
                at = offsets[number]
                start, end = at + fixed, at + offset_at(data, at + 8)
                if end - start < room:
                    copy_wide(body_bytes, to, data, start, end - start)
                    to += end - start
                    body_bytes[to] = 10
                    to += 1
                    continue
            to = _put_any(found, number, packed, lengths, places, plain, body_bytes, to, room)
            if to - first > most:
                to = first + most
                cut[row] = 1
                break
    body_bounds[bounds.shape[0] - 1] = to
