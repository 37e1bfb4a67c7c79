"""Compiled kernels of the zmq-raft scanner: plain entries.

Offsets and entry numbers refer to one index file. Requirement ids refer to spec/zmq-raft.md.
"""

from __future__ import annotations

from typing import Any

from numpy import int64
from numpy import uint64 as _WORD

from walproof.scan.kernels import copy, helper, kernel, load64

ENTRY_HEAD = 20
MAX_TERM = 2**53 - 1
NO_TERM = -1

# State of a run in an array of int64: rows done, start and size of the next entry, term of the last
# entry, bytes of payload.
DONE, START, NEED, BEFORE, PUT = range(5)
STATE = 5

# Reasons for `take` to return. FALLS: the term is lower than that of the entry before (ZMR-050).
FILLED, NEEDS_BYTES, NOT_PLAIN, FALLS = range(4)


@helper
def _term_of(data: Any, i: Any) -> Any:
    """Return the seven-byte term (ZMR-030) of the entry at ``i``; needs the whole head."""
    return int64(load64(data, i + 12) >> _WORD(8))


@kernel
def comparable(head: Any, size: Any) -> Any:
    """Return the term of an entry of ``size`` bytes, else ``NO_TERM``; needs the head."""
    if size < ENTRY_HEAD:
        return NO_TERM
    term = _term_of(head, 0)
    return term if 1 <= term <= MAX_TERM else NO_TERM


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
    base: Any,
    offsets: Any,
    beginning: Any,
    head: Any,
    cap: Any,
    ats: Any,
    sizes: Any,
    terms: Any,
    types: Any,
    digits: Any,
    ends: Any,
    room: Any,
    state: Any,
) -> Any:
    """Fill the rows of a run from row ``DONE`` on; stop at the first entry that is not plain.

    ``data`` holds bytes of the file from ``base`` on. ``offsets`` are the ends of the entries of
    the run, counted from ``beginning``. ``head`` is the number of bytes before a payload, 0 for
    entries without a term. A plain entry is whole, and its term is in range and not lower than
    ``BEFORE`` (ZMR-048 to ZMR-050). At ``NEEDS_BYTES``, the next entry begins at ``START`` and has
    ``NEED`` bytes.

    ``types`` and ``digits`` may be empty. ``digits`` has the 24 digits of a request id in three
    little-endian words. The payload of row n is ``room[ends[n]:ends[n + 1]]``. ``cap`` is the
    largest number of bytes copied for a payload. A negative ``cap`` copies no payloads.
    """
    four = _WORD(0xFFFFFFFF)
    row, start, before, put = state[DONE], state[START], state[BEFORE], state[PUT]
    why = FILLED
    while row < len(offsets):
        end = beginning + int64(offsets[row])
        size = end - start
        if start < base or end > base + len(data):
            why, state[NEED] = NEEDS_BYTES, size
            break
        i = start - base
        if head:
            if size < ENTRY_HEAD:
                why = NOT_PLAIN
                break
            term = _term_of(data, i)
            if term < 1 or term > MAX_TERM:
                why = NOT_PLAIN
                break
            if term < before:
                why = FALLS
                break
            before = term
            terms[row] = term
            if len(types):
                each = load64(data, i)
                two = load64(data, i + 5)
                types[row] = data[i + 12]
                digits[3 * row] = int64(_hexadecimal(each & four))
                digits[3 * row + 1] = int64(_hexadecimal(each >> _WORD(32)))
                digits[3 * row + 2] = int64(_hexadecimal(two >> _WORD(24) & four))
        ats[row] = start
        sizes[row] = size
        length = min(size - head, cap)
        if length > 0:
            copy(room, put, data, i + head, length)
            put += length
        row += 1
        ends[row] = put
        start = end
    state[DONE], state[START], state[BEFORE], state[PUT] = row, start, before, put
    return why
