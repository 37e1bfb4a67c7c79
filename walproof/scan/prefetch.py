"""Bytes of a large file, on their way to the processor before they are read.

A scan reads a window, goes over it, reads the next one. While it goes over one, nothing comes from
memory; while it reads, nothing is summed. So a kernel tells the processor, record by record, to
fetch what lies as far on as a window is long: ``pread`` then copies from the second cache.

The processor is told an address, so the file is mapped. Nobody reads there: the instruction that
fetches never faults, also where the file has been cut short and the page is gone.
"""

from __future__ import annotations

import mmap
import os

import numpy as np

from walproof.scan.log import Source
from walproof.scan.model import MAX_BYTES
from walproof.scan.reading import number_of

SMALLEST = 64 << 20
"""Bytes of a file that is worth it. A smaller one may be in the processor's last cache as it is."""
STRETCH = 16 << 20
"""Bytes whose pages are mapped at a time. Those before are given back."""
LEFT = MAX_BYTES + (1 << 20)
"""Bytes that are to be mapped where a run begins: about as many as it goes over."""
PAGE = 2 << 20
"""The largest page of memory."""
POPULATE_READ = 22
"""``MADV_POPULATE_READ`` of Linux 5.14. Where no page is mapped, nothing is fetched."""


class Prefetch:
    """What of a file a kernel may have fetched that reads it, or up to the offset ``end``.

    Nothing of one that is small, elsewhere or not in the page cache, or where the system cannot do
    it. Raises nothing: what is wrong with a file shows where it is read.
    """

    def __init__(self, source: Source, end: int | None = None) -> None:
        self._number, self._size = number_of(source), source.size
        self._last = self._size if end is None else min(end, self._size)
        self._origin = self._end = self._given_back = 0
        self._mapped: mmap.mmap | None = None
        can = hasattr(os, "RWF_NOWAIT") and hasattr(mmap, "MADV_DONTNEED")
        self._is_over = self._number < 0 or self._size < SMALLEST or not can

    def move(self, at: int) -> tuple[int, int]:
        """For a run from offset ``at`` on: the address of the file's first byte, and an end.

        Lines before that end may be fetched. It is 0 for none.
        """
        upto = min(at + LEFT, self._last)
        if not self._is_over and self._end < upto and at < upto:
            try:
                self._map(at)
            except BlockingIOError:
                pass  # what has to come from the disk first, the system reads ahead
            except (OSError, ValueError):
                self.close()
        return self._origin, self._end

    def close(self) -> None:
        """Nothing is fetched any more."""
        self._origin = self._end = 0
        self._is_over = True
        if self._mapped is not None:
            self._mapped.close()

    def _map(self, at: int) -> None:
        whole = at - at % PAGE
        start = max(whole, self._end)
        end = min(start + STRETCH, self._last)
        os.preadv(self._number, [bytearray(1)], end - 1, os.RWF_NOWAIT)
        if self._mapped is None:
            self._mapped = mmap.mmap(self._number, self._size, access=mmap.ACCESS_READ)
            self._origin = np.frombuffer(self._mapped, np.uint8).ctypes.data
            self._given_back = start
        if whole > self._given_back:
            length = whole - self._given_back
            self._mapped.madvise(mmap.MADV_DONTNEED, self._given_back, length)
            self._given_back = whole
        self._mapped.madvise(POPULATE_READ, start, end - start)
        self._end = end
