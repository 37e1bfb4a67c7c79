"""One segment of the Zeebe twin: its descriptor, and its records in runs of columns."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reference_impl.answer import Lost
from walproof.scan.log import LocalSource
from walproof.scan.model import MAX_BYTES, MAX_ROWS, Records, Wanted
from walproof.scan.stored import ready

kernel = ready("walproof.scan.zeebe_journal.kernel")
update = kernel.update
WINDOW = 1 << 18
"""Bytes of a segment in memory, in the processor's cache; a longer record is held whole, once its
checksum holds."""
GAPS = 1024
LARGEST_PAYLOAD = 2**31 - 1
RAFT_COLUMNS = ("term", "entry_type", "entry_fault")
_TYPES = pa.array([*kernel.ENTRY_TYPES, *(None for _ in kernel.ENTRY_FAULTS)], pa.string())
_FAULTS = pa.array([*(None for _ in kernel.ENTRY_TYPES), *kernel.ENTRY_FAULTS], pa.string())


@dataclass(frozen=True, slots=True)
class Descriptor:
    """``index`` is that of the first record, at ``length``; ``seal`` that of the last (ZBJ-013)."""

    index: int
    max_segment_size: int
    seal: int | None
    length: int


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why there is no descriptor."""

    reason: str


def descriptor_in(head: bytes) -> Descriptor | Unreadable:
    """The descriptor at the start of a file (ZBJ-005 to ZBJ-013). ``head`` holds it whole, or is
    all of the file.
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
    if checksum is not None and update(0, np.frombuffer(head, np.uint8), at, end) != checksum:
        return Unreadable("descriptor-checksum")  # ZBJ-009
    _, index, largest = struct.unpack_from("<qqi", head, at + 8)
    seal = None
    if checksum is not None and version >= 2 and length >= 32:
        last_index, last_position = struct.unpack_from("<qi", head, at + 28)
        seal = last_index if last_index > 0 and last_position > 0 else None
    return Descriptor(index, largest, seal, end)


LONGEST_DESCRIPTOR = 1 + 2 * (8 + 0xFFFF)


class SegmentPass:
    """The records of one segment, from ``at`` to ``limit``.

    After :meth:`events`, ``at`` is the offset after the last record, ``index`` and ``asqn`` are
    the next index and the last asqn, ``fault`` is why nothing more can be read, and ``limited``
    says that ``limit`` was reached.
    """

    def __init__(
        self,
        source: LocalSource,
        descriptor: Descriptor,
        wanted: Wanted,
        file: str | None,
        window: NDArray[np.uint8],
    ) -> None:
        self.source, self.descriptor, self.file = source, descriptor, file
        self.wanted = wanted
        self.cap = min(wanted.max_payload, LARGEST_PAYLOAD) if wanted.payload else -1
        self.raft = any(wanted.wants(name) for name in RAFT_COLUMNS)
        self.state = np.zeros(kernel.STATE, np.int64)
        self.fault: str | None = None
        self.limited = False
        self.window = self.memory = window
        self.lost = np.empty((GAPS, 3), np.int64)

    @property
    def at(self) -> int:
        """The offset after the last record."""
        return int(self.state[kernel.AT])

    @property
    def index(self) -> int:
        """The index that comes next."""
        return int(self.state[kernel.INDEX]) + int(self.state[kernel.BEYOND])

    @property
    def asqn(self) -> int:
        """The last asqn, -1 for none."""
        return int(self.state[kernel.ASQN])

    def events(self, at: int, index: int, asqn: int, limit: int) -> Iterator[Records | Lost]:
        """Runs of records, and what an asqn out of order costs (ZBJ-032). ``OSError``."""
        state = self.state
        beyond = index > kernel.LARGEST
        state[kernel.AT], state[kernel.INDEX] = at, min(index, kernel.LARGEST)
        state[kernel.BEYOND], state[kernel.ASQN] = beyond, asqn
        self._make_room(0)
        base = filled = 0
        size = self.source.size
        while True:
            outcome = kernel.walk(
                self.memory, base, filled, size, self.descriptor.max_segment_size, limit,
                self.cap, self.raft, state, self.ats, self.sizes, self.ends, self.cut,
                self.payload, self.lost, self.index_, self.asqn_, self.checksum, self.term,
                self.entries,
            )  # fmt: skip
            if outcome == kernel.FULL_UP:
                yield from self._taken()
                self._make_room(int(state[kernel.ROOM_NEEDED]))
                continue
            if outcome != kernel.USED_UP:
                break
            needed = int(state[kernel.DATA_END]) - self.at
            if needed > len(self.window) and not self._holds():
                outcome, state[kernel.FAULT] = kernel.FAULTY, kernel.CHECKSUM_MISMATCH
                break
            fits = needed <= len(self.window)
            self.memory = self.window if fits else np.empty(needed, np.uint8)
            base, filled = self.at, self.source.read_into(self.at, self.memory)
            if filled < needed:
                size = base + filled  # cut short by somebody else
        yield from self._taken()
        self.fault = kernel.FAULTS[state[kernel.FAULT]] if outcome == kernel.FAULTY else None
        self.limited = outcome == kernel.LIMIT

    def _holds(self) -> bool:
        """Whether the checksum of a long record holds, before memory is got for it (ZBJ-046)."""
        at, end = int(self.state[kernel.DATA]), int(self.state[kernel.DATA_END])
        if at < 0:
            return True
        stored = int.from_bytes(self.source.read(self.at + 9, 8), "little")
        window, crc = self.window, 0
        while at < end:
            filled = self.source.read_into(at, window[: end - at])
            if not filled:
                return False
            crc, at = update(crc, window, 0, filled), at + filled
        return crc == stored

    def _make_room(self, needed: int) -> None:
        left = max(0, self.source.size - self.at)
        rows = min(MAX_ROWS, 1 + left // (1 + 8 + 12 + 8 + 16 + 4))
        self.ats, self.sizes = np.empty(rows, np.int64), np.empty(rows, np.int64)
        self.ends, self.cut = np.empty(rows + 1, np.int32), np.empty(rows, np.uint8)
        self.ends[0] = 0
        self.index_, self.asqn_ = np.empty(rows, np.int64), np.empty(rows, np.int64)
        self.checksum, self.term = np.empty(rows, np.uint32), np.empty(rows, np.uint64)
        self.entries = np.empty(rows, np.int32)
        room = max(needed, min(MAX_BYTES, left)) if self.cap >= 0 else 0
        self.buffer = pa.allocate_buffer(room)
        self.payload = np.frombuffer(self.buffer, np.uint8)
        for counter in (kernel.ROWS, kernel.LOST, kernel.PUT, kernel.CUT):
            self.state[counter] = 0

    def _taken(self) -> Iterator[Records | Lost]:
        first, rows = 0, int(self.state[kernel.ROWS])
        for start, end, before in self.lost[: int(self.state[kernel.LOST])].tolist():
            if before > first:
                yield self._records(first, before)
                first = before
            yield Lost(start, end, "asqn-order", file=self.file)
        if rows > first:
            yield self._records(first, rows)

    def _records(self, first: int, after: int) -> Records:
        count, here = after - first, slice(first, after)
        payload = cut = None
        if self.cap >= 0:
            buffers = [None, pa.py_buffer(self.ends), self.buffer]
            payload = pa.Array.from_buffers(pa.binary(), count, buffers, 0, first)
            if self.state[kernel.CUT]:
                cut = self.cut[here].astype(np.bool_)
        fields: dict[str, NDArray[Any]] = {
            "index": self.index_[here],
            "asqn": self.asqn_[here],
            "checksum": self.checksum[here],
        }
        columns = {name: _column(of) for name, of in fields.items() if self.wanted.wants(name)}
        if self.raft:
            columns.update(self._raft(here, count))
        return Records(
            at=self.ats[here],
            size=self.sizes[here],
            payload=payload,
            fields=columns,
            file=self.file,
            truncated=cut if cut is not None and cut.any() else None,
        )

    def _raft(self, here: slice, count: int) -> dict[str, pa.Array]:
        entries = self.entries[here]
        lowest, highest = int(entries.min()), int(entries.max())
        made = {}
        if self.wanted.wants("term"):
            if highest <= kernel.INITIAL:
                made["term"] = _column(self.term[here])
            elif lowest > kernel.INITIAL:
                made["term"] = pa.nulls(count, pa.uint64())
            else:
                made["term"] = pa.array(self.term[here], mask=entries > kernel.INITIAL)
        for name, texts in (("entry_type", _TYPES), ("entry_fault", _FAULTS)):
            if self.wanted.wants(name):
                # Mostly they are all the same.
                made[name] = (
                    pa.repeat(texts[lowest], count)
                    if lowest == highest
                    else texts.take(pa.array(entries))
                )
        return made


_ARROW = {np.dtype(t): pa.from_numpy_dtype(t) for t in (np.int64, np.uint64, np.uint32)}


def _column(values: NDArray[Any]) -> pa.Array:
    """Numbers without a null, as they lie in memory."""
    return pa.Array.from_buffers(
        _ARROW[values.dtype], len(values), [None, pa.py_buffer(values)], null_count=0
    )
