"""What the modules of kernels import of numba, where there is none: nothing is compiled by it.

Raises :class:`~walproof.scan.ahead.NoSuchKernels` on import where there is no library either.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from walproof.scan.ahead import LIBRARY, NoSuchKernels, kernels
from walproof.scan.ahead import signatures as types

__all__ = ["cgutils", "config", "intrinsic", "ir", "llvm", "njit", "types"]

if kernels() != LIBRARY:
    raise NoSuchKernels("kernels need numba, or a library of them")

cgutils = config = ir = llvm = None
"""They make code inside of functions that nobody calls."""


def njit(*signature: Any, **options: Any) -> Callable[[Any], Any]:
    """The function is part of kernels in the library."""
    return lambda function: function


def intrinsic(function: Any) -> Any:
    """The same."""
    return function
