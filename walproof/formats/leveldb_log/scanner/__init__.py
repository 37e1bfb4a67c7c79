"""The bulk scanner of LevelDB logs; ``reference_impl.leveldb_log`` is authoritative.

A compiled kernel reads whole valid records. The executable specification reads all other bytes.

A log can be split at every block boundary. A part yields the records and lost ranges that begin in
the part. To complete them, a part may read past its own end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import pairwise
from typing import BinaryIO, cast

from reference_impl.answer import End, Lost, Record
from reference_impl.answer import Event as ReferenceEvent
from reference_impl.leveldb_log.layout import BLOCK_SIZE, foreign_dialect, read_block
from reference_impl.leveldb_log.reader import Scan, _OpenRecord
from walproof.formats.leveldb_log.scanner import kernel
from walproof.scan.log import Log, Source, open_range
from walproof.scan.model import WHOLE, Event, Part, Wanted
from walproof.scan.reference import ReferenceScanner
from walproof.scan.walk import AT, Walk

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
        """Read from a record on until no event of the part can begin before the next block.

        Stop after the record that was open at the start of a block as well: of consecutive records
        longer than a block, one is open at each block boundary.
        """
        self.size = at // BLOCK_SIZE * BLOCK_SIZE
        self.log.seek(self.size)
        position = at - self.size
        while block := read_block(self.log):
            base, self.size = self.size, self.size + len(block)
            for event in self._block(block, base, position):
                if isinstance(event, Lost):
                    self.first_damage = self.first_damage or event.reason
                yield event
                if isinstance(event, Record) and event.at < base:
                    self.open, self.size = None, event.at + event.size
                    return
            position = 0
            if self.is_between_records or not (self.size in part or self.holds_of(part)):
                return

    def holds_of(self, part: range) -> bool:
        """Return whether a record or a lost range that began in a part is not complete yet."""
        # A range looks for None in each of its numbers.
        return (self.open is not None and self.open.at in part) or (
            self.zeros_from is not None and self.zeros_from in part
        )


class _Scan:
    """A pass over a part."""

    def __init__(self, source: Source, wanted: Wanted, part: Part) -> None:
        self.source, self.wanted, self.is_whole = source, wanted, part == WHOLE
        self.part = range(part.start, source.size + 1 if part.end is None else part.end)
        self.walk = _Walk(source, wanted, self.part.stop)
        self.specification = _Specification(cast(BinaryIO, open_range(source, 0, source.size)))

    def events(self) -> Iterator[Event]:
        if self.part.start == 0 and foreign_dialect(self.source.read(0, BLOCK_SIZE)):
            yield End("refused", "foreign-dialect", None)  # LDB-043
            return
        specification, reference = self.specification, ReferenceScanner(FORMAT)
        specification.look_back(at := self.part.start)
        while at < self.source.size and (at in self.part or specification.holds_of(self.part)):
            if specification.is_between_records:
                yield from self.walk.runs(at)
                at = int(self.walk.state[AT])
                if at >= self.source.size or at not in self.part:
                    break
            events = specification.blocks_from(at, self.part)
            yield from reference.in_runs(filter(self._is_here, events), self.wanted)
            if specification.size <= at:
                raise OSError(f"at offset {at}: expected {self.source.size - at} bytes, found none")
            at = specification.size
        if at >= self.source.size:
            specification.size = self.source.size
            for event in specification._end_of_log():
                if self._is_here(event):
                    yield cast(Lost | End, event)

    def _is_here(self, event: ReferenceEvent) -> bool:
        if isinstance(event, End):
            return self.is_whole
        return (event.at if isinstance(event, Record) else event.start) in self.part


class _Walk(Walk):
    smallest = kernel.HEADER

    def __init__(self, source: Source, wanted: Wanted, limit: int) -> None:
        super().__init__(source, source.size, wanted)
        self.limit = limit

    def run_kernel(self) -> int:
        return kernel.walk(  # type: ignore[no-any-return]
            self.window.array, self.size, self.limit, self.wanted.cap, self.state, self.at,
            self.sizes, self.ends, self.cut, self.payload,
        )  # fmt: skip
