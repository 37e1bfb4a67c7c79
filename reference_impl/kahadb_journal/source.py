"""Random access to one data file in bounded memory, with the sums and searches a scan needs."""

from __future__ import annotations

import re
import zlib
from array import array
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import BinaryIO

from reference_impl.kahadb_journal.layout import EOF_RECORD, HEADER

STEP = 4096
_FILL_BACKWARDS = re.compile(rb"(?:\0+|4aMq-)*")


class Source:
    """The bytes of a data file. ``size`` is its length when it was opened.

    ``stream`` reads ahead on its own, and gives all that it is asked for. Once a range is summed,
    a sum is kept for every 4096 bytes before its end (KDB-053).
    """

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream
        self.size = stream.seek(0, 2)
        self._sums = array("I", [zlib.adler32(b"")])

    def get(self, at: int, length: int) -> bytes:
        """``length`` bytes at an offset, fewer where the file ends."""
        self.stream.seek(at)
        return self.stream.read(max(0, min(length, self.size - at)))

    def find_header(self, at: int) -> int | None:
        """The offset of the next header of a control record, from ``at`` on."""
        for start in range(at, self.size, STEP):
            found = self.get(start, STEP + len(HEADER)).find(HEADER)
            if found >= 0:
                return start + found
        return None

    def fill_start(self) -> int:
        """Where the preallocated space at the end begins: zeros and EOF records (KDB-013)."""
        end = self.size
        while True:
            start = max(0, end - STEP)
            matched = _FILL_BACKWARDS.match(self.get(start, end - start)[::-1])
            assert matched is not None
            if not matched[0]:
                return end
            end -= matched.end()

    def is_zero(self, start: int, end: int) -> bool:
        """Whether ``[start, end)`` is all zeros."""
        blocks = (self.get(at, min(STEP, end - at)) for at in range(start, end, STEP))
        return not any(any(block) for block in blocks)

    def adler32(self, start: int, end: int) -> int:
        """Adler-32 of ``[start, end)``, from the sums of two prefixes.

        Summing overlapping ranges again costs next to nothing.
        """
        before, upto = self._prefix(start), self._prefix(end)
        length, a = end - start, before & 0xFFFF
        low = ((upto & 0xFFFF) - a + 1) % 65521
        high = ((upto >> 16) - (before >> 16) - length * (a - 1)) % 65521
        return high << 16 | low

    def _prefix(self, end: int) -> int:
        """Adler-32 of ``[0, end)``."""
        whole, rest = divmod(end, STEP)
        for number in range(len(self._sums) - 1, whole):
            self._sums.append(zlib.adler32(self.get(number * STEP, STEP), self._sums[number]))
        return zlib.adler32(self.get(whole * STEP, rest), self._sums[whole])


class Search:
    """The next header that begins a batch of some kind. Nothing is searched twice (KDB-053)."""

    def __init__(self, source: Source, accepts: Callable[[int], bool]) -> None:
        self._source = source
        self._accepts = accepts
        # From each of these offsets on, the next one is at the last of them; there is none if that
        # is the end of the file.
        self._searched: Sequence[int] = ()

    def next(self, at: int) -> int | None:
        """The offset of the next one, from ``at`` on."""
        size = self._source.size
        if at not in self._searched:
            found = self._source.find_header(at)
            while found is not None and not self._accepts(found):
                found = self._source.find_header(found + len(HEADER))
            self._searched = range(at, (size if found is None else found) + 1)
        found = self._searched[-1]
        return found if found < size else None


class Memo:
    """A number for each offset that was noted, in pages that exist only where one was wanted."""

    def __init__(self) -> None:
        self._pages: defaultdict[int, array[int]] = defaultdict(lambda: array("q", [0]) * STEP)

    def get(self, offset: int) -> int:
        """What was noted; 0 if nothing was."""
        return self._pages[offset // STEP][offset % STEP]

    def note(self, offset: int, number: int) -> None:
        """Note a number of 64 bits."""
        self._pages[offset // STEP][offset % STEP] = number


assert len(EOF_RECORD) == 5 and len(HEADER) == 16
