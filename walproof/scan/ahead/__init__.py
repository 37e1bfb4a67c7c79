"""Kernels compiled ahead of time: one shared library that needs no numba, and no Python to load it.

numba is not to be had everywhere: it has no wheels for musl, and a new Python waits months for it.
``python -m walproof.scan.ahead.build`` compiles the same kernels, by numba, for any processor of
the architecture, into a library that a wheel can carry and ``ctypes`` calls. So there is one source
of the kernels, and what reads without numba is as fast as what reads with it.

The name of the library tells the state of the sources that it was made from: one of another state
is never loaded.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import platform
import sys
from collections.abc import Callable
from pathlib import Path

from reference_impl.places import BUILD

NUMBA, LIBRARY, NONE = "numba", "library", "none"
VARIABLE = "WALPROOF_KERNELS"
"""The variable of the environment that chooses one of these three; unset, the first to be had."""
SCANNERS = Path(__file__).parents[1]
BESIDE = Path(__file__).parent / "libraries"
"""Where a wheel has its library."""


class NoSuchKernels(ModuleNotFoundError):
    """Neither numba nor a library is here, or not what the variable names."""


@functools.cache
def digest() -> str:
    """The state of the sources of all kernels, 16 hexadecimal digits."""
    found = hashlib.sha256()
    for path in [*sorted(SCANNERS.rglob("*.py")), Path(__file__).with_name("runtime.c")]:
        found.update(path.read_bytes())
    return found.hexdigest()[:16]


def name() -> str:
    """The name of the library for this machine and these sources."""
    return f"kernels-{digest()}-{sys.platform}-{platform.machine().lower()}.so"


@functools.cache
def library() -> Path | None:
    """The library for this machine and these sources, where there is one."""
    return next((one for at in (BESIDE, BUILD / "kernels") if (one := at / name()).exists()), None)


def kernels() -> str:
    """Which kernels read here: those of :data:`NUMBA`, of the :data:`LIBRARY`, or :data:`NONE`.

    Raises :class:`NoSuchKernels` when the environment asks for some that are not here.
    """
    has: dict[str, Callable[[], bool]] = {
        NUMBA: lambda: importlib.util.find_spec("numba") is not None,
        LIBRARY: lambda: library() is not None,
        NONE: lambda: True,
    }
    if told := os.environ.get(VARIABLE):
        if told not in has:
            raise NoSuchKernels(f"{VARIABLE}={told}: expected {NUMBA}, {LIBRARY} or {NONE}")
        if not has[told]():
            how = "is not here" if told == NUMBA else "of these sources is not here: make kernels"
            raise NoSuchKernels(f"{VARIABLE}={told}: the {told} {how}")
        return told
    return next(one for one, is_here in has.items() if is_here())
