"""What kernels do with bytes in memory: unaligned loads and stores, bit counts, copies.

numba checks no bounds: each caller says why what it asks for lies within the array.
"""

from __future__ import annotations

from typing import Any

from walproof.scan.compiled import cgutils, helper, intrinsic, ir, types


@intrinsic
def load32(typing: Any, data: Any, at: Any) -> Any:
    """Four bytes as a little-endian number. Nobody checks that they lie in the array."""
    return _load(data, 32)


@intrinsic
def load64(typing: Any, data: Any, at: Any) -> Any:
    """Eight bytes as a little-endian number. Nobody checks that they lie in the array."""
    return _load(data, 64)


@intrinsic
def copy(typing: Any, to: Any, to_at: Any, data: Any, at: Any, count: Any) -> Any:
    """``count`` bytes from one array into another. Nobody checks that they lie in the arrays."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        into, into_at, source, source_at, length = arguments
        cgutils.raw_memcpy(
            builder,
            _place(context, builder, signature.args[0], into, into_at),
            _place(context, builder, signature.args[2], source, source_at),
            length,
            1,
        )
        return context.get_dummy_value()

    return types.void(to, types.intp, data, types.intp, types.intp), generate


@intrinsic
def copy32(typing: Any, to: Any, to_at: Any, data: Any, at: Any) -> Any:
    """32 bytes from one array into another. Nobody checks that they lie in the arrays."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        into, into_at, source, source_at = arguments
        wide = ir.VectorType(ir.IntType(8), 32).as_pointer()
        place = _place(context, builder, signature.args[2], source, source_at)
        loaded = builder.load(builder.bitcast(place, wide))
        loaded.align = 1
        place = _place(context, builder, signature.args[0], into, into_at)
        builder.store(loaded, builder.bitcast(place, wide)).align = 1
        return context.get_dummy_value()

    return types.void(to, types.intp, data, types.intp), generate


@helper()
def copy_wide(to: Any, to_at: Any, data: Any, at: Any, count: Any) -> None:
    """The same as ``copy``, and quicker for some hundred bytes, between arrays that do not overlap.

    May write up to 31 bytes after the copied ones: ``to`` has room for them, and they are written
    later or belong to nobody.
    """
    if count > 512 or at + count + 31 > data.shape[0]:
        copy(to, to_at, data, at, count)
        return
    for done in range(0, count, 32):
        copy32(to, to_at + done, data, at + done)


@intrinsic
def store64(typing: Any, data: Any, at: Any, value: Any) -> Any:
    """Eight bytes, little-endian, from a uint64. Nobody checks that they lie in the array."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature.args[0], arguments[0], arguments[1])
        wide = builder.bitcast(place, ir.IntType(64).as_pointer())
        builder.store(arguments[2], wide).align = 1
        return context.get_dummy_value()

    return types.void(data, types.intp, types.uint64), generate


@intrinsic
def prefetch(typing: Any, address: Any) -> Any:
    """Fetch the line at an address. Any address will do, mapped or not: this never faults."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        half, place = ir.IntType(32), ir.IntType(8).as_pointer()
        takes = ir.FunctionType(ir.VoidType(), [place, half, half, half])
        fetch = builder.module.declare_intrinsic("llvm.prefetch", [place], takes)
        to_read, second_cache, data = (ir.Constant(half, one) for one in (0, 2, 1))
        address = builder.inttoptr(arguments[0], place)
        builder.call(fetch, [address, to_read, second_cache, data])
        return context.get_dummy_value()

    return types.void(address), generate


@intrinsic
def popcount(typing: Any, value: Any) -> Any:
    """How many bits of a uint64 are set."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


@intrinsic
def trailing_zeros(typing: Any, value: Any) -> Any:
    """The place of the lowest set bit of a uint64 that is not 0."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


@helper()
def same(one: Any, one_at: Any, other: Any, other_at: Any, length: Any) -> bool:
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


def _load(data: Any, bits: int) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature.args[0], arguments[0], arguments[1])
        loaded = builder.load(builder.bitcast(place, ir.IntType(bits).as_pointer()))
        loaded.align = 1
        return builder.zext(loaded, ir.IntType(64)) if bits < 64 else loaded

    return types.uint64(data, types.intp), generate


def _place(context: Any, builder: Any, type: Any, array: Any, at: Any) -> Any:
    return builder.gep(context.make_array(type)(context, builder, array).data, [at])
