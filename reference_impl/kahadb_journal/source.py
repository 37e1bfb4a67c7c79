"""Random access to one data file in bounded memory, with the sums and searches a scan needs."""

from __future__ import annotations

import re
import zlib
from array import array
from typing import BinaryIO

from reference_impl.kahadb_journal.layout import EOF_RECORD, HEADER

CHUNK = 1 << 20
STEP = 4096
_FILL_BACKWARDS = re.compile(rb"(?:\0+|4aMq-)*")


class Source:
    """The bytes of a data file. ``size`` is its length when it was opened.

    Holds one chunk of the file and, once a range is summed twice, a sum for every 4096 bytes
    (KDB-053).
    """

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream
        self.size = stream.seek(0, 2)
        self._chunk = b""
        self._chunk_at = 0
        self._summed = 0
        self._sums = array("I", [1])

    def get(self, at: int, length: int) -> bytes:
        """Up to ``length`` bytes at an offset; what follows is read ahead."""
        start = at - self._chunk_at
        if start < 0 or start + length > len(self._chunk):
            if at >= self.size or length <= 0:
                return b""
            self._chunk = self._read(at, max(length, CHUNK))
            self._chunk_at, start = at, 0
        return self._chunk[start : start + length]

    def peek(self, at: int, length: int) -> bytes:
        """The same for a few distant bytes; the chunk stays."""
        start = at - self._chunk_at
        if start >= 0 and start + length <= len(self._chunk):
            return self._chunk[start : start + length]
        return self._read(at, length)

    def _read(self, at: int, length: int) -> bytes:
        length = min(length, self.size - at)
        if length <= 0:
            return b""
        self.stream.seek(at)
        data = self.stream.read(length) or b""
        while 0 < len(data) < length:
            more = self.stream.read(length - len(data))
            if not more:
                break
            data += more
        return data

    def find_header(self, at: int, limit: int) -> int | None:
        """The offset of the next header of a control record that begins in ``[at, limit)``."""
        limit = min(limit + len(HEADER) - 1, self.size)
        while at + len(HEADER) <= limit:
            if not self.get(at, len(HEADER)):
                return None
            found = self._chunk.find(HEADER, at - self._chunk_at, limit - self._chunk_at)
            if found >= 0:
                return self._chunk_at + found
            at = max(at, self._chunk_at + len(self._chunk) - len(HEADER)) + 1
        return None

    def fill_start(self) -> int:
        """Where the preallocated space at the end begins: zeros and EOF records (KDB-013)."""
        end = self.size
        while end > 0:
            start = max(0, end - (CHUNK >> 4))
            data = self._read(start, end - start)
            matched = _FILL_BACKWARDS.match(data[::-1])
            assert matched is not None
            if matched.end() == 0:
                return end
            end -= matched.end()
        return 0

    def is_zero(self, start: int, end: int) -> bool:
        """Whether ``[start, end)`` is all zeros."""
        while start < end:
            data = self.get(start, min(CHUNK, end - start))
            if not data or data.count(0) != len(data):
                return False
            start += len(data)
        return True

    def adler32(self, start: int, end: int) -> int:
        """Adler-32 of ``[start, end)``. Summing overlapping ranges again costs next to nothing."""
        if start >= self._summed:
            self._summed = end
            return self._add(1, start, end)
        before, upto = self._prefix(start), self._prefix(end)
        length, a = end - start, before & 0xFFFF
        low = ((upto & 0xFFFF) - a + 1) % 65521
        high = ((upto >> 16) - (before >> 16) - length * (a - 1)) % 65521
        return high << 16 | low

    def _add(self, value: int, start: int, end: int) -> int:
        while start < end:
            data = self.get(start, min(CHUNK, end - start))
            if not data:
                break
            value = zlib.adler32(data, value)
            start += len(data)
        return value

    def _prefix(self, end: int) -> int:
        """Adler-32 of ``[0, end)``."""
        while len(self._sums) <= end // STEP:
            at = (len(self._sums) - 1) * STEP
            self._sums.append(zlib.adler32(self.get(at, STEP), self._sums[-1]))
        base = end // STEP * STEP
        return zlib.adler32(self.peek(base, end - base), self._sums[end // STEP])


class Memo:
    """A number for each offset that was noted, in pages that exist only where one was."""

    def __init__(self) -> None:
        self._pages: dict[int, array[int]] = {}

    def get(self, offset: int) -> int:
        """What was noted; 0 if nothing was."""
        page = self._pages.get(offset // STEP)
        return page[offset % STEP] if page is not None else 0

    def note(self, offset: int, number: int) -> None:
        """Note a number of 32 bits."""
        page = self._pages.get(offset // STEP)
        if page is None:
            page = self._pages[offset // STEP] = array("i", bytes(4 * STEP))
        page[offset % STEP] = number


assert len(EOF_RECORD) == 5 and len(HEADER) == 16
