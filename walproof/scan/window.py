"""The bytes of one file as a kernel sees them: one stretch at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from walproof.scan.log import LocalSource, Source

WINDOW = 1 << 20
"""Bytes read at a time: few enough to stay in the cache until the kernel is through."""
NEAR = 1 << 17
"""The same for a scan that goes over each byte of a file on this machine but once."""
_LINE = 64
"""Bytes of a line of the processor's cache. What is read on this machine begins at a multiple, as
memory does: that is copied a tenth sooner."""
FAR = 8 << 20
"""Bytes asked for at a time elsewhere, where each request costs."""


class Window:
    """A stretch ``[base, end)`` of a file, in memory that is used again. ``size`` is the file's.

    ``array`` begins with the stretch, and the stretch may begin before what was asked for. Offsets
    are those of the file. All raise ``OSError``, also when the file has become shorter than it was
    when it was opened.
    """

    def __init__(self, source: Source, stretch: int = WINDOW) -> None:
        self.source = source
        self.stretch = stretch
        self.size = source.size
        self.base = self.end = 0
        self._memory = self.array = np.empty(0, np.uint8)

    def hold(self, at: int, length: int) -> None:
        """See to it that ``[at, at + length)`` is held, as far as the file goes."""
        if self.base <= at and min(at + length, self.size) <= self.end:
            return
        base = at - at % _LINE if isinstance(self.source, LocalSource) else at
        length = max(0, min(max(at - base + length, self.stretch), self.size - base))
        self.base = self.end = base
        room = self._room(length)
        _enough(base, length, self._read_into(base, room))
        self.end, self.array = base + length, room

    def moved(self, base: int) -> None:
        """Somebody else has read another stretch into ``array``, as long, that begins at ``base``.

        At the size of the file: nothing of it.
        """
        if base != self.base:
            self.base, self.end = base, min(base + len(self.array), self.size)

    def blocks(self, at: int, wish: int, block: int) -> tuple[NDArray[np.uint8], int, bool]:
        """Whole blocks from ``at`` on: an array, how much of it is filled, whether the file ends.

        No more than a stretch, and about as much as ``wish`` says. Nothing is held afterwards.
        """
        length = -(-min(wish, self.stretch, self.size - at + 1) // block) * block
        self.base = self.end = at
        room = self._room(length)
        filled = self._read_into(at, room)
        return room, filled, filled < length or at + filled >= self.size

    def peek(self, at: int, length: int) -> bytes:
        """A few bytes anywhere; what is held stays. Fewer at the end of the file."""
        if self.base <= at and at + length <= self.end:
            return self.array[at - self.base : at - self.base + length].tobytes()
        return self._read(at, length)

    def stretches(self, start: int, end: int) -> Iterator[NDArray[np.uint8]]:
        """``[start, end)`` in order, in arrays; what is held stays."""
        while start < end:
            array = np.frombuffer(self._read(start, min(WINDOW, end - start)), np.uint8)
            yield array
            start += len(array)

    def _room(self, length: int) -> NDArray[np.uint8]:
        if len(self._memory) < length:
            self._memory = room_for(length)
        # The same array, where it is the same memory: a kernel may be bound to it.
        return self._memory if length == len(self._memory) else self._memory[:length]

    def _read_into(self, at: int, room: NDArray[np.uint8]) -> int:
        if isinstance(self.source, LocalSource):
            return self.source.read_into(at, room)
        data = self.source.read(at, len(room))
        room[: len(data)] = np.frombuffer(data, np.uint8)
        return len(data)

    def _read(self, at: int, length: int) -> bytes:
        length = max(0, min(length, self.size - at))
        data = self.source.read(at, length) if length else b""
        _enough(at, length, len(data))
        return data


def passing(source: Source) -> Window:
    """A window for a scan that goes over a file once, in whole blocks."""
    return Window(source, NEAR if isinstance(source, LocalSource) else FAR)


def room_for(length: int) -> NDArray[np.uint8]:
    """Memory for so many bytes, from a pool: what was given back before is not cleared again."""
    room: NDArray[np.uint8] = np.frombuffer(pa.allocate_buffer(length), np.uint8)
    return room


def columns_for(rows: int, *kinds: Any) -> list[NDArray[Any]]:
    """Arrays of so many rows, one of each kind of number, in one piece of memory from the pool.

    What ``np.empty`` gives back goes to the system, and is cleared page by page when it is wanted
    again.
    """
    sizes = [-(-np.dtype(kind).itemsize * rows // _LINE) * _LINE for kind in kinds]
    room, made, at = room_for(sum(sizes)), [], 0
    for kind, size in zip(kinds, sizes, strict=True):
        made.append(room[at : at + np.dtype(kind).itemsize * rows].view(kind))
        at += size
    return made


def _enough(at: int, expected: int, found: int) -> None:
    if found < expected:
        raise OSError(f"at offset {at}: expected {expected} bytes, found {found}")
