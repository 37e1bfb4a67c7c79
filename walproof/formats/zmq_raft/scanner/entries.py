"""Read the entries of a zmq-raft index file into columns.

Requirement ids are those of spec/zmq-raft.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reference_impl.answer import Lost
from walproof.formats.zmq_raft.columns import complete
from walproof.formats.zmq_raft.scanner import kernel
from walproof.formats.zmq_raft.scanner.index_file import Index
from walproof.scan.log import Source
from walproof.scan.model import MAX_BYTES, MAX_ROWS, Records, Wanted
from walproof.scan.window import PASSING_BYTES, Window

#: Largest entry in bytes that is buffered whole.
MAX_HELD_BYTES = 8 << 20
ENDS_OF_REQUESTS = pa.py_buffer(np.arange(0, 24 * MAX_ROWS + 1, 24, dtype=np.int32))
#: Greater than any index or term of an entry.
WIDEST = 2**62


@dataclass(frozen=True)
class Frame:
    """The context of an index file in its directory.

    Entries up to index ``covered`` are already in a snapshot. Entries from index ``limit`` on are
    in the next file. ``before`` and ``after`` are the terms of the adjacent files, if they can be
    compared.
    """

    raw: bool = False
    covered: int = -1
    limit: int | None = None
    before: int | None = None
    after: int | None = None


class Entries:
    """The entries of an index file. ``source`` must stay open while they are used."""

    def __init__(self, source: Source, index: Index, frame: Frame, wanted: Wanted) -> None:
        self.source = source
        self.index = index
        self.frame = frame
        self.wanted = wanted
        self.window = Window(source, PASSING_BYTES)
        self.limit = index.count if frame.limit is None else frame.limit - index.first
        covered = min(max(frame.covered - index.first, -1), index.count)
        self.begin = min(covered + 1, index.count)
        if not index.is_all_reliable:
            self.begin = int(np.searchsorted(index.reliable, covered, side="right"))
        has_tail = index.tail is not None and covered < index.count - 1
        self.tail = index.tail if has_tail else None

    def first_term(self) -> tuple[bool, int | None]:
        """Return whether there are entries, and the term of the first one if it is comparable."""
        if self.begin < self.index.rows:
            return True, self._term(self.begin)
        return self.tail is not None, None

    def last_term(self) -> int | None:
        """Return the term of the last entry, if it is comparable."""
        last = self.index.rows - 1
        return self._term(last) if self.tail is None and last >= self.begin else None

    def events(self, name: str | None) -> Iterator[Records | Lost]:
        """Yield records and lost ranges in order of index."""
        index, row = self.index, self.begin
        before = self._comparable(self.frame.before)
        kinds = np.empty(MAX_ROWS, np.int8)
        while row < index.rows:
            most = min(MAX_ROWS, index.rows - row)
            count = kernel.fitting(index.offsets, index.reliable, row, most, MAX_BYTES)
            run = _Run(self, name, row, count, kinds)
            row += count
            before = run.judge(before, self._after(row))
            yield from run.events()
        if self.tail is not None:
            at, torn = index.upto, self.tail == "torn-entry"
            yield Lost(at, index.size, self.tail, torn, name)

    def _after(self, row: int) -> int:
        if row < self.index.rows:
            return self._comparable(self._term(row))
        return self._comparable(None if self.tail is not None else self.frame.after)

    @staticmethod
    def _comparable(term: int | None) -> int:
        return kernel.NO_TERM if term is None else min(term, WIDEST)

    def _term(self, row: int) -> int | None:
        """Return the term of a single entry; None if the entry is lost for another reason."""
        index = self.index
        previous = index.number(row - 1) if row else -1
        number = index.number(row)
        if self.frame.raw or number != previous + 1 or number >= self.limit:
            return None
        start, end = index.end_of(row - 1), index.end_of(row)
        term = int(kernel.comparable(self.head_of(start, end), 0, end - start))
        return None if term == kernel.NO_TERM else term

    def head_of(self, start: int, end: int) -> NDArray[np.uint8]:
        """Return the head of an entry, or the bytes of it that exist."""
        head = self.window.peek(start, min(kernel.ENTRY_HEAD, end - start))
        return np.frombuffer(head, np.uint8)

    def kind_of(self, start: int, end: int) -> tuple[int, NDArray[np.uint8]]:
        """Return the class of an entry and its head. The rest is read only after a zero head."""
        head = self.head_of(start, end)
        kind = int(kernel.kind_of(head, 0, end - start, len(head)))
        if kind == kernel.ZERO_ENTRY:
            rest = Window(self.source).stretches(start + len(head), end)
            if any(run.any() for run in rest):
                kind = kernel.BAD_TERM  # term 0: only request id or data remain
        return kind, head

    def read(self, at: int, length: int) -> NDArray[np.uint8]:
        """Read bytes within the file. Raises ``OSError`` if the file has shrunk."""
        data = self.source.read(at, length)
        if len(data) < length:
            raise OSError(f"at offset {at}: expected {length} bytes, found {len(data)}")
        return np.frombuffer(data, np.uint8)


class _Run:
    """A run of consecutive entries, stored as columns in one block of memory.

    ``kinds`` is reused for every run. All other arrays belong to the run.
    """

    def __init__(
        self, entries: Entries, name: str | None, row: int, count: int, kinds: NDArray[np.int8]
    ) -> None:
        self.entries, self.name = entries, name
        self.row, self.count, self.kinds = row, count, kinds
        index, raw = entries.index, entries.frame.raw
        self.start, self.end = index.end_of(row - 1), index.end_of(row + count - 1)
        self.previous = index.number(row - 1) if row else -1
        self.head = 0 if raw else kernel.ENTRY_HEAD
        self.cap = entries.wanted.cap
        self.is_gap = count == 1 and index.number(row) != self.previous + 1
        self.is_alone = self.is_gap or (count == 1 and self.end - self.start > MAX_HELD_BYTES)

    def judge(self, before: int, after: int) -> int:
        """Classify each entry and fill its columns. Returns the term of the last one."""
        if self.is_alone:
            return self._judge_alone(before, after)
        window = self.entries.window
        self._make_room(window.base, window.end, before, after)
        state = self.state
        while True:
            self._take(window.array)
            if state[kernel.DONE] == self.count:
                return int(state[kernel.BEFORE])
            window.hold(int(state[kernel.START]), int(state[kernel.NEED]))
            state[kernel.BASE], state[kernel.UPTO] = window.base, window.end

    def _make_room(self, base: int, upto: int, before: int, after: int) -> None:
        """Allocate the columns and the kernel state that holds their offsets."""
        entries, none = self.entries, kernel.NONE
        wants = entries.wanted.wants
        rows = -(-self.count // 16) * 16  # aligns each column to 64 bytes
        at, size, place = 0, rows, 2 * rows
        index = term = digits = types = ends = payload = none
        if wants("index"):
            index, place = place, place + rows
        if self.head and wants("term"):
            term, place = place, place + rows
        if self.head and (wants("entry_type") or wants("request_id")):
            digits, types, place = place, 2 * (place + 3 * rows), place + 7 * rows // 2
        if self.cap >= 0:
            ends, place = 2 * place, place + rows // 2 + 8
            payload = 8 * place
            length = min(self.end - self.start, self.cap * self.count)
            place += -(-length // 8)
        self.index, self.term, self.digits, self.types = index, term, digits, types
        self.ends, self.payload = ends, payload
        self.buffer = pa.allocate_buffer(8 * place)
        self.words: NDArray[np.int64] = np.frombuffer(self.buffer, np.int64)
        self.size = size
        first = (entries.index.first + WIDEST * 2) % (WIDEST * 4) - WIDEST * 2
        self.state = np.array(
            [
                base, upto, self.row, self.count, entries.index.data, first,
                max(min(entries.limit, WIDEST), 0), self.head, self.cap, after,
                0, self.start, 0, self.previous, before, 0, 0, 0,
                at, size, index, term, digits, types, ends, payload,
            ],
            np.int64,
        )  # fmt: skip

    def _take(self, data: NDArray[np.uint8]) -> None:
        """Call the kernel on these bytes; its state gives their offsets in the file."""
        index, words = self.entries.index, self.words
        kernel.take(
            data, self.state, index.offsets, index.reliable, self.kinds, words.view(np.uint8),
            words, words.view(np.int32),
        )  # fmt: skip

    def _judge_alone(self, before: int, after: int) -> int:
        """Classify a single lost or large entry without reading all of it."""
        entries, start, end = self.entries, self.start, self.end
        kind, term = kernel.RECORD, kernel.NO_TERM
        if self.is_gap:
            kind = kernel.BAD_OFFSET
        elif not entries.frame.raw:
            kind, head = entries.kind_of(start, end)
            if kind == kernel.RECORD:
                term = int(kernel.term_of(head, 0))
        if kind == kernel.RECORD and entries.index.number(self.row) >= entries.limit:
            kind, term = kernel.OVERLAPPING, kernel.NO_TERM
        if term != kernel.NO_TERM and (term < before or kernel.NO_TERM < after < term):
            kind = kernel.DECREASING
        self.kinds[0] = kind
        if kind == kernel.RECORD:
            self._make_room(start, end, kernel.NO_TERM, kernel.NO_TERM)
            length = min(end - start, max(self.cap + self.head, kernel.ENTRY_HEAD))
            self._take(entries.read(start, length))
        return int(term)

    def events(self) -> Iterator[Records | Lost]:
        """Yield runs of records, and each lost entry."""
        if self.is_alone and self.kinds[0] != kernel.RECORD:
            yield self._lost(0, self.start, self.end)
            return
        whole = self._records()
        if not self.state[kernel.LOST]:
            yield whole
            return
        start = 0
        for row in [*np.flatnonzero(self.kinds[: self.count]).tolist(), self.count]:
            if start < row:
                yield whole.slice(start, row)
            if row < self.count:
                at = int(whole.at[row])
                yield self._lost(row, at, at + int(whole.size[row]))
            start = row + 1

    def _lost(self, row: int, start: int, end: int) -> Lost:
        return Lost(start, end, kernel.REASONS[self.kinds[row]], file=self.name)

    def _records(self) -> Records:
        """Return all rows. The columns of lost entries are unused."""
        count, state = self.count, self.state
        at, size = self.words[:count], self.words[self.size : self.size + count]
        payload = None
        if self.cap >= 0:
            ends = self.buffer.slice(4 * self.ends, 4 * (count + 1))
            values = self.buffer.slice(self.payload, int(state[kernel.PUT]))
            payload = pa.Array.from_buffers(pa.binary(), count, [None, ends, values], 0)
        truncated = size - self.head > self.cap if state[kernel.CUTS] else None
        return Records(at, size, payload, self._fields(), self.name, truncated)

    def _fields(self) -> dict[str, pa.Array]:
        fields: dict[str, pa.Array] = {}
        if self.index >= 0:
            fields["index"] = self._numbers(pa.uint64(), 8 * self.index, 8)
        if self.term >= 0:
            fields["term"] = self._numbers(pa.uint64(), 8 * self.term, 8)
        if self.digits >= 0:
            fields["entry_type"] = self._numbers(pa.int32(), 4 * self.types, 4)
            digits = self.buffer.slice(8 * self.digits, 24 * self.count)
            fields["request_id"] = pa.Array.from_buffers(
                pa.string(), self.count, [None, ENDS_OF_REQUESTS, digits], 0
            )
        return complete(fields, self.count, self.entries.wanted)

    def _numbers(self, kind: pa.DataType, at: int, size: int) -> pa.Array:
        values = self.buffer.slice(at, size * self.count)
        return pa.Array.from_buffers(kind, self.count, [None, values], 0)
