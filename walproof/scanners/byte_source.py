"""Give scanners random access to the bytes of one file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class ByteSource(Protocol):
    """Random access to the bytes of one file."""

    size: int

    def read(self, offset: int, length: int) -> bytes:
        """Return ``length`` bytes, or fewer at the end of the file. Raises ``OSError``."""

    def close(self) -> None:
        """Close the file."""


class LocalSource:
    """A local file. Its size does not change after it is opened, even if the log grows."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self.size = os.fstat(self._descriptor).st_size

    def read(self, offset: int, length: int) -> bytes:
        """See :class:`ByteSource`."""
        room = np.empty(max(0, min(length, self.size - offset)), np.uint8)
        return room[: self.read_into(offset, room)].tobytes()

    def read_into(self, offset: int, room: NDArray[np.uint8]) -> int:
        """Read bytes at ``offset`` into ``room``. Return how many were read. Raises ``OSError``."""
        length = max(0, min(len(room), self.size - offset))
        view, done = room.data[:length], 0
        while done < length and (more := os.preadv(self._descriptor, [view[done:]], offset + done)):
            done += more
        return done

    def close(self) -> None:
        """See :class:`ByteSource`. Closing twice has no effect."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)
