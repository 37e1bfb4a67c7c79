"""How kernels are compiled: ahead of the first call, and kept on disk where that is possible."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import config, njit, types

from walproof.scan.stored import cache

BYTES = types.Array(types.uint8, 1, "C", readonly=True)
"""Bytes to read: what ``np.frombuffer`` gives for ``bytes``; a writable array fits as well."""
U8, U16, U32, U64, I8, I32, I64 = (
    types.Array(one, 1, "C")
    for one in (
        types.uint8,
        types.uint16,
        types.uint32,
        types.uint64,
        types.int8,
        types.int32,
        types.int64,
    )
)
"""Arrays to write."""
I64_2D = types.Array(types.int64, 2, "C")


def helper(signature: Any = None) -> Callable[[Any], Any]:
    """For functions that kernels call. With a signature it is compiled once for all of them."""
    if signature is None:
        return njit(nogil=True, error_model="numpy")  # type: ignore[no-any-return]
    return kernel(signature)


def kernel(signature: Any) -> Callable[[Any], Any]:
    """Compile a module-level function for exactly these types: ``int64(BYTES, int64)``.

    The machine code is kept on disk, apart for each state of the sources: numba alone would not
    notice that a kernel of another file, which this one calls, has changed. Where no folder can be
    written, each process compiles anew. numba checks no bounds: each caller says why what it asks
    for lies within the array.
    """
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}

    def compile(function: Any) -> Any:
        before, config.CACHE_DIR = config.CACHE_DIR, str(cache())
        try:
            return njit(signature, cache=True, **options)(function)
        except (RuntimeError, OSError):  # numba finds no folder for its cache
            return njit(signature, **options)(function)
        finally:
            config.CACHE_DIR = before

    return compile
