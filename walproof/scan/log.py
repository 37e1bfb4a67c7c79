"""A log as scanners see it: a path on this machine, or files reached through ``pyarrow.fs``."""

from __future__ import annotations

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
        """``length`` bytes from ``offset`` on; fewer at the end of the file. ``OSError``."""

    def close(self) -> None:
        """Close the file."""


class LocalSource:
    """A file on this machine. Its size is what it was when it was opened: live logs grow."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self.size = os.fstat(self._descriptor).st_size

    def read(self, offset: int, length: int) -> bytes:
        """See :class:`Source`."""
        length = max(0, min(length, self.size - offset))
        data = os.pread(self._descriptor, length, offset)
        while len(data) < length and (
            more := os.pread(self._descriptor, length - len(data), offset + len(data))
        ):
            data += more
        return data

    def read_into(self, offset: int, room: NDArray[np.uint8]) -> int:
        """Fill ``room`` from ``offset`` on; return how many bytes there were. ``OSError``."""
        length = max(0, min(len(room), self.size - offset))
        view, done = room.data[:length], 0
        while done < length and (more := os.preadv(self._descriptor, [view[done:]], offset + done)):
            done += more
        return done

    def close(self) -> None:
        """See :class:`Source`; once more changes nothing."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


@dataclass(frozen=True)
class Log:
    """One log: a file or a folder, and what its reader is told besides the bytes.

    A log that lies elsewhere than on this machine overrides all methods; its path is but a name.
    """

    path: Path
    context: Mapping[str, Any] = field(default_factory=dict)

    def is_folder(self) -> bool:
        """Whether the log is one of several files."""
        return self.path.is_dir()

    def open(self) -> Source:
        """The bytes of a log of one file, without fetching all of them. ``OSError``."""
        return LocalSource(self.path)

    def local(self) -> Path:
        """The log as a path on this machine, fetched whole when it lies elsewhere. ``OSError``."""
        return self.path
