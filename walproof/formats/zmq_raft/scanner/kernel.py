"""Compiled kernels of the zmq-raft scanner: select reliable offsets and classify entries.

Offsets and entry numbers refer to one index file. ``base`` is the file offset of the first byte of
``data``. Requirement ids refer to spec/zmq-raft.md.
"""

from __future__ import annotations

from typing import Any

from numpy import int64
from numpy import uint64 as _WORD

from walproof.scan.kernels import copy, helper, kernel, load32, load64

ENTRY_HEAD = 20
MAX_TERM = 2**53 - 1
NO_TERM = -1
CHUNK_HEAD = 8

# Classes of rows; all except the first are lost.
RECORD, BAD_OFFSET, SHORT_ENTRY, ZERO_ENTRY, BAD_TERM, OVERLAPPING, DECREASING = range(7)
REASONS = (
    "", "bad-offset", "short-entry", "zero-entry", "bad-term", "overlapping-files",
    "decreasing-term",
)  # fmt: skip

# Parameters and results of `take`, in an array of int64; see `take`.
(
    BASE, UPTO, ROW, COUNT, DATA, FIRST_INDEX, LIMIT, HEAD, CAP, AFTER,
    DONE, START, NEED, PREVIOUS, BEFORE, PUT, CUTS, LOST,
    AT, SIZE, INDEX, TERM, DIGITS, TYPE, ENDS, PAYLOAD,
) = range(26)  # fmt: skip
STATE = 26
#: Position of a column that is not wanted.
NONE = -1


@kernel
def committed(table: Any) -> Any:
    """Return the number of offsets in front of the first zero (ZMR-017)."""
    for number in range(len(table)):
        if table[number] == 0:
            return number
    return len(table)


@kernel
def rely(offsets: Any, available: Any, reliable: Any) -> Any:
    """Store the numbers of the reliable offsets in ``reliable``; return their count (ZMR-046)."""
    count = 0
    for number in range(len(offsets)):
        offset = int64(offsets[number])
        if offset > available:
            continue
        if count and offset <= int64(offsets[reliable[count - 1]]):
            count -= 1
        else:
            reliable[count] = number
            count += 1
    return count


@kernel
def rises(offsets: Any, start: Any) -> Any:
    """Return whether each offset from number ``start`` on is greater than its predecessor."""
    number = start + 1
    while number < len(offsets) and offsets[number] > offsets[number - 1]:
        number += 1
    return number >= len(offsets)


@kernel
def find_marker(data: Any, base: Any, size: Any, marker: Any, at: Any) -> Any:
    """Return the offset after the first chunk with this token, searching from ``at`` (ZMR-003).

    -1: the file ends before it. ``-2 - at``: the chunk at ``at`` lies outside of ``data``.
    """
    while True:
        if at + CHUNK_HEAD > size:
            return -1
        if at < base or at + CHUNK_HEAD > base + len(data):
            return -2 - at
        i = at - base
        length = int64(load32(data, i + 4))
        if load32(data, i) == marker:
            return at + CHUNK_HEAD
        at += CHUNK_HEAD + length + (-length & 3)


@kernel
def term_of(data: Any, i: Any) -> Any:
    """Return the seven-byte term (ZMR-030) of the entry at ``i``; needs the whole head."""
    return int64(load64(data, i + 12) >> _WORD(8))


@kernel
def comparable(data: Any, i: Any, size: Any) -> Any:
    """Return the term of the entry of ``size`` bytes at ``i``, else ``NO_TERM``; needs the head."""
    if size < ENTRY_HEAD:
        return NO_TERM
    term = term_of(data, i)
    return term if 1 <= term <= MAX_TERM else NO_TERM


