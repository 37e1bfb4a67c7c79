"""CRC-32C of any range of an array, each in the same short time: for searches at every offset.

The checksums of all prefixes are computed once. That of a range follows from those of two prefixes,
since a checksum is linear: what the bytes before the range did to it is what so many zeros make of
their checksum (zlib's ``crc32_combine``). So a search costs the same however often, and however
far, its candidates overlap.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from walproof.scan import crc32c
from walproof.scan.compiled import BYTES, U32, helper, kernel, types
from walproof.scan.memory import load64

LONGEST = 1 << 15
"""Ranges are shorter than this, in bytes."""
_LOW = np.uint64(0xFF)
_T = crc32c._TABLES
_BYTE = _T[0].astype(np.uint32)
_FF, _ALL = np.uint32(0xFF), np.uint32(0xFFFFFFFF)
_8, _16, _24 = np.uint32(8), np.uint32(16), np.uint32(24)


def _after_zeros() -> NDArray[np.uint64]:
    """Table [level, k, byte, value]: what a byte of it becomes after k * 32**level zeros."""
    tables = np.zeros((3, 32, 4, 256), np.uint64)
    powers = np.uint64(1) << np.arange(32, dtype=np.uint64)
    for level in range(3):
        unit = crc32c._zeros_tables(32**level)
        basis = powers
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
    return tables


_ZEROS = _after_zeros().astype(np.uint32)

if crc32c.HARDWARE:
    _eight = crc32c._crc64
else:

    @helper()
    def _eight(crc: Any, word: Any) -> Any:
        word = word ^ crc
        return (
            _T[7, word & _LOW]
            ^ _T[6, word >> np.uint64(8) & _LOW]
            ^ _T[5, word >> np.uint64(16) & _LOW]
            ^ _T[4, word >> np.uint64(24) & _LOW]
            ^ _T[3, word >> np.uint64(32) & _LOW]
            ^ _T[2, word >> np.uint64(40) & _LOW]
            ^ _T[1, word >> np.uint64(48) & _LOW]
            ^ _T[0, word >> np.uint64(56)]
        )


@kernel(types.void(BYTES, types.int64, U32))
def prefixes(data: Any, size: Any, into: Any) -> None:
    """``into[k]`` becomes the checksum of ``data[:8 * k]``, for all k up to ``size // 8``.

    ``into`` has room for ``size // 8 + 1`` numbers.
    """
    crc = np.uint64(0xFFFFFFFF)
    into[0] = np.uint32(0)
    for k in range(size // 8):
        crc = _eight(crc, load64(data, k * 8))
        into[k + 1] = np.uint32(crc ^ np.uint64(0xFFFFFFFF))


@helper()
def _prefix(data: Any, of_eight: Any, end: Any) -> Any:
    crc = of_eight[end >> 3] ^ _ALL
    for at in range(end & ~7, end):
        crc = _BYTE[(crc ^ np.uint32(data[at])) & _FF] ^ (crc >> _8)
    return crc ^ _ALL


@helper()
def of_range(data: Any, of_eight: Any, start: Any, end: Any) -> Any:
    """The checksum of ``data[start:end]``, shorter than :data:`LONGEST`; see :func:`prefixes`."""
    crc = _prefix(data, of_eight, start)
    length = end - start
    for level in range(3):
        k = length >> (5 * level) & 31
        if k:
            crc = (
                _ZEROS[level, k, 0, crc & _FF]
                ^ _ZEROS[level, k, 1, (crc >> _8) & _FF]
                ^ _ZEROS[level, k, 2, (crc >> _16) & _FF]
                ^ _ZEROS[level, k, 3, crc >> _24]
            )
    return crc ^ _prefix(data, of_eight, end)
