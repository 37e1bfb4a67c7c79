"""One index file of zmq-raft: its layout, and its entries in columns.

Requirement ids are those of spec/zmq-raft.md.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reference_impl.answer import Lost
from walproof.scan import arrays, payloads
from walproof.scan.ahead.calls import bound
from walproof.scan.log import Source
from walproof.scan.model import MAX_BYTES, MAX_ROWS, Records, Wanted
from walproof.scan.stored import ready
from walproof.scan.window import Window, room_for
from walproof.scan.zmq_raft.columns import complete

kernel = ready("walproof.scan.zmq_raft.kernel")

HEADER = struct.Struct("<4sIIIQ")  # ZMR-010: RLOG, length, version, capacity, first index
MAX_DATA = 0x3FFFFFFF  # ZMR-013
MAX_HELD = 8 << 20
"""Bytes of an entry up to which it is held whole."""
HELD = 1 << 18
"""Bytes of entries that are in memory at a time: few enough to stay in the cache."""
SLACK = 32
"""Bytes after them, and after payloads: copies are made in pieces of so many."""
STRETCH = 1 << 12
ENDS_OF_REQUESTS = np.arange(0, 24 * MAX_ROWS + 1, 24, dtype=np.int32)
WRAP = 1 << 64


class Refused(Exception):
    """Not this kind of file, or a version that must not be guessed at (ZMR-041)."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass
class Index:
    """An index file whose header holds together.

    Entries begin at ``data``; ``offsets`` are the ends of the committed ones, relative to it.
    """

    size: int
    capacity: int
    first: int
    data: int
    offsets: NDArray[np.uint32]

    @cached_property
    def is_all_kept(self) -> bool:
        """Whether all offsets can be relied on (ZMR-046), as in any sound file."""
        if not self.count:
            return True
        is_there = int(self.offsets[-1]) <= min(self.size - self.data, MAX_DATA)
        return is_there and bool(kernel.rises(self.offsets, 0))

    @cached_property
    def kept(self) -> NDArray[np.int64]:
        """The numbers of the offsets that are relied on; not listed where that is all of them."""
        kept = np.empty(0 if self.is_all_kept else self.count, np.int64)
        if not self.is_all_kept:
            available = min(self.size - self.data, MAX_DATA)
            kept = kept[: kernel.rely(self.offsets, available, kept)]
        return kept

    @property
    def rows(self) -> int:
        """How many offsets are relied on."""
        return self.count if self.is_all_kept else len(self.kept)

    def number(self, row: int) -> int:
        """The number of one of the offsets that are relied on."""
        return row if self.is_all_kept else int(self.kept[row])

    def end_of(self, row: int) -> int:
        """One of the offsets that are relied on, in the file; of row -1, where entries begin."""
        return self.data + (int(self.offsets[self.number(row)]) if row >= 0 else 0)

    @property
    def count(self) -> int:
        """How many entries are committed."""
        return len(self.offsets)

    @property
    def relied_on(self) -> int:
        """The number after the last entry whose end is relied on."""
        return self.number(self.rows - 1) + 1 if self.rows else 0

    @property
    def upto(self) -> int:
        """The last offset that is relied on, in the file."""
        return self.end_of(self.rows - 1)

    @cached_property
    def tail(self) -> str | None:
        """Why the entries after the last offset relied on are lost (ZMR-046, ZMR-047)."""
        number = self.relied_on
        if number == self.count:
            return None
        first, last = int(self.offsets[number]), int(self.offsets[-1])
        beyond = max(self.upto - self.data, min(self.size - self.data, MAX_DATA))
        if beyond < first and last <= MAX_DATA and kernel.rises(self.offsets, number):
            return "torn-entry"
        return "bad-offset"

    @property
    def resume_at(self) -> int | None:
        """Where the next entry goes (ZMR-101)."""
        is_sound = self.relied_on == self.rows and self.tail != "bad-offset"
        return self.upto if is_sound and self.relied_on < self.capacity else None


