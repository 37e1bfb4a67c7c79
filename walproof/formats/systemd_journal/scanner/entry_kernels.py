"""Compiled kernels that convert entries to columns.

A run is a sequence of entries in file order. ``items`` contains the numbers of the DATA objects of
all entries in the run. Those of entry ``n`` are ``items[bounds[n]:bounds[n + 1]]``.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numpy as np
from numpy import int64, uint64

from walproof.formats.systemd_journal.scanner.constants import (
    CACHED,
    DATA,
    DATA_FIXED,
    ITEM,
    LIMIT,
    NAME_WIDTH,
    NO_NAME,
    PACKED,
    SIZE,
    TEXT,
)
from walproof.formats.systemd_journal.scanner.hashing import name_length
from walproof.formats.systemd_journal.scanner.objects import (
    item_at,
    kind_of,
    number_of,
    offset_at,
    packed_number,
    payload_size,
)
from walproof.scan.kernels import copy, helper, kernel, load64, store64


@kernel
def gather(
    objects,
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
    """Collect the items of a run from entry ``start`` on; ``given`` is that of
    ``lists.entries``.

    Returns the rows, the bytes of their payloads as stored, the bytes of the names in them
    (NAME_WIDTH for a name without a number), and the missing room in ``items``: if it is above 0,
    nothing was done. ``missing`` counts items without a valid DATA, ``huge`` marks entries above
    LIMIT, and ``sizes`` are the payload bytes of each entry, if they are to be ``measured``.
    ``cached`` has CACHED earlier items, and is 0 in the first run: offset, number, bytes of the
    payload, bytes of the name.
    """
    data, facts, offsets, name_ids = objects.data, objects.facts, objects.offsets, objects.name_ids
    bits, ranks, kinds, whole = objects.bits, objects.ranks, objects.kinds, facts[SIZE]
    name_lengths, width = objects.lengths, facts[ITEM]
    rows, total, used, in_names = 0, int64(0), 0, int64(0)
    last = entries.shape[0] - 1
    bounds[0] = 0
    while rows < most_rows and start + rows <= last and total < most_bytes:
        at = offsets[entries[start + rows]]
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
                cached[slot, 2] = payload_size(objects, item, packed, lengths) if measured else 0
                cached[slot, 3] = int64(name_lengths[name]) if name != NO_NAME else NAME_WIDTH
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


@kernel
def numbers(objects, entries, at, size, seqnum, realtime, monotonic):
    """Copy the numeric columns."""
    data, offsets = objects.data, objects.offsets
    for row in range(entries.shape[0]):
        place = offsets[entries[row]]
        at[row] = place
        size[row] = int64(load64(data, place + 8))
        seqnum[row] = int64(load64(data, place + 16))
        realtime[row] = int64(load64(data, place + 24))
        monotonic[row] = int64(load64(data, place + 32))


@kernel
def wanted_packed(objects, items, packed, positions):
    """Mark the compressed payloads that a run needs with 0 in ``positions``, others with -1."""
    count = 0
    for place in range(items.shape[0]):
        number = items[place]
        if objects.kinds[number] & PACKED:
            which = packed_number(number, packed)
            if positions[which] < 0:
                positions[which] = 0
                count += 1
    return count


@kernel
def fields(
    objects,
    items,
    bounds,
    most,
    packed,
    lengths,
    positions,
    plain,
    name_bounds,
    name_bytes,
    value_bounds,
    value_bytes,
    cut,
):
    """Write the names and values of all items.

    Values are truncated to ``most`` bytes, and ``cut`` marks the entries with a truncated value.
    ``plain`` contains the decompressed payloads at the offsets in ``positions``. If there is no
    array for the names, ``name_bounds`` receives the numbers of the names, so every name must have
    a number.
    """
    data, kinds, fixed = objects.data, objects.kinds, objects.facts[DATA_FIXED]
    name_ids, offsets, name_lengths = objects.name_ids, objects.offsets, objects.lengths
    names, is_named = objects.names, name_bytes.shape[0] > 0
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
                copy(name_bytes, to_name, names, name * NAME_WIDTH, length)
            if kinds[number] & PACKED:
                which = packed_number(number, packed)
                start, end = positions[which], positions[which] + lengths[which]
                if name == NO_NAME:
                    length = name_length(plain, start, end)
                    copy(name_bytes, to_name, plain, start, length)
                size = min(end - start - length - 1, most)
                copy(value_bytes, to_value, plain, start + length + 1, size)
            else:
                at = offsets[number]
                start, end = at + fixed, at + offset_at(data, at + 8)
                if name == NO_NAME:
                    length = name_length(data, start, end)
                    copy(name_bytes, to_name, data, start, length)
                size = min(end - start - length - 1, most)
                copy(value_bytes, to_value, data, start + length + 1, size)
            if size < end - start - length - 1:
                cut[row] = 1
            to_name += length
            to_value += size
    name_bounds[items.shape[0]], value_bounds[items.shape[0]] = to_name, to_value


_BOOT_ID = np.frombuffer(b"_BOOT_ID", np.uint8)
#: Up to this many fields are sorted by insertion.
_FEW = 48


@helper
def _bounds(objects, number, packed, lengths, positions):
    """Return the range of a payload, and whether it is in the decompressed bytes."""
    if objects.kinds[number] & PACKED:
        which = packed_number(number, packed)
        return positions[which], positions[which] + lengths[which], True
    at = objects.offsets[number]
    return at + objects.facts[DATA_FIXED], at + offset_at(objects.data, at + 8), False


@helper
def _compared(data, at, end, other, other_at, other_end):
    """Return -1, 0 or 1 for the order of two payloads by their bytes."""
    while at < end and other_at < other_end:
        if data[at] != other[other_at]:
            return -1 if data[at] < other[other_at] else 1
        at += 1
        other_at += 1
    if at < end:
        return 1
    return -1 if other_at < other_end else 0


@helper
def _order(objects, key, other, packed, lengths, positions, plain):
    """Compare two fields of an entry: by the ranks of their names, or else by their bytes.

    A key consists of the rank of the name and the object number. A name without a number has the
    rank NO_NAME, which cannot be compared.
    """
    rank, other_rank = key >> 32, other >> 32
    if rank != other_rank and rank != NO_NAME and other_rank != NO_NAME:
        return -1 if rank < other_rank else 1
    if key == other:
        return 0
    at, end, there = _bounds(objects, key & 0xFFFFFFFF, packed, lengths, positions)
    to, to_end, other_there = _bounds(objects, other & 0xFFFFFFFF, packed, lengths, positions)
    if there and other_there:
        return _compared(plain, at, end, plain, to, to_end)
    if there:
        return _compared(plain, at, end, objects.data, to, to_end)
    if other_there:
        return _compared(objects.data, at, end, plain, to, to_end)
    return _compared(objects.data, at, end, objects.data, to, to_end)


@helper
def _plainly(key, other):
    """Return whether the ranks of two keys determine their order, the common case."""
    return (key ^ other) >> 32 != 0 and (key >> 32) != NO_NAME and (other >> 32) != NO_NAME


@helper
def _sort_few(objects, keys, count, packed, lengths, positions, plain):
    """Sort by insertion."""
    for number in range(1, count):
        key = keys[number]
        place = number
        while place:
            other = keys[place - 1]
            if _plainly(key, other):
                if key > other:
                    break
            elif _order(objects, key, other, packed, lengths, positions, plain) >= 0:
                break
            keys[place] = other
            place -= 1
        keys[place] = key


@helper
def _sort_many(objects, keys, spare, count, packed, lengths, positions, plain):
    """Sort by merging runs that double in size: each pass is linear in bytes."""
    width = 1
    while width < count:
        for start in range(0, count, 2 * width):
            left, middle = start, min(start + width, count)
            right, end = middle, min(start + 2 * width, count)
            for to in range(start, end):
                if right >= end or (
                    left < middle
                    and _order(objects, keys[left], keys[right], packed, lengths, positions, plain)
                    <= 0
                ):
                    spare[to] = keys[left]
                    left += 1
                else:
                    spare[to] = keys[right]
                    right += 1
        for place in range(count):
            keys[place] = spare[place]
        width *= 2


@helper
def _put(source, start, end, name, text, into, to, room):
    """Write a field in export format as far as it fits; return the end without truncation."""
    if text:
        copy(into, to, source, start, min(end - start, room))
        if end - start < room:
            into[to + end - start] = 10
        return to + end - start + 1
    done = min(name, room)
    copy(into, to, source, start, done)
    size = end - start - name - 1
    if room >= name + 9:
        into[to + name] = 10
        store64(into, to + name + 1, uint64(size))
    else:
        for number in range(name, room):
            byte = uint64(10) if number == name else uint64(size) >> uint64(8 * (number - name - 1))
            into[to + number] = byte & uint64(255)
    if room > name + 9:
        copy(into, to + name + 9, source, start + name + 1, min(size, room - name - 9))
        if room > name + 9 + size:
            into[to + name + 9 + size] = 10
    return to + name + 10 + size


@helper
def _put_any(objects, number, packed, lengths, positions, plain, into, to, room):
    """Write a field of any location. See ``_put``."""
    start, end, there = _bounds(objects, number, packed, lengths, positions)
    text = objects.kinds[number] & TEXT != 0
    name = int64(objects.name_ids[number])
    if name != NO_NAME:
        length = int64(objects.lengths[name])
    elif there:
        length = name_length(plain, start, end)
    else:
        length = name_length(objects.data, start, end)
    if there:
        return _put(plain, start, end, length, text, into, to, room)
    return _put(objects.data, start, end, length, text, into, to, room)


@helper
def _is_boot_id(objects, number, packed, lengths, positions, plain):
    start, end, there = _bounds(objects, number, packed, lengths, positions)
    if end - start <= 8:
        return False
    for place in range(8):
        byte = plain[start + place] if there else objects.data[start + place]
        if byte != _BOOT_ID[place]:
            return False
    return (plain[start + 8] if there else objects.data[start + 8]) == 61


@kernel
def bodies(
    objects,
    items,
    bounds,
    most,
    before,
    boot,
    ranks,
    stamps,
    packed,
    lengths,
    positions,
    plain,
    keys,
    spare,
    body_bounds,
    body_bytes,
    cut,
):
    """Write the body of each record: its distinct fields without ``_BOOT_ID``, sorted by bytes.

    A body is truncated to ``most`` bytes, and ``cut`` marks the truncated records. ``boot`` is the
    number of the name ``_BOOT_ID``. ``ranks`` maps the number of each name to its sort rank.
    ``stamps`` contains one element per object, which is -1 before the first run; ``before`` is the
    number of entries in earlier runs. ``keys`` and ``spare`` are scratch arrays with one element
    per item of the longest entry.
    """
    name_ids, to = objects.name_ids, int64(0)
    for row in range(bounds.shape[0] - 1):
        body_bounds[row] = to
        start, end = int64(bounds[row]), int64(bounds[row + 1])
        count = 0
        for place in range(start, end):
            number = items[place]
            name = int64(name_ids[number])
            if name == boot or stamps[number] == before + row:
                continue
            stamps[number] = before + row
            if name == NO_NAME and _is_boot_id(objects, number, packed, lengths, positions, plain):
                continue
            keys[count] = (int64(ranks[name]) << 32) | int64(number)
            count += 1
        if count <= _FEW:
            _sort_few(objects, keys, count, packed, lengths, positions, plain)
        else:
            _sort_many(objects, keys, spare, count, packed, lengths, positions, plain)
        first = to
        for place in range(count):
            if (
                place
                and not _plainly(keys[place - 1], keys[place])
                and _order(objects, keys[place - 1], keys[place], packed, lengths, positions, plain)
                == 0
            ):
                continue
            number = keys[place] & 0xFFFFFFFF
            room = first + most - to
            to = _put_any(objects, number, packed, lengths, positions, plain, body_bytes, to, room)
            if to - first > most:
                to = first + most
                cut[row] = 1
                break
    body_bounds[bounds.shape[0] - 1] = to


_DIGITS = np.frombuffer(b"0123456789abcdef", np.uint8)


@helper
def _write_id(data, at, text, to):
    """Write 16 bytes as 32 hexadecimal digits."""
    for i in range(16):
        byte = data[at + i]
        text[to + 2 * i] = _DIGITS[byte >> 4]
        text[to + 2 * i + 1] = _DIGITS[byte & 15]


@helper
def _write_number(value, name, text, to):
    """Write a key such as ``;i=`` and a number without leading zeros; return the end."""
    text[to], text[to + 1], text[to + 2] = 59, name, 61
    to += 3
    digits = 1
    while digits < 16 and value >> uint64(4 * digits):
        digits += 1
    for i in range(digits):
        text[to + i] = _DIGITS[value >> uint64(4 * (digits - 1 - i)) & uint64(15)]
    return to + digits


@kernel
def boot_ids(objects, entries, text):
    """Write the boot ids in hexadecimal, 32 bytes each."""
    for row in range(entries.shape[0]):
        _write_id(objects.data, objects.offsets[entries[row]] + 40, text, 32 * row)


@kernel
def cursors(objects, entries, bounds, text):
    """Write the concatenated cursors (SDJ-063); needs CURSOR_WIDTH bytes of room for each."""
    data, to = objects.data, 0
    for row in range(entries.shape[0]):
        at = objects.offsets[entries[row]]
        bounds[row] = to
        text[to], text[to + 1] = 115, 61  # "s="
        _write_id(data, 72, text, to + 2)
        to = _write_number(load64(data, at + 16), 105, text, to + 34)
        text[to], text[to + 1], text[to + 2] = 59, 98, 61  # ";b="
        _write_id(data, at + 40, text, to + 3)
        to = _write_number(load64(data, at + 32), 109, text, to + 35)
        to = _write_number(load64(data, at + 24), 116, text, to)
        to = _write_number(load64(data, at + 56), 120, text, to)
    bounds[entries.shape[0]] = to


@kernel
def numbers_at(objects, entries, place, numbers):
    """Copy an eight-byte number of each entry as bytes."""
    for row in range(entries.shape[0]):
        value = load64(objects.data, objects.offsets[entries[row]] + place)
        for byte in range(8):
            numbers[8 * row + byte] = (value >> uint64(8 * byte)) & uint64(255)


@kernel
def having(objects, entries, given, wanted, chosen):
    """Mark and return the entries that have one of the ``wanted`` DATA objects."""
    data, facts = objects.data, objects.facts
    bits, ranks, whole = objects.bits, objects.ranks, facts[SIZE]
    for row in range(entries.shape[0]):
        at = objects.offsets[entries[row]]
        count = (offset_at(data, at + 8) - 64) // facts[ITEM]
        if given[entries[row]] >= 0:
            count = int64(given[entries[row]])
        for number in range(count):
            item = number_of(bits, ranks, whole, item_at(data, facts, at, number))
            if item >= 0 and wanted[item]:
                chosen[row] = 1
                break
