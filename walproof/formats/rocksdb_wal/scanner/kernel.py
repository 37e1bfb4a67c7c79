"""Compiled kernels of the RocksDB scanner. Requirement ids refer to spec/rocksdb-wal.md.

``walk`` reads blocks that contain only valid fragments of one log, and stops at any other block.
``survey`` reads all blocks in the same way as the executable specification. Both read whole blocks,
except at the end of the log.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from walproof.formats.leveldb_log.scanner.kernel import BLOCK, NONE, checksum_holds, unmasked
from walproof.scan.kernels import copy, crc32c, helper, kernel, load32, load64

LEGACY_HEADER, RECYCLABLE_HEADER, SYNC_HEADER = 7, 11, 19
#: Most physical records of a block.
MOST_ROWS = BLOCK // LEGACY_HEADER
#: Type of a clean close (RDB-026).
CLOSE = 5
#: The fragments, as distances from the type of a FULL.
FULL, FIRST, MIDDLE, LAST = range(4)

(
    READ,  # bytes read by the last call: whole blocks, except at the end of the log
    OPEN_AT,  # offset of the FIRST of the open record
    OPEN_END,  # the end of its last fragment
    OPEN_LENGTH,  # bytes of its payload so far
    OPEN_COPIED,  # copied bytes of its payload
    ROWS,
    PUT,  # bytes in `payload`: those of the rows, then those of the open record
    CUT,  # rows with a truncated payload
) = range(8)
STATE = 8

#: Return values of ``walk``: more bytes are needed; the result arrays are full; the specification
#: must read the block.
USED_UP, FULL_UP, UNUSUAL = range(3)

#: Items of ``found``: the number of the log or ``UNKNOWN``, the proven offset, and the start of the
#: last block that begins with a record of another log or ``UNKNOWN``.
NUMBER, PROVEN, LAST_OTHER = range(3)
UNKNOWN = np.uint64((1 << 64) - 1)


@helper
def _header_size(kind: Any, is_sync: bool) -> Any:
    """Return the size of the header of a type (RDB-006)."""
    if is_sync and 9 <= kind <= 12:
        return SYNC_HEADER
    if 5 <= kind <= 8 or kind == 11 or kind == 131:
        return RECYCLABLE_HEADER
    return LEGACY_HEADER


@kernel
def survey(data: NDArray[np.uint8], base: Any, header: Any, found: NDArray[np.uint64]) -> None:
    """Update ``found`` by blocks that are at ``base`` in the log.

    ``header`` is the size of the headers of the log's dialect (RDB-013 to RDB-017).
    """
    for start in range(0, len(data), BLOCK):
        here, end = start, min(start + BLOCK, len(data))
        while here + LEGACY_HEADER <= end:
            length = np.int64(data[here + 4]) | np.int64(data[here + 5]) << 8
            size = _header_size(data[here + 6], True)
            after = here + size + length
            if after > end or not checksum_holds(data, here, after):
                other_size = _header_size(data[here + 6], False)
                after = here + other_size + length
                if other_size == size or after > end or not checksum_holds(data, here, after):
                    break
                size = other_size
            if size > LEGACY_HEADER:
                number = load32(data, here + 7)
                if found[NUMBER] == UNKNOWN:
                    found[NUMBER] = number
                if number != found[NUMBER]:
                    if here == start:
                        found[LAST_OTHER] = np.uint64(base + start)
                elif size == header:
                    if size == SYNC_HEADER:
                        found[PROVEN] = max(found[PROVEN], load64(data, here + 11))
                    elif here == start:
                        found[PROVEN] = np.uint64(base + start)
            here = after


@kernel
def walk(
    data: NDArray[np.uint8],
    base: Any,
    header: Any,
    full: Any,
    number: Any,
    cap: Any,
    state: NDArray[np.int64],
    found: NDArray[np.uint64],
    at: NDArray[np.int64],
    size: NDArray[np.int64],
    synced: NDArray[np.uint64],
    ends: NDArray[np.int32],
    cut: NDArray[np.uint8],
    payload: NDArray[np.uint8],
) -> Any:
    """Read the records of blocks that are at ``base`` in the log.

    ``header`` is the size of the headers, ``full`` the type of a FULL, and ``number`` the number of
    the log if its headers have one. ``cap`` limits the bytes copied of a payload; a negative
    ``cap`` copies none.

    Results are appended after those that ``state`` already counts. Row n begins at ``at[n]``, is
    ``size[n]`` bytes long and has the sync offset ``synced[n]``. Its payload is
    ``payload[ends[n]:ends[n + 1]]``, and ``cut[n]`` is set if the payload was truncated. Nothing of
    the block at which the kernel stops remains in the results.
    """
    start, filled = 0, len(data)
    state[READ] = 0
    open_at, open_end = state[OPEN_AT], state[OPEN_END]
    open_length, open_copied = state[OPEN_LENGTH], state[OPEN_COPIED]
    rows, put, cuts = state[ROWS], state[PUT], state[CUT]
    proven = found[PROVEN]
    longest = cap if cap >= 0 else BLOCK
    outcome = USED_UP
    while start < filled:
        if rows + MOST_ROWS > len(at) or (cap >= 0 and put + BLOCK > len(payload)):
            outcome = FULL_UP
            break
        boundary = start + BLOCK
        here, end = start, min(boundary, filled)
        while here < end:
            if open_at == NONE:
                # Fast path for consecutive valid FULL records.
                while end - here >= header:
                    fields = load32(data, here + 3)
                    length = np.int64(fields >> np.uint64(8) & np.uint64(0xFFFF))
                    after = here + header + length
                    checksum = unmasked(load32(data, here))
                    if (
                        np.int64(fields >> np.uint64(24)) != full
                        or after > end
                        or length > longest
                        or (header > LEGACY_HEADER and load32(data, here + 7) != number)
                        or crc32c(np.uint64(0), data, here + 6, after) != checksum
                    ):
                        break
                    if header == SYNC_HEADER:
                        synced[rows] = load64(data, here + 11)
                        proven = max(proven, synced[rows])
                    if cap >= 0:
                        copy(payload, put, data, here + header, length)
                        put += length
                    at[rows], size[rows], cut[rows] = base + here, header + length, 0
                    rows += 1
                    ends[rows] = put
                    here = after
                if here >= end:
                    break
            if boundary - here < header:  # the trailer (RDB-004), or a clean close in it
                if here + LEGACY_HEADER <= end and data[here + 6] == CLOSE:
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
                or (header > LEGACY_HEADER and load32(data, here + 7) != number)
                or not checksum_holds(data, here, after)
            ):
                outcome = UNUSUAL
                break
            if is_start:
                open_at, open_length, open_copied = base + here, np.int64(0), np.int64(0)
                if header == SYNC_HEADER:
                    synced[rows] = load64(data, here + 11)
            if header == SYNC_HEADER:
                proven = max(proven, load64(data, here + 11))
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
        found[PROVEN] = proven
    return outcome