def index_of(source: Source, named: int | None) -> Index | Lost:
    """The checks of ZMR-040, in order. Raises :class:`Refused`."""
    size = source.size
    head = source.read(0, HEADER.size)
    if not b"RLOG".startswith(head[:4]):
        raise Refused("bad-token")  # ZMR-041
    if len(head) < HEADER.size:
        return Lost(0, size, "torn-header", torn=True)  # ZMR-044
    _, length, version, capacity, first = HEADER.unpack(head)
    if version != 1:
        raise Refused("unsupported-version")  # ZMR-041
    if length != 16 + 4 * capacity:
        return Lost(0, size, "bad-header")  # ZMR-042
    if named is not None and named != first:
        return Lost(0, size, "index-mismatch")  # ZMR-043
    table = HEADER.size + 4 * capacity
    has_offsets = any(source.read(HEADER.size, min(4, 4 * capacity)))
    data = find_marker(source, b"ITMZ", table) if size >= table else None
    if data is None:
        if has_offsets:
            return Lost(table if size >= table else HEADER.size, size, "missing-marker")
        return Lost(0, size, "torn-header", torn=True)  # ZMR-044
    return Index(size, capacity, first, data, _committed(source, capacity))


def _committed(source: Source, capacity: int) -> NDArray[np.uint32]:
    """The offsets in front of the first zero (ZMR-017); no more of the table is read."""
    runs, upto = [], HEADER.size + 4 * capacity
    for at in range(HEADER.size, upto, 1 << 20):
        window = Window(source, 0)  # a new one each time: its memory is kept
        window.hold(at, min(1 << 20, upto - at))
        table = window.array.view("<u4").astype(np.uint32, copy=False)
        runs.append(table[: kernel.committed(table)])
        if len(runs[-1]) < len(table):
            break
    if len(runs) == 1:
        return runs[0]
    return np.concatenate(runs) if runs else np.empty(0, np.uint32)


def find_marker(source: Source, marker: bytes, at: int) -> int | None:
    """The offset after the first chunk with this token, or None (ZMR-003)."""
    window = Window(source, STRETCH)
    number = np.uint32(int.from_bytes(marker, "little"))
    while (
        found := int(kernel.find_marker(window.array, window.base, source.size, number, at))
    ) < -1:
        at = -2 - found
        window.stretch = 2 * window.stretch if at <= window.end else STRETCH
        window.hold(at, kernel.CHUNK_HEAD)
    return found if found >= 0 else None


@dataclass(frozen=True)
class Frame:
    """What the entries of an index file must be told of its surroundings in a directory.

    Entries up to the index ``covered`` are a snapshot's; those from ``limit`` on the next file's.
    ``before`` and ``after`` are the terms of the neighbours, if they are comparable.
    """

    raw: bool = False
    covered: int = -1
    limit: int | None = None
    before: int | None = None
    after: int | None = None


