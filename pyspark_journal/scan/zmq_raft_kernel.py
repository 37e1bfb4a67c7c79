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
_WORD = types.uint64
_BYTES = READONLY_BYTES
_TABLE = types.Array(types.uint32, 1, "C", readonly=True)
_LONGS = types.Array(_I64, 1, "C")
_INTS = types.Array(types.int32, 1, "C")
_TINY = types.Array(types.int8, 1, "C")
_WORDS = types.Array(_WORD, 1, "C")
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


@njit(_WORD(_BYTES, _WORD), cache=True, nogil=True)
def _eight(data, i):  # type: ignore[no-untyped-def]
    """Eight bytes, little-endian. An unsigned index cannot be negative: it is one load."""
    low = _WORD(data[i]) | _WORD(data[i + _WORD(1)]) << _WORD(8)
    low |= _WORD(data[i + _WORD(2)]) << _WORD(16) | _WORD(data[i + _WORD(3)]) << _WORD(24)
    high = _WORD(data[i + _WORD(4)]) | _WORD(data[i + _WORD(5)]) << _WORD(8)
    high |= _WORD(data[i + _WORD(6)]) << _WORD(16) | _WORD(data[i + _WORD(7)]) << _WORD(24)
    return low | high << _WORD(32)


@njit(_I64(_BYTES, _I64), cache=True, nogil=True)
def term_of(data, i):  # type: ignore[no-untyped-def]
    """The seven bytes of a term (ZMR-030) in the entry at ``i``, all of whose head is there."""
    return _I64(_eight(data, _WORD(i + 12)) >> _WORD(8))


@njit(_I64(_BYTES, _I64, _I64, _I64), cache=True, nogil=True)
def kind_of(data, i, size, held):  # type: ignore[no-untyped-def]
    """What an entry of ``size`` bytes at ``i`` is by itself.

    Only ``held`` of its bytes are there, at least 20 where it has as many; zeros to the last of
    these are a ``ZERO_ENTRY``.
    """
    if size < ENTRY_HEAD:
        return SHORT_ENTRY  # ZMR-048
    if _eight(data, _WORD(i + 12)) == 0:
        k = 0
        while k < held and data[i + k] == 0:
            k += 1
        if k == held:
            return ZERO_ENTRY  # ZMR-052
    return BAD_TERM if term_of(data, i) > MAX_TERM else RECORD  # ZMR-049


@njit(
    _I64(_TABLE, _LONGS, _I64, _I64, _I64, _LONGS, _LONGS, _LONGS, _TINY),
    cache=True,
    nogil=True,
)
def spans(  # type: ignore[no-untyped-def]
    offsets, kept, row, data, max_bytes, numbers, starts, ends, kinds
):
    """The entries between offsets that are relied on, from number ``row`` of these on.

    As many as the arrays have room for and ``max_bytes`` hold, at least one. ``kinds`` says
    ``BAD_OFFSET`` of what lies between two that do not follow each other. Returns how many.
    """
    previous = kept[row - 1] if row else _I64(-1)
    start = data + (_I64(offsets[previous]) if row else _I64(0))
    first = start
    count = 0
    while count < len(numbers):
        number = kept[row + count]
        end = data + _I64(offsets[number])
        if count and end - first > max_bytes:
            break
        numbers[count] = number
        starts[count] = start
        ends[count] = end
        kinds[count] = RECORD if number == previous + 1 else BAD_OFFSET
        previous, start = number, end
        count += 1
    return count


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
        term = _I64(NO_TERM)
        kind = _I64(kinds[row])
        if kind == RECORD:
            if not raw:
                i = starts[row] - base
                size = ends[row] - starts[row]
                kind = kind_of(data, i, size, size)
            if kind == RECORD and numbers[row] >= limit:
                kind = _I64(OVERLAPPING)  # ZMR-096
            if kind == RECORD and not raw:
                term = term_of(data, starts[row] - base)
                if before > term:  # ZMR-050
                    kind = _I64(DECREASING)
                    if row:
                        kinds[row - 1] = DECREASING
            kinds[row] = kind
        terms[row] = term
        before = term
    if after != NO_TERM and after < before:
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
        run, copy = data[i : i + length], out[to : to + length]
        for k in range(length):  # over slices: no index can be negative, and so it is one move
            copy[k] = run[k]
        to += length
        offsets[row + 1] = to


@njit(_WORD(_WORD), cache=True, nogil=True)
def _hexadecimal(x):  # type: ignore[no-untyped-def]
    """The eight digits of four bytes, the first one lowest, all at once."""
    x = (x | x << _WORD(16)) & _WORD(0x0000FFFF0000FFFF)
    x = (x | x << _WORD(8)) & _WORD(0x00FF00FF00FF00FF)
    x = (x >> _WORD(4)) & _WORD(0x000F000F000F000F) | (x & _WORD(0x000F000F000F000F)) << _WORD(8)
    letters = ((x + _WORD(0x0606060606060606)) >> _WORD(4)) & _WORD(0x0101010101010101)
    return x + _WORD(0x3030303030303030) + letters * _WORD(39)


@njit(types.void(_BYTES, _I64, _LONGS, _INTS, _WORDS), cache=True, nogil=True)
def heads(data, base, starts, kinds, digits):  # type: ignore[no-untyped-def]
    """Type and request id of each entry; a request id is 24 digits in three little-endian words."""
    four = _WORD(0xFFFFFFFF)
    for row in range(len(starts)):
        i = _WORD(starts[row] - base)
        first = _eight(data, i)
        second = _eight(data, i + _WORD(5))
        kinds[row] = data[i + _WORD(12)]
        word = _WORD(3 * row)
        digits[word] = _hexadecimal(first & four)
        digits[word + _WORD(1)] = _hexadecimal(first >> _WORD(32))
        digits[word + _WORD(2)] = _hexadecimal(second >> _WORD(24) & four)
