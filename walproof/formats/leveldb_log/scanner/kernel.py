"""The compiled kernel that the scanners for LevelDB, RocksDB and Pebble logs use."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from walproof.scanners.kernels import copy, crc32c, helper, kernel, load32, load64

BLOCK = 32768
HEADER, SYNC_HEADER = 7, 19
#: Maximum number of physical records in a block.
MOST_ROWS = BLOCK // HEADER
#: A clean close has this record type (RDB-026).
CLOSE = 5
#: Each fragment type is relative to the type of a FULL record.
FULL, FIRST, MIDDLE, LAST = range(4)

_LOW = np.uint64(0xFFFFFFFF)
_MASK_DELTA = np.uint64(0xA282EAD8)

#: This value represents an unset offset.
NONE = -2

(
    READ,  # Number of bytes that the last call read.
    OPEN_AT,  # Offset of the FIRST fragment of the open record.
    OPEN_END,  # End of the last fragment of the open record.
    OPEN_LENGTH,  # Number of payload bytes that the open record contains so far.
    OPEN_COPIED,  # Number of payload bytes that were copied from the open record.
    ROWS,
    PUT,  # Number of bytes in ``payload``, which contains all rows and then the open record.
    CUT,  # Number of rows that have a truncated payload.
) = range(8)
STATE = 8

#: ``walk`` returns one of these values. In this order, they mean that more bytes are needed, that
#: the result arrays are full, and that the specification must read the block.
USED_UP, FULL_UP, UNUSUAL = range(3)


@helper
def unmasked(stored: Any) -> Any:
    """Return the checksum that a stored, masked checksum stands for (LDB-007)."""
    rotated = (stored - _MASK_DELTA) & _LOW
    return (rotated >> np.uint64(17) | rotated << np.uint64(15)) & _LOW


@helper
def masked(crc: Any) -> Any:
    """Return the masked form of a checksum, which records store (LDB-007)."""
    return ((crc >> np.uint64(15) | crc << np.uint64(17)) + _MASK_DELTA) & _LOW


@kernel
def checksum_holds(data: NDArray[np.uint8], at: Any, end: Any) -> Any:
    """Return whether the record ``[at, end)`` matches its stored checksum (LDB-006)."""
    return crc32c(np.uint64(0), data, at + 6, end) == unmasked(load32(data, at))


@kernel
def walk(
    data: NDArray[np.uint8],
    base: Any,
    header: Any,
    full: Any,
    number: Any,
    cap: Any,
    state: NDArray[np.int64],
    proven: NDArray[np.uint64],
    at: NDArray[np.int64],
    size: NDArray[np.int64],
    synced: NDArray[np.uint64],
    ends: NDArray[np.int32],
    cut: NDArray[np.uint8],
    payload: NDArray[np.uint8],
) -> Any:
    """Read the records in the blocks of ``data``, which begin at offset ``base`` of the log.

    ``header`` is the size of a header, and ``full`` is the type of a FULL record. ``number`` is the
    log number in the headers. ``proven[0]`` is the highest sync offset so far. ``cap`` is the
    maximum number of bytes to copy from a payload. If it is negative, no payloads are copied.

    New rows follow the existing rows, which ``state`` counts. Record n begins at ``at[n]``, is
    ``size[n]`` bytes long and has the sync offset ``synced[n]``. Its payload is
    ``payload[ends[n]:ends[n + 1]]``, and ``cut[n]`` is set if the payload was truncated.
    """
    start, filled = 0, len(data)
    state[READ] = 0
    open_at, open_end = state[OPEN_AT], state[OPEN_END]
    open_length, open_copied = state[OPEN_LENGTH], state[OPEN_COPIED]
    rows, put, cuts = state[ROWS], state[PUT], state[CUT]
    synced_upto = proven[0]
    longest = cap if cap >= 0 else BLOCK
    outcome = USED_UP
    while start < filled:
        if rows + MOST_ROWS > len(at) or (cap >= 0 and put + BLOCK > len(payload)):
            outcome = FULL_UP
            break
        boundary = start + BLOCK
        here, end = start, min(boundary, filled)
        while here < end:
            # This is a fast path for consecutive FULL records.
            while header != SYNC_HEADER and open_at == NONE and here + 8 <= end:
                fields = load64(data, here)
                length = np.int64(fields >> np.uint64(32) & np.uint64(0xFFFF))
                after = here + header + length
                if (
                    fields >> np.uint64(48) & np.uint64(0xFF) != full
                    or after > end
                    or length > longest
                    or (header != HEADER and load32(data, here + 7) != number)
                    or crc32c(np.uint64(0), data, here + 6, after) != unmasked(fields & _LOW)
                ):
                    break
                if cap >= 0:
                    copy(payload, put, data, here + header, length)
                    put += length
                at[rows], size[rows], cut[rows] = base + here, header + length, 0
                rows += 1
                ends[rows] = put
                here = after
            if here >= end:
                break
            # The rest of the block is a trailer (LDB-004), or a clean close in a trailer.
            if boundary - here < header:
                if here + HEADER <= end and data[here + 6] == CLOSE:
                    outcome = UNUSUAL
                break
            if end - here < header:
                outcome = UNUSUAL
                break
            fields = load32(data, here + 3)
            length = np.int64(fields >> np.uint64(8) & np.uint64(0xFFFF))
            fragment = np.int64(fields >> np.uint64(24)) - full
            after = here + header + length
            is_start = fragment in (FULL, FIRST)
            if (
                not FULL <= fragment <= LAST
                or is_start != (open_at == NONE)
                or after > end
                or (header > HEADER and load32(data, here + 7) != number)
                or not checksum_holds(data, here, after)
            ):
                outcome = UNUSUAL
                break
            if is_start:
                open_at, open_length, open_copied = base + here, np.int64(0), np.int64(0)
                if header == SYNC_HEADER:
                    synced[rows] = load64(data, here + 11)
            if header == SYNC_HEADER:
                synced_upto = max(synced_upto, load64(data, here + 11))
            copied = min(length, cap - open_copied)
            if copied > 0:
                copy(payload, put, data, here + header, copied)
                put += copied
                open_copied += copied
            open_length += length
            open_end = base + after
            if fragment in (FULL, LAST):
                at[rows], size[rows] = open_at, open_end - open_at
                is_cut = cap >= 0 and open_copied < open_length
                cut[rows] = is_cut
                cuts += is_cut
                rows += 1
                ends[rows] = put
                open_at = np.int64(NONE)
            here = after
        if outcome == UNUSUAL:
            break
        start = end
        state[READ] = start
        state[OPEN_AT], state[OPEN_END] = open_at, open_end
        state[OPEN_LENGTH], state[OPEN_COPIED] = open_length, open_copied
        state[ROWS], state[PUT], state[CUT] = rows, put, cuts
        proven[0] = synced_upto
    return outcome
