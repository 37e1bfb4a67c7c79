"""Boot ids and cursors as text: kernels."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from walproof.scan.compiled import I32, I64, U8, helper, int64, kernel, types, uint64
from walproof.scan.memory import copy32, load32, load64, store64, trailing_zeros
from walproof.scan.systemd_journal.object_table import FOUND


@helper(uint64(uint64))
def _nibbles(four):
    """Eight half bytes, one in each byte, in the order in which they are written; of four bytes."""
    four = ((four << uint64(16)) | four) & uint64(0x0000FFFF0000FFFF)
    four = ((four << uint64(8)) | four) & uint64(0x00FF00FF00FF00FF)
    low = uint64(0x000F000F000F000F)
    return ((four >> uint64(4)) & low) | ((four & low) << uint64(8))


@helper(uint64(uint64))
def _digits(nibbles):
    """Eight hexadecimal digits for eight half bytes."""
    letters = ((nibbles + uint64(0x0606060606060606)) >> uint64(4)) & uint64(0x0101010101010101)
    return nibbles + uint64(0x3030303030303030) + letters * uint64(39)


@helper(types.void(types.Array(types.uint8, 1, "C", readonly=True), int64, U8, int64))
def _write_id(data, at, into, to):
    for number in range(4):
        store64(into, to + 8 * number, _digits(_nibbles(load32(data, at + 4 * number))))


@helper(uint64(uint64))
def _swapped(four):
    """Four bytes the other way round."""
    four = ((four & uint64(0x00FF00FF)) << uint64(8)) | ((four >> uint64(8)) & uint64(0x00FF00FF))
    return ((four & uint64(0xFFFF)) << uint64(16)) | (four >> uint64(16))


@helper(int64(uint64, int64, U8, int64))
def _write_number(value, name, into, to):
    """``;i=`` and the like, then a number without zeros in front; room for 19 bytes is needed."""
    into[to], into[to + 1], into[to + 2] = 59, name, 61
    first = _nibbles(_swapped(value >> uint64(32)))
    second = _nibbles(_swapped(value & uint64(0xFFFFFFFF)))
    if first:
        zeros = trailing_zeros(first) & ~7
        one, two = _digits(first), _digits(second)
        store64(into, to + 3, one >> uint64(zeros))
        store64(into, to + 11 - (zeros >> 3), two)
        return to + 19 - (zeros >> 3)
    zeros = trailing_zeros(second) & ~7 if second else int64(56)
    store64(into, to + 3, _digits(second) >> uint64(zeros))
    return to + 11 - (zeros >> 3)


@kernel(types.void(FOUND, I64, U8))
def boot_ids(found, entries, text):
    """Boot ids in hexadecimal, 32 bytes each."""
    data, offsets = found.data, found.offsets
    same_as, low, high = int64(-1), uint64(0), uint64(0)
    for row in range(entries.shape[0]):
        at = offsets[entries[row]] + 40
        if same_as >= 0 and load64(data, at) == low and load64(data, at + 8) == high:
            copy32(text, 32 * row, text, same_as)
            continue
        low, high, same_as = load64(data, at), load64(data, at + 8), 32 * row
        _write_id(data, at, text, same_as)


@kernel(types.void(FOUND, I64, I32, U8))
def cursors(found, entries, bounds, text):
    """Cursors (SDJ-063), end to end; CURSOR_WIDTH bytes of room for each.

    The entries of a run are of one file, and nearly always of one boot, so ids are written once.
    """
    data, offsets, to = found.data, found.offsets, 0
    same_as, low, high = int64(-1), uint64(0), uint64(0)
    for row in range(entries.shape[0]):
        at = offsets[entries[row]]
        bounds[row] = to
        text[to], text[to + 1] = 115, 61  # "s="
        if row:
            copy32(text, to + 2, text, 2)
        else:
            _write_id(data, 72, text, to + 2)
        to = _write_number(load64(data, at + 16), 105, text, to + 34)
        text[to], text[to + 1], text[to + 2] = 59, 98, 61  # ";b="
        if same_as >= 0 and load64(data, at + 40) == low and load64(data, at + 48) == high:
            copy32(text, to + 3, text, same_as)
        else:
            low, high, same_as = load64(data, at + 40), load64(data, at + 48), to + 3
            _write_id(data, at + 40, text, same_as)
        to = _write_number(load64(data, at + 32), 109, text, to + 35)
        to = _write_number(load64(data, at + 24), 116, text, to)
        to = _write_number(load64(data, at + 56), 120, text, to)
    bounds[entries.shape[0]] = to
