"""The search for fixed bytes of all formats in one pass."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from walproof.scan.compiled import BYTES, I64, U8, U64, kernel
from walproof.scan.memory import load64, trailing_zeros

_BLOCK = 64


@intrinsic
def _pairs(typing: Any, data: Any, one_at: Any, one: Any, other_at: Any, other: Any) -> Any:
    """Bit k of a uint64: whether ``data[one_at + k] == one`` and ``data[other_at + k] == other``.

    Nobody checks that the 64 bytes from each place on lie in the array.
    """
    wide = ir.VectorType(ir.IntType(8), _BLOCK)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, one_at, one, other_at, other = arguments
        memory = context.make_array(signature.args[0])(context, builder, array).data

        def equal(at: Any, byte: Any) -> Any:
            place = builder.bitcast(builder.gep(memory, [at]), wide.as_pointer())
            loaded = builder.load(place, align=1)
            undefined = ir.Constant(wide, ir.Undefined)
            single = builder.insert_element(undefined, byte, ir.Constant(cgutils.int32_t, 0))
            zeros = ir.Constant(ir.VectorType(cgutils.int32_t, _BLOCK), [0] * _BLOCK)
            every = builder.shuffle_vector(single, undefined, zeros)
            return builder.icmp_unsigned("==", loaded, every)

        both = builder.and_(equal(one_at, one), equal(other_at, other))
        return builder.bitcast(both, ir.IntType(64))

    return types.uint64(data, types.intp, types.uint8, types.intp, types.uint8), generate


@kernel(
    types.UniTuple(types.int64, 2)(
        BYTES,
        types.int64,
        types.int64,
        types.int64,
        I64,
        U8,
        U64,
        U64,
        I64,
        I64,
        U8,
        I64,
        I64,
    )
)
def matches(
    data: Any,
    go_on: Any,
    stop: Any,
    size: Any,
    places: Any,
    letters: Any,
    masks: Any,
    values: Any,
    first: Any,
    peeks: Any,
    among: Any,
    at: Any,
    which: Any,
) -> Any:
    """Find patterns that begin in ``[go_on, stop)``; 80 bytes after ``stop`` lie in the array.

    Pattern ``p`` has the words ``values[2 * p]`` and ``values[2 * p + 1]`` under its masks, and of
    these the bytes ``letters[2 * p]`` and ``letters[2 * p + 1]`` at ``places`` after its start. If
    ``[first[p], first[p + 1])`` is not empty, one of the bytes at ``peeks`` after its start and
    before ``size`` is one for which ``among[256 * p + byte]`` is not 0. Returns how many patterns
    there are, and where to go on: ``stop`` when it is through, less when there may be no more room
    in ``at`` and ``which``.
    """
    found = 0
    count = first.shape[0] - 1
    i = go_on
    while i < stop:
        if found + _BLOCK * count > at.shape[0]:
            return found, i
        for p in range(count):
            here = _pairs(
                data,
                i + places[2 * p],
                letters[2 * p],
                i + places[2 * p + 1],
                letters[2 * p + 1],
            )
            while here != 0:
                begin = i + np.int64(trailing_zeros(here))
                here &= here - np.uint64(1)
                if begin >= stop:
                    break
                if (
                    load64(data, begin) & masks[2 * p] != values[2 * p]
                    or load64(data, begin + 8) & masks[2 * p + 1] != values[2 * p + 1]
                ):
                    continue
                is_one = first[p] == first[p + 1]
                for number in range(first[p], first[p + 1]):
                    place = begin + peeks[number]
                    if place < size and among[256 * p + data[place]] != 0:
                        is_one = True
                        break
                if is_one:
                    at[found], which[found] = begin, p
                    found += 1
        i += _BLOCK
    return found, stop
