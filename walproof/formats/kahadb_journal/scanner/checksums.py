"""Compute the checksums of overlapping ranges of a KahaDB data file.

In a damaged file, the ranges that the headers claim may overlap. If each checksum were computed
separately, the time would be quadratic in the file size.
"""

from __future__ import annotations

import zlib
from array import array

from walproof.scan.window import Window

SUM_OF_NOTHING = 1
PAGE = 4096


class Sums:
    """Adler-32 checksums of ranges, with shared work for overlapping ranges (KDB-053)."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.upto = 0
        """Everything in front of it was summed once: again only by way of the pages."""
        self.known = (0, 0, SUM_OF_NOTHING)
        self._origin = 0
        self._pages: array[int] | None = None

    def of(self, start: int, end: int) -> int:
        """Return the checksum of ``[start, end)``, a range within the file."""
        if self.known[:2] == (start, end):
            return self.known[2]
        if end - start <= PAGE:
            return zlib.adler32(self.window.peek(start, end - start))
        if start >= self.upto:
            self.upto = end
            value = self._add(start, end, SUM_OF_NOTHING)
        else:
            value = self._difference(start, end)
        self.known = (start, end, value)
        return value

    def _add(self, start: int, end: int, value: int) -> int:
        for run in self.window.stretches(start, end):
            value = zlib.adler32(run.data, value)
        return value

    def _difference(self, start: int, end: int) -> int:
        """Return the checksum of a range from those of the prefixes up to its start and its end."""
        before, upto = self._upto(start), self._upto(end)
        low, high = before & 0xFFFF, before >> 16
        first = ((upto & 0xFFFF) - low + 1) % 65521
        second = ((upto >> 16) - high - (end - start) * (low - 1)) % 65521
        return second << 16 | first

    def _upto(self, end: int) -> int:
        if self._pages is None or end < self._origin:
            # Both the reader and the ranges only move forward.
            self._origin, self._pages = end, array("I", [SUM_OF_NOTHING])
        pages = self._pages
        page = (end - self._origin) // PAGE
        while len(pages) <= page:
            at = self._origin + (len(pages) - 1) * PAGE
            self.window.hold(at, PAGE)
            i = at - self.window.base
            pages.append(zlib.adler32(self.window.array[i : i + PAGE].data, pages[-1]))
        at = self._origin + page * PAGE
        return zlib.adler32(self.window.peek(at, end - at), pages[page])
