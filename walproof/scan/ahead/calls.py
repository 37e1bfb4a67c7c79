"""Calls of kernels from Python without numba: arguments taken apart as its code expects them.

A kernel is ``int32 f(result*, error**, …)``. Of an array it takes seven values or more: who owns
the memory, the Python object, how many items, the size of one, the address, then a length and a
stride for each dimension. That makes sixty arguments, and ``ctypes`` takes its time for each. So
beside a kernel stands ``int32 f.packed(result*, error**, values*)``, which :mod:`.packed` makes:
it takes eight bytes for each. What is returned as an array is copied, and its memory given back.
"""

from __future__ import annotations

import ctypes
import functools
import struct
import weakref
from collections.abc import Callable, Sequence
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
    """What a kernel that takes its arguments packed is called in the library."""
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

    @functools.cache
    def found() -> Callable[..., Any]:
        return callable_at(name, getattr(loaded(), name), signature, _give_back)

    call: Any = functools.update_wrapper(lambda *given: found()(*given), function)
    call.bind = lambda *given: found().bind(*given)  # type: ignore[attr-defined]
    return call  # type: ignore[no-any-return]


def callable_at(
    name: str, function: Any, signature: Signature, give_back: Callable[[ctypes.c_void_p], None]
) -> Callable[..., Any]:
    """A kernel that takes its arguments packed, as a function of Python.

    ``TypeError`` for an argument that it does not take.
    """
    function.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)
    function.restype = ctypes.c_int32
    returns, takers = signature.returns, [_taker(kind, name) for kind in signature.takes]
    room = room_for(returns)
    to_error = room.error.offset
    is_plain = isinstance(returns, Number) and returns.dtype is not np.bool_

    def taken_apart(given: tuple[Any, ...], by: Sequence[Callable[[Any], bytes]]) -> bytes:
        if len(given) != len(by):
            raise TypeError(f"{name} takes {len(by)} arguments, not {len(given)}")
        return b"".join([taken(one) for taken, one in zip(by, given, strict=True)])

    def called_with(packed: bytes) -> Any:
        found = room()
        place = ctypes.addressof(found)
        if function(place, place + to_error, packed) not in DONE:
            raise MemoryError(name)  # kernels raise nothing of their own
        return found.value if is_plain else given_back(found.value, returns, give_back)

    def call(*given: Any) -> Any:
        return called_with(taken_apart(given, takers))

    def bind(*given: Any) -> Callable[..., Any]:
        first, rest = taken_apart(given, takers[: len(given)]), takers[len(given) :]

        def go_on(*others: Any) -> Any:
            return called_with(first + taken_apart(others, rest))

        go_on.given = given  # type: ignore[attr-defined]  # whose memory is needed
        return go_on

    call.bind = bind  # type: ignore[attr-defined]
    call.__name__ = call.__qualname__ = name
    return call


def bound(kernel: Any, *given: Any) -> Callable[..., Any]:
    """A kernel with its first arguments, or all: they are taken apart once, for many calls.

    It is called with the others. What changes between the calls may be in arrays among the first.
    """
    bind: Callable[..., Callable[..., Any]] | None = getattr(kernel, "bind", None)
    return bind(*given) if bind is not None else functools.partial(kernel, *given)


_SIGNED, _UNSIGNED = struct.Struct("=q").pack, struct.Struct("=Q").pack
_WIDEST = (1 << 64) - 1


def _taker(kind: Any, name: str) -> Callable[[Any], bytes]:
    """How an argument of this kind becomes the values that a kernel takes, eight bytes each."""
    if isinstance(kind, Number):
        if kind.dtype is np.bool_:
            return lambda value: _SIGNED(bool(value))
        if issubclass(kind.dtype, np.unsignedinteger):
            return lambda value: _UNSIGNED(int(value) & _WIDEST)
        return lambda value: _SIGNED(int(value))
    if isinstance(kind, Tuple):
        members = [_taker(one, name) for one in kind.of]
        return lambda value: b"".join(
            [taken(one) for taken, one in zip(members, value, strict=True)]
        )
    return _taker_of_arrays(kind, name)


def _taker_of_arrays(kind: Array, name: str) -> Callable[[Any], bytes]:
    item, dimensions, is_written = np.dtype(kind.of.dtype), kind.ndim, not kind.readonly
    pack = struct.Struct(f"=4qQ{2 * dimensions}q").pack
    addressof, nothing = ctypes.addressof, (ctypes.c_char * 0).from_buffer
    # Most arrays are passed again and again: so the last one is known by what it is.
    known: tuple[Callable[[], Any], bytes] = (lambda: None, b"")

    def taken(array: Any) -> bytes:
        nonlocal known
        last, packed = known
        if last() is array and array is not None:
            return packed
        fits = isinstance(array, np.ndarray) and array.dtype == item and array.ndim == dimensions
        if not fits or not array.flags.c_contiguous:
            raise TypeError(f"{name} wants a contiguous array of {item.name}")
        is_writeable = array.flags.writeable
        if is_written and not is_writeable:
            raise TypeError(f"{name} would write into an array that must not be written")
        # The quick way to the address is for arrays that may be written.
        place = addressof(nothing(array)) if is_writeable else array.ctypes.data
        packed = pack(0, 0, array.size, array.itemsize, place, *array.shape, *array.strides)
        known = weakref.ref(array), packed
        return packed

    return taken


def _give_back(owner: Any) -> None:
    loaded()[GIVE_BACK](owner)


def room_for(kind: Any) -> Any:
    """A structure: ``value`` is for what is returned, ``error`` for what is raised."""
    fields = [("value", _memory(kind)), ("error", ctypes.c_void_p)]
    return type("Result", (ctypes.Structure,), {"_fields_": fields})


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
