"""Physical records at any offset of any bytes, with instructions of x86-64.

What :mod:`walproof.scan.leveldb_log.anywhere` finds, several times as fast: 64 bytes at a time are
asked for what may be a type and a length, and the checksum of a range costs one carry-less product.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from reference_impl.leveldb_log.layout import BLOCK_SIZE, FULL, HEADER_SIZE, LAST
from walproof.scan import crc32c
from walproof.scan.compiled import BYTES, I64, U8, U32, kernel
from walproof.scan.memory import load32, load64, trailing_zeros

AT_ONCE = 64
_LONGEST = BLOCK_SIZE - HEADER_SIZE + 1
"""Bytes that a checksum covers at most: the type and the data."""


def has_instructions() -> bool:
    """Whether code for this processor may use CRC32 and PCLMULQDQ, also by what numba was told."""
    told = numba.config.CPU_NAME, numba.config.CPU_FEATURES
    if any(told) and "+pclmul" not in (told[1] or "").split(","):
        return False
    return crc32c.HARDWARE and bool(llvm.get_host_cpu_features().get("pclmul"))


def _after_zeros() -> NDArray[np.uint64]:
    """Number n: what the checksum before n bytes is multiplied by to get the one after n zeros.

    That is x**(8 * n - 33), bits reversed. The product of two reversed numbers comes out one bit
    short, and the instruction for a checksum multiplies by x**32; so 33 are taken away.
    """
    power = 1 << 31
    for _ in range(33):
        is_odd = power >> 31
        power = (power ^ crc32c.POLYNOMIAL) << 1 | 1 if is_odd else power << 1
    table = [int(entry) for entry in crc32c._TABLES[0]]
    powers = []
    for _ in range(_LONGEST + 1):
        powers.append(power)
        power = power >> 8 ^ table[power & 0xFF]
    return np.array(powers, np.uint64)


_AFTER_ZEROS = _after_zeros()
_ALL = np.uint64(0xFFFFFFFF)

HAS_INSTRUCTIONS = has_instructions()

if HAS_INSTRUCTIONS:

    @intrinsic
    def _product(typing: Any, one: Any, other: Any) -> Any:
        """The low 64 bits of a product without carries."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            word, byte = ir.IntType(64), ir.IntType(8)
            pair = ir.VectorType(word, 2)
            zero = ir.Constant(cgutils.int32_t, 0)
            instruction = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(pair, [pair, pair, byte]), "llvm.x86.pclmulqdq"
            )
            empty = ir.Constant(pair, [0, 0])
            pairs = [builder.insert_element(empty, one, zero) for one in arguments]
            found = builder.call(instruction, [*pairs, ir.Constant(byte, 0)])
            return builder.extract_element(found, zero)

        return types.uint64(types.uint64, types.uint64), generate

    @intrinsic
    def _may_begin(typing: Any, data: Any, at: Any) -> Any:
        """Bit k of a uint64: whether a type may be at ``at + k``, and before it a length.

        Types are 1 to 4, lengths below 2**15. Nobody checks that the bytes lie in the array.
        """
        wide = ir.VectorType(ir.IntType(8), AT_ONCE)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array, at = arguments
            memory = context.make_array(signature.args[0])(context, builder, array).data

            def loaded(at: Any) -> Any:
                place = builder.bitcast(builder.gep(memory, [at]), wide.as_pointer())
                return builder.load(place, align=1)

            def every(number: int) -> Any:
                return ir.Constant(wide, [number] * AT_ONCE)

            # An unsigned difference: one comparison for both bounds.
            above = builder.sub(loaded(at), every(FULL))
            is_type = builder.icmp_unsigned("<=", above, every(LAST - FULL))
            length = loaded(builder.sub(at, ir.Constant(at.type, 1)))
            is_length = builder.icmp_signed(">=", length, every(0))
            return builder.bitcast(builder.and_(is_type, is_length), ir.IntType(64))

        return types.uint64(data, types.intp), generate

    @numba.njit(inline="always")
    def _prefix(data: Any, of_eight: Any, end: Any) -> Any:
        """The checksum of ``data[:end]``; eight bytes from ``end`` on are in the array, too."""
        crc = np.uint64(of_eight[end >> 3]) ^ _ALL
        bits = np.uint64(8 * (end & 7))
        # Zeros before them do nothing to a checksum that is zero: so the rest comes last in a word.
        word = (load64(data, end & ~7) ^ crc) << (np.uint64(56) - bits) << np.uint64(8)
        return crc32c._crc64(np.uint64(0), word) ^ (crc >> bits) ^ _ALL

    @kernel(
        types.UniTuple(types.int64, 2)(
            BYTES, types.int64, types.int64, types.int64, U32, I64, I64, U8
        )
    )
    def physical_records(
        data: Any, start: Any, stop: Any, size: Any, of_eight: Any, at: Any, end: Any, kind: Any
    ) -> Any:
        """As that of :mod:`walproof.scan.leveldb_log.anywhere`.

        After ``data[:size]`` the array has 64 bytes more.
        """
        found, i = 0, start
        last = min(stop, size - HEADER_SIZE + 1)
        while i < last:
            here = _may_begin(data, i + 6)
            after = i + AT_ONCE
            while here != 0:
                begin = i + np.int64(trailing_zeros(here))
                here &= here - np.uint64(1)
                if begin >= last:
                    break
                covered = 1 + (np.int64(data[begin + 4]) | np.int64(data[begin + 5]) << 8)
                stops = begin + 6 + covered
                if covered > _LONGEST or stops > size:
                    continue
                before = _prefix(data, of_eight, begin + 6)
                shifted = crc32c._crc64(np.uint64(0), _product(before, _AFTER_ZEROS[covered]))
                crc = np.uint32(shifted ^ _prefix(data, of_eight, stops))
                masked = ((crc >> np.uint32(15)) | (crc << np.uint32(17))) + np.uint32(0xA282EAD8)
                if np.uint32(masked) != np.uint32(load32(data, begin)):
                    continue
                if found == at.shape[0]:
                    return found, begin
                at[found], end[found], kind[found] = begin, stops, data[begin + 6]
                found += 1
                after = stops
                break
            i = after
        return found, stop
