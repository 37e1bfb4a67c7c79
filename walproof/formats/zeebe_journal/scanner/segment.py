"""Read a segment of a Zeebe journal: its descriptor, and its records in runs of columns."""

from __future__ import annotations

import struct
from collections.abc import Generator, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from crc32c import crc32c
from numpy.typing import NDArray

from reference_impl.answer import Lost
from walproof.formats.zeebe_journal.scanner import kernel
from walproof.scan import arrays
from walproof.scan.log import LocalSource
from walproof.scan.model import MAX_BYTES, MAX_ROWS, Records, Wanted
from walproof.scan.window import PASSING_BYTES

#: Bytes of a segment in memory. A longer record is buffered whole once its checksum matches.
WINDOW_BYTES = PASSING_BYTES
MAX_LOST_RANGES = 1024
RAFT_COLUMNS = ("term", "entry_type", "entry_fault")
_TYPES = (*kernel.ENTRY_TYPES, *(None for _ in kernel.ENTRY_FAULTS))
_FAULTS = (*(None for _ in kernel.ENTRY_TYPES), *kernel.ENTRY_FAULTS)
#: Bits of ``KINDS`` that are types, not faults.
_TYPE_BITS = (1 << kernel.INITIAL + 1) - 1


@dataclass(frozen=True, slots=True)
class Descriptor:
    """``index`` is that of the first record, at ``length``; ``seal`` that of the last (ZBJ-013)."""

    index: int
    max_segment_size: int
    seal: int | None
    length: int


@dataclass(frozen=True, slots=True)
class Unreadable:
    """The reason why a descriptor cannot be read."""

    reason: str


def descriptor_in(head: bytes) -> Descriptor | Unreadable:
    """Return the descriptor at the start of a file (ZBJ-005 to ZBJ-013).

    ``head`` holds the whole descriptor or the whole file.
    """
    if not head:
        return Unreadable("torn-descriptor")  # ZBJ-040
    if head[0] not in (1, 2):
        return Unreadable("unknown-version")  # ZBJ-011
    at, checksum = 1, None
    if head[0] == 2:
        if len(head) < at + 8:
            return Unreadable("torn-descriptor")
        length, template, schema = struct.unpack_from("<HHH", head, at)
        if (template, schema) != (4, 7) or length < 8:
            return Unreadable("bad-descriptor")
        at += 8 + length
        if len(head) < at:
            return Unreadable("torn-descriptor")
        (checksum,) = struct.unpack_from("<q", head, 9)
    if len(head) < at + 8:
        return Unreadable("torn-descriptor")
    length, template, schema, version = struct.unpack_from("<HHHH", head, at)
    if (template, schema) != (3, 7) or length < 20:
        return Unreadable("bad-descriptor")
    end = at + 8 + length
    if len(head) < end:
        return Unreadable("torn-descriptor")
    if checksum is not None and crc32c(head[at:end]) != checksum:
        return Unreadable("descriptor-checksum")  # ZBJ-009
    _, index, largest = struct.unpack_from("<qqi", head, at + 8)
    seal = None
    if checksum is not None and version >= 2 and length >= 32:
        last_index, last_position = struct.unpack_from("<qi", head, at + 28)
        seal = last_index if last_index > 0 and last_position > 0 else None
    return Descriptor(index, largest, seal, end)


#: Bytes of a record without a payload.
SMALLEST_RECORD = 1 + 8 + 12 + 8 + 16 + 4
LONGEST_DESCRIPTOR = 1 + 2 * (8 + 0xFFFF)
_OF_A_ROW = (np.int64, np.int64, np.uint8, np.int64, np.int64, np.uint32, np.uint64, np.int32)


