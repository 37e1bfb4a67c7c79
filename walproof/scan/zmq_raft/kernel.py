"""The kernels of the zmq-raft scanner: which offsets are relied on, what the entries are.

Offsets and numbers of entries are those of one index file; ``base`` is the offset of the first
byte of ``data``. Requirement ids are those of spec/zmq-raft.md.
"""

from __future__ import annotations

from typing import Any

from walproof.scan.compiled import BYTES, I8, I32, I64, U8, U64, int64, kernel, types
from walproof.scan.memory import copy_wide, load64

ENTRY_HEAD = 20
MAX_TERM = 2**53 - 1
NO_TERM = -1
CHUNK_HEAD = 8

# What a row is; all but the first are lost.
RECORD, BAD_OFFSET, SHORT_ENTRY, ZERO_ENTRY, BAD_TERM, OVERLAPPING, DECREASING = range(7)
REASONS = (
    "", "bad-offset", "short-entry", "zero-entry", "bad-term", "overlapping-files",
    "decreasing-term",
)  # fmt: skip

# What `take` is told, in an array of int64: where `data` is in the file, which rows are in it, and
# the terms before these and after them, or `NO_TERM`. It leaves the last term in `BEFORE`, and
# counts payloads that were cut.
BASE, FIRST, STOP, BEFORE, TERM_AFTER, CUTS = range(6)
STATE = 6

_WORD = types.uint64
_TABLE = types.Array(types.uint32, 1, "C", readonly=True)


@kernel(int64(_TABLE))
def committed(table: Any) -> Any:
    """How many offsets stand in front of the first zero (ZMR-017)."""
    for number in range(len(table)):
        if table[number] == 0:
            return number
    return len(table)


@kernel(int64(_TABLE, int64, I64))
def rely(offsets: Any, available: Any, kept: Any) -> Any:
    """The numbers of the offsets that can be relied on, in ``kept``; how many (ZMR-046)."""
    count = 0
    for number in range(len(offsets)):
        offset = int64(offsets[number])
        if offset > available:
            continue
        if count and offset <= int64(offsets[kept[count - 1]]):
            count -= 1
        else:
            kept[count] = number
            count += 1
    return count


@kernel(types.boolean(_TABLE, int64))
def rises(offsets: Any, start: Any) -> Any:
    """Whether each offset from number ``start`` on is greater than the one before."""
    number = start + 1
    while number < len(offsets) and offsets[number] > offsets[number - 1]:
        number += 1
    return number >= len(offsets)


@kernel(int64(BYTES, int64, int64, types.uint32, int64))
def find_marker(data: Any, base: Any, size: Any, marker: Any, at: Any) -> Any:
    """The offset after the first chunk with this token, from the chunk at ``at`` on (ZMR-003).

    -1: the file ends before. ``-2 - at``: the chunk at ``at`` lies outside of ``data``.
    """
    while True:
        if at + CHUNK_HEAD > size:
            return -1
        if at < base or at + CHUNK_HEAD > base + len(data):
            return -2 - at
        i = at - base
        token = int64(0)
        length = int64(0)
        for k in range(4):
            token |= int64(data[i + k]) << (8 * k)
            length |= int64(data[i + 4 + k]) << (8 * k)
        if token == marker:
            return at + CHUNK_HEAD
        at += CHUNK_HEAD + length + (-length & 3)


@kernel(int64(BYTES, int64))
def term_of(data: Any, i: Any) -> Any:
    """The seven bytes of a term (ZMR-030) in the entry at ``i``, all of whose head is there."""
    return int64(load64(data, i + 12) >> _WORD(8))


@kernel(int64(BYTES, int64, int64, int64))
def kind_of(data: Any, i: Any, size: Any, held: Any) -> Any:
    """What an entry of ``size`` bytes at ``i`` is by itself.

    Only ``held`` of its bytes are there, at least 20 where it has as many; zeros to the last of
    these are a ``ZERO_ENTRY``.
    """
    if size < ENTRY_HEAD:
        return SHORT_ENTRY  # ZMR-048
    if load64(data, i + 12) == 0:
        k = 0
        while k < held and data[i + k] == 0:
            k += 1
        if k == held:
            return ZERO_ENTRY  # ZMR-052
    return RECORD if 1 <= term_of(data, i) <= MAX_TERM else BAD_TERM  # ZMR-049


