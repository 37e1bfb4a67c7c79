"""Provide the part of a file that a kernel reads at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from walproof.scanners.arrays import pooled
from walproof.scanners.byte_source import ByteSource, LocalSource

#: Bytes read at a time.
WINDOW_BYTES = 1 << 20
#: Number of bytes to read at a time from a local file in a single pass. They fit in the CPU's L2
#: cache.
PASSING_BYTES = 1 << 19
#: Number of bytes to read at a time from a remote file, where each request is slow.
REMOTE_BYTES = 8 << 20


class Window:
    """A part ``[base, end)`` of a file in a reused buffer, ``array``.

    All offsets are relative to the start of the file, and ``size`` is the size of the file. All
    methods raise ``OSError``, for example if the file became shorter.
    """

    def __init__(self, source: ByteSource, stretch: int = WINDOW_BYTES) -> None:
        self.source = source
        self.stretch = stretch
        self.size = source.size
        self.base = self.end = 0
        self._memory = self.array = np.empty(0, np.uint8)

    def hold(self, at: int, length: int) -> None:
        """Load ``[at, at + length)``, up to the end of the file."""
        if self.base <= at and min(at + length, self.size) <= self.end:
            return
        length = max(0, min(max(length, self.stretch), self.size - at))
        self.base = self.end = at
        room = self._room(length)
        _check_length(at, length, self._read_into(at, room))
        self.end, self.array = at + length, room

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


def passing_window(source: ByteSource) -> Window:
    """Return a window for a scan that passes over a file once."""
    return Window(source, PASSING_BYTES if isinstance(source, LocalSource) else REMOTE_BYTES)


def _check_length(at: int, expected: int, length: int) -> None:
    if length < expected:
        raise OSError(f"at offset {at}: expected {expected} bytes, found {length}")