class Room:
    """Arrays for records, shared by consecutive segments.

    ``rows`` and ``put`` are the numbers of used rows and of used payload bytes. ``columns`` are
    Arrow arrays that use the same memory.
    """

    def __init__(self, rows: int, payload: int) -> None:
        self.rows = self.put = 0
        self.ends = arrays.pooled(rows + 1, np.int32)
        (
            self.ats, self.sizes, self.cut, self.index, self.asqn, self.checksum, self.term,
            self.entries,
        ) = (arrays.pooled(rows, dtype) for dtype in _OF_A_ROW)  # fmt: skip
        self.ends[0] = 0
        self.columns = {
            "index": arrays.numbers(self.index),
            "asqn": arrays.numbers(self.asqn),
            "checksum": arrays.numbers(self.checksum),
            "term": arrays.numbers(self.term),
        }
        self.renew(payload)

    def renew(self, payload: int) -> None:
        """Allocate new memory for payloads only, from the next row on."""
        self.put = self.ends[self.rows] = 0
        self.payload = arrays.pooled(payload)

    def records(
        self, first: int, after: int, entries: int, is_cut: bool, file: str | None, wanted: Wanted
    ) -> Records:
        """Return rows as columns, without copying them.

        Only the flags of truncated payloads are copied. ``entries`` contains the bits of the
        kernel's ``KINDS`` for at least these rows.
        """
        here, count, payload, cut = slice(first, after), after - first, None, None
        if wanted.cap >= 0:
            payload = arrays.binary(self.ends[first : after + 1], self.payload, pa.binary())
            if is_cut:
                cut = self.cut[here].astype(np.bool_)
        columns = {
            name: self.columns[name].slice(first, count)
            for name in ("index", "asqn", "checksum")
            if wanted.wants(name)
        }
        if entries:
            columns |= self._raft(here, entries, wanted)
        return Records(
            at=self.ats[here],
            size=self.sizes[here],
            payload=payload,
            fields=columns,
            file=file,
            truncated=cut if cut is not None and cut.any() else None,
        )

    def _raft(self, here: slice, entries: int, wanted: Wanted) -> dict[str, pa.Array]:
        columns, count = {}, here.stop - here.start
        if wanted.wants("term"):
            if not entries & ~_TYPE_BITS:
                columns["term"] = self.columns["term"].slice(here.start, count)
            elif not entries & _TYPE_BITS:
                columns["term"] = arrays.repeated(None, pa.uint64(), count)
            else:
                mask = self.entries[here] > kernel.INITIAL
                columns["term"] = pa.array(self.term[here], mask=mask)
        single = entries.bit_length() - 1 if entries.bit_count() == 1 else None
        for name, texts in (("entry_type", _TYPES), ("entry_fault", _FAULTS)):
            if wanted.wants(name):
                if single is not None:
                    columns[name] = arrays.repeated(texts[single], pa.string(), count)
                else:
                    numbers = pa.array(self.entries[here])
                    columns[name] = pa.array(texts, pa.string()).take(numbers)
        return columns


