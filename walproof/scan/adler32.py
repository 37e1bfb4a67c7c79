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


class _Block:
    """What LLVM is told of a block of bytes: its vectors, and what is called for it."""

    def __init__(self, builder: Any) -> None:
        assert _USED is not None
        _, self.width, *names = _USED
        self.builder, width = builder, self.width
        self.half, self.word = ir.IntType(32), ir.IntType(64)
        self.bytes = ir.VectorType(ir.IntType(8), width)
        self.shorts = ir.VectorType(ir.IntType(16), width // 2)
        self.halves = ir.VectorType(self.half, width // 4)
        words = ir.VectorType(self.word, width // 8)
        kinds = (
            (words, self.bytes, self.bytes),
            (self.shorts, self.bytes, self.bytes),
            (self.halves, self.shorts, self.shorts),
        )
        self.differences, self.products, self.pairs = (
            self._function(f"x86.{name}", *kind) for name, kind in zip(names, kinds, strict=True)
        )
        self._add = self._function(f"vector.reduce.add.v{width // 4}i32", self.half, self.halves)

    def _function(self, name: str, returned: Any, *takes: Any) -> Any:
        kind = ir.FunctionType(returned, takes)
        return cgutils.get_or_insert_function(self.builder.module, kind, f"llvm.{name}")

    def loaded(self, place: Any) -> Any:
        found = self.builder.load(self.builder.bitcast(place, self.bytes.as_pointer()))
        found.align = 1
        return found

    def sums(self, block: Any) -> tuple[Any, Any]:
        """Of each four bytes: their sum, and that of each times its weight, the first's most."""
        nothing = ir.Constant(self.bytes, [0] * self.width)
        weights = ir.Constant(self.bytes, [self.width - i for i in range(self.width)])
        ones = ir.Constant(self.shorts, [1] * (self.width // 2))
        summed = self.builder.call(self.differences, [block, nothing])
        in_twos = self.builder.call(self.products, [block, weights])
        in_fours = self.builder.call(self.pairs, [in_twos, ones])
        return self.builder.bitcast(summed, self.halves), in_fours

    def total(self, lanes: Any) -> Any:
        return self.builder.call(self._add, [lanes])


def _first(context: Any, builder: Any, kind: Any, array: Any, at: Any) -> Any:
    return builder.gep(context.make_array(kind)(context, builder, array).data, [at])


@intrinsic
def _sums(typing: Any, data: Any, at: Any, blocks: Any) -> Any:
    """Of so many blocks from an offset on: the sum of the bytes, and that of each byte times how
    many bytes there are from it to the end. At most :data:`STRIDE` bytes, which are in the array.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        block = _Block(builder)
        array, start, count = arguments
        zero = ir.Constant(block.halves, [0] * (block.width // 4))
        plain, within, before = (
            cgutils.alloca_once_value(builder, zero, name=name)
            for name in ("plain", "within", "before")
        )
        first = _first(context, builder, signature.args[0], array, start)
        width = ir.Constant(block.word, block.width)
        with cgutils.for_range(builder, count) as loop:
            place = builder.gep(first, [builder.mul(loop.index, width)])
            summed, weighed = block.sums(block.loaded(place))
            so_far = builder.load(plain)
            builder.store(builder.add(builder.load(before), so_far), before)
            builder.store(builder.add(so_far, summed), plain)
            builder.store(builder.add(builder.load(within), weighed), within)
        in_all = block.total(builder.load(plain))
        of_blocks = builder.mul(block.total(builder.load(before)), builder.trunc(width, block.half))
        weighted = builder.add(block.total(builder.load(within)), of_blocks)
        return context.make_tuple(builder, signature.return_type, [in_all, weighted])

    return types.UniTuple(types.uint32, 2)(data, types.int64, types.int64), generate


@intrinsic
def _sums_of_few(typing: Any, data: Any, at: Any, count: Any) -> Any:
    """The same of fewer bytes than a block has, as if zeros were the rest of it. The array has a
    block there.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        block = _Block(builder)
        array, start, count = arguments
        numbers = ir.Constant(block.bytes, list(range(block.width)))
        empty = ir.Constant(block.bytes, ir.Undefined)
        nothing = ir.Constant(block.bytes, [0] * block.width)
        lane = ir.Constant(block.half, 0)
        limit = builder.insert_element(empty, builder.trunc(count, ir.IntType(8)), lane)
        order = ir.Constant(ir.VectorType(block.half, block.width), [0] * block.width)
        is_asked = builder.icmp_unsigned("<", numbers, builder.shuffle_vector(limit, empty, order))
        there = block.loaded(_first(context, builder, signature.args[0], array, start))
        summed, weighed = block.sums(builder.select(is_asked, there, nothing))
        found = [block.total(summed), block.total(weighed)]
        return context.make_tuple(builder, signature.return_type, found)

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
        elif BLOCK > 1 and start + BLOCK <= data.shape[0]:
            plain, weighted = _sums_of_few(data, start, length)
            weighted = np.uint32(weighted - plain * np.uint32(BLOCK - length))
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
