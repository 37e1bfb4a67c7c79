"""Compiled kernels of the LevelDB scanner. Requirement ids refer to spec/leveldb-log.md.

``walk`` reads whole blocks in memory: it verifies records, joins fragments and concatenates
payloads. ``state`` stores everything that the next call needs. Offsets in ``state`` and in the
results count from the start of the log.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from walproof.scan.kernels import all_zero, copy, crc32c, helper, kernel, load32, load64

BLOCK = 32768
HEADER = 7
ZERO, FULL, FIRST, MIDDLE, LAST = range(5)

REASONS = (
    "torn-header",
    "torn-payload",
    "torn-record",
    "checksum-mismatch",
    "bad-length",
    "zero-header",
    "zero-gap",
    "unknown-type",
    "orphan-fragment",
    "incomplete-record",
)
(
    TORN_HEADER,
    TORN_PAYLOAD,
    TORN_RECORD,
    CHECKSUM_MISMATCH,
    BAD_LENGTH,
    ZERO_HEADER,
    ZERO_GAP,
    UNKNOWN_TYPE,
    ORPHAN_FRAGMENT,
    INCOMPLETE_RECORD,
) = range(10)

_LOW = np.uint64(0xFFFFFFFF)
_MASK_DELTA = np.uint64(0xA282EAD8)

#: Special offsets: there is none; it lies before this part of the log.
NONE, BEFORE = -2, -1

(
    BASE,  # offset in the log of the first byte in memory
    POSITION,  # offset in memory at which to continue
    OPEN_AT,  # offset of the FIRST of the open record
    OPEN_END,  # the end of its last fragment
    OPEN_LENGTH,  # bytes of its payload so far
    OPEN_COPIED,  # copied bytes of its payload
    SPILLED,  # 1: its first bytes are not in `payload`
    JOINED,  # 1: the first bytes of row 0 are not in `payload`
    ZEROS_FROM,  # start of zeros that may be preallocated space
    TORN_START,
    TORN_END,
    TORN_REASON,
    IN_STEP,
    ROWS,
    LOST,
    PUT,  # bytes in `payload`: those of the rows, then those of the open record
    CUT,  # rows with a truncated payload
    FILLED,  # bytes in memory
) = range(18)
STATE = 18

#: Return values of ``walk``: more bytes are needed; the result arrays are full; the part is over.
USED_UP, FULL_UP, OVER = range(3)

#: State at the end of a block: a record is open; none is; zeros up to the end; same as before the
#: block.
OPENED, CLOSED, ZEROS, UNDECIDED = range(4)


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
def left_behind(data: NDArray[np.uint8], start: Any) -> Any:
    """Return the state at the end of the whole block at ``start``."""
    state = UNDECIDED
    at, end = start, start + BLOCK
    while end - at >= HEADER:
        length = np.int64(data[at + 4]) | np.int64(data[at + 5]) << 8
        type = data[at + 6]
        after = at + HEADER + length
        if after > end:
            return CLOSED
        if type == ZERO and length == 0:
            return ZEROS if all_zero(data, at, end) else CLOSED
        if not checksum_holds(data, at, after):
            return CLOSED
        if type == FIRST:
            state = OPENED
        elif type != MIDDLE:
            state = CLOSED
        at = after
    return state


@kernel
def walk(
    data: NDArray[np.uint8],
    limit: Any,
    cap: Any,
    state: NDArray[np.int64],
    at: NDArray[np.int64],
    size: NDArray[np.int64],
    ends: NDArray[np.int32],
    cut: NDArray[np.uint8],
    payload: NDArray[np.uint8],
    lost: NDArray[np.int64],
) -> Any:
    """Read the records in ``data[POSITION:FILLED]``.

    The range consists of whole blocks, except at the end of the log. The walk leaves records and
    lost ranges that begin at or after ``limit`` to the next part. ``cap`` limits the bytes copied
    of each payload; if ``cap`` is negative, no payload is copied.

    Results are appended to those that ``state`` already counts. Row n describes a record of
    ``size[n]`` bytes at offset ``at[n]``. Its payload is ``payload[ends[n]:ends[n + 1]]``, and
    ``cut[n]`` is set if the payload was truncated. ``lost[n]`` contains the start, the end and the
    reason of a lost range, and the number of rows before it.
    """
    base, here, filled = state[BASE], state[POSITION], state[FILLED]
    open_at, open_end = state[OPEN_AT], state[OPEN_END]
    open_length, open_copied = state[OPEN_LENGTH], state[OPEN_COPIED]
    zeros_from, put = state[ZEROS_FROM], state[PUT]
    rows, gaps, cuts = state[ROWS], state[LOST], state[CUT]
    room, max_rows, max_gaps = len(payload), len(at), lost.shape[0] - 4
    longest = cap if cap >= 0 else BLOCK
    outcome = USED_UP
    while here < filled:
        if rows >= max_rows or gaps >= max_gaps:
            outcome = FULL_UP
            break
        if base + here >= limit and not 0 <= open_at < limit and not 0 <= zeros_from < limit:
            outcome = OVER
            break
        boundary = (here | (BLOCK - 1)) + 1
        end = min(boundary, filled)
        if zeros_from != NONE and here == boundary - BLOCK:
            if all_zero(data, here, end):
                here = end
                continue
            # The zeros were a gap, not preallocated space: the log continues (LDB-027).
            if 0 <= zeros_from < limit:
                lost[gaps, 0], lost[gaps, 1] = zeros_from, base + here
                lost[gaps, 2], lost[gaps, 3] = ZERO_GAP, rows
                gaps += 1
            zeros_from = np.int64(NONE)
            if open_at != NONE:
                if 0 <= open_at < limit:
                    lost[gaps, 0], lost[gaps, 1] = open_at, open_end
                    lost[gaps, 2], lost[gaps, 3] = INCOMPLETE_RECORD, rows
                    gaps += 1
                open_at = np.int64(NONE)
                put, state[SPILLED] = np.int64(ends[rows]), 0
            continue
        if open_at == NONE:
            # Fast path for consecutive valid FULL records.
            while here + 8 <= end:
                header = load64(data, here)
                length = np.int64(header >> np.uint64(32) & np.uint64(0xFFFF))
                after = here + HEADER + length
                if (
                    header >> np.uint64(48) & np.uint64(0xFF) != FULL
                    or after > end
                    or length > longest
                    or rows >= max_rows
                    or (cap >= 0 and put + length > room)
                    or crc32c(np.uint64(0), data, here + 6, after) != unmasked(header & _LOW)
                ):
                    break
                if cap >= 0:
                    copy(payload, put, data, here + HEADER, length)
                    put += length
                at[rows], size[rows], cut[rows] = base + here, HEADER + length, 0
                rows += 1
                ends[rows] = put
                here = after
            if rows >= max_rows or here >= end:
                continue
        if boundary - here < HEADER:  # the trailer (LDB-004, LDB-005)
            here = end
            continue
        if end - here < HEADER:
            if all_zero(data, here, end):
                if zeros_from == NONE:
                    zeros_from = base + here
            else:
                state[TORN_START] = base + here if open_at == NONE else open_at  # LDB-021
                state[TORN_END], state[TORN_REASON] = base + end, TORN_HEADER
                open_at = np.int64(NONE)
            here = end
            continue
        length = np.int64(data[here + 4]) | np.int64(data[here + 5]) << 8
        type = data[here + 6]
        after = here + HEADER + length
        reason = -1
        if after > boundary:
            reason = BAD_LENGTH  # LDB-023, LDB-024
        elif after > end:
            state[TORN_START] = base + here if open_at == NONE else open_at  # LDB-022
            state[TORN_END], state[TORN_REASON] = base + end, TORN_PAYLOAD
            open_at = np.int64(NONE)
            here = end
            continue
        elif type == ZERO and length == 0:
            if all_zero(data, here, end):
                if zeros_from == NONE:
                    zeros_from = base + here  # LDB-025
                here = end
                continue
            reason = ZERO_HEADER  # LDB-026
        elif not checksum_holds(data, here, after):
            reason = CHECKSUM_MISMATCH  # LDB-028
        if reason >= 0:
            # Neither the length nor anything after it in the block can be trusted (LDB-037).
            if base + here < limit:
                lost[gaps, 0], lost[gaps, 1] = base + here, base + end
                lost[gaps, 2], lost[gaps, 3] = reason, rows
                gaps += 1
            if open_at != NONE:
                if 0 <= open_at < limit:
                    lost[gaps, 0], lost[gaps, 1] = open_at, open_end
                    lost[gaps, 2], lost[gaps, 3] = INCOMPLETE_RECORD, rows
                    gaps += 1
                open_at = np.int64(NONE)  # LDB-034
                put, state[SPILLED] = np.int64(ends[rows]), 0
            state[IN_STEP] = 1 if end == boundary else 0  # LDB-039
            here = end
            continue
        if type in (FULL, FIRST):
            if open_at != NONE:
                # An empty FIRST before a FULL or FIRST lost nothing (LDB-033).
                if open_length > 0 and 0 <= open_at < limit:
                    lost[gaps, 0], lost[gaps, 1] = open_at, open_end
                    lost[gaps, 2], lost[gaps, 3] = INCOMPLETE_RECORD, rows  # LDB-032
                    gaps += 1
                put, state[SPILLED] = np.int64(ends[rows]), 0
            open_at, open_length, open_copied = base + here, np.int64(0), np.int64(0)
        elif open_at == NONE:
            if base + here < limit:
                lost[gaps, 0], lost[gaps, 1] = base + here, base + after
                # LDB-031; LDB-029, LDB-030
                orphan = type in (MIDDLE, LAST)
                lost[gaps, 2] = ORPHAN_FRAGMENT if orphan else UNKNOWN_TYPE
                lost[gaps, 3] = rows
                gaps += 1
            here = after
            continue
        elif type != MIDDLE and type != LAST:
            if base + here < limit:
                lost[gaps, 0], lost[gaps, 1] = base + here, base + after
                lost[gaps, 2], lost[gaps, 3] = UNKNOWN_TYPE, rows
                gaps += 1
            if 0 <= open_at < limit:
                lost[gaps, 0], lost[gaps, 1] = open_at, open_end
                lost[gaps, 2], lost[gaps, 3] = INCOMPLETE_RECORD, rows
                gaps += 1
            open_at = np.int64(NONE)
            put, state[SPILLED] = np.int64(ends[rows]), 0
            here = after
            continue
        # A fragment of the open record. A FULL record opens and closes it.
        if 0 <= open_at < limit:
            copied = min(length, cap - open_copied)
            if copied > 0:
                if put + copied > room:
                    if type in (FULL, FIRST):
                        open_at = np.int64(NONE)  # the next call opens it again, with more room
                    outcome = FULL_UP
                    break
                copy(payload, put, data, here + HEADER, copied)
                put += copied
                open_copied += copied
        open_length += length
        open_end = base + after
        if type in (FULL, LAST):
            if 0 <= open_at < limit:
                at[rows], size[rows] = open_at, open_end - open_at  # LDB-009 to LDB-011
                shortened = open_copied < open_length
                cut[rows] = shortened
                cuts += shortened
                if state[SPILLED] == 1:
                    state[SPILLED], state[JOINED] = 0, 1
                rows += 1
                ends[rows] = put
            open_at = np.int64(NONE)
        here = after
    state[POSITION] = here
    state[OPEN_AT], state[OPEN_END] = open_at, open_end
    state[OPEN_LENGTH], state[OPEN_COPIED] = open_length, open_copied
    state[ZEROS_FROM], state[PUT] = zeros_from, put
    state[ROWS], state[LOST], state[CUT] = rows, gaps, cuts
    return outcome