class Memory:
    """Memory shared by the passes over the segments of a journal.

    ``window`` is the read buffer; ``state`` and ``lost`` belong to the kernel.
    """

    def __init__(self, wanted: Wanted) -> None:
        self.wanted, self.cap = wanted, wanted.cap
        self.raft = any(wanted.wants(name) for name in RAFT_COLUMNS)
        self.window = arrays.pooled(WINDOW_BYTES)
        self.room = Room(0, 0)
        self.state = np.zeros(kernel.STATE, np.int64)
        self.lost = np.empty((MAX_LOST_RANGES, 3), np.int64)

    def begin(self, left: int) -> None:
        """Prepare to read ``left`` bytes, so that a small segment becomes a single run."""
        wish = min(left, MAX_BYTES)
        if self.cap >= 0 and len(self.room.payload) - self.room.put < wish:
            self.make_room(left, 0)

    def make_room(self, left: int, needed: int) -> None:
        """Provide room for the next rows; the first payload has ``needed`` bytes.

        The arrays are reused while more than half of their rows are free. Otherwise, larger arrays
        are allocated.
        """
        room = self.room
        payload = max(needed, min(MAX_BYTES, left)) if self.cap >= 0 else 0
        if payload and 2 * room.rows < len(room.ats):
            if room.rows:
                room.rows += 1  # the end of the previous row is the start of this one
            room.renew(payload)
        else:
            rows = max(1 + left // SMALLEST_RECORD, 2 * len(room.ats))
            self.room = Room(min(MAX_ROWS, rows), payload)

    def walk(self, data: NDArray[np.uint8]) -> int:
        """Run the kernel over these bytes with the available room."""
        room = self.room
        return kernel.walk(  # type: ignore[no-any-return]
            data, self.cap, self.raft, self.state, room.ats, room.sizes, room.ends, room.cut,
            self.lost, room.index, room.asqn, room.checksum, room.term, room.entries, room.payload,
        )  # fmt: skip


class SegmentPass:
    """A pass over the records of a segment, from ``at`` to ``limit``.

    After a call of :meth:`events`, ``at`` is the offset after the last record, ``index`` is the
    next index, and ``asqn`` is the last asqn. ``fault`` is the reason why reading stopped.
    ``limited`` is true if the pass reached ``limit``.
    """

    def __init__(
        self,
        source: LocalSource,
        descriptor: Descriptor,
        file: str | None,
        memory: Memory,
    ) -> None:
        self.source, self.descriptor, self.file = source, descriptor, file
        self.state = memory.state
        self.fault: str | None = None
        self.limited = False
        self.memory, self.lost = memory, memory.lost

    @property
    def at(self) -> int:
        """Return the offset after the last record."""
        return int(self.state[kernel.AT])

    @property
    def index(self) -> int:
        """Return the next index."""
        return int(self.state[kernel.INDEX]) + int(self.state[kernel.BEYOND])

    @property
    def asqn(self) -> int:
        """Return the last asqn, -1 for none."""
        return int(self.state[kernel.ASQN])

    def events(self, at: int, index: int, asqn: int, limit: int) -> Iterator[Records | Lost]:
        """Yield runs of records, and losses by an asqn out of order (ZBJ-032). ``OSError``."""
        state = self.state
        beyond = index > kernel.LARGEST
        state[kernel.AT], state[kernel.INDEX] = at, min(index, kernel.LARGEST)
        state[kernel.BEYOND], state[kernel.ASQN] = beyond, asqn
        self.memory.begin(max(0, self.source.size - at))
        self._go_on()
        state[kernel.BASE] = state[kernel.FILLED] = 0
        state[kernel.FILE_SIZE], state[kernel.STOP] = self.source.size, limit
        state[kernel.SEGMENT_SIZE] = self.descriptor.max_segment_size
        outcome = yield from self._walk()
        self.fault = kernel.FAULTS[state[kernel.FAULT]] if outcome == kernel.FAULTY else None
        self.limited = outcome == kernel.LIMIT

    def _walk(self) -> Generator[Records | Lost, None, int]:
        """Yield the kernel's runs and set the reason for the end."""
        state, data = self.state, self.memory.window
        while True:
            outcome = self.memory.walk(data)
            if outcome == kernel.FULL_UP:
                yield from self._taken()
                if state[kernel.LOST] < len(self.lost):
                    left = max(0, self.source.size - self.at)
                    self.memory.make_room(left, int(state[kernel.ROOM_NEEDED]))
                self._go_on()
                continue
            if outcome != kernel.USED_UP:
                break
            needed = int(state[kernel.DATA_END]) - self.at
            window = self.memory.window
            if needed > len(window) and not self._holds():
                outcome, state[kernel.FAULT] = kernel.FAULTY, kernel.CHECKSUM_MISMATCH
                break
            data = window if needed <= len(window) else np.empty(needed, np.uint8)
            base, filled = self.at, self.source.read_into(self.at, data)
            state[kernel.BASE], state[kernel.FILLED] = base, filled
            if filled < needed:
                state[kernel.FILE_SIZE] = base + filled  # truncated by another process
        yield from self._taken()
        return outcome

    def _holds(self) -> bool:
        """Return whether a long record matches its checksum, before allocating memory (ZBJ-046)."""
        at, end = int(self.state[kernel.DATA]), int(self.state[kernel.DATA_END])
        if at < 0:
            return True
        stored = int.from_bytes(self.source.read(self.at + 9, 8), "little")
        window, crc = self.memory.window, 0
        while at < end:
            filled = self.source.read_into(at, window[: end - at])
            if not filled:
                return False
            crc, at = kernel.checksum(crc, window, filled), at + filled
        return crc == stored

    def _go_on(self) -> None:
        """Append rows to those already in the arrays."""
        state, room = self.state, self.memory.room
        state[kernel.ROWS], state[kernel.PUT] = room.rows, room.put
        state[kernel.LOST] = state[kernel.CUT] = state[kernel.KINDS] = 0

    def _taken(self) -> Iterator[Records | Lost]:
        room, rows, wanted = self.memory.room, int(self.state[kernel.ROWS]), self.memory.wanted
        first, room.rows, room.put = room.rows, rows, int(self.state[kernel.PUT])
        entries, is_cut = int(self.state[kernel.KINDS]), bool(self.state[kernel.CUT])
        for start, end, before in self.lost[: int(self.state[kernel.LOST])].tolist():
            if before > first:
                yield room.records(first, before, entries, is_cut, self.file, wanted)
                first = before
            yield Lost(start, end, "asqn-order", file=self.file)
        if rows > first:
            yield room.records(first, rows, entries, is_cut, self.file, wanted)
