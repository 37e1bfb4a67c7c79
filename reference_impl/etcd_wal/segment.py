"""The reader of one segment: it proves frames, and continues after faults."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from crc32c import crc32c

from reference_impl.answer import ReasonCode
from reference_impl.etcd_wal.layout import (
    CRC,
    ENTRY,
    LENGTH_SIZE,
    METADATA,
    SNAPSHOT,
    STATE,
    TYPES,
    fields,
    length_at,
    padding_of,
    payload_numbers,
    read_varint,
    varint,
)

SECTOR = 512
CRC_MASK = (1 << 32) - 1
#: Maximum number of bytes (tags, type, checksum and length) before a record's data (ETW-021).
MAX_HEAD_SIZE = 24
#: A search stops when the total size of the frames that it tried exceeds this multiple of the file
#: size (ETW-033).
SEARCH_FACTOR = 2
#: Frames that need more than reading A are only tried until their total size exceeds this multiple
#: of the file size (ETW-035).
READING_FACTOR = 8
#: This pattern matches the beginning of a record of a known type.
BEGINNING = re.compile(rb"(?=\x08[\x01-\x05]\x10)")


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read the record of a frame (ETW-021)."""

    kind: int
    #: The stored checksum, or -1 if this interpretation of the bytes has no checksum.
    crc: int
    data: tuple[int, int] | None
    #: The offsets at which the frame may end, the most likely first.
    ends: tuple[int, ...]
    #: The reason code to report if this is the only interpretation of the frame that succeeds.
    code: str


@dataclass(frozen=True, slots=True)
class Item:
    """A frame, or a lost range that is not a frame."""

    start: int
    end: int
    #: The type of the record, or None for a lost range that is not a frame.
    kind: int | None = None
    #: The running checksum after the frame.
    seed: int = 0
    code: str | None = None
    #: The payload. None for framing and for lost frames.
    payload: bytes | None = None
    #: The numbers in the payload. None if the payload is invalid.
    numbers: Mapping[str, int] | None = None
    #: True if the record of a frame has no data.
    is_empty: bool = False
    #: True if content may be lost here.
    loses: bool = False
    is_torn: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """The commit index and other values from the records read so far (ETW-032)."""

    commit: int = 0
    term: int = 0
    marker: int = 0
    state: bytes | None = None

    def after(self, items: Sequence[Item]) -> Known:
        """Return these values, updated with the items that follow."""
        known = self
        for item in items:
            numbers = item.numbers
            if numbers and item.kind == STATE:
                known = replace(
                    known,
                    commit=max(known.commit, numbers["commit"]),
                    term=max(known.term, numbers["term"]),
                    state=item.payload,
                )
            elif numbers and item.kind == SNAPSHOT:
                known = replace(known, marker=max(known.marker, numbers["index"]))
        return known

    def allows(self, item: Item, before: int) -> bool:
        """Return whether an item can follow in this log, after records of its file (ETW-032)."""
        if item.kind == METADATA:
            return not before
        numbers = item.numbers
        if numbers is None:
            return True
        if item.kind == ENTRY:
            return numbers["index"] > self.commit
        if item.kind == STATE:
            is_new = before < 2 or item.payload != self.state  # A head repeats it (ETW-009).
            return is_new and numbers["term"] >= self.term and numbers["commit"] >= self.commit
        return numbers["index"] >= self.marker


def _is_of_known_type(reading: Reading) -> bool:
    return reading.kind in TYPES or (reading.kind == CRC and reading.data is None)


@dataclass(frozen=True, slots=True)
class Run:
    """Consecutive frames, the offset at which they stop, and the reason."""

    items: list[Item]
    at: int
    seed: int
    stop: Literal["end", "fault", "foreign"]


