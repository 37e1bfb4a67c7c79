"""How kernels are compiled: ahead of the first call, and kept on disk where that is possible.

Kernels take from here what they need of numba. Where there is none they are those of the library
(:mod:`walproof.scan.ahead`): the same names, nothing that compiles.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from walproof.scan import ahead
from walproof.scan.ahead import calls
from walproof.scan.stored import cache

__all__ = [
    "BYTES", "HAS_NUMBA", "I8", "I32", "I64", "I64_2D", "U8", "U16", "U32", "U64", "boolean",
    "cgutils", "config", "has_feature", "helper", "int64", "intrinsic", "ir", "kernel", "llvm",
    "njit", "types", "uint32", "uint64",
]  # fmt: skip

HAS_NUMBA = ahead.kernels() == ahead.NUMBA
if TYPE_CHECKING or HAS_NUMBA:
    import llvmlite.binding as llvm
    from llvmlite import ir
    from numba import config, njit, types
    from numba.core import cgutils
    from numba.extending import intrinsic
else:
    from walproof.scan.ahead.absent import cgutils, config, intrinsic, ir, llvm, njit, types

boolean, int64, uint32, uint64 = types.boolean, types.int64, types.uint32, types.uint64
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


def has_feature(name: str) -> bool:
    """Whether code for this processor may use a feature of x86-64, by LLVM's name for it.

    Numba may have been told of another processor. Only where numba is: the library is compiled.
    """
    if platform.machine() not in ("x86_64", "AMD64"):
        return False
    told = config.CPU_NAME, config.CPU_FEATURES
    if any(told) and f"+{name}" not in (told[1] or "").split(","):
        return False
    return bool(llvm.get_host_cpu_features().get(name))


def helper(signature: Any = None, makes_arrays: bool = False) -> Callable[[Any], Any]:
    """For functions that kernels call. With a signature it is compiled once for all of them."""
    if signature is None:
        return njit(nogil=True, error_model="numpy")  # type: ignore[no-any-return]
    return kernel(signature, makes_arrays)


def kernel(signature: Any, makes_arrays: bool = False) -> Callable[[Any], Any]:
    """Compile a module-level function for exactly these types: ``int64(BYTES, int64)``.

    The machine code is kept on disk, apart for each state of the sources: numba alone would not
    notice that a kernel of another file, which this one calls, has changed. Where no folder can be
    written, each process compiles anew. Kernels check no bounds: each caller says why what it asks
    for lies within the array.

    numba counts who holds an array wherever one is passed or named anew, with an instruction that
    locks memory. Only a kernel that ``makes_arrays`` has to; another that makes one does not
    compile.
    """
    return _by_numba(signature, makes_arrays) if HAS_NUMBA else _of_the_library(signature)


AHEAD: list[Any] | None = None
"""Where a list, kernels are compiled for the library, and put here."""


def _of_the_library(signature: Any) -> Callable[[Any], Any]:
    return lambda function: calls.called(function, signature)


def _by_numba(signature: Any, makes_arrays: bool) -> Callable[[Any], Any]:
    options = {"nogil": True, "error_model": "numpy", "_nrt": makes_arrays}

    def compile(function: Any) -> Any:
        if AHEAD is not None:
            wrappers = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
            AHEAD.append(njit(signature, **options, **wrappers)(function))
            return AHEAD[-1]
        before, config.CACHE_DIR = config.CACHE_DIR, str(cache())
        try:
            return njit(signature, cache=True, **options)(function)
        except (RuntimeError, OSError):  # numba finds no folder for its cache
            return njit(signature, **options)(function)
        finally:
            config.CACHE_DIR = before

    return compile
