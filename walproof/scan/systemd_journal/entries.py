"""From entries to columns: kernels, each for the columns that one reason asks for.

A run is a number of entries in file order. Its items, the numbers of their DATA, are found once and
lie end to end in ``items``; those of entry ``n`` are ``items[bounds[n]:bounds[n + 1]]``.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from walproof.scan.compiled import (
    BYTES,
    I32,
    I64,
    I64_2D,
    U8,
    boolean,
    helper,
    int64,
    kernel,
    types,
)
from walproof.scan.memory import copy_wide, load64
from walproof.scan.systemd_journal.copies import AHEAD, copy_name, prefetch
from walproof.scan.systemd_journal.hashes import name_length
from walproof.scan.systemd_journal.object_table import FOUND, kind_of, number_of
from walproof.scan.systemd_journal.objects import item_at
from walproof.scan.systemd_journal.offsets import offset_at
from walproof.scan.systemd_journal.words import (
    CACHED,
    DATA,
    DATA_FIXED,
    ITEM,
    LIMIT,
    NAME_WIDTH,
    NO_NAME,
    PACKED,
    SIZE,
)


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


_GATHER = types.UniTuple(int64, 4)(
    FOUND, I64, I32, int64, int64, int64, I64, I64, boolean, I64_2D, I32, I32, I32, U8, I64
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
    cached,
    items,
    bounds,
    missing,
    huge,
    sizes,
):
    """The items of a run that begins with entry ``start``; ``given`` is that of ``lists.entries``.

    Gives the rows, the bytes of their payloads as stored, those of the names in them (NAME_WIDTH
    for one without a number), and the room that ``items`` lacks: above 0, nothing was done.
    ``missing`` counts items without a sound DATA, ``huge`` marks entries above LIMIT, ``sizes`` are
    bytes of payloads of each; not if they need not be ``measured``. ``cached`` has CACHED items met
    before, and is 0 in the first run: offset, number, bytes of the payload, those of the name.
    """
    data, facts, offsets, name_ids = found.data, found.facts, found.offsets, found.name_ids
    bits, ranks, kinds, whole = found.bits, found.ranks, found.kinds, facts[SIZE]
    name_lengths, width = found.lengths, facts[ITEM]
    rows, total, used, in_names = 0, int64(0), 0, int64(0)
    last = entries.shape[0] - 1
    bounds[0] = 0
    while rows < most_rows and start + rows <= last and total < most_bytes:
        at = offsets[entries[start + rows]]
        prefetch(data, offsets[entries[min(start + rows + AHEAD, last)]])
        count = stored = (offset_at(data, at + 8) - 64) // width
        if given[entries[start + rows]] >= 0:
            count = int64(given[entries[start + rows]])
        if used + count > items.shape[0]:
            if rows == 0:
                return int64(0), int64(0), int64(0), count - items.shape[0]
            break
        size, sound, named = int64(0), used, int64(0)
        for number in range(count):
            place = item_at(data, facts, at, number)
            slot = (place >> 3) & (CACHED - 1)
            if cached[slot, 0] != place or place == 0:
                item = number_of(bits, ranks, whole, place)
                if kind_of(kinds, item) != DATA:
                    continue
                name = int64(name_ids[item])
                cached[slot, 0], cached[slot, 1] = place, item
                cached[slot, 2] = payload_size(found, item, packed, lengths) if measured else 0
                cached[slot, 3] = int64(name_lengths[name]) if name != NO_NAME else NAME_WIDTH
                # Its payload is copied when the run is known, and has lain in memory till then.
                prefetch(data, place + 64)
                prefetch(data, place + 128)
            items[sound] = cached[slot, 1]
            sound += 1
            size += cached[slot, 2]
            named += cached[slot, 3]
        missing[rows] = used + stored - sound
        huge[rows] = size > LIMIT
        if huge[rows]:
            size, sound, named = int64(0), used, int64(0)
        sizes[rows] = size
        total += size
        in_names += named
        used = sound
        rows += 1
        bounds[rows] = used
    return rows, total, in_names, 0


@kernel(types.void(FOUND, I64, I64, I64, I64, I64, I64))
def numbers(found, entries, at, size, seqnum, realtime, monotonic):
    """The columns that are numbers, bit for bit."""
    data, offsets = found.data, found.offsets
    for row in range(entries.shape[0]):
        place = offsets[entries[row]]
        at[row] = place
        size[row] = int64(load64(data, place + 8))
        seqnum[row] = int64(load64(data, place + 16))
        realtime[row] = int64(load64(data, place + 24))
        monotonic[row] = int64(load64(data, place + 32))


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
    ``value_bytes`` have SLACK bytes of room more. ``cut`` marks entries with a value that was.
    Without room for names, ``name_bounds`` gets their numbers, which all of them have then.
    """
    data, kinds, fixed = found.data, found.kinds, found.facts[DATA_FIXED]
    name_ids, offsets, name_lengths = found.name_ids, found.offsets, found.lengths
    names, is_named = found.names, name_bytes.shape[0] > 0
    to_name, to_value = int64(0), int64(0)
    for row in range(bounds.shape[0] - 1):
        for place in range(bounds[row], bounds[row + 1]):
            number = items[place]
            name = int64(name_ids[number])
            value_bounds[place] = to_value
            length = int64(0)
            name_bounds[place] = to_name if is_named else name
            if name != NO_NAME:
                length = int64(name_lengths[name])
            if name != NO_NAME and is_named:
                copy_name(name_bytes, to_name, names, name * NAME_WIDTH, length)
            if kinds[number] & PACKED:
                which = packed_number(number, packed)
                start, end = places[which], places[which] + lengths[which]
                if name == NO_NAME:
                    length = name_length(plain, start, end)
                    copy_wide(name_bytes, to_name, plain, start, length)
                size = min(end - start - length - 1, most)
                copy_wide(value_bytes, to_value, plain, start + length + 1, size)
            else:
                at = offsets[number]
                start, end = at + fixed, at + offset_at(data, at + 8)
                if name == NO_NAME:
                    length = name_length(data, start, end)
                    copy_wide(name_bytes, to_name, data, start, length)
                size = min(end - start - length - 1, most)
                copy_wide(value_bytes, to_value, data, start + length + 1, size)
            if size < end - start - length - 1:
                cut[row] = 1
            to_name += length
            to_value += size
    name_bounds[items.shape[0]], value_bounds[items.shape[0]] = to_name, to_value
