"""Load journal files into memory, so that changes to a file cannot affect its reader."""

from __future__ import annotations

import errno
import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def loaded(path: Path) -> Iterator[mmap.mmap | bytes]:
    """Load a file, and release its memory afterwards (SDJ-058). Raises ``OSError``."""
    data = load(path)
    try:
        yield data
    finally:
        if isinstance(data, mmap.mmap):
            data.close()


def load(path: Path) -> mmap.mmap | bytes:
    """Read a whole file into memory (SDJ-053). Raises ``OSError``."""
    # Do not map the file: if it were truncated, this process would crash.
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if not size:
            return b""  # An anonymous mapping cannot be empty.
        data = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        with suppress(AttributeError, OSError):  # Huge pages save page faults on Linux.
            data.madvise(mmap.MADV_HUGEPAGE)
        for at, end in _stretches(file.fileno(), size):
            while at < end:
                with memoryview(data) as whole, whole[at:end] as room:
                    count = os.preadv(file.fileno(), [room], at)
                if not count:
                    break
                at += count
        left = os.fstat(file.fileno()).st_size
        return data if left >= size else data[:left]


def _stretches(file: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of a file that are not holes, or the whole file if holes are unknown."""
    at = 0
    while at < size:
        try:
            start = os.lseek(file, at, os.SEEK_DATA)
            at = os.lseek(file, start, os.SEEK_HOLE)
        except (OSError, AttributeError) as error:
            if getattr(error, "errno", None) != errno.ENXIO:  # ENXIO: only a hole follows
                yield at, size
            return
        yield start, min(at, size)