class Segment:
    """One file of a log. ``next_crc`` is the checksum in the head of the next file, if any."""

    def __init__(self, data: bytes, is_last: bool, next_crc: int | None = None) -> None:
        self.data, self.size = data, len(data)
        self.is_last, self.next_crc = is_last, next_crc
        #: The end of the last byte that is not zero.
        self.content = len(data.rstrip(b"\0"))
        #: A scan sets the items in order, and the offset of the next frame (None if no frame may
        #: follow).
        self.items: list[Item] = []
        self.end: int | None = None
        #: A scan sets the running checksum. None if the end of the content is lost.
        self.seed: int | None = None
        self._rejected: set[int] = set()
        self._counted = 0
        self._tried = 0
        #: The number of records in the items, including lost and unproven ones.
        self._records = 0

    # -- frames ------------------------------------------------------------------------------------

    def is_end(self, at: int) -> bool:
        """Return whether only zeros follow an offset (ETW-011)."""
        return self.content <= at <= self.size

    def message(self, at: int) -> Reading | None:
        """Return reading A, which parses the record as a message (ETW-005, ETW-021)."""
        extent = self._extent(at)
        if extent is None:
            return None
        kind = crc = 0
        data = None
        try:
            for number, wire, value in fields(self.data, at + LENGTH_SIZE, extent[0]):
                if number <= 3 and wire != (2 if number == 3 else 0):
                    return None
                if number == 1:
                    kind = value
                elif number == 2:
                    crc = value & CRC_MASK
                elif number == 3:
                    data = value
        except ValueError:
            return None
        return Reading(kind, crc, data, extent[1], "bad-crc")

    def _extent(self, at: int) -> tuple[int, tuple[int, ...]] | None:
        """Return the end of the record and the ends of the frame (ETW-020, ETW-021)."""
        length = length_at(self.data, at)
        if not length.record:
            return None
        record_end, end = at + LENGTH_SIZE + length.record, at + length.frame
        if not self.is_last and record_end <= self.size:
            end = min(end, self.size)
        if end > self.size:
            return None
        return record_end, self._within(end, record_end + padding_of(length.record))

    def _within(self, *ends: int) -> tuple[int, ...]:
        """Return the different ends that are in the file."""
        return tuple(end for end in dict.fromkeys(ends) if end <= self.size)

    def _readings(self, at: int) -> Iterator[Reading]:
        """Yield those of the readings A to D that succeed for a frame (ETW-021)."""
        if message := self.message(at):
            yield message
        start = at + LENGTH_SIZE
        extent = self._extent(at)
        if extent and (reading := self._by_position(start, *extent)):
            yield reading
        if reading := self._by_own_length(at):
            yield reading
        if extent and (reading := self._by_data(start, *extent)):
            yield reading

    def _by_position(self, at: int, record_end: int, ends: tuple[int, ...]) -> Reading | None:
        try:
            kind, at = read_varint(self.data, at + 1, record_end)
            crc, at = read_varint(self.data, at + 1, record_end)
            crc &= CRC_MASK
        except ValueError:
            return None
        if at == record_end:
            may_lack_data = kind in (METADATA, CRC)
            return Reading(kind, crc, None, ends, "bad-record") if may_lack_data else None
        size = record_end - at - 2  # without the tag, and one byte of the length
        while size >= 0 and 1 + len(varint(size)) + size > record_end - at:
            size -= 1
        if size < 0 or 1 + len(varint(size)) + size < record_end - at:
            return None
        return Reading(kind, crc, (record_end - size, record_end), ends, "bad-record")

    def _by_own_length(self, at: int) -> Reading | None:
        reading = self._usual(at)
        if reading is None or (reading.data is None and reading.kind not in (METADATA, CRC)):
            return None
        size = reading.ends[-1] - at - LENGTH_SIZE
        length = length_at(self.data, at)
        is_as_stated = (length.record, length.padding) == (size, padding_of(size))
        return None if is_as_stated else reading

    def _usual(self, at: int) -> Reading | None:
        """Return the record of a frame as a writer writes it, whatever the length states."""
        start = at + LENGTH_SIZE
        if not BEGINNING.match(self.data, start):
            return None
        data = None
        try:
            crc, record_end = read_varint(self.data, start + 3, self.size)
            if self.data[record_end : record_end + 1] == b"\x1a":
                size, begin = read_varint(self.data, record_end + 1, self.size)
                record_end = begin + size
                data = begin, record_end
        except ValueError:
            return None
        ends = self._within(record_end + padding_of(record_end - start), record_end)
        if not ends:
            return None
        return Reading(self.data[start + 1], crc & CRC_MASK, data, ends, "bad-length")

    def _by_data(self, start: int, record_end: int, ends: tuple[int, ...]) -> Reading | None:
        if self.data[start : start + 1] != b"\x08" or self.data[start + 1 : start + 2] > b"\x05":
            return None
        for at in range(start + 3, min(start + MAX_HEAD_SIZE, record_end)):
            if self.data[at] != 0x1A:
                continue
            try:
                size, data = read_varint(self.data, at + 1, record_end)
            except ValueError:
                continue
            if data + size == record_end:
                return Reading(self.data[start + 1], -1, (data, record_end), ends, "bad-crc")
        return None

    def _computed(self, reading: Reading, seed: int) -> int:
        return crc32c(self.data[slice(*reading.data)], seed) if reading.data else seed

    def fits(self, reading: Reading | None, seed: int) -> bool:
        """Return whether a record's stored checksum continues ``seed`` (ETW-007)."""
        return reading is not None and self._computed(reading, seed) == reading.crc

    def follows(self, at: int, seed: int) -> bool:
        """Return whether the frame here, or the next file's head, proves a checksum (ETW-023)."""
        if self.is_end(at):
            return self.next_crc == seed
        return self.fits(self.message(at), seed)

    # -- one step ----------------------------------------------------------------------------------

    def step(self, at: int, seed: int) -> Item | None:
        """Return the frame at an offset, or None if nothing proves where it ends."""
        message = self.message(at)
        is_limited = self._is_over_limit()
        if (
            message
            and (is_limited or len(message.ends) == 1)
            and _is_of_known_type(message)
            and self.fits(message, seed)
        ):
            return self._item(at, message.ends[0], message, None)
        if is_limited:
            return None
        readings = list(self._readings(at))
        self._count(at, readings)
        fitting = [reading for reading in readings if self.fits(reading, seed)]
        if fitting:  # ETW-022
            reading = next(filter(_is_of_known_type, fitting), fitting[0])
            code = None if reading.code == "bad-crc" else ReasonCode(reading.code, "ETW-022")
            return self._item(at, self._end_of(reading), reading, code)
        for reading in readings:  # ETW-023
            computed = self._computed(reading, seed)
            for end in reading.ends:
                if self.follows(end, computed):
                    code = ReasonCode(reading.code, "ETW-023")
                    return self._item(at, end, replace(reading, crc=computed), code)
        for reading in readings:  # ETW-024
            for end in reading.ends:
                if reading.crc >= 0 and self.follows(end, reading.crc):
                    code = ReasonCode("checksum-mismatch", "ETW-024")
                    is_empty = reading.data is None
                    return Item(
                        at, end, reading.kind, reading.crc, code, is_empty=is_empty, loses=True
                    )
        return None

    def _is_over_limit(self) -> bool:
        return self._tried > READING_FACTOR * self.size

    def _count(self, at: int, readings: Sequence[Reading]) -> None:
        """Count the bytes that the readings of a frame may make a reader examine (ETW-035)."""
        ends = {end for reading in readings for end in reading.ends}
        self._tried += sum(map(self._frame_size, [at, *ends]))
        self._tried += sum(each.ends[0] - at for each in readings if each.code == "bad-length")

    def _frame_size(self, at: int) -> int:
        """Return the size that a length states, or 0 if the frame does not fit into the file."""
        extent = self._extent(at)
        return extent[1][0] - at if extent else 0

    def _end_of(self, reading: Reading) -> int:
        """Return the end of a frame that fits the seed (ETW-022)."""
        ends = reading.ends
        if len(ends) > 1:
            for end in ends:
                if self.is_end(end) or self.follows(end, reading.crc):
                    return end
        return ends[0]

    def _item(self, at: int, end: int, reading: Reading, code: str | None) -> Item:
        """Return a frame whose data is proven (ETW-026, ETW-027)."""
        kind, seed, is_empty = reading.kind, reading.crc, reading.data is None
        if code is None and end != reading.ends[0]:
            code = ReasonCode("bad-length", "ETW-025")
        if kind == CRC and is_empty:
            return Item(at, end, kind, seed, code, is_empty=True)
        if kind not in TYPES:
            code = ReasonCode("bad-type", "ETW-026")
            return Item(at, end, kind, seed, code, is_empty=is_empty, loses=True)
        payload = self.data[slice(*reading.data)] if reading.data else b""
        numbers = payload_numbers(kind, payload)
        if numbers is None:
            code = code or "bad-payload"
        return Item(at, end, kind, seed, code, payload, numbers, is_empty)

    def walk(self, at: int, seed: int, known: Known, guard: Known | None, before: int) -> Run:
        """Read frames up to the end of the content, a fault, or a record of another log.

        ``guard`` holds the values that the records must continue. If it is None, it is set to the
        known values at the first loss (ETW-032). ``before`` is the number of records in the file
        before this run.
        """
        items: list[Item] = []
        while not self.is_end(at):
            item = self.step(at, seed)
            if item is None:
                return Run(items, at, seed, "fault")
            if guard and not item.loses and not guard.allows(item, before):
                return Run(items, at, seed, "foreign")
            items.append(item)
            before += item.kind != CRC
            known = known.after([item])
            if item.loses:
                guard = guard or known
            at, seed = item.end, item.seed
        return Run(items, at, seed, "end")

    # -- the whole file ----------------------------------------------------------------------------

    def scan(self, running: int | None, is_first: bool, known: Known, heads: set[int]) -> None:
        """Read the file.

        ``running`` is the running checksum, if it is known. ``heads`` are the checksums in the
        heads of the files before; that of this file is added.
        """
        self._known = known
        if not self.content:
            self.items, self.seed = [Item(0, 0, code="missing-head")], running  # ETW-040
            return
        seed, at, guard = self._head(running, is_first, known, heads)
        self._tried = 0
        run = Run([], 0, 0, "fault")
        if seed is not None:
            run = self.walk(at, seed, known, guard, 0)
        if (guard and self._is_copy) or not self._continue(run, seed, guard):  # ETW-041
            self.items = [Item(0, self.content, code="broken-chain", loses=True)]
            self.seed = running
        elif self.is_last:
            self._tear()

    def _head(
        self, running: int | None, is_first: bool, known: Known, heads: set[int]
    ) -> tuple[int | None, int, Known | None]:
        """Read the file's head, and return the checksum, the next offset and a guard."""
        expected = 0 if is_first else running
        head = self.message(0)
        if head and head.kind == CRC and head.data is None:
            #: True if the head stores the checksum of an earlier one.
            self._is_copy = head.crc in heads
            heads.add(head.crc)
            stored, end, code = head.crc, self._end_of(head), None
            if expected is not None and stored != expected and self.follows(end, expected):
                stored, code = expected, ReasonCode("bad-crc", "ETW-041")
            elif running not in (None, stored):
                self.items.append(Item(0, 0, code="broken-chain", loses=True))
            self.items.append(self._item(0, end, replace(head, crc=stored), code))
            return stored, end, None if is_first or stored == running else known
        item = None if expected is None else self.step(0, expected)
        if item is None:
            return expected, 0, None
        if not item.is_empty:
            self.items.append(Item(0, 0, code="missing-head"))
            return expected, 0, None
        own = item.code if item.kind == CRC else ReasonCode("bad-type", "ETW-040")
        self.items.append(Item(0, item.end, CRC, item.seed, own))
        heads.add(item.seed)
        return item.seed, item.end, None

    def _continue(self, run: Run, seed: int | None, guard: Known | None) -> bool:
        """Take a run, and continue after each fault (ETW-030, ETW-031).

        Return False if a record does not continue ``guard``, the values in front of a file whose
        head does not continue the file before (ETW-041).
        """
        while True:
            items, at, stop = run.items, run.at, run.stop
            if stop == "foreign":
                if guard:
                    return False
                lossy = next(number for number, item in enumerate(items) if item.loses)
                self._rejected |= {item.start for item in items}
                self._tried += at - items[lossy].start
                at, items = items[lossy].start, items[:lossy]
            self._add(items)
            self._known = self._known.after(items)
            if seed is not None:
                seed = self._last_seed(seed)
            if stop == "end":
                self.end, self.seed = at, seed
                return True
            found = self._search(at, seed, guard)
            if found is None:
                code = self._code(at)
                self.items.append(Item(at, self.content, code=code, loses=True))
                return True
            place, run, unproven = found
            self.items.append(Item(at, place, code=self._code(at), loses=unproven is not None))
            if unproven:
                self._add([unproven])
                seed = unproven.seed

    def _add(self, items: list[Item]) -> None:
        self.items += items
        self._records += sum(item.kind not in (None, CRC) for item in items)

    def _last_seed(self, seed: int) -> int:
        for item in reversed(self.items):
            if item.kind is not None:
                return item.seed
        return seed

    def _code(self, at: int) -> str:
        """Return the reason code for a fault that is damage (ETW-020)."""
        if at == 0:
            return "missing-head"
        rest = self.data[at : at + LENGTH_SIZE]
        if not any(rest):
            return "zero-gap"
        if self._extent(at) is None:
            return ReasonCode("bad-length", "ETW-020")
        return ReasonCode("checksum-mismatch" if self.message(at) else "bad-record", "ETW-020")

    def _search(
        self, at: int, seed: int | None, guard: Known | None
    ) -> tuple[int, Run, Item | None] | None:
        """Find where to continue after a fault at ``at``, or return None.

        Returns the offset of the next frame, the run of frames that follow it, and the frame itself
        if nothing proves it. If the running checksum proves it, the run begins with this frame, and
        the third value is None.
        """
        before = self._records
        for match in BEGINNING.finditer(self.data, at + 1 + LENGTH_SIZE, self.content):
            place = match.start() - LENGTH_SIZE
            reading = self._candidate(place)
            if reading is None:
                continue
            if self._counted > SEARCH_FACTOR * self.size or self._is_over_limit():  # ETW-033
                return None
            if seed is not None and self.fits(reading, seed):  # ETW-030
                return place, self.walk(place, seed, self._known, guard, before), None
            end = reading.ends[0]
            self._counted += end - place
            if place in self._rejected:
                continue
            stored = reading.crc
            if not self.follows(end, stored):
                self._counted += self._frame_size(end)
                continue
            first = self._unproven(place, end, reading)
            is_record = reading.kind != CRC
            run = self.walk(end, stored, self._known, self._known, before + is_record)
            if self._is_anchored(run) and self._known.allows(first, before):  # ETW-031
                return place, run, replace(first, payload=None, numbers=None)
            self._counted += run.at - end
            self._rejected |= {item.start for item in run.items}
        return None

    def _candidate(self, at: int) -> Reading | None:
        """Return reading A of a record that is as a writer writes it, otherwise None (ETW-030)."""
        usual, extent = self._usual(at), self._extent(at)
        if usual is None or extent is None or usual.ends[-1] != extent[0]:
            return None
        return replace(usual, ends=extent[1], code="bad-crc")

    def _unproven(self, at: int, end: int, reading: Reading) -> Item:
        payload = self.data[slice(*reading.data)] if reading.data else b""
        numbers = payload_numbers(reading.kind, payload) if reading.kind in TYPES else None
        return Item(at, end, reading.kind, reading.crc, "unproven", payload, numbers)

    def _is_anchored(self, run: Run) -> bool:
        """Return whether a run ends at the end of the content or at a torn write (ETW-031)."""
        if run.stop == "fault" and self.is_last and self._evidence(run.at):
            beginning = self.data[run.at + LENGTH_SIZE : run.at + LENGTH_SIZE + 3]
            return all(
                byte in allowed
                for byte, allowed in zip(beginning, (b"\x08", b"\1\2\3\4\5", b"\x10"), strict=False)
            )
        return run.stop == "end"

    # -- torn writes -------------------------------------------------------------------------------

    def _tear(self) -> None:
        """Replace everything from an unfinished write on with one range (ETW-050 to ETW-052)."""
        synced = self._synced()
        frames = 0
        for number, item in enumerate(self.items):
            may_be_torn = item.loses and item.code != "bad-type"
            is_late = frames >= 2 and item.start >= synced
            if may_be_torn and is_late and (code := self._evidence(item.start)):
                del self.items[number:]
                torn = Item(item.start, self.content, code=code, is_torn=True)
                self.items.append(torn)
                self.end, self.seed = item.start, self._last_seed(0)
                return
            frames += item.kind is not None

    def _synced(self) -> int:
        """Return the offset up to which etcd has certainly synced the file (ETW-050)."""
        synced = 0
        pending = None
        has_entry = False
        for item in self.items:
            if pending is not None:
                synced, pending = pending, None
            if item.loses and item.kind not in TYPES:
                has_entry = False
            elif item.kind == SNAPSHOT:
                pending, has_entry = item.end, False
            elif item.kind == ENTRY:
                has_entry = True
            elif item.kind == STATE:
                pending, has_entry = item.end if has_entry else None, False
        return synced

    def _evidence(self, at: int) -> str | None:
        """Return the code for a frame that is only partly written, otherwise None (ETW-051)."""
        rest = self.data[at : at + LENGTH_SIZE]
        if len(rest) < LENGTH_SIZE:
            return "torn-length"
        length = length_at(self.data, at)
        if not any(rest):
            return None if any(self.data[at : _next_sector(at)]) else "torn-sector"
        if at + length.frame > self.size:
            return "torn-record"
        end = at + LENGTH_SIZE + length.record
        at += LENGTH_SIZE
        while at < end:
            following = min(_next_sector(at), end)
            if not any(self.data[at:following]):
                return "torn-sector"
            at = following
        return None


def _next_sector(at: int) -> int:
    return at // SECTOR * SECTOR + SECTOR
