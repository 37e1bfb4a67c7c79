"""The bulk scanner of LevelDB logs; ``reference_impl.leveldb_log`` is authoritative.

A compiled kernel (``kernel``) reads whole valid records window by window. At anything else (damage,
zeros, the unfinished end of a log, a record longer than a window), the executable specification
reads on, up to the end of a block after which a record can begin again.

A log can be split at every block boundary, also a damaged one. Blocks are independent of what
precedes them, with two exceptions, which :meth:`_Specification.look_back` determines by reading
backwards: an open record, and a log that ended in zeros. A part yields the records and lost ranges
that begin in it. It reads past its end until all of them are complete.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import pairwise
from typing import BinaryIO, cast

import numpy as np
import pyarrow as pa

from reference_impl.answer import End, Lost, Record
from reference_impl.answer import Event as ReferenceEvent
from reference_impl.leveldb_log.layout import BLOCK_SIZE, foreign_dialect, read_block
from reference_impl.leveldb_log.reader import Scan, _OpenRecord
from walproof.formats.leveldb_log.scanner import kernel
from walproof.scan import arrays
from walproof.scan.log import Log, Source, SourceStream
from walproof.scan.model import MAX_BYTES, MAX_ROWS, WHOLE, Event, Part, Records, Wanted
from walproof.scan.reference import ReferenceScanner
from walproof.scan.window import passing_window

FORMAT = "leveldb-log"


def plan(log: Log, target_bytes: int) -> Sequence[Part]:
    """Return parts of about ``target_bytes``, in whole blocks. Reads one block. ``OSError``."""
    step = max(1, target_bytes // BLOCK_SIZE) * BLOCK_SIZE
    with closing(log.open()) as source:
        size = source.size
        if size <= max(step, target_bytes) or foreign_dialect(source.read(0, BLOCK_SIZE)):
            return [WHOLE]
    return [Part(start, end) for start, end in pairwise([*range(0, size, step), None])]


def scan(log: Log, wanted: Wanted, part: Part = WHOLE) -> Iterator[Event]:
    """Yield the events of the log or a part, in the order of the reference. ``OSError``."""
    with closing(log.open()) as source:
        yield from _Scan(source, wanted, part).events()


class _Specification(Scan):
    """The executable specification, which can begin at any record. ``size`` is where it stopped."""

    @property
    def is_between_records(self) -> bool:
        """Return whether the next block does not depend on anything before it."""
        return self.open is None and self.zeros_from is None

    def look_back(self, start: int) -> None:
        """Set the state at a block boundary."""
        for base in range(start - BLOCK_SIZE, -1, -BLOCK_SIZE):
            block, unknown = Scan(self.log), _OpenRecord(0, 0)
            block.open = unknown
            self.log.seek(base)
            for _ in block._block(read_block(self.log), base):
                pass
            if block.zeros_from is not None:
                # Fragments after zeros do not belong to any record (LDB-027).
                self.zeros_from = base if base + BLOCK_SIZE == start else None
                return
            if block.open is not unknown:
                self.open = block.open
                return

    def blocks_from(self, at: int, part: range) -> Iterator[ReferenceEvent]:
        """Read from a record on until no event of the part can begin before the next block."""
        self.size = at // BLOCK_SIZE * BLOCK_SIZE
        self.log.seek(self.size)
        position = at - self.size
        while block := read_block(self.log):
            base, self.size = self.size, self.size + len(block)
            for event in self._block(block, base, position):
                if isinstance(event, Lost):
                    self.first_damage = self.first_damage or event.reason
                yield event
            position = 0
            if self.is_between_records or not (self.size in part or self.holds_of(part)):
                return

    def holds_of(self, part: range) -> bool:
        """Return whether a record or a lost range that began in a part is not complete yet."""
        open_at = None if self.open is None else self.open.at
        return open_at in part or self.zeros_from in part


class _Scan:
    """A pass over a part."""

    def __init__(self, source: Source, wanted: Wanted, part: Part) -> None:
        self.source, self.wanted, self.is_whole = source, wanted, part == WHOLE
        self.part = range(part.start, source.size + 1 if part.end is None else part.end)
        self.window = passing_window(source)
        self.specification = _Specification(cast(BinaryIO, SourceStream(source)))
        self.state = np.zeros(kernel.STATE, np.int64)

    def events(self) -> Iterator[Event]:
        if self.part.start == 0 and foreign_dialect(self.source.read(0, BLOCK_SIZE)):
            yield End("refused", "foreign-dialect", None)  # LDB-043
            return
        self.specification.look_back(self.part.start)
        self.state[kernel.AT] = self.part.start
        yield from self._records()
        reference = ReferenceScanner(FORMAT)
        while (at := int(self.state[kernel.AT])) < self.source.size and (
            at in self.part or self.specification.holds_of(self.part)
        ):
            events = self.specification.blocks_from(at, self.part)
            yield from reference.in_runs(filter(self._is_here, events), self.wanted)
            if self.specification.size <= at:
                raise OSError(f"at offset {at}: expected {self.source.size - at} bytes, found none")
            self.state[kernel.AT] = self.specification.size
            yield from self._records()
        if at >= self.source.size:
            self.specification.size = self.source.size
            for event in self.specification._end_of_log():
                if self._is_here(event):
                    yield cast(Lost | End, event)

    def _is_here(self, event: ReferenceEvent) -> bool:
        if isinstance(event, End):
            return self.is_whole
        return (event.at if isinstance(event, Record) else event.start) in self.part

    def _records(self) -> Iterator[Records]:
        """Yield the whole valid records up to anything else, in runs."""
        if not self.specification.is_between_records:
            return
        state, window = self.state, self.window
        why = kernel.FULL_UP
        while why == kernel.FULL_UP:
            self._make_room()
            while True:
                state[kernel.BASE] = window.base
                why = self._walk()
                at = int(state[kernel.AT])
                if why != kernel.USED_UP or (at == window.base and len(window.array)):
                    break
                window.hold(at, window.stretch)
            if state[kernel.ROWS]:
                yield self._run(int(state[kernel.ROWS]))

    def _make_room(self) -> None:
        """Allocate arrays for a run of records."""
        left = max(0, self.source.size - int(self.state[kernel.AT]))
        rows = min(MAX_ROWS, 1 + left // kernel.HEADER)
        self.at, self.size = arrays.pooled(rows, np.int64), arrays.pooled(rows, np.int64)
        self.ends, self.cut = arrays.pooled(rows + 1, np.int32), arrays.pooled(rows)
        self.ends[0] = 0
        # A record that a window holds always fits.
        room = min(left, max(MAX_BYTES, self.window.stretch)) if self.wanted.cap >= 0 else 0
        self.payload = arrays.pooled(room)
        self.state[kernel.ROWS] = self.state[kernel.CUT] = 0

    def _walk(self) -> int:
        return kernel.walk(  # type: ignore[no-any-return]
            self.window.array, self.source.size, self.part.stop, self.wanted.cap, self.state,
            self.at, self.size, self.ends, self.cut, self.payload,
        )  # fmt: skip

    def _run(self, count: int) -> Records:
        """Return the first ``count`` rows."""
        payload = truncated = None
        if self.wanted.cap >= 0:
            payload = arrays.binary(self.ends[: count + 1], self.payload, pa.binary())
            truncated = self.cut[:count].astype(np.bool_) if self.state[kernel.CUT] else None
        return Records(self.at[:count], self.size[:count], payload, truncated=truncated)