class Entries:
    """The entries of one index file. ``source`` stays open for them."""

    def __init__(self, source: Source, index: Index, frame: Frame, wanted: Wanted) -> None:
        self.source = source
        self.index = index
        self.frame = frame
        self.wanted = wanted
        self.window = Window(source, 0)
        self.cap = min(wanted.max_payload, payloads.LONGEST)
        self.limit = index.count if frame.limit is None else frame.limit - index.first
        covered = min(max(frame.covered - index.first, -1), index.count)
        self.begin = min(covered + 1, index.count)
        if not index.is_all_kept:
            self.begin = int(np.searchsorted(index.kept, covered, side="right"))
        has_tail = index.tail is not None and covered < index.count - 1
        self.tail = index.tail if has_tail else None

    def first_term(self) -> tuple[bool, int | None]:
        """Whether there is anything, and the term of the first entry if it is comparable."""
        if self.begin < self.index.rows:
            return True, self._term(self.begin)
        return self.tail is not None, None

    def last_term(self) -> int | None:
        """The term of the last entry, if it is comparable."""
        last = self.index.rows - 1
        return self._term(last) if self.tail is None and last >= self.begin else None

    def events(self, name: str | None) -> Iterator[Records | Lost]:
        """Records and lost ranges in order of index."""
        row = self.begin
        before = self._comparable(self.frame.before)
        while row < self.index.rows:
            run = _Run(self, name, row)
            row += len(run.numbers)
            before = run.judge(before, self._after(row))
            yield from run.events()
        if self.tail is not None:
            at, torn = self.index.upto, self.tail == "torn-entry"
            yield Lost(at, self.index.size, self.tail, torn, name)

    def _after(self, row: int) -> int:
        if row < self.index.rows:
            return self._comparable(self._term(row))
        return self._comparable(None if self.tail is not None else self.frame.after)

    @staticmethod
    def _comparable(term: int | None) -> int:
        return kernel.NO_TERM if term is None else min(term, 2**62)

    def _term(self, row: int) -> int | None:
        """The term of one entry by itself; None where it is lost for another reason."""
        index = self.index
        previous = index.number(row - 1) if row else -1
        number = index.number(row)
        if self.frame.raw or number != previous + 1 or number >= self.limit:
            return None
        kind, head = self.kind_of(index.end_of(row - 1), index.end_of(row))
        return int(kernel.term_of(head, 0)) if kind == kernel.RECORD else None

    def kind_of(self, start: int, end: int) -> tuple[int, NDArray[np.uint8]]:
        """What an entry is by itself, and its head. Only zeros are read on."""
        head = np.frombuffer(self.window.peek(start, min(kernel.ENTRY_HEAD, end - start)), np.uint8)
        kind = int(kernel.kind_of(head, 0, end - start, len(head)))
        if kind == kernel.ZERO_ENTRY:
            rest = Window(self.source).stretches(start + len(head), end)
            if any(run.any() for run in rest):
                kind = kernel.BAD_TERM  # term 0: only the request or the data are there
        return kind, head

    def read(self, at: int, length: int) -> bytes:
        """Bytes that the file has. Raises ``OSError`` if it does not have them any more."""
        data = self.source.read(at, length)
        if len(data) < length:
            raise OSError(f"at offset {at}: expected {length} bytes, found {len(data)}")
        return data


