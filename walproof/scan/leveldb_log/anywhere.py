"""Physical records at any offset of any bytes: for a search that knows no start of a log."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.cpython.unsafe.numbers import trailing_zeros

from reference_impl.leveldb_log.layout import BLOCK_SIZE, FULL, HEADER_SIZE, LAST
from walproof.scan.compiled import BYTES, I64, U8, U32, kernel, types
from walproof.scan.crc32c_ranges import of_range
from walproof.scan.memory import load32, load64

_FIVES, _HIGHS = np.uint64(0x0505050505050505), np.uint64(0x8080808080808080)


@kernel(
    types.UniTuple(types.int64, 2)(BYTES, types.int64, types.int64, types.int64, U32, I64, I64, U8)
)
def physical_records(
    data: Any, start: Any, stop: Any, size: Any, of_eight: Any, at: Any, end: Any, kind: Any
) -> Any:
    """Find records that begin in ``[start, stop)`` and end by ``size``, none inside another.

    Only those whose checksum holds. ``of_eight`` is what ``crc32c_ranges.prefixes`` gives for
    ``data[:size]``; ``stop`` is at most ``size``, after which the array has 16 bytes more. Returns
    how many there are, and where to go on: before ``stop`` if ``at``, ``end`` and ``kind`` are
    full.
    """
    found, i = 0, start
    last = min(stop, size - HEADER_SIZE + 1)
    while i < last:
        # Eight types at a time, of which none is below 5: most bytes of most data.
        while i + 8 <= last:
            types_here = load64(data, i + 6)
            below = (types_here - _FIVES) & ~types_here & _HIGHS
            if below != 0:
                i += np.int64(trailing_zeros(below)) >> 3  # the first one is always right
                break
            i += 8
        # An unsigned difference: one comparison for both bounds.
        if i >= last or np.uint8(data[i + 6] - np.uint8(FULL)) > np.uint8(LAST - FULL):
            i += 1
            continue
        length = np.int64(data[i + 4]) | np.int64(data[i + 5]) << 8
        after = i + HEADER_SIZE + length
        if length + HEADER_SIZE > BLOCK_SIZE or after > size:
            i += 1
            continue
        crc = of_range(data, of_eight, i + 6, after)
        masked = ((crc >> np.uint32(15)) | (crc << np.uint32(17))) + np.uint32(0xA282EAD8)
        if np.uint32(masked) != np.uint32(load32(data, i)):
            i += 1
            continue
        if found == at.shape[0]:
            return found, i
        at[found], end[found], kind[found] = i, after, data[i + 6]
        found += 1
        i = after
    return found, max(i, stop)
