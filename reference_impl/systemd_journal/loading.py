"""A journal file in memory: a copy, so that nothing that happens to the file reaches its reader."""

from __future__ import annotations

import errno
import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def loaded(path: Path) -> Iterator[mmap.mmap | bytes]:
    """The bytes of a file, read-only for all that the file knows (SDJ-058). Raises ``OSError``."""
    data = load(path)
    try:
        yield data
    finally:
        if isinstance(data, mmap.mmap):
            data.close()


def load(path: Path) -> mmap.mmap | bytes:
    """The bytes of a file, as long as it is at the end. Raises ``OSError``.

    A file is not mapped: its owner may cut it at any time, which ends a process that reads a
    mapping (SDJ-053). Holes take no memory, where the file system tells of them.
    """
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if not size:
            return b""  # memory of no bytes cannot be had
        data = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        for at, end in _stretches(file.fileno(), size):
            while at < end:
                with memoryview(data) as whole, whole[at:end] as room:
                    found = os.preadv(file.fileno(), [room], at)
                if not found:
                    break
                at += found
        left = os.fstat(file.fileno()).st_size
        return data if left >= size else data[:left]


def _stretches(file: int, size: int) -> Iterator[tuple[int, int]]:
    """The parts of a file that are not holes; all of it where nobody tells."""
    at = 0
    while at < size:
        try:
            start = os.lseek(file, at, os.SEEK_DATA)
            at = os.lseek(file, start, os.SEEK_HOLE)
        except (OSError, AttributeError) as error:
            if getattr(error, "errno", None) != errno.ENXIO:  # that is: nothing but a hole follows
                yield at, size
            return
        yield start, min(at, size)
