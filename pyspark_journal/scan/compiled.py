"""How kernels are compiled: ahead of the first call, and kept on disk where that is possible."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

BYTES = types.Array(types.uint8, 1, "C", readonly=True)
"""Bytes to read: what ``np.frombuffer`` gives for ``bytes``; a writable array fits as well."""
ROOM = types.Array(types.uint8, 1, "C")
"""Bytes to write."""
NUMBERS = types.Array(types.int64, 1, "C")
OFFSETS = types.Array(types.int32, 1, "C")


def kernel(*signature: Any) -> Callable[[Any], Any]:
    """Compile a module-level function for exactly these types, result first.

    The machine code is kept beside the source or in the user's cache folder, under the name of the
    processor; where neither can be written, each process compiles anew. A kept kernel is renewed
    when its own file changes, not when a kernel of another file that it calls does: touch it then.
    """
    result, *arguments = signature

    def compile(function: Any) -> Any:
        try:
            return njit(result(*arguments), cache=True, nogil=True)(function)
        except RuntimeError:  # numba finds no folder for its cache
            return njit(result(*arguments), nogil=True)(function)

    return compile


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


def _load(data: Any, bits: int) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature.args[0], arguments[0], arguments[1])
        loaded = builder.load(builder.bitcast(place, ir.IntType(bits).as_pointer()))
        loaded.align = 1
        return builder.zext(loaded, ir.IntType(64)) if bits < 64 else loaded

    return types.uint64(data, types.intp), generate


def _place(context: Any, builder: Any, type: Any, array: Any, at: Any) -> Any:
    return builder.gep(context.make_array(type)(context, builder, array).data, [at])
