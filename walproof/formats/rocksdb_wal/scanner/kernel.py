"""The compiled kernel of the RocksDB scanner. Requirement ids refer to spec/rocksdb-wal.md."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from walproof.formats.leveldb_log.scanner.kernel import BLOCK, NONE, checksum_holds
from walproof.scan.kernels import copy, kernel, load32, load64

LEGACY_HEADER, SYNC_HEADER = 7, 19
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
    """Read the records of blocks that are at ``base`` in the log.

    ``header`` is the size of a header, and ``full`` is the type of a FULL record. ``number`` is the
    log number in the headers. ``proven[0]`` is the highest sync offset so far. ``cap`` is the
    largest number of bytes copied for a payload. A negative ``cap`` copies no payloads.

    New rows follow the rows that ``state`` counts. Row n begins at ``at[n]``, is ``size[n]`` bytes
    long and has the sync offset ``synced[n]``. Its payload is ``payload[ends[n]:ends[n + 1]]``, and
    ``cut[n]`` is set if the payload was truncated.
    """
    start, filled = 0, len(data)
    state[READ] = 0
    open_at, open_end = state[OPEN_AT], state[OPEN_END]
    open_length, open_copied = state[OPEN_LENGTH], state[OPEN_COPIED]
    rows, put, cuts = state[ROWS], state[PUT], state[CUT]
    synced_upto = proven[0]
    outcome = USED_UP
    while start < filled:
        if rows + MOST_ROWS > len(at) or (cap >= 0 and put + BLOCK > len(payload)):
            outcome = FULL_UP
            break
        boundary = start + BLOCK
        here, end = start, min(boundary, filled)
        while here < end:
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
