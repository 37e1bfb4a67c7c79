"""Find SQLite logs in a disk image by their headers or by consecutive frames.

Two consecutive frames have the same salts, and the checksum of the second continues that of the
first.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from reference_impl.answer import Record
from reference_impl.sqlite_wal.layout import (
    FRAME_HEADER_SIZE,
    HEADER_SIZE,
    MAGIC,
    PAGE_SIZES,
    SALTS,
    VERSION,
    FrameHeader,
    Order,
    covered,
    rewind,
)
from reference_impl.sqlite_wal.opening import NoHeader, Refused, open_log, rebuild
from reference_impl.sqlite_wal.reader import read_file
from walproof.carve import base
from walproof.carve.model import Find, Loose, Pattern, Window

SUFFIX = ".db-wal"
#: In an aligned log, each slot begins at a multiple of this number of bytes.
STEP = 8
#: Page numbers and database sizes of loose frames are below this number.
MAX_PAGES = 1 << 28
#: Maximum number of consecutive damaged slots in a log or in a run of loose frames.
MAX_GAP_SLOTS = 16
#: Number of bytes searched at a time for frames without a header.
PIECE = 1 << 22
#: Cost of a false hit, as a multiple of its size: the executable specification reads slowly.
COST = 8

_ORDERS: tuple[Order, Order] = ("<", ">")


class Carver(base.Carver):
    """See :class:`walproof.carve.base.Carver`."""

    patterns: Sequence[Pattern] = (
        Pattern(
            MAGIC.to_bytes(4, "big") + VERSION.to_bytes(4, "big"),
            b"\xff\xff\xff\xfe\xff\xff\xff\xff",
        ),
    )

    def window(self, window: Window, hits: Sequence[tuple[int, int]]) -> Iterator[Find]:
        """See :class:`walproof.carve.base.Carver`."""
        links = _links(window.data[: window.size], window.base, window.stop)
        places = [(at, 0) for at, _ in hits] + links
        for at, page_size in sorted(places):
            if at < self._done:
                continue
            find = self._frames(at, page_size) if page_size else self._log(at)
            if find is not None:
                self._done = find.end
                yield find

    def records(self, at: int, end: int) -> Iterator[Loose]:
        """See :class:`walproof.carve.base.Carver`. All transactions count as after a loss."""
        while at < end:
            run = self._first_run(at, end)
            if run is None:
                return
            data = bytes(HEADER_SIZE) + self.image.read(run.at, run.end - run.at)
            for event in read_file(io.BytesIO(data), len(data)):
                if isinstance(event, Record):
                    start = run.at + event.at - HEADER_SIZE
                    yield Loose(start, event.size, event.payload, event.fields)
            at = run.end

    def is_of(self, log: int, at: int, end: int) -> bool:
        """See :class:`walproof.carve.base.Carver`. The salts are the key."""
        run = self._first_run(at, end)
        salts = self.image.read(log + 16, 8)
        return run is not None and self.image.read(run.at, FRAME_HEADER_SIZE)[SALTS] == salts

    def _log(self, at: int) -> Find | None:
        if at % self.align:
            return None
        with self.image.stream(at, at + HEADER_SIZE) as file:
            try:
                opening = open_log(file, HEADER_SIZE)  # type: ignore[arg-type]
            except (NoHeader, Refused):
                return None
        end = self._end(at + HEADER_SIZE, opening.page_size, opening.salts)
        return Find(at, end, "log", "checksum", SUFFIX)

    def _frames(self, at: int, page_size: int) -> Find | None:
        """Return the frames that begin at an offset, if the second one continues the first."""
        slot = FRAME_HEADER_SIZE + page_size
        if not self.image.work.allows(COST * slot):
            return None
        one, other = (self.image.read(start, slot) for start in (at, at + slot))
        if len(other) < slot:
            return None
        before, frame = FrameHeader.of(one), FrameHeader.of(other)
        if not any(rewind(frame.checksum, covered(other), o) == before.checksum for o in _ORDERS):
            self.image.work.spend(COST * slot)
            return None
        end = self._end(at, page_size, frame.salts)
        start = at - HEADER_SIZE
        if start >= self._done and start % self.align == 0:
            with self.image.stream(start, at + slot) as file:
                if rebuild(file, HEADER_SIZE + slot):  # type: ignore[arg-type]
                    return Find(start, end, "log", "checksum", SUFFIX)
        return Find(at, end, "loose", "checksum")

    def _end(self, at: int, page_size: int, salts: bytes) -> int:
        """Return the end of the last slot with these salts; ``at`` is the first slot."""
        slot = FRAME_HEADER_SIZE + page_size
        end = at
        while at - end <= MAX_GAP_SLOTS * slot:
            header = self.image.read(at, FRAME_HEADER_SIZE)
            if len(header) < FRAME_HEADER_SIZE:
                break
            at += slot
            if FrameHeader.of(header).has_salts(salts):
                end = at
        return min(end, self.image.size)

    def _first_run(self, at: int, end: int) -> Find | None:
        for start in range(at, end, PIECE):
            stop = min(start + PIECE, end)
            data = self.image.read(start, stop - start + max(PAGE_SIZES) + 2 * FRAME_HEADER_SIZE)
            for place, page_size in _links(np.frombuffer(data, np.uint8), start, stop):
                find = self._frames(place, page_size)
                if find is not None:
                    return find
        return None


def _links(data: NDArray[np.uint8], base: int, stop: int) -> list[tuple[int, int]]:
    """Return the offsets and page sizes of possible pairs of frames below ``stop``."""
    first = -base % STEP
    data = data[first : first + (len(data) - first) // STEP * STEP]
    words = data.view(np.uint64)
    pages, sizes = data.view(">u4")[0::2], data.view(">u4")[1::2]
    # The subtraction turns a page number of 0 into the largest number, which is out of range.
    may_be_frame = (pages.astype(np.uint32) - np.uint32(1) < MAX_PAGES) & (sizes < MAX_PAGES)
    slots = np.flatnonzero(may_be_frame[: (stop - base - first + STEP - 1) // STEP])
    slots = slots[slots + 2 < len(words)]
    slots = slots[words[slots + 1] != 0]
    found: list[tuple[int, int]] = []
    for page_size in PAGE_SIZES:
        distance = (FRAME_HEADER_SIZE + page_size) // STEP
        ones = slots[slots + distance + 2 < len(words)]
        others = ones + distance
        is_link = (
            (words[ones + 1] == words[others + 1])
            & may_be_frame[others]
            # Two slots with the same checksum are repeated bytes, not two frames.
            & (words[ones + 2] != words[others + 2])
        )
        found += [(base + first + STEP * int(n), page_size) for n in ones[is_link]]
    return found
