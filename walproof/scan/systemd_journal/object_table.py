"""What a walk found, in the shape that the other kernels take."""

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
from walproof.scan.memory import popcount
from walproof.scan.systemd_journal.words import BAD, CUT, LOST, SIZE, TYPE, Found

FOUND = types.NamedTuple(
    (BYTES, I64, I64, U64, I32, I64, U8, U8, U16, I64_2D, I32, U8, U8),
    Found,
)


# Hot loops take the arrays out of a Found first: each costs a count of references to take out.


@helper(int64(U8, int64))
def kind_of(kinds, number):
    """Type and BAD of an object; 0 for the number of none."""
    return int64(kinds[number] & (TYPE | BAD)) if number >= 0 else int64(0)


@helper(int64(U64, I32, int64, int64))
def number_of(bits, ranks, size, at):
    """The number of the object that was found at an offset; -1 if none was."""
    if at & 7 or at <= 0 or at >= size:
        return -1
    word, bit = at >> 9, uint64(at >> 3) & uint64(63)
    found = bits[word]
    if (found >> bit) & uint64(1) == 0:
        return -1
    return int64(ranks[word]) + popcount(found & ((uint64(1) << bit) - uint64(1)))


@helper(types.boolean(FOUND, int64, int64))
def is_excused(found, kind, at):
    """Whether a link leads to something already reported as lost (SDJ-048).

    ``kind`` is that of the object there, 0 for none.
    """
    state, lost = found.state, found.lost
    if kind & BAD or (state[CUT] >= 0 and at >= state[CUT]):
        return True
    low, high = 0, state[LOST]
    while low < high:
        middle = (low + high) // 2
        start, end = lost[middle, 0], lost[middle, 1]
        if at < start or (at == start and found.facts[SIZE] < end):
            high = middle
        else:
            low = middle + 1
    return low > 0 and lost[low - 1, 0] <= at < lost[low - 1, 1]


@kernel(types.boolean(FOUND, types.int64))
def excused_at(found, at):
    """Whether a link to this offset leads to something already reported as lost."""
    number = number_of(found.bits, found.ranks, found.facts[SIZE], at)
    return is_excused(found, kind_of(found.kinds, number), at)


@helper(types.boolean(U8, int64, int64))
def mark(marks, number, bit):
    """Mark an object as visited; whether it was before."""
    seen = marks[number] & bit != 0
    marks[number] |= bit
    return seen
