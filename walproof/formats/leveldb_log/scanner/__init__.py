"""The bulk scanner for LevelDB logs; ``reference_impl.leveldb_log`` is authoritative.

Scanning a part yields the records and lost ranges that begin in it.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import pairwise

from reference_impl.answer import End, Lost, Record
from reference_impl.answer import Event as ReferenceEvent
from reference_impl.leveldb_log.layout import BLOCK_SIZE, foreign_dialect
from reference_impl.leveldb_log.reader import Scan, _OpenRecord
from walproof.formats.leveldb_log.scanner.block_scan import BlockScan
from walproof.formats.leveldb_log.scanner.writer import write
from walproof.scanners.byte_source import ByteSource
from walproof.scanners.model import WHOLE, Event, Part, ReadableLog, Wanted

__all__ = ["plan", "scan", "write"]


def plan(log: ReadableLog, target_bytes: int) -> Sequence[Part]:
    """Return parts that consist of whole blocks, about ``target_bytes`` long. Raises ``OSError``.

    At most the first block of the log is read.
    """
    step = max(1, target_bytes // BLOCK_SIZE) * BLOCK_SIZE
    with closing(log.byte_source()) as source:
        size = source.size
        if size <= max(step, target_bytes) or foreign_dialect(source.read(0, BLOCK_SIZE)):
            return [WHOLE]
    return [Part(start, end) for start, end in pairwise([*range(0, size, step), None])]


def scan(log: ReadableLog, wanted: Wanted, part: Part = WHOLE) -> Iterator[Event]:
    """Yield the events of a log or part, in the reference's order. Raises ``OSError``."""
    with closing(log.byte_source()) as source:
        yield from _LevelDbScan(source, wanted, part).events()


class _SpecifiedBlocks(Scan):
    """The executable specification, which receives one block of the log at a time."""

    def __init__(self, size: int = 0) -> None:
        super().__init__(io.BytesIO())
        self.size = size

    def next_block(self, block: bytes) -> Iterator[ReferenceEvent]:
        """Yield the records and lost ranges that the next block completes."""
        base, self.size = self.size, self.size + len(block)
        for event in self._block(block, base):
            if isinstance(event, Lost):
                self.first_damage = self.first_damage or event.reason
            yield event

    def holds_of(self, part: range) -> bool:
        """Return whether a record or lost range that begins in the part is still incomplete."""
        # Test for None first, because ``None in part`` would compare it with every number in the
        # range.
        return (self.open is not None and self.open.at in part) or (
            self.zeros_from is not None and self.zeros_from in part
        )


class _LevelDbScan(BlockScan):
    specification: _SpecifiedBlocks

    def __init__(self, source: ByteSource, wanted: Wanted, part: Part) -> None:
        super().__init__(source, wanted, "leveldb-log", part.start)
        self.is_whole = part == WHOLE
        self.stop = self.size if part.end is None else min(part.end, self.size)
        self.part = range(part.start, self.size + 1 if part.end is None else part.end)
        self.specification = _SpecifiedBlocks(part.start)

    def events(self) -> Iterator[Event]:
        if self.start == 0 and self.size and foreign_dialect(self.block(0)):
            yield End("refused", "foreign-dialect", None)  # LDB-043
            return
        self._look_back()
        yield from self.blocks()
        if self.specification.size >= self.size:
            yield from self.in_runs(self.specification._end_of_log())

    def goes_on(self) -> bool:
        at = self.specification.size
        return at < self.size and (at in self.part or self.specification.holds_of(self.part))

    def is_plain(self) -> bool:
        specification = self.specification
        return specification.zeros_from is None and specification.size < self.stop

    def open_record(self, at: int, end: int, data: bytearray, sync_offset: int) -> _OpenRecord:
        return _OpenRecord(at, end, data)

    def _look_back(self) -> None:
        """Read back to find the specification's state at the start of the part."""
        for base in range(self.start - BLOCK_SIZE, -1, -BLOCK_SIZE):
            block, unknown = _SpecifiedBlocks(base), _OpenRecord(0, 0)
            block.open = unknown
            for _ in block.next_block(self.block(base)):
                pass
            if block.zeros_from is not None:
                # Fragments after zeros do not belong to any record (LDB-027).
                is_before = base + BLOCK_SIZE == self.start
                self.specification.zeros_from = base if is_before else None
                return
            if block.open is not unknown:
                self.specification.open = block.open
                return

    def is_here(self, event: ReferenceEvent) -> bool:
        if isinstance(event, End):
            return self.is_whole
        return (event.at if isinstance(event, Record) else event.start) in self.part
