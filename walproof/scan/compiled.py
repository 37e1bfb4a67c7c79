"""How kernels are compiled: ahead of the first call, and kept on disk where that is possible."""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from llvmlite import ir
from numba import config, njit, types
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

    The machine code is kept on disk, apart for each state of the sources: numba alone would not
    notice that a kernel of another file, which this one calls, has changed. Where no folder can be
    written, each process compiles anew.
    """
    result, *arguments = signature
    return kept(result(*arguments))


def kept(signature: Any, **options: Any) -> Callable[[Any], Any]:
    """The same for a signature of numba's, with more of ``njit``'s options."""

    def compile(function: Any) -> Any:
        before, config.CACHE_DIR = config.CACHE_DIR, str(_cache())
        try:
            return njit(signature, cache=True, nogil=True, **options)(function)
        except (RuntimeError, OSError):  # numba finds no folder for its cache
            return njit(signature, nogil=True, **options)(function)
        finally:
            config.CACHE_DIR = before

    return compile


@functools.cache
def _cache() -> Path:
    """The folder for kernels of these very sources; it need not exist, nor be writable."""
    here = Path(__file__).parent
    digest = hashlib.sha256()
    for path in sorted(here.rglob("*.py")):
        digest.update(path.read_bytes())
    if config.CACHE_DIR:
        base = Path(config.CACHE_DIR)
    elif os.access(here, os.W_OK):
        base = here / "__pycache__"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "walproof"
    return base / f"kernels-{digest.hexdigest()[:16]}"


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


def _load(data: Any, bits: int) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature.args[0], arguments[0], arguments[1])
        loaded = builder.load(builder.bitcast(place, ir.IntType(bits).as_pointer()))
        loaded.align = 1
        return builder.zext(loaded, ir.IntType(64)) if bits < 64 else loaded

    return types.uint64(data, types.intp), generate


def _place(context: Any, builder: Any, type: Any, array: Any, at: Any) -> Any:
    return builder.gep(context.make_array(type)(context, builder, array).data, [at])
