"""The reader of one segment: its pages, frames and records, and what survives a fault.

Upstream authority: prometheus/prometheus ``tsdb/wlog/reader.go`` and ``live_reader.go``.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field

from reference_impl.answer import Event, Lost, ReasonCode, Record
from reference_impl.prometheus_wal.compression import Decoder, readings
from reference_impl.prometheus_wal.layout import (
    FIRST,
    FLAGS,
    FULL,
    HEADER_SIZE,
    LAST,
    MAX_DATA_SIZE,
    MIDDLE,
    NONE,
    PADDING,
    PAGE_SIZE,
    SNAPPY,
    ZSTD,
    Frame,
    frame_at,
)
from reference_impl.zstd_frame import BadCompression, TooLarge

SECTOR = 512
_NOT_ZERO = re.compile(rb"[^\0]")
_NAMES = {flag: name for name, flag in FLAGS.items()}


@dataclass(slots=True)
class _OpenRecord:
    """A record with a FIRST fragment and no LAST fragment yet."""

    at: int
    end: int
    data: bytearray = field(default_factory=bytearray)
    flags: set[int] = field(default_factory=set)
    #: The reason code of a minor fault: the record can still be read.
    note: str | None = None


class Segment:
    """A pass over one segment in the ``recover`` profile."""

    def __init__(
        self,
        data: bytes,
        file: str | None,
        is_last: bool,
        is_continued: bool,
        decoder: Decoder,
        base: int,
    ) -> None:
        self.data = memoryview(data)
        self.size = len(data)
        self.file = file
        #: True if all later segments of the log are empty or zero.
        self.is_last = is_last
        self.is_continued = is_continued
        self.decoder = decoder
        #: The number of bytes of the log before this segment.
        self.base = base
        #: The end of the last byte that is not zero.
        self.content = len(data.rstrip(b"\0"))
        #: The end of the last page in which other lengths were tried (PRW-024).
        self.tried: int | None = None
        self.open: _OpenRecord | None = None

    def events(self) -> Iterator[Event]:
        """Yield the records and lost ranges in the order in which a reader finds them.

        Then ``end`` is the offset at which a writer may cut the segment.
        """
        at = 0
        while at < self.content:
            self.page_end = at - at % PAGE_SIZE + PAGE_SIZE
            used = _NOT_ZERO.search(self.data, at)
            assert used is not None
            if used.start() >= self.page_end:
                at = yield from self._zeros(at, used.start())
                continue
            if self.size - at < HEADER_SIZE:
                if self.page_end - at < HEADER_SIZE:
                    at = yield from self._rest_of_page_lost(at, "nonzero-padding")
                    continue
                yield self._tear(at)
                return
            found = frame_at(self.data, at)
            sound = found if self._is_sound(found) else self._corrected(found)
            if sound is None:
                code = self._fault(found)
                if code is None:
                    yield self._tear(at)
                    return
                at = yield from self._rest_of_page_lost(at, code)
            elif self._is_phantom(sound):
                yield self._tear(at, "PRW-041")
                return
            else:
                note = None if sound is found else ReasonCode("bad-length", "PRW-024")
                yield from self._fragment(sound, note)
                at = sound.end
        self.end = at
        if self.open:
            yield self._tear(at)

    # -- frames ------------------------------------------------------------------------------------

    def _is_sound(self, found: Frame) -> bool:
        """Return whether the checksum proves a frame (PRW-020)."""
        if found.length > MAX_DATA_SIZE or not found.is_sound():
            return False
        # The checksum of empty data is 0, so it proves nothing.
        return found.length > 0 or found.type not in (PADDING, MIDDLE, LAST)

    def _corrected(self, found: Frame) -> Frame | None:
        """Return the frame with one bit of its length flipped, if its checksum fits (PRW-024)."""
        if not FULL <= found.type <= LAST or self.tried == self.page_end:
            return None
        self.tried = self.page_end
        for bit in range(16):
            other = found.resized(self.data, found.length ^ 1 << bit)
            if other.length and other.end <= self.page_end and other.is_sound():
                return other
        return None

    def _is_phantom(self, found: Frame) -> bool:
        """Return whether an empty FULL at the end may be a lone type byte (PRW-041)."""
        is_alone = found.at + 1 == self.content and found.end < min(self.page_end, self.size)
        return self.is_last and is_alone and found.type == FULL

    def _fault(self, found: Frame) -> str | None:
        """Return the code for an invalid frame, or None for a torn one (PRW-022 to 025)."""
        at, end = found.at, found.end
        if found.type == PADDING or self.page_end - at < HEADER_SIZE:
            return "nonzero-padding"
        sector = (end - 1) // SECTOR * SECTOR
        is_zeroed = self.content == at + 1 or self.content <= sector
        if end <= self.page_end and (end > self.size or is_zeroed):  # PRW-040
            return None
        if end > self.page_end or (not found.length and not found.checksum):
            return ReasonCode("bad-length", "PRW-023")
        return "checksum-mismatch"

    def _fragment(self, found: Frame, note: str | None) -> Iterator[Event]:
        """Process a valid frame."""
        kind = found.type
        if kind in (FULL, FIRST):
            if self.open and found.length == MAX_DATA_SIZE:
                self.open.end = found.end
                yield from self._open_record_lost("PRW-028")
                return
            yield from self._open_record_lost("PRW-028")
            self.open = _OpenRecord(found.at, found.end)
        elif kind not in (MIDDLE, LAST):
            yield Lost(found.at, found.end, "unknown-type", file=self.file)  # PRW-026
            yield from self._open_record_lost()
            return
        elif self.open is None:
            yield Lost(found.at, found.end, "orphan-fragment", file=self.file)  # PRW-027
            return
        record = self.open
        record.end = found.end
        record.data += found.data
        record.flags.add(found.flags)
        if found.end > self.page_end or (kind in (FIRST, MIDDLE) and found.end != self.page_end):
            note = note or "short-fragment"  # PRW-030
        record.note = record.note or note
        if kind in (FULL, LAST):
            yield from self._finish(record)
            self.open = None

    def _finish(self, record: _OpenRecord) -> Iterator[Event]:
        """Yield a record whose fragments are complete, or its range if it is lost."""
        data = bytes(record.data)
        if data and (len(record.flags) > 1 or SNAPPY | ZSTD in record.flags):
            record.note = record.note or "mixed-flags"  # PRW-032
        code = "bad-compression"
        for flags in readings(record.flags):
            try:
                payload = self.decoder.decode(data, flags, self.base + record.end)
            except TooLarge as error:
                code = ReasonCode("too-large", str(error))
            except BadCompression:
                pass
            else:
                break
        else:
            yield Lost(record.at, record.end, code, file=self.file)
            return
        if record.note:
            yield Lost(record.at, record.end, record.note, file=self.file)
        name = _NAMES[flags if data else NONE]
        size = record.end - record.at
        yield Record(record.at, size, payload, {"compression": name}, self.file)

    # -- faults ------------------------------------------------------------------------------------

    def _open_record_lost(self, requirement: str = "PRW-029") -> Iterator[Lost]:
        if self.open:
            code = ReasonCode("unfinished-record", requirement)
            yield Lost(self.open.at, self.open.end, code, file=self.file)
            self.open = None

    def _rest_of_page_lost(self, at: int, code: str) -> Generator[Event, None, int]:
        """Report the rest of a page as lost, and return the page's end."""
        yield Lost(at, min(self.page_end, self.size), code, file=self.file)
        yield from self._open_record_lost()
        return self.page_end

    def _zeros(self, at: int, end: int) -> Generator[Event, None, int]:
        """Report the zeros in ``[at, end)``; return the page to read next (PRW-021)."""
        following = self.page_end
        is_short = following - at < HEADER_SIZE
        if not is_short and not (self.is_continued and at % PAGE_SIZE):
            following = end - end % PAGE_SIZE
            yield Lost(at, following, "zero-page", file=self.file)
        yield from self._open_record_lost()
        return following

    def _tear(self, at: int, requirement: str = "PRW-040") -> Lost:
        """Return the lost range of an unfinished write at the end (PRW-040 to 042)."""
        self.end = self.open.at if self.open else at
        code = ReasonCode("torn-record", requirement)
        if not self.is_last:
            code = ReasonCode("unfinished-record", "PRW-042")
        return Lost(self.end, self.size, code, self.is_last, self.file)