class _Run:
    """Some entries that follow each other, as columns that are filled window by window."""

    def __init__(self, entries: Entries, name: str | None, row: int) -> None:
        self.entries = entries
        self.name = name
        index = entries.index
        room = min(MAX_ROWS, index.rows - row)
        numbers, starts, ends = (np.empty(room, np.int64) for _ in range(3))
        kinds = np.empty(room, np.int8)
        count = kernel.spans(
            index.offsets, index.kept, row, index.data, MAX_BYTES, numbers, starts, ends, kinds
        )
        self.numbers, self.starts, self.ends = numbers[:count], starts[:count], ends[:count]
        self.kinds = kinds[:count]
        self.terms = np.empty(count, np.int64)
        self.head = 0 if entries.frame.raw else kernel.ENTRY_HEAD
        self.cap = entries.cap if entries.wanted.payload else -1
        wants = entries.wanted.wants
        self.with_heads = self.head > 0 and (wants("entry_type") or wants("request_id"))
        self._make_room(count)

    def _make_room(self, count: int) -> None:
        length = int(self.ends[-1] - self.starts[0])
        self.is_alone = count == 1 and (self.kinds[0] != kernel.RECORD or length > MAX_HELD)
        heads = count if self.with_heads else 0
        self.types = np.empty(heads, np.int32)
        self.digits = room_for(24 * heads).view(np.uint64)
        self.offsets = np.zeros(count + 1, np.int32)
        is_kept = self.cap >= 0 and not (self.is_alone and self.kinds[0] != kernel.RECORD)
        kept = min(length, self.cap * count) + SLACK if is_kept else 0
        self.room = room_for(kept)
        self.state = np.zeros(kernel.STATE, np.int64)

    def judge(self, before: int, after: int) -> int:
        """Say what each entry is, and what is in it. Returns the term of the last one."""
        if self.is_alone:
            return self._judge_alone(before, after)
        window, first, count = self.entries.window, 0, len(self.kinds)
        data, take = window.array, self._take(window.array)
        while first < count:
            at = int(self.starts[first])
            stop = max(first + 1, int(np.searchsorted(self.ends, at + HELD, "right")))
            window.hold(at, int(self.ends[stop - 1]) - at + SLACK)
            if data is not window.array:
                data, take = window.array, self._take(window.array)
            after_these = after if stop == count else kernel.NO_TERM
            self.state[: kernel.CUTS] = window.base, first, stop, before, after_these
            take()
            first, before = stop, int(self.state[kernel.BEFORE])
        return before

    def _take(self, data: NDArray[np.uint8]) -> Callable[[], None]:
        """The kernel on these bytes; its state says what is there."""
        return bound(
            kernel.take, data, self.state, self.starts, self.ends, self.numbers,
            max(min(self.entries.limit, 2**62), 0), self.head, self.cap, self.with_heads,
            self.kinds, self.terms, self.types, self.digits, self.offsets, self.room,
        )  # fmt: skip

    def _judge_alone(self, before: int, after: int) -> int:
        """The same of one entry that is lost or large, without reading all of it."""
        if self.kinds[0] != kernel.RECORD:
            return int(kernel.NO_TERM)
        start, end = int(self.starts[0]), int(self.ends[0])
        term = kernel.NO_TERM
        if not self.entries.frame.raw:
            self.kinds[0], head = self.entries.kind_of(start, end)
            if self.kinds[0] == kernel.RECORD:
                term = int(kernel.term_of(head, 0))
        if self.kinds[0] == kernel.RECORD and self.numbers[0] >= self.entries.limit:
            self.kinds[0], term = kernel.OVERLAPPING, kernel.NO_TERM
        if term != kernel.NO_TERM and (term < before or kernel.NO_TERM < after < term):
            self.kinds[0] = kernel.DECREASING
        self.terms[0] = term
        if self.kinds[0] == kernel.RECORD:
            length = min(end - start, max(self.cap + self.head, kernel.ENTRY_HEAD))
            data = np.frombuffer(self.entries.read(start, length), np.uint8)
            self.state[: kernel.CUTS] = start, 0, 1, kernel.NO_TERM, kernel.NO_TERM
            self._take(data)()
        return int(term)

    def events(self) -> Iterator[Records | Lost]:
        """Runs of records, and each lost entry."""
        lost = np.flatnonzero(self.kinds).tolist()
        count, start = len(self.kinds), 0
        whole = self._records() if len(lost) < count else None
        for row in [*lost, count]:
            if whole is not None and start < row:
                yield whole if row - start == count else whole.slice(start, row)
            if row < count:
                reason = kernel.REASONS[self.kinds[row]]
                yield Lost(int(self.starts[row]), int(self.ends[row]), reason, file=self.name)
            start = row + 1

    def _records(self) -> Records:
        """All rows; those of entries that are lost are nobody's."""
        size = self.ends - self.starts
        payload = None
        if self.cap >= 0:
            payload = arrays.texts(self.offsets, self.room, pa.binary())
        truncated = size - self.head > self.cap if self.state[kernel.CUTS] else None
        return Records(self.starts, size, payload, self._fields(), self.name, truncated)

    def _fields(self) -> dict[str, pa.Array]:
        fields: dict[str, pa.Array] = {}
        wants = self.entries.wanted.wants
        if wants("index"):
            index = self.numbers.view(np.uint64)  # nobody asks for the numbers any more
            index += np.uint64(self.entries.index.first % WRAP)
            fields["index"] = arrays.numbers(index)
        if self.head and wants("term"):
            fields["term"] = arrays.numbers(self.terms.view(np.uint64))
        if self.with_heads:
            if sys.byteorder == "big":
                self.digits.byteswap(inplace=True)
            ends = ENDS_OF_REQUESTS[: len(self.kinds) + 1]
            fields["entry_type"] = arrays.numbers(self.types)
            fields["request_id"] = arrays.texts(ends, self.digits, pa.string())
        return complete(fields, len(self.kinds), self.entries.wanted)
