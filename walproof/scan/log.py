"""The input of a scanner: a local path, or files that are accessed through ``pyarrow.fs``."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


class Source(Protocol):
    """Random access to the bytes of one file."""

    size: int

    def read(self, offset: int, length: int) -> bytes:
        """Return ``length`` bytes, fewer at the end of the file. Raises ``OSError``."""

    def close(self) -> None:
        """Close the file."""


class LocalSource:
    """A local file. Its size is the size at opening, because live logs grow."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self.size = os.fstat(self._descriptor).st_size

    def read(self, offset: int, length: int) -> bytes:
        """See :class:`Source`."""
        room = np.empty(max(0, min(length, self.size - offset)), np.uint8)
        return room[: self.read_into(offset, room)].tobytes()

    def read_into(self, offset: int, room: NDArray[np.uint8]) -> int:
        """Fill ``room`` from ``offset`` on; return the number of bytes. Raises ``OSError``."""
        length = max(0, min(len(room), self.size - offset))
        view, done = room.data[:length], 0
        while done < length and (more := os.preadv(self._descriptor, [view[done:]], offset + done)):
            done += more
        return done

    def close(self) -> None:
        """See :class:`Source`. Closing twice has no effect."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


class Readable(Protocol):
    """Random access to bytes."""

    def read(self, offset: int, length: int) -> bytes:
        """See :class:`Source`."""


#: Number of bytes that the executable specification reads at a time.
STREAM_BYTES = 1 << 18


def open_range(
    source: Readable, start: int, end: int, buffer_size: int = STREAM_BYTES
) -> io.BufferedReader:
    """Return ``[start, end)`` of a source as a file. Reading raises ``OSError``."""
    return io.BufferedReader(_Range(source, start, end), buffer_size)


class _Range(io.RawIOBase):
    def __init__(self, source: Readable, start: int, end: int) -> None:
        super().__init__()
        self.source, self.start, self.end, self.at = source, start, end, start

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        origin = {os.SEEK_SET: self.start, os.SEEK_CUR: self.at, os.SEEK_END: self.end}[whence]
        self.at = max(self.start, origin + offset)
        return self.tell()

    def tell(self) -> int:
        return self.at - self.start

    def readinto(self, room: object) -> int:
        with memoryview(room).cast("B") as view:  # type: ignore[arg-type]
            length = max(0, min(len(view), self.end - self.at))
            data = self.source.read(self.at, length)
            if len(data) < length:
                raise OSError(f"at offset {self.at}: expected {length} bytes, found {len(data)}")
            view[:length] = data
        self.at += length
        return length


@dataclass(frozen=True)
class Log:
    """A log: a file or a folder, and the context for its reader.

    A subclass for remote logs overrides all methods, and uses the path only as a name.
    """

    path: Path
    context: Mapping[str, Any] = field(default_factory=dict)

    def is_folder(self) -> bool:
        """Return whether the log consists of several files."""
        return self.path.is_dir()

    def open(self) -> Source:
        """Open a log of one file without fetching it as a whole. Raises ``OSError``."""
        return LocalSource(self.path)

    def local(self) -> Path:
        """Return the log as a local path; a remote log is fetched. Raises ``OSError``."""
        return self.path
