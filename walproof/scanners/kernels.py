"""Functions that all kernels share, for compiling, loading numbers from bytes, and CRC-32C.

Kernels do not check bounds, so callers must make sure that all bytes are inside the array. Indices
are unsigned: numba then omits the check for negative numbers, and LLVM can merge eight loads of one
byte.

If a kernel uses other modules, numba does not notice when they change. Delete ``__pycache__`` after
such a change.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numba
import numpy as np
import pyarrow as pa
from llvmlite import ir
from numba import uint64
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from conformance import __version__
from reference_impl.paths import IS_INSTALLED, cache
from walproof.scanners.arrays import binary, pooled

#: Reversed polynomial of CRC-32C.
CASTAGNOLI = 0x82F63B78
_DIGITS = np.array([f"{number:02x}" for number in range(256)], "S2").view(np.uint16)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function on its first call, and cache the machine code if possible."""
    configured = numba.config.CACHE_DIR
    if IS_INSTALLED and not configured:
        numba.config.CACHE_DIR = str(cache() / f"kernels-{__version__}")
    try:
        return numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    # numba cannot write to a cache folder.
    except RuntimeError:
        return numba.njit(nogil=True, error_model="numpy")(function)
    finally:
        numba.config.CACHE_DIR = configured


def helper(function: Callable[..., Any]) -> Any:
    """Return a function that is compiled as part of each kernel that calls it."""
    return numba.njit(nogil=True, error_model="numpy")(function)


@helper
def load32(data: Any, at: Any) -> Any:
    """Return four bytes as a little-endian number, in a uint64."""
    i = uint64(at)
    return (
        uint64(data[i])
        | uint64(data[i + uint64(1)]) << uint64(8)
        | uint64(data[i + uint64(2)]) << uint64(16)
        | uint64(data[i + uint64(3)]) << uint64(24)
    )


@helper
def load64(data: Any, at: Any) -> Any:
    """Return eight bytes as a little-endian number, in a uint64."""
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


@kernel
def write_hex(data: Any, pairs: Any) -> None:
    """Write each byte of ``data`` as two hexadecimal digits."""
    for i in range(len(data)):
        pairs[i] = _DIGITS[data[i]]


def hexadecimal(rows: NDArray[Any]) -> pa.Array:
    """Return each row of a two-dimensional array as hexadecimal text."""
    data = np.ascontiguousarray(rows).view(np.uint8).reshape(-1)
    pairs = pooled(len(data), np.uint16)
    write_hex(data, pairs)
    ends = np.linspace(0, 2 * len(data), len(rows) + 1, dtype=np.int32)
    return binary(ends, pairs, pa.string())


def _table() -> NDArray[np.uint64]:
    table = np.arange(256, dtype=np.uint64)
    for _ in range(8):
        table = (table >> np.uint64(1)) ^ (table & np.uint64(1)) * np.uint64(CASTAGNOLI)
    return table


TABLE = _table()
_LOW = np.uint64(0xFF)
_ONES = np.uint64(0xFFFFFFFF)


def _has_instruction() -> bool:
    """Return whether numba compiles for a CPU with SSE 4.2."""
    return numba.config.CPU_NAME is None and bool(llvm.get_host_cpu_features().get("crc32"))


HAS_INSTRUCTION = _has_instruction()


@helper
def _crc_of_word_by_table(crc: Any, word: Any) -> Any:
    crc ^= word
    for _ in range(8):
        crc = TABLE[crc & _LOW] ^ crc >> uint64(8)
    return crc


@helper
def _crc_of_byte_by_table(crc: Any, byte: Any) -> Any:
    return TABLE[(crc ^ uint64(byte)) & _LOW] ^ crc >> uint64(8)


def _instruction(of_crc: int, of_data: int) -> Any:
    """Return a helper that executes the CRC32 instruction for registers of these widths."""

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
    _crc_of_word, _crc_of_byte = _instruction(64, 64), _instruction(32, 8)
else:
    _crc_of_word, _crc_of_byte = _crc_of_word_by_table, _crc_of_byte_by_table


@helper
def crc32c(crc: Any, data: Any, start: Any, end: Any) -> Any:
    """Return ``crc`` updated with ``data[start:end]``. The initial value is 0, as a uint64."""
    crc = uint64(crc) ^ _ONES
    while end - start >= 8:
        crc = _crc_of_word(crc, load64(data, start))
        start += 8
    while start < end:
        crc = _crc_of_byte(crc, uint64(data[start]))
        start += 1
    return crc ^ _ONES
