"""Reading within a kernel: the next stretch of a file, without going back to Python for it.

A window is used up in ten microseconds, and what Python does between two takes five of them. So
a kernel that knows the file reads on by itself. It has the address of the system's ``pread`` and
the number of an open file. Whatever is out of the ordinary it leaves to its caller, who reads the
same bytes again and sees why: the end of the file, an error, fewer bytes than asked for.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

from walproof.scan.compiled import intrinsic, ir, njit, types
from walproof.scan.log import LocalSource, Source
from walproof.scan.memory import prefetch

NO_FILE = -1


@functools.cache
def pread() -> int:
    """The address of the function of the system's C library; 0 where there is none."""
    found = getattr(ctypes.CDLL(None), "pread", None)
    return (ctypes.cast(found, ctypes.c_void_p).value or 0) if found is not None else 0


def number_of(source: Source) -> int:
    """The number of the open file that a kernel may read; :data:`NO_FILE` for what is elsewhere."""
    return source.number if isinstance(source, LocalSource) and pread() else NO_FILE


@njit(inline="always")
def aligned(offset: Any) -> Any:
    """Where to begin to read what is wanted from an offset on.

    A copy is a tenth quicker where both places have the same offset modulo a line of the cache.
    """
    return offset & ~63


@njit(inline="always")
def fetch(origin: Any, start: Any, end: Any) -> None:
    """Have the lines fetched that begin between two offsets of a file; see :mod:`.prefetch`.

    ``origin`` is the address of its first byte.
    """
    line = (start + 63) & ~63
    while line < end:
        prefetch(origin + line)
        line += 64


@intrinsic
def read_at(typing: Any, pread: Any, file: Any, data: Any, count: Any, offset: Any) -> Any:
    """Read ``count`` bytes from ``offset`` of a file to the start of an array: how many there were.

    Negative for an error. Nobody checks that the array has room for them.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address, number, array, size, place = arguments
        word, half, byte = ir.IntType(64), ir.IntType(32), ir.IntType(8)
        kind = ir.FunctionType(word, [half, byte.as_pointer(), word, word])
        function = builder.inttoptr(address, kind.as_pointer())
        into = context.make_array(signature.args[2])(context, builder, array).data
        return builder.call(function, [builder.trunc(number, half), into, size, place])

    whole = types.int64
    return whole(whole, whole, data, whole, whole), generate


@njit(inline="always")
def read_on(pread: Any, file: Any, size: Any, data: Any, start: Any, need: Any) -> Any:
    """Fill ``data`` from a file of ``size`` bytes: ``need`` of them from ``start``, and more.

    Where in the file it begins then; ``size`` where reading failed, and nothing of the file is in
    it any more; negative where it is as before, since there is no file, or the file does not fill
    it, or it does not hold so much.
    """
    at = aligned(start)
    held = len(data)
    if file < 0 or start + need - at > held or at + held > size:
        return -1
    return at if read_at(pread, file, data, held, at) == held else size
