"""What the kernels are made of: unaligned loads and stores, bit counts, copies.

numba checks no bounds: each caller says why what it asks for lies within the array.
"""

# Kernels take numba's own types; their signatures are checked by numba, not by mypy.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from walproof.scan.compiled import kept

FILE = types.Array(types.uint8, 1, "C", readonly=True)
U8, U16, I32, I64, U64 = (
    types.Array(one, 1, "C")
    for one in (types.uint8, types.uint16, types.int32, types.int64, types.uint64)
)
I64_2D = types.Array(types.int64, 2, "C")

FAR = 1 << 60
"""Stands for every offset or count from there on: far behind the end of any file, and so small that
a few of them can be added."""


def helper(signature: Any = None) -> Any:
    """For functions that kernels call. With a signature it is compiled once for all of them."""
    if signature is None:
        return njit(nogil=True, error_model="numpy")
    return kept(signature, error_model="numpy")


def kernel(signature: Any) -> Any:
    """For functions that Python calls: compiled for these types, and kept on the disk."""
    return kept(signature, error_model="numpy")


def _pointer(context: Any, builder: Any, array_type: Any, place: Any, to: Any) -> Any:
    """A place in an array, ``place``, as a pointer to a type."""
    array, at = place
    data = context.make_array(array_type)(context, builder, array).data
    raw = builder.bitcast(data, ir.IntType(8).as_pointer())
    return builder.bitcast(builder.gep(raw, [at]), to.as_pointer())


# To mypy an intrinsic has the typing context among its arguments.
_intrinsic: Any = intrinsic


def _load(bits: int) -> Any:
    @_intrinsic
    def load(typing_context, array, at):
        number = ir.IntType(bits)

        def codegen(context, builder, signature, arguments):
            place = _pointer(context, builder, signature.args[0], arguments, number)
            found = builder.load(place, align=1)
            return found if bits == 64 else builder.zext(found, ir.IntType(64))

        return types.uint64(array, types.int64), codegen

    return load


load64 = _load(64)
"""``load64(array, at)``: eight bytes, little-endian, as uint64."""
load32 = _load(32)
"""``load32(array, at)``: four bytes, little-endian, as uint64."""


@_intrinsic
def store64(typing_context, array, at, value):
    """``store64(array, at, value)``: eight bytes, little-endian, from uint64."""

    def codegen(context, builder, signature, arguments):
        place = _pointer(context, builder, signature.args[0], arguments[:2], ir.IntType(64))
        builder.store(arguments[2], place, align=1)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.uint64), codegen


@_intrinsic
def popcount(typing_context, value):
    """``popcount(value)``: how many bits of a uint64 are set."""

    def codegen(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), codegen


@_intrinsic
def trailing_zeros(typing_context, value):
    """``trailing_zeros(value)``: the place of the lowest set bit of a uint64 that is not 0."""

    def codegen(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), codegen


@_intrinsic
def _copy(typing_context, into, to, source, at, length):
    def codegen(context, builder, signature, arguments):
        byte = ir.IntType(8)
        target = _pointer(context, builder, signature.args[0], arguments[:2], byte)
        origin = _pointer(context, builder, signature.args[2], arguments[2:4], byte)
        cgutils.raw_memcpy(builder, target, origin, arguments[4], 1)
        return context.get_dummy_value()

    return types.void(into, types.int64, source, types.int64, types.int64), codegen


@helper()
def copy(into, to, source, at, length):
    """Copy bytes between arrays that do not overlap.

    May write up to seven bytes behind the copied ones: ``into`` has room for them, and they are
    written later or belong to nobody.
    """
    if length > 64 or at + length + 8 > source.shape[0]:
        _copy(into, to, source, at, length)
        return
    done = 0
    while done < length:
        store64(into, to + done, load64(source, at + done))
        done += 8


@helper()
def near(number):
    """An offset or count as int64; :data:`FAR` when it is that or more."""
    return types.int64(number) if number < types.uint64(FAR) else types.int64(FAR)


@helper()
def offset_at(data, at):
    """The offset or count stored at a place."""
    return near(load64(data, at))


@helper()
def same(one, one_at, other, other_at, length):
    """Whether two runs of bytes are equal."""
    done = 0
    while done + 8 <= length:
        if load64(one, one_at + done) != load64(other, other_at + done):
            return False
        done += 8
    while done < length:
        if one[one_at + done] != other[other_at + done]:
            return False
        done += 1
    return True
