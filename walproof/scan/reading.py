"""Reads a file in windows, into memory that is used again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from walproof.scan.log import LocalSource, Source

NEAR = 1 << 18
"""Bytes read at a time from a file on this machine: they stay in the processor's cache."""
FAR = 8 << 20
"""Bytes asked for at a time elsewhere, where each request costs."""


class Reading:
    """The windows of one source. Each overwrites the one before."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.window = NEAR if isinstance(source, LocalSource) else FAR
        self.memory: NDArray[np.uint8] = np.empty(0, np.uint8)

    def blocks(self, at: int, wish: int, block: int) -> tuple[NDArray[np.uint8], int, bool]:
        """Whole blocks from ``at`` on: an array, how much of it is filled, whether the file ends.

        No more than a window, and about as much as ``wish`` says. ``OSError``.
        """
        length = -(-min(wish, self.window, self.source.size - at + 1) // block) * block
        if isinstance(self.source, LocalSource):
            if len(self.memory) < length:
                self.memory = np.empty(length, np.uint8)
            data, filled = self.memory, self.source.read_into(at, self.memory[:length])
        else:
            data = np.frombuffer(self.source.read(at, length), np.uint8)
            filled = len(data)
        return data, filled, filled < length or at + filled >= self.source.size
