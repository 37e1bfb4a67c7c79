"""Compiled kernels of the SQLite scanner. Requirement ids refer to spec/sqlite-wal.md.

A checksum is a single number. Its upper half is the first word.
"""

from __future__ import annotations

from typing import Any

from numpy import uint64 as _WORD

from walproof.scanners.kernels import copy, helper, kernel, load32, load64, same

FRAME_HEADER = 24
#: The checksum covers the first 8 bytes of a frame header and is stored at offset 16.
COVERED, CHECKSUM = 8, 16


@helper
def _swapped(word: Any) -> Any:
    """Return a 32-bit number with its bytes in reverse order."""
    return (
        word >> _WORD(24)
        | (word >> _WORD(8) & _WORD(0xFF00))
        | (word & _WORD(0xFF00)) << _WORD(8)
        | (word & _WORD(0xFF)) << _WORD(24)
    )


@helper
def _word(data: Any, at: Any, big: Any) -> Any:
    word = load32(data, at)
    return _swapped(word) if big else word


@helper
def _stored(data: Any, at: Any) -> Any:
    """Return the checksum that the slot at ``at`` stores."""
    first, second = load32(data, at + CHECKSUM), load32(data, at + CHECKSUM + 4)
    return _swapped(first) << _WORD(32) | _swapped(second)


@kernel
def advance(value: Any, data: Any, start: Any, end: Any, big: Any) -> Any:
    """Return the checksum after ``data[start:end]``, a multiple of 8 bytes (SQW-006)."""
    mask = _WORD(0xFFFFFFFF)
    s, t = _WORD(value) >> _WORD(32), _WORD(value) & mask
    if big:
        for at in range(start, end, 8):
            s = s + _swapped(load32(data, at)) + t & mask
            t = t + _swapped(load32(data, at + 4)) + s & mask
    else:
        for at in range(start, end, 8):
            s = s + load32(data, at) + t & mask
            t = t + load32(data, at + 4) + s & mask
    return s << _WORD(32) | t


@kernel
def rewind(value: Any, data: Any, start: Any, end: Any, big: Any) -> Any:
    """Return the checksum before ``data[start:end]``, given the checksum after it (SQW-009)."""
    mask = _WORD(0xFFFFFFFF)
    s, t = _WORD(value) >> _WORD(32), _WORD(value) & mask
    for back in range(8, end - start + 8, 8):
        at = end - back
        t = t - _word(data, at + 4, big) - s & mask
        s = s - _word(data, at, big) - t & mask
    return s << _WORD(32) | t


@helper
def _advance_slot(value: Any, data: Any, at: Any, slot: Any, big: Any) -> Any:
    """Return the checksum after the slot at ``at``, given the checksum before it (SQW-008)."""
    value = advance(value, data, at, at + COVERED, big)
    return advance(value, data, at + FRAME_HEADER, at + slot, big)


@helper
def _is_repetition(data: Any, at: Any, slot: Any) -> Any:
    """Return whether a slot repeats the one before it (SQW-014)."""
    return same(data, at, data, at - slot, COVERED) and same(
        data, at + FRAME_HEADER, data, at - slot + FRAME_HEADER, slot - FRAME_HEADER
    )


@kernel
def follow(
    data: Any,
    at: Any,
    slot: Any,
    big: Any,
    value: Any,
    salts: Any,
    page: Any,
    size: Any,
    repeats: Any,
) -> Any:
    """Verify consecutive frames, and return the number of valid frames.

    The first frame is at offset ``at``, and ``value`` is the checksum before it. A valid frame has
    the given salts and the correct checksum. For each valid frame, ``page`` receives the page
    number, ``size`` the database size, and ``repeats`` whether the frame repeats the one before it
    (SQW-014).
    """
    for n in range(len(page)):
        value = _advance_slot(value, data, at, slot, big)
        number = _swapped(load32(data, at))
        is_own = load64(data, at + COVERED) == salts
        if not is_own or number == 0 or value != _stored(data, at):
            return n
        page[n] = number
        size[n] = _swapped(load32(data, at + 4))
        repeats[n] = at > 0 and _is_repetition(data, at, slot)
        at += slot
    return len(page)


@kernel
def are_older(
    data: Any,
    start: Any,
    count: Any,
    slot: Any,
    big: Any,
    salts: Any,
    commit: Any,
    running: Any,
    repeated: Any,
) -> Any:
    """Return whether all slots belong to older generations than the one with these salts.

    ``data`` contains ``count`` slots from offset ``start`` on. ``running`` is the checksum after
    all earlier slots since the committed frames. ``repeated`` is the checksum as if each of these
    slots repeated the frame ``commit``, which may be empty. The new values of ``running`` and
    ``repeated`` are also returned.
    """
    for at in range(start, start + count * slot, slot):
        shown, stored = load64(data, at + COVERED), _stored(data, at)
        before = rewind(stored, data, at + FRAME_HEADER, at + slot, big)
        before = rewind(before, data, at, at + COVERED, big)
        if shown == salts or shown == 0 or before in (running, repeated):
            return False, running, repeated
        running = _advance_slot(running, data, at, slot, big)
        if len(commit) > 0:
            repeated = _advance_slot(repeated, commit, 0, slot, big)
            if repeated == stored:
                return False, running, repeated
    return True, running, repeated


@kernel
def gather(data: Any, starts: Any, slot: Any, bounds: Any, room: Any) -> None:
    """Copy the page images of transactions. Transaction n has the frames from ``starts[n]`` on.

    Its images fill ``room[bounds[n]:bounds[n + 1]]``.
    """
    for n in range(len(starts)):
        put, at = bounds[n], starts[n]
        while put < bounds[n + 1]:
            length = min(bounds[n + 1] - put, slot - FRAME_HEADER)
            copy(room, put, data, at + FRAME_HEADER, length)
            put, at = put + length, at + slot
