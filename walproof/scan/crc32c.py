"""CRC-32C in kernels: the processor's instruction where there is one, else slicing-by-8.

``update(crc, data, start, end)`` goes on from ``crc`` (0 at the start) over ``data[start:end]``,
as ``crc32c.crc32c(data[start:end], crc)`` does. The caller sees to it that the range lies in the
array: kernels check no bounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from walproof.scan.ahead import calls
from walproof.scan.compiled import (
    BYTES,
    HAS_NUMBA,
    cgutils,
    has_feature,
    intrinsic,
    ir,
    kernel,
    njit,
    types,
)
from walproof.scan.crc32c_folded import BLOCK, HAS_PRODUCTS, PIECE, folded
from walproof.scan.memory import load32, load64

POLYNOMIAL = 0x82F63B78  # Castagnoli's, bits reversed


def has_instruction() -> bool:
    """Whether code for this processor may use SSE 4.2, also by what numba was told of it."""
    if not HAS_NUMBA:
        return calls.has(__name__, "update")
    return has_feature("crc32")


def _slicing_tables() -> NDArray[np.uint64]:
    """Table k: what a byte does to the checksum, k bytes later."""
    tables = np.zeros((8, 256), np.uint64)
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = crc >> 1 ^ (POLYNOMIAL if crc & 1 else 0)
        tables[0, byte] = crc
    for k in range(1, 8):
        before = tables[k - 1]
        tables[k] = (before >> np.uint64(8)) ^ tables[0][(before & np.uint64(255)).astype(np.int64)]
    return tables


_TABLES = _slicing_tables()


def _zeros_tables(count: int) -> NDArray[np.uint64]:
    """Table k: what byte k of a checksum becomes after ``count`` zeros."""
    powers = np.uint64(1) << np.arange(32, dtype=np.uint64)
    for _ in range(count):
        powers = (powers >> np.uint64(8)) ^ _TABLES[0][(powers & np.uint64(255)).astype(np.int64)]
    tables = np.zeros((4, 256), np.uint64)
    for k in range(4):
        for bit in range(8):
            with_bit = np.arange(256) >> bit & 1 == 1
            tables[k, with_bit] ^= powers[8 * k + bit]
    return tables


@kernel(types.uint64(types.uint64, BYTES, types.int64, types.int64))
def update_portable(crc: Any, data: NDArray[np.uint8], start: int, end: int) -> Any:
    """Slicing-by-8: eight table look-ups for eight bytes, on any processor."""
    low = np.uint64(0xFF)
    crc = crc ^ np.uint64(0xFFFFFFFF)
    while end - start >= 8:
        word = load64(data, start) ^ crc
        crc = (
            _TABLES[7, word & low]
            ^ _TABLES[6, word >> np.uint64(8) & low]
            ^ _TABLES[5, word >> np.uint64(16) & low]
            ^ _TABLES[4, word >> np.uint64(24) & low]
            ^ _TABLES[3, word >> np.uint64(32) & low]
            ^ _TABLES[2, word >> np.uint64(40) & low]
            ^ _TABLES[1, word >> np.uint64(48) & low]
            ^ _TABLES[0, word >> np.uint64(56)]
        )
        start += 8
    while start < end:
        crc = _TABLES[0, (crc ^ np.uint64(data[start])) & low] ^ crc >> np.uint64(8)
        start += 1
    return crc ^ np.uint64(0xFFFFFFFF)


HARDWARE = has_instruction()

if HARDWARE:
    LONG, SHORT = 2048, 256
    """Lengths of the three strands that are computed side by side: the instruction takes three
    cycles, but one can start in each."""
    _LONG, _SHORT = _zeros_tables(LONG), _zeros_tables(SHORT)

    @intrinsic
    def _crc64(typing: Any, crc: Any, word: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            word = ir.IntType(64)
            instruction = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(word, [word, word]), "llvm.x86.sse42.crc32.64.64"
            )
            return builder.call(instruction, arguments)

        return types.uint64(types.uint64, types.uint64), generate

    @intrinsic
    def _crc8(typing: Any, crc: Any, byte: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            half, byte = ir.IntType(32), ir.IntType(8)
            instruction = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(half, [half, byte]), "llvm.x86.sse42.crc32.32.8"
            )
            crc = builder.trunc(arguments[0], half)
            return builder.zext(builder.call(instruction, [crc, arguments[1]]), ir.IntType(64))

        return types.uint64(types.uint64, types.uint8), generate

    @intrinsic
    def _crc32(typing: Any, crc: Any, word: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            half = ir.IntType(32)
            instruction = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(half, [half, half]), "llvm.x86.sse42.crc32.32.32"
            )
            found = builder.call(instruction, [builder.trunc(one, half) for one in arguments])
            return builder.zext(found, ir.IntType(64))

        return types.uint64(types.uint64, types.uint64), generate

    @njit(inline="always")
    def update_short(data: NDArray[np.uint8], start: Any, end: Any) -> Any:
        """The checksum of a few hundred bytes, without the cost of a call."""
        crc = np.uint64(0xFFFFFFFF)
        while end - start >= 8:
            crc = _crc64(crc, load64(data, start))
            start += 8
        if end - start >= 4:
            crc = _crc32(crc, load32(data, start))
            start += 4
        while start < end:
            crc = _crc8(crc, data[start])
            start += 1
        return crc ^ np.uint64(0xFFFFFFFF)

    @kernel(types.uint64(types.uint64, BYTES, types.int64, types.int64))
    def update(crc: Any, data: NDArray[np.uint8], start: int, end: int) -> Any:
        """The processor's own CRC-32C; long ranges by products, or else in three strands."""
        low = np.uint64(0xFF)
        crc = crc ^ np.uint64(0xFFFFFFFF)
        if HAS_PRODUCTS and end - start >= BLOCK:
            blocks, pieces = (end - start) // BLOCK, (end - start) % BLOCK // PIECE
            crc = folded(crc, data, start, blocks, pieces)
            start += blocks * BLOCK + pieces * PIECE
        while end - start >= 3 * LONG:
            second, third = np.uint64(0), np.uint64(0)
            for at in range(start, start + LONG, 8):
                crc = _crc64(crc, load64(data, at))
                second = _crc64(second, load64(data, at + LONG))
                third = _crc64(third, load64(data, at + 2 * LONG))
            for strand in (second, third):
                crc = strand ^ (
                    _LONG[0, crc & low]
                    ^ _LONG[1, crc >> np.uint64(8) & low]
                    ^ _LONG[2, crc >> np.uint64(16) & low]
                    ^ _LONG[3, crc >> np.uint64(24) & low]
                )
            start += 3 * LONG
        while end - start >= 3 * SHORT:
            second, third = np.uint64(0), np.uint64(0)
            for at in range(start, start + SHORT, 8):
                crc = _crc64(crc, load64(data, at))
                second = _crc64(second, load64(data, at + SHORT))
                third = _crc64(third, load64(data, at + 2 * SHORT))
            for strand in (second, third):
                crc = strand ^ (
                    _SHORT[0, crc & low]
                    ^ _SHORT[1, crc >> np.uint64(8) & low]
                    ^ _SHORT[2, crc >> np.uint64(16) & low]
                    ^ _SHORT[3, crc >> np.uint64(24) & low]
                )
            start += 3 * SHORT
        while end - start >= 8:
            crc = _crc64(crc, load64(data, start))
            start += 8
        if end - start >= 4:
            crc = _crc32(crc, load32(data, start))
            start += 4
        while start < end:
            crc = _crc8(crc, data[start])
            start += 1
        return crc ^ np.uint64(0xFFFFFFFF)

else:
    update = update_portable

    @njit(inline="always")
    def update_short(data: NDArray[np.uint8], start: Any, end: Any) -> Any:
        """See above."""
        return update(np.uint64(0), data, start, end)
