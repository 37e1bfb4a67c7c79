"""The bytes of one file as a kernel sees them: one stretch at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from walproof.scan.log import LocalSource, Source

WINDOW = 1 << 20
"""Bytes read at a time: few enough to stay in the cache until the kernel is through."""


class Window:
    """A stretch ``[base, end)`` of a file, in memory that is used again. ``size`` is the file's.

    ``array`` begins with the stretch. Offsets are those of the file. All raise ``OSError``, also
    when the file has become shorter than it was when it was opened.
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
        length = max(0, min(max(length, self.stretch), self.size - at))
        self.base = self.end = at
        if len(self._memory) < length:
            self._memory = room_for(length)
        room = self._memory[:length]
        if isinstance(self.source, LocalSource):
            found = self.source.read_into(at, room)
        else:
            data = self.source.read(at, length)
            found = len(data)
            room[:found] = np.frombuffer(data, np.uint8)
        _enough(at, length, found)
        self.end, self.array = at + length, room

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

    def _read(self, at: int, length: int) -> bytes:
        length = max(0, min(length, self.size - at))
        data = self.source.read(at, length) if length else b""
        _enough(at, length, len(data))
        return data


def room_for(length: int) -> NDArray[np.uint8]:
    """Memory for so many bytes, from a pool: what was given back before is not cleared again."""
    room: NDArray[np.uint8] = np.frombuffer(pa.allocate_buffer(length), np.uint8)
    return room


def _enough(at: int, expected: int, found: int) -> None:
    if found < expected:
        raise OSError(f"at offset {at}: expected {expected} bytes, found {found}")
