"""Adler-32 (RFC 1950) inside kernels: blocks of bytes by the processor's sums and products."""

from __future__ import annotations

from typing import Any

import numpy as np

from walproof.scan.compiled import (
    BYTES,
    HAS_NUMBA,
    cgutils,
    has_feature,
    intrinsic,
    ir,
    kernel,
    types,
)

MODULUS = np.uint64(65521)
STRIDE = 5552  # the longest run whose weighted sum of bytes stays below 2^32

_WIDE = (
    # Feature of the processor, bytes in a block, and what LLVM calls: sums of absolute differences,
    # products of unsigned with signed bytes summed in twos, products of such sums in twos.
    ("avx512bw", 64, "avx512.psad.bw.512", "avx512.pmaddubs.w.512", "avx512.pmaddw.d.512"),
    ("avx2", 32, "avx2.psad.bw", "avx2.pmadd.ub.sw", "avx2.pmadd.wd"),
    ("ssse3", 16, "sse2.psad.bw", "ssse3.pmadd.ub.sw.128", "sse2.pmadd.wd"),
)
_USED = next((one for one in _WIDE if has_feature(one[0])), None) if HAS_NUMBA else None
BLOCK = _USED[1] if _USED else 1


@intrinsic
def _sums(typing: Any, data: Any, at: Any, blocks: Any) -> Any:
    """Of so many blocks from an offset on: the sum of the bytes, and that of each byte times how
    many bytes there are from it to the end. At most :data:`STRIDE` bytes, which are in the array.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        assert _USED is not None
        _, width, *names = _USED
        array, start, count = arguments
        byte, short, half, word = (ir.IntType(bits) for bits in (8, 16, 32, 64))
        bytes_, shorts = ir.VectorType(byte, width), ir.VectorType(short, width // 2)
        halves, words = ir.VectorType(half, width // 4), ir.VectorType(word, width // 8)
        kinds = ((words, bytes_, bytes_), (shorts, bytes_, bytes_), (halves, shorts, shorts))
        sad, products, pairs = (
            cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(returned, takes), f"llvm.x86.{name}"
            )
            for name, (returned, *takes) in zip(names, kinds, strict=True)
        )
        weights = ir.Constant(bytes_, [width - i for i in range(width)])
        ones, nothing = ir.Constant(shorts, [1] * (width // 2)), ir.Constant(bytes_, [0] * width)
        zero = ir.Constant(halves, [0] * (width // 4))
        plain, within, before = (
            cgutils.alloca_once_value(builder, zero, name=name)
            for name in ("plain", "within", "before")
        )
        first = builder.gep(
            context.make_array(signature.args[0])(context, builder, array).data, [start]
        )
        with cgutils.for_range(builder, count) as loop:
            place = builder.gep(first, [builder.mul(loop.index, ir.Constant(word, width))])
            block = builder.load(builder.bitcast(place, bytes_.as_pointer()))
            block.align = 1
            so_far = builder.load(plain)
            builder.store(builder.add(builder.load(before), so_far), before)
            summed = builder.bitcast(builder.call(sad, [block, nothing]), halves)
            builder.store(builder.add(so_far, summed), plain)
            in_twos = builder.call(products, [block, weights])
            in_fours = builder.call(pairs, [in_twos, ones])
            builder.store(builder.add(builder.load(within), in_fours), within)

        def total(vector: Any) -> Any:
            lanes = builder.load(vector)
            found = builder.extract_element(lanes, ir.Constant(half, 0))
            for lane in range(1, width // 4):
                found = builder.add(found, builder.extract_element(lanes, ir.Constant(half, lane)))
            return found

        weighted = builder.add(total(within), builder.mul(total(before), ir.Constant(half, width)))
        return context.make_tuple(builder, signature.return_type, [total(plain), weighted])

    return types.UniTuple(types.uint32, 2)(data, types.int64, types.int64), generate


@kernel(types.uint32(BYTES, types.int64, types.int64, types.uint32))
def adler32(data: Any, start: Any, end: Any, value: Any) -> Any:
    """The sum of ``data[start:end]``, going on from ``value``; that of nothing is 1.

    The range lies within the array: that is for the caller to see to.
    """
    low = np.uint64(value & 0xFFFF)
    high = np.uint64(value >> 16)
    while start < end:
        length = min(end - start, STRIDE)
        if BLOCK > 1 and length >= BLOCK:
            length -= length % BLOCK
            plain, weighted = _sums(data, start, length // BLOCK)
        else:
            run = data[start : start + length]
            plain = np.uint32(0)
            weighted = np.uint32(0)
            for i in range(length):
                byte = np.uint32(run[i])
                plain = np.uint32(plain + byte)
                weighted = np.uint32(weighted + byte * np.uint32(length - i))
        high = (high + np.uint64(length) * low + np.uint64(weighted)) % MODULUS
        low = (low + np.uint64(plain)) % MODULUS
        start += length
    return np.uint32(high << np.uint64(16) | low)
