"""The bytes of one file as a kernel sees them: one stretch at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from walproof.scan.arrays import pooled
from walproof.scan.log import LocalSource, Source

WINDOW_BYTES = 1 << 20
"""Bytes read at a time."""
PASSING_BYTES = 1 << 19
"""The same for a scan that goes over each byte of a local file once: few enough to stay in the
processor's second cache until the kernel is through."""
REMOTE_BYTES = 8 << 20
"""Bytes read at a time from elsewhere, where each request costs."""


class Window:
    """A stretch ``[base, end)`` of a file, in memory that is used again. ``size`` is the file's.

    ``array`` holds the stretch. Offsets are those of the file. All methods raise ``OSError``, also
    when the file has become shorter than it was when it was opened.
    """

    def __init__(self, source: Source, stretch: int = WINDOW_BYTES) -> None:
        self.source = source
        self.stretch = stretch
        self.size = source.size
        self.base = self.end = 0
        self._memory = self.array = np.empty(0, np.uint8)

    def hold(self, at: int, length: int) -> None:
        """Hold ``[at, at + length)``, as far as the file goes."""
        if self.base <= at and min(at + length, self.size) <= self.end:
            return
        length = max(0, min(max(length, self.stretch), self.size - at))
        self.base = self.end = at
        room = self._room(length)
        _check_length(at, length, self._read_into(at, room))
        self.end, self.array = at + length, room

    def blocks(self, at: int, wish: int, block: int) -> tuple[NDArray[np.uint8], int, bool]:
        """Return whole blocks from ``at`` on: an array, how much of it is filled, if the file ends.

        No more than a stretch, and about as much as ``wish`` says. Nothing is held afterwards.
        """
        length = -(-min(wish, self.stretch, self.size - at + 1) // block) * block
        self.base = self.end = at
        room = self._room(length)
        filled = self._read_into(at, room)
        return room, filled, filled < length or at + filled >= self.size

    def peek(self, at: int, length: int) -> bytes:
        """Return a few bytes anywhere, fewer at the end of the file; the stretch stays."""
        if self.base <= at and at + length <= self.end:
            return self.array[at - self.base : at - self.base + length].tobytes()
        return self._read(at, length)

    def stretches(self, start: int, end: int) -> Iterator[NDArray[np.uint8]]:
        """Yield ``[start, end)`` in order, in arrays; the stretch stays."""
        while start < end:
            array = np.frombuffer(self._read(start, min(WINDOW_BYTES, end - start)), np.uint8)
            yield array
            start += len(array)

    def _room(self, length: int) -> NDArray[np.uint8]:
        if len(self._memory) < length:
            self._memory = pooled(length)
        return self._memory[:length]

    def _read_into(self, at: int, room: NDArray[np.uint8]) -> int:
        if isinstance(self.source, LocalSource):
            return self.source.read_into(at, room)
        data = self.source.read(at, len(room))
        room[: len(data)] = np.frombuffer(data, np.uint8)
        return len(data)

    def _read(self, at: int, length: int) -> bytes:
        length = max(0, min(length, self.size - at))
        data = self.source.read(at, length) if length else b""
        _check_length(at, length, len(data))
        return data


def passing_window(source: Source) -> Window:
    """Return a window for a scan that goes over a file once."""
    return Window(source, PASSING_BYTES if isinstance(source, LocalSource) else REMOTE_BYTES)


def _check_length(at: int, expected: int, length: int) -> None:
    if length < expected:
        raise OSError(f"at offset {at}: expected {expected} bytes, found {length}")
