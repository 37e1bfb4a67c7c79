"""Calls of kernels in the library: arguments taken apart as numba's code expects them.

A kernel is ``int32 f(result*, error**, …)``. Of an array it takes seven values or more: who owns
the memory, the Python object, how many items, the size of one, the address, then a length and a
stride for each dimension. What it returns as an array is copied, and its memory given back.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from walproof.scan.ahead import NoSuchKernels, library
from walproof.scan.ahead.signatures import Array, Number, Signature, Tuple, Void

GIVE_BACK = "walproof_give_back"
"""What takes back the memory of an array that a kernel returned."""
DONE = (0, -2)
"""What a kernel returns that ended well; -2 is numba's ``None``."""


@functools.cache
def loaded() -> ctypes.CDLL:
    """The library. Raises :class:`~walproof.scan.ahead.NoSuchKernels` where there is none."""
    path = library()
    if path is None:
        raise NoSuchKernels("no library of kernels for this machine and these sources")
    return ctypes.CDLL(str(path))


def symbol(module: str, name: str) -> str:
    """What a kernel is called in the library."""
    return f"walproof_{module.replace('.', '_')}_{name}"


def has(module: str, name: str) -> bool:
    """Whether the library has a kernel: some are for one kind of processor alone."""
    return hasattr(loaded(), symbol(module, name))


def called(function: Any, signature: Signature) -> Callable[..., Any]:
    """The kernel of the library that was compiled from ``function``.

    Where the library has none, the call fails, not the import: kernels that nobody calls without
    numba need not be there.
    """
    name = symbol(function.__module__, function.__name__)
    layout = room_for(signature.returns)

    def call(*given: Any) -> Any:
        values: list[Any] = []
        if len(given) != len(signature.takes):
            raise TypeError(f"{name} takes {len(signature.takes)} arguments, not {len(given)}")
        for one, kind in zip(given, signature.takes, strict=True):
            values += _taken(one, kind)
        result = layout()
        error = ctypes.c_void_p()
        outcome = _found(name)(ctypes.byref(result), ctypes.byref(error), *values)
        if outcome not in DONE:
            raise MemoryError(f"{name} ended with {outcome}")  # kernels raise nothing of their own
        return given_back(result.value, signature.returns, _give_back)

    return functools.update_wrapper(call, function)


@functools.cache
def _found(name: str) -> Any:
    found = getattr(loaded(), name)
    found.restype = ctypes.c_int32
    return found


def _taken(value: Any, kind: Any) -> Iterator[Any]:
    if isinstance(kind, Number):
        yield kind.raw(bool(value) if kind.dtype is np.bool_ else int(value))
    elif isinstance(kind, Tuple):
        for one, of in zip(value, kind.of, strict=True):
            yield from _taken(one, of)
    else:
        fits = isinstance(value, np.ndarray) and value.dtype == kind.of.dtype
        if not fits or value.ndim != kind.ndim or not value.flags.c_contiguous:
            raise TypeError(f"a kernel wants a contiguous array of {kind.of.dtype.__name__}")
        if not kind.readonly and not value.flags.writeable:
            raise TypeError("a kernel would write into an array that must not be written")
        yield ctypes.c_void_p()
        yield ctypes.c_void_p()
        yield ctypes.c_int64(value.size)
        yield ctypes.c_int64(value.itemsize)
        yield ctypes.c_void_p(value.ctypes.data)
        yield from map(ctypes.c_int64, value.shape)
        yield from map(ctypes.c_int64, value.strides)


def _give_back(owner: Any) -> None:
    loaded()[GIVE_BACK](owner)


def room_for(kind: Any) -> Any:
    """A structure whose one field, ``value``, has the memory of what is returned."""
    return type("Result", (ctypes.Structure,), {"_fields_": [("value", _memory(kind))]})


def _memory(kind: Any) -> Any:
    if isinstance(kind, Void):
        return ctypes.c_void_p
    if isinstance(kind, Number):
        return kind.raw
    if isinstance(kind, Tuple):
        fields = [(f"f{number}", _memory(one)) for number, one in enumerate(kind.of)]
        return type("Members", (ctypes.Structure,), {"_fields_": fields})
    assert isinstance(kind, Array)
    fields = [
        ("owner", ctypes.c_void_p),
        ("object", ctypes.c_void_p),
        ("items", ctypes.c_int64),
        ("item", ctypes.c_int64),
        ("data", ctypes.c_void_p),
        ("shape", ctypes.c_int64 * kind.ndim),
        ("strides", ctypes.c_int64 * kind.ndim),
    ]
    return type("Described", (ctypes.Structure,), {"_fields_": fields})


def given_back(value: Any, kind: Any, give_back: Callable[[ctypes.c_void_p], None]) -> Any:
    """What a kernel returned, as a value of Python; memory of arrays goes to ``give_back``."""
    if isinstance(kind, Void):
        return None
    if isinstance(kind, Number):
        return bool(value) if kind.dtype is np.bool_ else value
    if isinstance(kind, Tuple):
        return tuple(
            given_back(getattr(value, f"f{number}"), one, give_back)
            for number, one in enumerate(kind.of)
        )
    made = np.empty(tuple(value.shape), kind.of.dtype)
    if made.size:
        ctypes.memmove(made.ctypes.data, value.data, made.nbytes)
    if value.owner:
        give_back(ctypes.c_void_p(value.owner))
    return made
