"""Functions shared by the kernels of all formats: compilation, numbers in bytes, CRC-32C.

Kernels do not check bounds: each caller must ensure that the bytes are inside the array. If an
index is unsigned, numba does not check whether it is negative, and LLVM can merge loads of
eight bytes.

numba does not notice changes to other modules that a kernel uses. Delete ``__pycache__`` after
such a change.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numba
import numpy as np
from llvmlite import ir
from numba import uint64
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from conformance import __version__
from reference_impl.paths import IS_INSTALLED, cache

#: Reversed polynomial of CRC-32C.
CASTAGNOLI = 0x82F63B78
#: Length of each of the three strands in which long ranges are processed in parallel: the
#: processor's CRC instruction takes three cycles, but a new instruction can start in each cycle.
STRAND_BYTES = 256


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function at its first call, and cache the machine code if possible."""
    configured = numba.config.CACHE_DIR
    if IS_INSTALLED and not configured:
        numba.config.CACHE_DIR = str(cache() / f"kernels-{__version__}")
    try:
        return numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:  # numba has no writable cache folder
        return numba.njit(nogil=True, error_model="numpy")(function)
    finally:
        numba.config.CACHE_DIR = configured


def helper(function: Callable[..., Any]) -> Any:
    """Compile a function that only kernels call, as a part of each kernel."""
    return numba.njit(nogil=True, error_model="numpy")(function)


@helper
def load32(data: Any, at: Any) -> Any:
    """Return four bytes as a little-endian number, a uint64."""
    i = uint64(at)
    return (
        uint64(data[i])
        | uint64(data[i + uint64(1)]) << uint64(8)
        | uint64(data[i + uint64(2)]) << uint64(16)
        | uint64(data[i + uint64(3)]) << uint64(24)
    )


@helper
def load64(data: Any, at: Any) -> Any:
    """Return eight bytes as a little-endian number, a uint64."""
    return load32(data, at) | load32(data, at + 4) << uint64(32)


@helper
def copy(to: Any, to_at: Any, data: Any, at: Any, count: Any) -> None:
    """Copy bytes between arrays that do not overlap."""
    to_at, at = uint64(to_at), uint64(at)
    for i in range(uint64(max(count, 0))):
        to[to_at + i] = data[at + i]


@helper
def same(data: Any, at: Any, other: Any, other_at: Any, length: Any) -> bool:
    """Return whether two ranges of bytes are equal."""
    done = 0
    while done + 8 <= length:
        if load64(data, at + done) != load64(other, other_at + done):
            return False
        done += 8
    while done < length:
        if data[at + done] != other[other_at + done]:
            return False
        done += 1
    return True


@helper
def trailing_zeros(value: Any) -> Any:
    """Return the index of the lowest set bit of a uint64 that is not 0."""
    count = 0
    while value & uint64(1) == 0:
        value >>= uint64(1)
        count += 1
    return count


def _table() -> NDArray[np.uint64]:
    table = np.arange(256, dtype=np.uint64)
    for _ in range(8):
        table = (table >> np.uint64(1)) ^ (table & np.uint64(1)) * np.uint64(CASTAGNOLI)
    return table


TABLE = _table()


def tables_after_zeros(count: int) -> NDArray[np.uint64]:
    """Return tables: table k maps byte k of a checksum to its effect after ``count`` zeros."""
    powers = np.uint64(1) << np.arange(32, dtype=np.uint64)
    for _ in range(count):
        powers = (powers >> np.uint64(8)) ^ TABLE[(powers & np.uint64(255)).astype(np.int64)]
    tables = np.zeros((4, 256), np.uint64)
    for k in range(4):
        for bit in range(8):
            with_bit = np.arange(256) >> bit & 1 == 1
            tables[k, with_bit] ^= powers[8 * k + bit]
    return tables


_STRAND = tables_after_zeros(STRAND_BYTES)
_LOW = np.uint64(0xFF)
_ONES = np.uint64(0xFFFFFFFF)


def _has_instruction() -> bool:
    """Return whether numba compiles for a processor with SSE 4.2."""
    return numba.config.CPU_NAME is None and bool(llvm.get_host_cpu_features().get("crc32"))


HAS_INSTRUCTION = _has_instruction()


@helper
def crc_of_word_by_table(crc: Any, word: Any) -> Any:
    """Update an inverted checksum by eight bytes, on any processor."""
    crc ^= word
    for _ in range(8):
        crc = TABLE[crc & _LOW] ^ crc >> uint64(8)
    return crc


@helper
def crc_of_byte_by_table(crc: Any, byte: Any) -> Any:
    """Update an inverted checksum by one byte, on any processor."""
    return TABLE[(crc ^ uint64(byte)) & _LOW] ^ crc >> uint64(8)


def _instruction(of_crc: int, of_data: int) -> Any:
    """Return the instruction CRC32 for registers of these widths, as a helper."""

    @intrinsic
    def call(typing: Any, crc: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            types = [ir.IntType(of_crc), ir.IntType(of_data)]
            name = f"llvm.x86.sse42.crc32.{of_crc}.{of_data}"
            function = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(types[0], types), name
            )
            operands = [
                builder.trunc(value, to) if to.width < 64 else value
                for value, to in zip(arguments, types, strict=True)
            ]
            result = builder.call(function, operands)
            return builder.zext(result, ir.IntType(64)) if of_crc < 64 else result

        return uint64(uint64, uint64), generate

    return call


if HAS_INSTRUCTION:
    crc_of_word, crc_of_byte = _instruction(64, 64), _instruction(32, 8)
else:
    crc_of_word, crc_of_byte = crc_of_word_by_table, crc_of_byte_by_table


@helper
def after_strand(crc: Any) -> Any:
    """Return a checksum after ``STRAND_BYTES`` zeros."""
    return (
        _STRAND[0, crc & _LOW]
        ^ _STRAND[1, crc >> uint64(8) & _LOW]
        ^ _STRAND[2, crc >> uint64(16) & _LOW]
        ^ _STRAND[3, crc >> uint64(24) & _LOW]
    )


@helper
def crc32c(crc: Any, data: Any, start: Any, end: Any) -> Any:
    """Update ``crc``, a uint64 that is initially 0, by ``data[start:end]``."""
    crc = uint64(crc) ^ _ONES
    while end - start >= 3 * STRAND_BYTES:
        second, third = uint64(0), uint64(0)
        for at in range(start, start + STRAND_BYTES, 8):
            crc = crc_of_word(crc, load64(data, at))
            second = crc_of_word(second, load64(data, at + STRAND_BYTES))
            third = crc_of_word(third, load64(data, at + 2 * STRAND_BYTES))
        crc = after_strand(after_strand(crc) ^ second) ^ third
        start += 3 * STRAND_BYTES
    while end - start >= 8:
        crc = crc_of_word(crc, load64(data, start))
        start += 8
    while start < end:
        crc = crc_of_byte(crc, uint64(data[start]))
        start += 1
    return crc ^ _ONES
