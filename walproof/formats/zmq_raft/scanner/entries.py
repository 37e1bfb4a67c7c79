"""Read the entries of a plain zmq-raft index file into columns.

Requirement ids are those of spec/zmq-raft.md.
"""

from __future__ import annotations

from collections.abc import Generator

import numpy as np
import pyarrow as pa

from walproof.formats.zmq_raft.columns import complete
from walproof.formats.zmq_raft.scanner import kernel
from walproof.formats.zmq_raft.scanner.plain_files import Index
from walproof.scan import arrays
from walproof.scan.log import Source
from walproof.scan.model import MAX_BYTES, MAX_ROWS, Records, Wanted
from walproof.scan.window import PASSING_BYTES, Window

#: Largest entry in bytes that is buffered. The reference reads a log with a larger one.
MAX_HELD_BYTES = 8 << 20
#: Hexadecimal digits of a request id.
ID_DIGITS = 24


class Entries:
    """The entries of an index file. ``source`` must stay open while they are used.

    If ``raw`` is true, entries have no header (ZMR-032).
    """

    def __init__(self, source: Source, index: Index, raw: bool, wanted: Wanted) -> None:
        self.index = index
        self.wanted = wanted
        self.window = Window(source, PASSING_BYTES)
        self.head = 0 if raw else kernel.ENTRY_HEAD

    def term(self, number: int) -> int:
        """Return the term of an entry, ``NO_TERM`` if it has none to compare."""
        if not self.head or number >= self.index.count:
            return kernel.NO_TERM
        start, end = self.index.start_of(number), self.index.start_of(number + 1)
        head = np.frombuffer(self.window.peek(start, min(self.head, end - start)), np.uint8)
        return int(kernel.comparable(head, end - start))

    def runs(
        self, name: str | None, number: int, before: int, after: int
    ) -> Generator[Records, None, int | None]:
        """Yield the plain entries from ``number`` on; return the term of the last one.

        Returns None if an entry is not plain. ``before`` and ``after`` are the terms of the
        neighbours. Raises ``OSError``.
        """
        index = self.index
        while number < index.count:
            upto = index.start_of(number) - index.data + MAX_BYTES
            fitting = int(np.searchsorted(index.offsets[number:], upto, side="right"))
            run = _Run(self, number, max(1, min(fitting, MAX_ROWS)), before)
            number += run.count
            last = run.read(self.term(number) if number < index.count else after)
            if run.done:
                yield run.records(name)
            if last is None:
                return None
            before = last
        return before


class _Run:
    """Consecutive entries in arrays, filled window by window; ``done`` counts the plain ones."""

    def __init__(self, entries: Entries, number: int, count: int, before: int) -> None:
        self.entries, self.count, self.done = entries, count, 0
        index, wanted = entries.index, entries.wanted
        start, end = index.start_of(number), index.start_of(number + count)
        has_id = entries.head > 0 and (wanted.wants("request_id") or wanted.wants("entry_type"))
        self.at, self.size = arrays.pooled(count, np.int64), arrays.pooled(count, np.int64)
        self.term = arrays.pooled(count, np.int64)
        self.types = arrays.pooled(count if has_id else 0, np.int32)
        self.digits = arrays.pooled(ID_DIGITS * count if has_id else 0)
        self.ends = arrays.pooled(count + 1, np.int32)
        self.ends[0] = 0
        self.payload = arrays.pooled(min(end - start, max(wanted.cap, 0) * count))
        self.number = number
        self.state = np.zeros(kernel.STATE, np.int64)
        self.state[kernel.START], self.state[kernel.BEFORE] = start, before

    def read(self, after: int) -> int | None:
        """Fill the arrays; return the last term, None if an entry is not plain."""
        entries, state, window = self.entries, self.state, self.entries.window
        offsets = entries.index.offsets[self.number : self.number + self.count]
        while True:
            why = kernel.take(
                window.array, window.base, offsets, entries.index.data, entries.head,
                entries.wanted.cap, self.at, self.size, self.term, self.types,
                self.digits.view(np.int64), self.ends, self.payload, state,
            )  # fmt: skip
            need = int(state[kernel.NEED])
            if why != kernel.NEEDS_BYTES or need > MAX_HELD_BYTES:
                break
            window.hold(int(state[kernel.START]), need)
        self.done, last = int(state[kernel.DONE]), int(state[kernel.BEFORE])
        if why == kernel.FILLED and not kernel.NO_TERM < after < last:
            return last
        if why != kernel.NOT_PLAIN and self.done:
            self.done -= 1  # ZMR-050: the term falls after this entry, or may fall
        return None

    def records(self, name: str | None) -> Records:
        """Return the plain entries."""
        entries, count = self.entries, self.done
        wanted, index = entries.wanted, entries.index
        payload, truncated = None, None
        size = self.size[:count]
        if wanted.cap >= 0:
            payload = arrays.binary(self.ends[: count + 1], self.payload, pa.binary())
            cut = size - entries.head > wanted.cap
            truncated = cut if cut.any() else None
        fields: dict[str, pa.Array] = {}
        if wanted.wants("index"):
            first = (index.first + self.number) % (1 << 64)
            numbers = np.arange(count, dtype=np.uint64) + np.uint64(first)
            fields["index"] = arrays.numbers(numbers)
        if entries.head:
            if wanted.wants("term"):
                fields["term"] = arrays.numbers(self.term[:count].view(np.uint64))
            if len(self.types):
                fields["entry_type"] = arrays.numbers(self.types[:count])
                ends = np.arange(0, ID_DIGITS * count + 1, ID_DIGITS, dtype=np.int32)
                fields["request_id"] = arrays.binary(ends, self.digits, pa.string())
        return Records(
            self.at[:count], size, payload, complete(fields, count, wanted), name, truncated
        )
