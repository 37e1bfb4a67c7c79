"""The kernels of the zmq-raft scanner: which offsets are relied on, what the entries are.

Offsets and numbers of entries are those of one index file; ``base`` is the offset of the first
byte of ``data``. Requirement ids are those of spec/zmq-raft.md.
"""

from __future__ import annotations

from numba import njit, types

from pyspark_journal.scan.adler32 import READONLY_BYTES

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

_I64 = types.int64
_BYTES = READONLY_BYTES
_TABLE = types.Array(types.uint32, 1, "C", readonly=True)
_LONGS = types.Array(_I64, 1, "C")
_INTS = types.Array(types.int32, 1, "C")
_TINY = types.Array(types.int8, 1, "C")
_OUT = types.Array(types.uint8, 1, "C")


@njit(_I64(_TABLE), cache=True, nogil=True)
def committed(table):  # type: ignore[no-untyped-def]
    """How many offsets stand in front of the first zero (ZMR-017)."""
    for number in range(len(table)):
        if table[number] == 0:
            return number
    return len(table)


@njit(_I64(_TABLE, _I64, _LONGS), cache=True, nogil=True)
def rely(offsets, available, kept):  # type: ignore[no-untyped-def]
    """The numbers of the offsets that can be relied on, in ``kept``; how many (ZMR-046)."""
    count = 0
    for number in range(len(offsets)):
        offset = _I64(offsets[number])
        if offset > available:
            continue
        if count and offset <= _I64(offsets[kept[count - 1]]):
            count -= 1
        else:
            kept[count] = number
            count += 1
    return count


@njit(types.boolean(_TABLE, _I64), cache=True, nogil=True)
def rises(offsets, start):  # type: ignore[no-untyped-def]
    """Whether each offset from number ``start`` on is greater than the one before."""
    number = start + 1
    while number < len(offsets) and offsets[number] > offsets[number - 1]:
        number += 1
    return number >= len(offsets)


@njit(_I64(_BYTES, _I64, _I64, types.uint32, _I64), cache=True, nogil=True)
def find_marker(data, base, size, marker, at):  # type: ignore[no-untyped-def]
    """The offset behind the first chunk with this token, from the chunk at ``at`` on (ZMR-003).

    -1: the file ends before. ``-2 - at``: the chunk at ``at`` lies outside of ``data``.
    """
    while True:
        if at + CHUNK_HEAD > size:
            return -1
        if at < base or at + CHUNK_HEAD > base + len(data):
            return -2 - at
        i = at - base
        token = _I64(0)
        length = _I64(0)
        for k in range(4):
            token |= _I64(data[i + k]) << (8 * k)
            length |= _I64(data[i + 4 + k]) << (8 * k)
        if token == marker:
            return at + CHUNK_HEAD
        at += CHUNK_HEAD + length + (-length & 3)


@njit(_I64(_BYTES, _I64), cache=True, nogil=True)
def term_of(data, i):  # type: ignore[no-untyped-def]
    """The seven bytes of a term (ZMR-030) in the entry at ``i``."""
    term = _I64(0)
    for k in range(7):
        term |= _I64(data[i + 13 + k]) << (8 * k)
    return term


@njit(_I64(_BYTES, _I64, _I64, _I64), cache=True, nogil=True)
def kind_of(data, i, size, held):  # type: ignore[no-untyped-def]
    """What an entry of ``size`` bytes at ``i`` is by itself.

    Only ``held`` of its bytes are there, at least 20 where it has as many; zeros to the last of
    these are a ``ZERO_ENTRY``.
    """
    if size < ENTRY_HEAD:
        return SHORT_ENTRY  # ZMR-048
    term = term_of(data, i)
    if term == 0 and data[i + 12] == 0:
        k = 0
        while k < held and data[i + k] == 0:
            k += 1
        if k == held:
            return ZERO_ENTRY  # ZMR-052
    return BAD_TERM if term > MAX_TERM else RECORD  # ZMR-049


@njit(
    _I64(_BYTES, _I64, _LONGS, _LONGS, _LONGS, _I64, types.boolean, _I64, _I64, _TINY, _LONGS),
    cache=True,
    nogil=True,
)
def judge(  # type: ignore[no-untyped-def]
    data, base, starts, ends, numbers, limit, raw, before, after, kinds, terms
):
    """What each entry of a run is; ``kinds`` holds ``BAD_OFFSET`` where that is known already.

    Entries from number ``limit`` on belong to the next file. ``before`` and ``after`` are the
    terms in front of the run and behind it, or ``NO_TERM``; returned is that of its last entry.
    """
    for row in range(len(starts)):
        terms[row] = NO_TERM
        kind = _I64(kinds[row])
        if kind == RECORD and not raw:
            i = starts[row] - base
            size = ends[row] - starts[row]
            kind = kind_of(data, i, size, size)
            if kind == RECORD:
                terms[row] = term_of(data, i)
        if kind == RECORD and numbers[row] >= limit:
            kind = OVERLAPPING  # ZMR-096
            terms[row] = NO_TERM
        kinds[row] = kind
        term = terms[row]
        if term != NO_TERM and before != NO_TERM and term < before:  # ZMR-050
            kinds[row] = DECREASING
            if row:
                kinds[row - 1] = DECREASING
        before = term
    if after != NO_TERM and before != NO_TERM and after < before:
        kinds[len(starts) - 1] = DECREASING
    return before


@njit(types.void(_BYTES, _I64, _LONGS, _LONGS, _INTS, _OUT), cache=True, nogil=True)
def gather(data, base, starts, lengths, offsets, out):  # type: ignore[no-untyped-def]
    """The bytes ``[starts, starts + lengths)`` back to back."""
    to = 0
    offsets[0] = 0
    for row in range(len(starts)):
        i = starts[row] - base
        length = lengths[row]
        for k in range(length):
            out[to + k] = data[i + k]
        to += length
        offsets[row + 1] = to


@njit(types.void(_BYTES, _I64, _LONGS, _INTS, _OUT), cache=True, nogil=True)
def heads(data, base, starts, kinds, requests):  # type: ignore[no-untyped-def]
    """Type and request id, in 24 hexadecimal digits, of each entry."""
    for row in range(len(starts)):
        i = starts[row] - base
        kinds[row] = data[i + 12]
        for k in range(12):
            byte = data[i + k]
            high, low = byte >> 4, byte & 15
            requests[24 * row + 2 * k] = high + (48 if high < 10 else 87)
            requests[24 * row + 2 * k + 1] = low + (48 if low < 10 else 87)