@kernel(int64(_TABLE, I64, int64, int64, int64, I64, I64, I64, I8))
def spans(
    offsets: Any,
    kept: Any,
    row: Any,
    data: Any,
    max_bytes: Any,
    numbers: Any,
    starts: Any,
    ends: Any,
    kinds: Any,
) -> Any:
    """The entries between offsets that are relied on, from number ``row`` of these on.

    ``kept`` is empty where all are. As many as the arrays have room for and ``max_bytes`` hold, at
    least one. ``kinds`` says ``BAD_OFFSET`` of what lies between two that do not follow each other.
    Returns how many.
    """
    all_kept = len(kept) == 0
    previous = int64(row - 1) if all_kept or row == 0 else kept[row - 1]
    start = data + (int64(offsets[previous]) if row else int64(0))
    first = start
    count = 0
    while count < len(numbers):
        number = int64(row + count) if all_kept else kept[row + count]
        end = data + int64(offsets[number])
        if count and end - first > max_bytes:
            break
        numbers[count] = number
        starts[count] = start
        ends[count] = end
        kinds[count] = RECORD if number == previous + 1 else BAD_OFFSET
        previous, start = number, end
        count += 1
    return count


@kernel(_WORD(_WORD))
def _hexadecimal(x: Any) -> Any:
    """The eight digits of four bytes, the first one lowest, all at once."""
    x = (x | x << _WORD(16)) & _WORD(0x0000FFFF0000FFFF)
    x = (x | x << _WORD(8)) & _WORD(0x00FF00FF00FF00FF)
    x = (x >> _WORD(4)) & _WORD(0x000F000F000F000F) | (x & _WORD(0x000F000F000F000F)) << _WORD(8)
    letters = ((x + _WORD(0x0606060606060606)) >> _WORD(4)) & _WORD(0x0101010101010101)
    return x + _WORD(0x3030303030303030) + letters * _WORD(39)


@kernel(
    types.void(
        BYTES, I64, I64, I64, I64, int64, int64, int64, types.boolean, I8, I64, I32, U64, I32, U8,
    )
)  # fmt: skip
def take(
    data: Any,
    state: Any,
    starts: Any,
    ends: Any,
    numbers: Any,
    limit: Any,
    head: Any,
    cap: Any,
    with_heads: Any,
    kinds: Any,
    terms: Any,
    entry_types: Any,
    digits: Any,
    offsets: Any,
    room: Any,
) -> None:
    """What the rows ``[FIRST, STOP)`` of a run are, and what is in those that are records.

    All of their entries are in ``data``. ``kinds`` holds what is known already. Entries from number
    ``limit`` on belong to the next file. ``head`` is how many bytes there are before a payload, 0
    for entries without a term.

    Payload n, of which ``cap`` bytes are kept, negative for none, goes to ``[offsets[n], offsets[n
    + 1])`` in ``room``, which has 31 bytes more than all take; ``CUTS`` counts those that were
    cut. ``with_heads``: the type of each entry, and its request id, 24 digits in three
    little-endian words. What a row has that turns out to be lost is nobody's.
    """
    four = _WORD(0xFFFFFFFF)
    base, first, stop = state[BASE], state[FIRST], state[STOP]
    before, after, cuts = state[BEFORE], state[TERM_AFTER], state[CUTS]
    put = int64(offsets[first])
    for row in range(first, stop):
        term = int64(NO_TERM)
        kind = int64(kinds[row])
        i = starts[row] - base
        size = ends[row] - starts[row]
        if kind == RECORD:
            if head:
                kind = kind_of(data, i, size, min(size, len(data) - i))
            if kind == RECORD and numbers[row] >= limit:
                kind = int64(OVERLAPPING)  # ZMR-096
            if kind == RECORD and head:
                term = term_of(data, i)
                if before > term:  # ZMR-050
                    kind = int64(DECREASING)
                    if row:
                        kinds[row - 1] = DECREASING
            kinds[row] = kind
        terms[row] = term
        before = term
        if kind == RECORD:
            if with_heads:
                one = load64(data, i)
                two = load64(data, i + 5)
                entry_types[row] = data[i + 12]
                word = _WORD(3 * row)
                digits[word] = _hexadecimal(one & four)
                digits[word + _WORD(1)] = _hexadecimal(one >> _WORD(32))
                digits[word + _WORD(2)] = _hexadecimal(two >> _WORD(24) & four)
            if cap >= 0:
                length = size - head
                if length > cap:
                    length = cap
                    cuts += 1
                copy_wide(room, put, data, i + head, length)
                put += length
        offsets[row + 1] = put
    if after != NO_TERM and after < before:
        kinds[stop - 1] = DECREASING
    state[BEFORE], state[CUTS] = before, cuts
