"""Memory for a file: large pages, where that is quicker."""

from __future__ import annotations

import contextlib
import mmap

_LARGE = 4 << 20
"""Bytes. Shorter stretches stay in small pages."""


def in_large_pages(data: mmap.mmap, at: int, end: int) -> None:
    """Ask for large pages where bytes will be: getting them takes half the time of small ones.

    Not around holes, which a large page would fill; nor for what is short, since the system keeps
    a note for each stretch, and has room for some thousands.
    """
    start, end = -(-at // mmap.PAGESIZE) * mmap.PAGESIZE, end // mmap.PAGESIZE * mmap.PAGESIZE
    if end - start >= _LARGE and hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):
            data.madvise(mmap.MADV_HUGEPAGE, start, end - start)
