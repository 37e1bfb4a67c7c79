"""Random access to a data file in bounded memory, with checksums and searches."""

from __future__ import annotations

import re
import zlib
from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import BinaryIO

from reference_impl.kahadb_journal.layout import EOF_RECORD, HEADER

STEP = 4096
_FILL_BACKWARDS = re.compile(rb"(?:\0+|4aMq-)*")


class Source:
    """A data file, read through a buffered stream."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream
        #: The length of the file when it was opened.
        self.size = stream.seek(0, 2)
        self._sums = array("I", [zlib.adler32(b"")])

    def get(self, at: int, length: int) -> bytes:
        """Return ``length`` bytes at an offset, or fewer at the end of the file."""
        self.stream.seek(at)
        return self.stream.read(max(0, min(length, self.size - at)))

    def find_header(self, at: int) -> int | None:
        """Return the offset of the first control record header at or after ``at``, or None."""
        for start in range(at, self.size, STEP):
            index = self.get(start, STEP + len(HEADER)).find(HEADER)
            if index >= 0:
                return start + index
        return None

    def fill_start(self) -> int:
        """Return the offset of the preallocated zeros and EOF records at the end (KDB-013)."""
        end = self.size
        while True:
            start = max(0, end - STEP)
            matched = _FILL_BACKWARDS.match(self.get(start, end - start)[::-1])
            assert matched is not None
            if not matched[0]:
                return end
            end -= matched.end()

    def is_zero(self, start: int, end: int) -> bool:
        """Return whether ``[start, end)`` is all zeros."""
        blocks = (self.get(at, min(STEP, end - at)) for at in range(start, end, STEP))
        return not any(any(block) for block in blocks)

    def adler32(self, start: int, end: int) -> int:
        """Compute the Adler-32 of ``[start, end)`` from the checksums of two prefixes.

        Later calls are fast, because the checksums of prefixes are stored.
        """
        before, upto = self._prefix(start), self._prefix(end)
        length, a = end - start, before & 0xFFFF
        low = ((upto & 0xFFFF) - a + 1) % 65521
        high = ((upto >> 16) - (before >> 16) - length * (a - 1)) % 65521
        return high << 16 | low

    def _prefix(self, end: int) -> int:
        """Return the Adler-32 of ``[0, end)``."""
        whole, rest = divmod(end, STEP)
        for number in range(len(self._sums) - 1, whole):
            self._sums.append(zlib.adler32(self.get(number * STEP, STEP), self._sums[number]))
        return zlib.adler32(self.get(whole * STEP, rest), self._sums[whole])


class Search:
    """Finds the next header that meets a condition, without searching twice (KDB-053)."""

    def __init__(self, source: Source, accepts: Callable[[int], bool]) -> None:
        self._source = source
        self._accepts = accepts
        # The last search covered this range. All its offsets have the same next match, the last
        # offset of the range, or no match if that offset is the end of the file.
        self._searched: Sequence[int] = ()

    def next(self, at: int) -> int | None:
        """Return the offset of the first match at or after ``at``, or None."""
        size = self._source.size
        if at not in self._searched:
            offset = self._source.find_header(at)
            while offset is not None and not self._accepts(offset):
                offset = self._source.find_header(offset + len(HEADER))
            self._searched = range(at, (size if offset is None else offset) + 1)
        offset = self._searched[-1]
        return offset if offset < size else None


class RunningMaximum:
    """Stores values at ascending offsets, and finds the largest in a range quickly."""

    def __init__(self) -> None:
        self._offsets = array("q")
        # Level k holds one maximum for each complete group of 2^k neighbouring values.
        self._levels = [array("q")]

    def add(self, offset: int, value: int) -> None:
        """Add a value at an offset that is greater than all previous offsets."""
        self._offsets.append(offset)
        for level in self._levels:
            level.append(value)
            if len(level) % 2:
                return
            value = max(level[-2], value)
        self._levels.append(array("q", [value]))

    def within(self, start: int, stop: int) -> int:
        """Return the largest value at the offsets ``[start, stop)``, or 0 if there is none."""
        first, last = bisect_left(self._offsets, start), bisect_left(self._offsets, stop)
        largest = level = 0
        while first < last:
            if first % 2:
                largest = max(largest, self._levels[level][first])
            if last % 2:
                largest = max(largest, self._levels[level][last - 1])
            first, last, level = (first + 1) // 2, last // 2, level + 1
        return largest


class Memo:
    """Maps offsets to 64-bit numbers, in pages that are allocated on first use."""

    def __init__(self) -> None:
        self._pages: defaultdict[int, array[int]] = defaultdict(lambda: array("q", [0]) * STEP)

    def get(self, offset: int) -> int:
        """Return the number stored for an offset, or 0 if there is none."""
        return self._pages[offset // STEP][offset % STEP]

    def note(self, offset: int, number: int) -> None:
        """Store a 64-bit number for an offset."""
        self._pages[offset // STEP][offset % STEP] = number


assert len(EOF_RECORD) == 5 and len(HEADER) == 16
