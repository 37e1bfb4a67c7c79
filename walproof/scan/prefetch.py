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
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from walproof.scan.log import Source
from walproof.scan.reading import number_of

SMALLEST = 64 << 20
"""Bytes of a file that is worth it. A smaller one may be in the processor's last cache as it is."""
STRETCH = 16 << 20
"""Bytes whose pages are mapped at a time. Those before are given back."""
LEFT = 1 << 20
"""Bytes before the end of a stretch where the next one is mapped."""
SPAN = 1 << 30
"""Bytes for which addresses are taken at a time: they count where those are limited."""
STEP = 2 << 20
"""Where stretches begin: a multiple of every system's page."""
POPULATE_READ = 22
"""``MADV_POPULATE_READ`` of Linux 5.14. Where no page is mapped, nothing is fetched."""
NEVER = 2**62


class Ahead(NamedTuple):
    """What a kernel may fetch: lines before the offset ``end``, 0 for none.

    ``origin`` is the address that the file's first byte would have. From the offset ``ask`` on
    there is more to be had.
    """

    origin: int
    end: int
    ask: int


class Prefetch:
    """The bytes of a file that a kernel may fetch, up to the offset ``last`` or all.

    None where the file is small, elsewhere or not in the page cache, or where the system cannot do
    it. Raises nothing: what is wrong with a file shows where it is read.
    """

    def __init__(self, source: Source, last: int | None = None) -> None:
        self._number = number_of(source)
        self._last = source.size if last is None else min(last, source.size)
        self._mapped: mmap.mmap | None = None
        self._base = self._given_back = self._origin = 0
        can = hasattr(os, "RWF_NOWAIT") and hasattr(mmap, "MADV_DONTNEED")
        is_worth_it = can and self._number >= 0 and source.size >= SMALLEST
        self._ahead = Ahead(0, 0, 0 if is_worth_it else NEVER)

    def move(self, at: int) -> Ahead:
        """What there is for a kernel that goes on at an offset, which never goes back."""
        if at >= self._ahead.ask:
            try:
                self._map(at)
            except (OSError, ValueError, OverflowError, NotImplementedError):
                self.close()
        return self._ahead

    def close(self) -> None:
        """Nothing is fetched any more."""
        self._ahead = Ahead(0, 0, NEVER)
        self._unmap()

    def _map(self, at: int) -> None:
        whole = at - at % STEP
        start = max(whole, self._ahead.end)
        end = min(start + STRETCH, self._last)
        if at >= self._last or start >= end:
            self._ahead = self._ahead._replace(ask=NEVER)
        elif not self._is_in_memory(start, end):
            self._ahead = self._ahead._replace(ask=end)
        else:
            mapped = self._over(whole, end)
            if whole > self._given_back:
                before = self._given_back - self._base
                mapped.madvise(mmap.MADV_DONTNEED, before, whole - self._given_back)
                self._given_back = whole
            mapped.madvise(POPULATE_READ, start - self._base, end - start)
            ask = max(at + 1, end - LEFT) if end < self._last else NEVER
            self._ahead = Ahead(self._origin, end, ask)

    def _is_in_memory(self, start: int, end: int) -> bool:
        """Whether a stretch is in the page cache, by some of its bytes.

        What is not has to come from the disk: the system reads ahead by itself, and nobody waits
        here. To look begins to read, so another look at the same bytes tells nothing.
        """
        try:
            for place in (*range(start, end, STEP), end - 1):
                os.preadv(self._number, [bytearray(1)], place, os.RWF_NOWAIT)
        except BlockingIOError:
            return False
        return True

    def _over(self, whole: int, end: int) -> mmap.mmap:
        """The mapping, or a new one where it does not reach as far as that."""
        if self._mapped is None or end > self._base + len(self._mapped):
            self._unmap()
            length = min(SPAN, self._last - whole)
            self._mapped = mmap.mmap(self._number, length, access=mmap.ACCESS_READ, offset=whole)
            self._base = self._given_back = whole
            self._origin = int(np.frombuffer(self._mapped, np.uint8).ctypes.data) - whole
        return self._mapped

    def _unmap(self) -> None:
        if self._mapped is not None:
            with suppress(BufferError):  # somebody still has the array: it is unmapped later
                self._mapped.close()
            self._mapped = None
