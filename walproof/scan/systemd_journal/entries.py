"""From entries to columns: kernels, each for the columns that one reason asks for.

A run is a number of entries in file order. Its items, the numbers of their DATA, are found once and
lie end to end in ``items``; those of entry ``n`` are ``items[bounds[n]:bounds[n + 1]]``.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numpy as np

from walproof.scan.compiled import (
    BYTES,
    I32,
    I64,
    U8,
    boolean,
    helper,
    int64,
    kernel,
    types,
    uint64,
)
from walproof.scan.memory import copy_short, load64
from walproof.scan.systemd_journal.hashes import name_length
from walproof.scan.systemd_journal.object_table import FOUND, kind_of, number_of
from walproof.scan.systemd_journal.objects import item_at
from walproof.scan.systemd_journal.offsets import offset_at
from walproof.scan.systemd_journal.words import (
    DATA,
    DATA_FIXED,
    ITEM,
    LIMIT,
    NAME_WIDTH,
    NO_NAME,
    PACKED,
    SIZE,
)

_HEX = np.frombuffer(b"0123456789abcdef", np.uint8)


@helper(int64(int64, I64))
def packed_number(number, packed):
    """Which of the compressed DATA an object is."""
    low, high = 0, packed.shape[0] - 1
    while low < high:
        middle = (low + high) // 2
        if packed[middle] < number:
            low = middle + 1
        else:
            high = middle
    return low


@helper(int64(FOUND, int64, I64, I64))
def payload_size(found, number, packed, lengths):
    """The bytes of ``FIELD=value`` of a sound DATA."""
    if found.kinds[number] & PACKED:
        return lengths[packed_number(number, packed)]
    return offset_at(found.data, found.offsets[number] + 8) - found.facts[DATA_FIXED]


_GATHER = types.UniTuple(int64, 3)(
    FOUND, I64, I32, int64, int64, int64, I64, I64, boolean, I32, I32, I32, U8, I64
)


@kernel(_GATHER)
def gather(
    found,
    entries,
    given,
    start,
    most_rows,
    most_bytes,
    packed,
    lengths,
    measured,
    items,
    bounds,
    missing,
    huge,
    sizes,
):
    """The items of a run that begins with entry ``start``; ``given`` is that of ``lists.entries``.

    Gives the rows, the bytes of their payloads as stored, and the room that ``items`` lacks: above
    0, nothing was done. ``missing`` counts items without a sound DATA, ``huge`` marks entries above
    LIMIT, ``sizes`` are bytes of payloads of each; not if they need not be ``measured``.
    """
    data, facts, offsets = found.data, found.facts, found.offsets
    bits, ranks, kinds, whole = found.bits, found.ranks, found.kinds, facts[SIZE]
    rows, total, used = 0, int64(0), 0
    bounds[0] = 0
    while rows < most_rows and start + rows < entries.shape[0] and total < most_bytes:
        at = offsets[entries[start + rows]]
        count = stored = (offset_at(data, at + 8) - 64) // facts[ITEM]
        if given[entries[start + rows]] >= 0:
            count = int64(given[entries[start + rows]])
        if used + count > items.shape[0]:
            if rows == 0:
                return int64(0), int64(0), count - items.shape[0]
            break
        size, sound = int64(0), used
        for number in range(count):
            item = number_of(bits, ranks, whole, item_at(data, facts, at, number))
            if kind_of(kinds, item) != DATA:
                continue
            items[sound] = item
            sound += 1
            if measured:
                size += payload_size(found, item, packed, lengths)
        missing[rows] = used + stored - sound
        huge[rows] = size > LIMIT
        if huge[rows]:
            size, sound = int64(0), used
        sizes[rows] = size
        total += size
        used = sound
        rows += 1
        bounds[rows] = used
    return rows, total, 0


@kernel(types.void(FOUND, I64, I64, I64, I64, I64, I64))
def numbers(found, entries, at, size, seqnum, realtime, monotonic):
    """The columns that are numbers, bit for bit."""
    data = found.data
    for row in range(entries.shape[0]):
        place = found.offsets[entries[row]]
        at[row] = place
        size[row] = int64(load64(data, place + 8))
        seqnum[row] = int64(load64(data, place + 16))
        realtime[row] = int64(load64(data, place + 24))
        monotonic[row] = int64(load64(data, place + 32))


@helper(int64(BYTES, int64, U8, int64))
def _write_id(data, at, into, to):
    for number in range(16):
        byte = data[at + number]
        into[to + 2 * number] = _HEX[byte >> 4]
        into[to + 2 * number + 1] = _HEX[byte & 15]
    return to + 32


@helper(int64(types.uint64, int64, U8, int64))
def _write_number(value, name, into, to):
    into[to], into[to + 1], into[to + 2] = 59, name, 61  # ";i="
    to += 3
    digits = 1
    while digits < 16 and value >> uint64(4 * digits):
        digits += 1
    for number in range(digits):
        into[to + digits - 1 - number] = _HEX[value & uint64(15)]
        value >>= uint64(4)
    return to + digits


@kernel(types.void(FOUND, I64, U8))
def boot_ids(found, entries, text):
    """Boot ids in hexadecimal, 32 bytes each."""
    for row in range(entries.shape[0]):
        _write_id(found.data, found.offsets[entries[row]] + 40, text, 32 * row)


@kernel(types.void(FOUND, I64, I32, U8))
def cursors(found, entries, bounds, text):
    """Cursors (SDJ-063), end to end; CURSOR_WIDTH bytes of room for each."""
    data, to = found.data, 0
    for row in range(entries.shape[0]):
        at = found.offsets[entries[row]]
        bounds[row] = to
        text[to], text[to + 1] = 115, 61  # "s="
        to = _write_id(data, 72, text, to + 2)
        to = _write_number(load64(data, at + 16), 105, text, to)
        text[to], text[to + 1], text[to + 2] = 59, 98, 61  # ";b="
        to = _write_id(data, at + 40, text, to + 3)
        to = _write_number(load64(data, at + 32), 109, text, to)
        to = _write_number(load64(data, at + 24), 116, text, to)
        to = _write_number(load64(data, at + 56), 120, text, to)
    bounds[entries.shape[0]] = to


@kernel(types.int64(FOUND, I32, I64, I64))
def wanted_packed(found, items, packed, places):
    """Which compressed payloads a run needs: ``places`` is 0 for these, -1 for others."""
    count = 0
    for place in range(items.shape[0]):
        number = items[place]
        if found.kinds[number] & PACKED:
            which = packed_number(number, packed)
            if places[which] < 0:
                places[which] = 0
                count += 1
    return count


_FIELDS = types.void(FOUND, I32, I32, int64, I64, I64, I64, BYTES, I32, U8, I32, U8, U8)


@kernel(_FIELDS)
def fields(
    found,
    items,
    bounds,
    most,
    packed,
    lengths,
    places,
    plain,
    name_bounds,
    name_bytes,
    value_bounds,
    value_bytes,
    cut,
):
    """Names and values of all items, values of at most ``most`` bytes.

    ``plain`` has the compressed payloads, ``places`` says where. ``name_bytes`` and
    ``value_bytes`` have room for eight bytes more. ``cut`` marks entries with a value that was.
    """
    data, kinds, fixed = found.data, found.kinds, found.facts[DATA_FIXED]
    name_ids, offsets, name_lengths = found.name_ids, found.offsets, found.lengths
    names = found.names
    to_name, to_value = int64(0), int64(0)
    for row in range(bounds.shape[0] - 1):
        for place in range(bounds[row], bounds[row + 1]):
            number = items[place]
            name = int64(name_ids[number])
            name_bounds[place], value_bounds[place] = to_name, to_value
            length = int64(name_lengths[name]) if name != NO_NAME else int64(0)
            copy_short(name_bytes, to_name, names, name * NAME_WIDTH, length)
            if kinds[number] & PACKED:
                which = packed_number(number, packed)
                start, end = places[which], places[which] + lengths[which]
                if name == NO_NAME:
                    length = name_length(plain, start, end)
                    copy_short(name_bytes, to_name, plain, start, length)
                size = min(end - start - length - 1, most)
                copy_short(value_bytes, to_value, plain, start + length + 1, size)
            else:
                at = offsets[number]
                start, end = at + fixed, at + offset_at(data, at + 8)
                if name == NO_NAME:
                    length = name_length(data, start, end)
                    copy_short(name_bytes, to_name, data, start, length)
                size = min(end - start - length - 1, most)
                copy_short(value_bytes, to_value, data, start + length + 1, size)
            if size < end - start - length - 1:
                cut[row] = 1
            to_name += length
            to_value += size
    name_bounds[items.shape[0]], value_bounds[items.shape[0]] = to_name, to_value