@kernel
def kind_of(data: Any, i: Any, size: Any, held: Any) -> Any:
    """Classify an entry of ``size`` bytes at ``i``.

    Only the first ``held`` bytes are in memory. This must be at least 20 bytes, or the whole entry.
    If they are all zeros, the result is ``ZERO_ENTRY``.
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


@kernel
def fitting(offsets: Any, reliable: Any, row: Any, most: Any, max_bytes: Any) -> Any:
    """Return the number of entries in a run that begins at reliable offset number ``row``.

    A run has at least one entry. ``most`` limits its entries, and ``max_bytes`` its size. If
    ``reliable`` is empty, all offsets are reliable.
    """
    all_reliable = len(reliable) == 0
    start = int64(0)
    if row:
        start = int64(offsets[row - 1 if all_reliable else reliable[row - 1]])
    low, high = row + 1, row + most
    while low < high:
        middle = (low + high + 1) // 2
        if (
            int64(offsets[middle - 1 if all_reliable else reliable[middle - 1]]) - start
            <= max_bytes
        ):
            low = middle
        else:
            high = middle - 1
    return low - row


@helper
def _hexadecimal(x: Any) -> Any:
    """Return the eight hexadecimal digits of four bytes, the first digit in the lowest byte."""
    x = (x | x << _WORD(16)) & _WORD(0x0000FFFF0000FFFF)
    x = (x | x << _WORD(8)) & _WORD(0x00FF00FF00FF00FF)
    x = (x >> _WORD(4)) & _WORD(0x000F000F000F000F) | (x & _WORD(0x000F000F000F000F)) << _WORD(8)
    letters = ((x + _WORD(0x0606060606060606)) >> _WORD(4)) & _WORD(0x0101010101010101)
    return x + _WORD(0x3030303030303030) + letters * _WORD(39)


@kernel
def take(
    data: Any,
    state: Any,
    offsets: Any,
    reliable: Any,
    kinds: Any,
    room: Any,
    words: Any,
    halves: Any,
) -> None:
    """Classify the rows of a run from row ``DONE`` on and fill the columns of the records.

    The run has ``COUNT`` rows: the entries from reliable offset number ``ROW`` on; ``reliable`` is
    empty if all offsets are reliable. Offsets count from ``DATA``, indices from ``FIRST_INDEX``.
    Entries from number ``LIMIT`` on belong to the next file. ``HEAD`` is the number of bytes before
    a payload, 0 for entries without a term. ``BEFORE`` and ``AFTER`` are the terms of the
    neighbours, or ``NO_TERM``.

    ``data`` holds the bytes from ``BASE`` to ``UPTO`` of the file, and at least the head of an
    entry that it does not hold whole. The first entry that ends after ``UPTO`` is left for the next
    call: it is row ``DONE``, begins at ``START`` and has ``NEED`` bytes; ``PREVIOUS`` is the number
    of the entry before it.

    ``kinds`` holds the class of each row; ``LOST`` is set if a row is not a record. The columns
    share one block of memory; ``words`` and ``halves`` are views of it. ``AT``, ``SIZE``,
    ``INDEX``, ``TERM`` and ``DIGITS`` (24 digits of the request id in three little-endian words)
    are positions in ``words``; ``TYPE`` and ``ENDS`` are positions in ``halves``. The position of
    an unwanted column is ``NONE``. Payload n goes to ``[ENDS[n], ENDS[n + 1])`` after ``PAYLOAD``
    in ``room``, which is large enough for all payloads. At most ``CAP`` bytes of a payload are
    copied; ``CUTS`` counts the truncated ones. For a lost row, only ``AT`` and ``SIZE`` are valid.
    """
    four = _WORD(0xFFFFFFFF)
    base, upto, first_row, count = state[BASE], state[UPTO], state[ROW], state[COUNT]
    first, limit, head, cap = state[FIRST_INDEX], state[LIMIT], state[HEAD], state[CAP]
    row, start, previous, before = state[DONE], state[START], state[PREVIOUS], state[BEFORE]
    put, cuts, lost = state[PUT], state[CUTS], state[LOST]
    ats, sizes, indices, terms = state[AT], state[SIZE], state[INDEX], state[TERM]
    digits, entry_types, ends, payload = state[DIGITS], state[TYPE], state[ENDS], state[PAYLOAD]
    beginning = state[DATA]
    all_reliable = len(reliable) == 0
    if row == 0 and ends >= 0:
        halves[_WORD(ends)] = 0
    while row < count:
        number = first_row + row if all_reliable else reliable[first_row + row]
        end = beginning + int64(offsets[number])
        size = end - start
        if end > upto or start < base:
            state[NEED] = size
            break
        i = start - base
        kind = int64(RECORD if number == previous + 1 else BAD_OFFSET)
        term = int64(NO_TERM)
        if kind == RECORD:
            if head:
                kind = kind_of(data, i, size, min(size, len(data) - i))
            if kind == RECORD and number >= limit:
                kind = int64(OVERLAPPING)  # ZMR-096
            if kind == RECORD and head:
                term = term_of(data, i)
                if before > term:  # ZMR-050
                    kind = int64(DECREASING)
                    if row:
                        kinds[row - 1] = DECREASING
        kinds[row] = kind
        words[_WORD(ats + row)] = start
        words[_WORD(sizes + row)] = size
        if indices >= 0:
            words[_WORD(indices + row)] = first + number
        if terms >= 0:
            words[_WORD(terms + row)] = term
        before = term
        if kind != RECORD:
            lost = 1
        else:
            if digits >= 0:
                each = load64(data, i)
                two = load64(data, i + 5)
                halves[_WORD(entry_types + row)] = data[i + 12]
                word = _WORD(digits + 3 * row)
                words[word] = int64(_hexadecimal(each & four))
                words[word + _WORD(1)] = int64(_hexadecimal(each >> _WORD(32)))
                words[word + _WORD(2)] = int64(_hexadecimal(two >> _WORD(24) & four))
            if cap >= 0:
                length = size - head
                if length > cap:
                    length = cap
                    cuts += 1
                copy(room, payload + put, data, i + head, length)
                put += length
        row += 1
        if ends >= 0:
            halves[_WORD(ends + row)] = put
        previous, start = number, end
    if row == count and NO_TERM < state[AFTER] < before:
        kinds[count - 1] = DECREASING
        lost = 1
    state[DONE], state[START], state[PREVIOUS], state[BEFORE] = row, start, previous, before
    state[PUT], state[CUTS], state[LOST] = put, cuts, lost
