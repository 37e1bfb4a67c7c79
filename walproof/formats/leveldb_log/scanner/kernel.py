"""Compiled kernels of the LevelDB scanner: whole records with valid checksums.

Requirement ids refer to spec/leveldb-log.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from walproof.scan.kernels import copy, crc32c, helper, kernel, load32, load64
from walproof.scan.walk import AT, BASE, CUT, FULL_UP, NOT_PLAIN, ROWS, USED_UP

BLOCK = 32768
HEADER = 7
FULL, FIRST, MIDDLE, LAST = range(1, 5)

_LOW = np.uint64(0xFFFFFFFF)
_MASK_DELTA = np.uint64(0xA282EAD8)

#: Special offset: there is none.
NONE = -2


@helper
def unmasked(stored: Any) -> Any:
    """Return the unmasked checksum stored in a record (LDB-007)."""
    rotated = (stored - _MASK_DELTA) & _LOW
    return (rotated >> np.uint64(17) | rotated << np.uint64(15)) & _LOW


@kernel
def checksum_holds(data: NDArray[np.uint8], at: Any, end: Any) -> Any:
    """Return whether the record ``[at, end)`` matches its stored checksum (LDB-006)."""
    return crc32c(np.uint64(0), data, at + 6, end) == unmasked(load32(data, at))


@kernel
def walk(
    data: NDArray[np.uint8],
    log_size: Any,
    limit: Any,
    cap: Any,
    state: NDArray[np.int64],
    at: NDArray[np.int64],
    size: NDArray[np.int64],
    ends: NDArray[np.int32],
    cut: NDArray[np.uint8],
    payload: NDArray[np.uint8],
) -> Any:
    """Read whole valid records from the offset ``state[AT]`` on, until ``limit`` at most.

    ``data`` holds the bytes of the log from the offset ``state[BASE]`` on. ``cap`` limits the bytes
    copied of each payload; if ``cap`` is negative, no payload is copied.

    Results are appended after the ``state[ROWS]`` existing ones. Row n describes a record of
    ``size[n]`` bytes at offset ``at[n]``. Its payload is ``payload[ends[n]:ends[n + 1]]``, and
    ``cut[n]`` is set if the payload was truncated; ``state[CUT]`` counts truncated payloads.
    """
    base, here, rows = state[BASE], state[AT], state[ROWS]
    filled, put = base + len(data), np.int64(ends[rows])
    room, max_rows = len(payload), len(at)
    longest = cap if cap >= 0 else BLOCK
    outcome = FULL_UP
    while rows < max_rows:
        if here >= limit or here >= log_size:
            outcome = NOT_PLAIN
            break
        # Fast path for consecutive FULL records.
        i, stop = here - base, min((here | (BLOCK - 1)) + 1, filled) - base
        while i + 8 <= stop:
            header = load64(data, i)
            length = np.int64(header >> np.uint64(32) & np.uint64(0xFFFF))
            after = i + HEADER + length
            if (
                header >> np.uint64(48) & np.uint64(0xFF) != FULL
                or after > stop
                or length > longest
                or rows >= max_rows
                or (cap >= 0 and put + length > room)
                or crc32c(np.uint64(0), data, i + 6, after) != unmasked(header & _LOW)
            ):
                break
            if cap >= 0:
                copy(payload, put, data, i + HEADER, length)
                put += length
            at[rows], size[rows], cut[rows] = base + i, HEADER + length, 0
            rows += 1
            ends[rows] = put
            i = after
        if base + i != here:
            here = base + i
            continue
        if BLOCK - here % BLOCK < HEADER:  # the trailer (LDB-004, LDB-005)
            here = min((here | (BLOCK - 1)) + 1, log_size)
            continue
        # The fragments of one record.
        end, total, copied, is_first, is_whole = here, np.int64(0), np.int64(0), True, False
        outcome = NOT_PLAIN
        while True:
            left = BLOCK - end % BLOCK
            if left < HEADER:
                end += left
                continue
            i = end - base
            if end + HEADER > filled:
                outcome = USED_UP if filled < log_size else NOT_PLAIN
                break
            length = np.int64(data[i + 4]) | np.int64(data[i + 5]) << 8
            type = data[i + 6]
            if HEADER + length > left or type < FULL or type > LAST or (type <= FIRST) != is_first:
                break
            if end + HEADER + length > filled:
                outcome = USED_UP if filled < log_size else NOT_PLAIN
                break
            if not checksum_holds(data, i, i + HEADER + length):
                break
            part = min(length, cap - copied)
            if part > 0:
                if put + copied + part > room:
                    outcome = FULL_UP
                    break
                copy(payload, put + copied, data, i + HEADER, part)
                copied += part
            total += length
            end += HEADER + length
            is_first = False
            if type in (FULL, LAST):  # LDB-009 to LDB-011
                at[rows], size[rows], cut[rows] = here, end - here, copied < total
                state[CUT] += copied < total
                rows += 1
                put += copied
                ends[rows] = put
                here, is_whole = end, True
                break
        if not is_whole:
            break
        outcome = FULL_UP
    state[AT], state[ROWS] = here, rows
    return outcome
