"""Search for LevelDB physical records at any offset.

CRCs are linear: the checksum of a range follows from the checksums of two prefixes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference_impl.leveldb_log.layout import BLOCK_SIZE, HEADER_SIZE
from walproof.scan.kernels import (
    TABLE,
    crc_of_word,
    helper,
    kernel,
    load32,
    load64,
    tables_after_zeros,
    trailing_zeros,
)

#: Number of five-bit digits into which the length of a range is split.
LEVELS = 3
assert BLOCK_SIZE <= 1 << 5 * LEVELS
_LOW = np.uint64(0xFF)
_BYTE = TABLE.astype(np.uint32)
_FF, _ALL = np.uint32(0xFF), np.uint32(0xFFFFFFFF)
_8, _16, _24 = np.uint32(8), np.uint32(16), np.uint32(24)
_ONES, _HIGHS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)


def _after_zeros() -> NDArray[np.uint32]:
    """Return a table that extends a checksum by zeros.

    ``[level, k, byte, value]`` is the part of the checksum after ``k * 32**level`` zeros that
    follows from one byte of the checksum before the zeros.
    """
    tables = np.zeros((LEVELS, 32, 4, 256), np.uint64)
    bits = np.uint64(1) << np.arange(32, dtype=np.uint64)
    for level in range(LEVELS):
        unit = tables_after_zeros(32**level)
        basis = bits
        for k in range(32):
            for byte in range(4):
                for bit in range(8):
                    with_bit = np.arange(256) >> bit & 1 == 1
                    tables[level, k, byte, with_bit] ^= basis[8 * byte + bit]
            parts = [
                unit[byte][(basis >> np.uint64(8 * byte) & _LOW).astype(np.int64)]
                for byte in range(4)
            ]
            basis = parts[0] ^ parts[1] ^ parts[2] ^ parts[3]
    return tables.astype(np.uint32)


_ZEROS = _after_zeros()


@kernel
def prefixes(data: Any, size: Any, into: Any) -> None:
    """Store the checksum of ``data[:8 * k]`` in ``into[k]``, for all k up to ``size // 8``."""
    crc = np.uint64(0xFFFFFFFF)
    into[0] = np.uint32(0)
    for k in range(size // 8):
        crc = crc_of_word(crc, load64(data, k * 8))
        into[k + 1] = np.uint32(crc ^ np.uint64(0xFFFFFFFF))


@helper
def _prefix(data: Any, of_eight: Any, end: Any) -> Any:
    crc = of_eight[end >> 3] ^ _ALL
    for at in range(end & ~7, end):
        crc = _BYTE[(crc ^ np.uint32(data[at])) & _FF] ^ (crc >> _8)
    return crc ^ _ALL


@helper
def _of_range(data: Any, of_eight: Any, start: Any, end: Any) -> Any:
    """Return the checksum of ``data[start:end]``, which must be shorter than a block.

    ``of_eight`` is the result of :func:`prefixes`.
    """
    crc = _prefix(data, of_eight, start)
    length = end - start
    for level in range(LEVELS):
        k = length >> (5 * level) & 31
        if k:
            crc = (
                _ZEROS[level, k, 0, crc & _FF]
                ^ _ZEROS[level, k, 1, (crc >> _8) & _FF]
                ^ _ZEROS[level, k, 2, (crc >> _16) & _FF]
                ^ _ZEROS[level, k, 3, crc >> _24]
            )
    return crc ^ _prefix(data, of_eight, end)


@kernel
def physical_records(
    data: Any,
    start: Any,
    stop: Any,
    size: Any,
    of_eight: Any,
    header_sizes: Any,
    above: Any,
    at: Any,
    end: Any,
    kind: Any,
) -> Any:
    """Find physical records that begin in ``[start, stop)`` and end at or before ``size``.

    The records have valid checksums and do not overlap. ``of_eight`` is the result of
    :func:`prefixes` for ``data[:size]``. ``data`` must have at least 16 bytes after ``size``.
    Records with a type of ``above`` or more are reliably found only directly after another record.

    Returns the number of records and the offset at which to continue. This offset is less than
    ``stop`` if the three result arrays are full.
    """
    count, i = 0, start
    after = np.int64(-1)
    limits = np.uint64(above) * _ONES
    last = min(stop, size - HEADER_SIZE + 1)
    while i < last:
        # Skip eight types at a time if none is below the limit, as in most data.
        while i != after and i + 8 <= last:
            types_here = load64(data, i + 6)
            children = (types_here - limits) & ~types_here & _HIGHS
            if children != 0:
                i += np.int64(trailing_zeros(children)) >> 3  # only the lowest set bit is reliable
                break
            i += 8
        header = np.int64(header_sizes[data[i + 6]]) if i < last else np.int64(0)
        if header == 0:
            i += 1
            continue
        length = header + (np.int64(data[i + 4]) | np.int64(data[i + 5]) << 8)
        if length > BLOCK_SIZE or i + length > size:
            i += 1
            continue
        crc = _of_range(data, of_eight, i + 6, i + length)
        masked = ((crc >> np.uint32(15)) | (crc << np.uint32(17))) + np.uint32(0xA282EAD8)
        if np.uint32(masked) != np.uint32(load32(data, i)):
            i += 1
            continue
        if count == at.shape[0]:
            return count, i
        after = i + length
        at[count], end[count], kind[count] = i, after, data[i + 6]
        count += 1
        i = after
    return count, max(i, stop)
