"""The bytes of one file as a kernel sees them: one stretch at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pyspark_journal.scan.log import Source

WINDOW = 1 << 20
"""Bytes read at a time: small enough to stay in the cache until the kernel is through."""


class Window:
    """A stretch ``[base, base + len(array))`` of a file. ``size`` is that of the file.

    Offsets are those of the file. All raise ``OSError``, also when the file has become shorter
    than it was when it was opened.
    """

    def __init__(self, source: Source, stretch: int = WINDOW) -> None:
        self.source = source
        self.stretch = stretch
        self.size = source.size
        self.base = 0
        self.data = b""
        self.array: NDArray[np.uint8] = np.frombuffer(b"", np.uint8)

    @property
    def end(self) -> int:
        """The offset behind the last byte held."""
        return self.base + len(self.data)

    def hold(self, at: int, length: int) -> None:
        """See to it that ``[at, at + length)`` is held, as far as the file goes."""
        upto = min(at + length, self.size)
        if self.base <= at and upto <= self.end:
            return
        self.data = self._read(at, max(length, self.stretch))
        self.base = at
        self.array = np.frombuffer(self.data, np.uint8)

    def peek(self, at: int, length: int) -> bytes:
        """A few bytes anywhere; what is held stays. Fewer at the end of the file."""
        if self.base <= at and at + length <= self.end:
            return self.data[at - self.base : at - self.base + length]
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
        if len(data) < length:
            raise OSError(f"at offset {at}: expected {length} bytes, found {len(data)}")
        return data
