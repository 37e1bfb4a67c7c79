"""The bulk scanner for RocksDB and Pebble logs; ``reference_impl.rocksdb_wal`` is authoritative.

A log is not split, because a block depends on all earlier blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reference_impl.answer import Event as ReferenceEvent
from reference_impl.rocksdb_wal.layout import (
    FIRST_TYPE,
    LEGACY,
    WAL_SYNC,
    ZSTD,
)
from reference_impl.rocksdb_wal.reader import OpenRecord, Scan
from reference_impl.rocksdb_wal.survey import Survey, number_of
from reference_impl.zstd_frame import MAX_RECORD_SIZE
from walproof.formats import plugin_for
from walproof.formats.leveldb_log.scanner import kernel
from walproof.formats.leveldb_log.scanner.block_scan import BlockScan, RunArrays
from walproof.formats.leveldb_log.scanner.kernel import BLOCK, HEADER
from walproof.scanners import arrays
from walproof.scanners.byte_source import ByteSource
from walproof.scanners.model import WHOLE, Event, Part, ReadableLog, Wanted


def plan(log: ReadableLog, target_bytes: int) -> Sequence[Part]:
    """Return one part, because a log cannot be split."""
    return [WHOLE]


def scan(log: ReadableLog, wanted: Wanted, part: Part = WHOLE) -> Iterator[Event]:
    """Yield the events of the log, in the reference's order. Raises ``OSError``."""
    with closing(log.byte_source()) as source:
        yield from _RocksDbScan(source, log, wanted).events()


class _RocksDbScan(BlockScan):
    specification: Scan

    def __init__(self, source: ByteSource, log: ReadableLog, wanted: Wanted) -> None:
        super().__init__(source, wanted, "rocksdb-wal")
        found = self.found = Survey(number_of(log.path, log.context))
        self.is_surveyed = not self._settle()
        limit = log.context.get("max_record_size", MAX_RECORD_SIZE)
        self.specification = Scan(found, limit)
        first_type = FIRST_TYPE[found.dialect or LEGACY]
        self.headers = self.specification.header_size, first_type, found.number or 0
        self.proven[0] = found.proven

    def _settle(self) -> bool:
        """Find the dialect, number and compression. Return False if this took the whole log."""
        found = self.found
        for base in range(0, self.size, BLOCK):
            block = self.block(base)
            if base == 0:
                found.look_at_start(block)
            for record in found.records(block, base):
                found.add(record, base)
                if found.dialect is not None and found.compression is not None:
                    return True
        return False

    def events(self) -> Iterator[Event]:
        yield from self.blocks()
        yield from self.in_runs(self.specification.end_of_log(self._survey_start))

    def _survey_start(self, size: int) -> Survey:
        """Survey only the first ``size`` bytes of the log, and return the result."""
        found = Survey(self.found.number_at(0))
        found.look_at_start(self.block(0)[:size])
        self._survey(found, 0, size)
        return found

    def goes_on(self) -> bool:
        return not self.specification.is_refused and self.specification.size < self.size

    def is_plain(self) -> bool:
        specification = self.specification
        return not (
            self.found.dialect is None
            or self.found.compression == ZSTD
            or specification.has_ended
            or specification.announced
            or specification.zeros_from is not None
            # The kernel would not report that headers of the open record are damaged (RDB-062).
            or (specification.open is not None and specification.open.bad_numbers)
        )

    def unusual_blocks(self) -> Iterator[ReferenceEvent]:
        if not self.is_surveyed and self.goes_on():
            self._complete_survey()
        yield from super().unusual_blocks()

    def _complete_survey(self) -> None:
        """Survey the log from the next block on."""
        # Skip the earlier blocks: only their sync offsets matter, and the kernel has already
        # collected them.
        self.found.proven = int(self.proven[0])
        self._survey(self.found, self.specification.size, self.size)
        self.is_surveyed = True

    def _survey(self, found: Survey, base: int, stop: int) -> None:
        """Survey the bytes ``[base, stop)`` of the log."""
        while base < stop:
            if read := self._survey_plain_blocks(found, base, stop):
                base += read
                continue
            for record in found.records(self.block(base)[: stop - base], base):
                found.add(record, base)
            base += BLOCK

    def _survey_plain_blocks(self, found: Survey, base: int, stop: int) -> int:
        """Survey blocks with the kernel up to an unusual block. Return their size in bytes."""
        own = self.found.dialect, self.found.number
        if found.compression is None or (found.dialect, found.number) != own:
            return 0
        data = self._held_from(base)[: stop - base]
        rows, state = RunArrays(b"", len(data), -1), np.zeros_like(self.state)
        proven = np.array([found.proven], np.uint64)
        # A survey may begin inside a record, which the first fragment then continues.
        begins = len(data) < HEADER or int(data[6]) - self.headers[1] in (0, 1)
        state[kernel.OPEN_AT] = kernel.NONE if begins else base
        kernel.walk(
            data, base, *self.headers, -1, state, proven,
            rows.at, rows.size, rows.synced, rows.ends, rows.cut, rows.payload,
        )  # fmt: skip
        if state[kernel.READ] and (found.number is None or found.is_numbered):
            count = int(state[kernel.ROWS])
            last = int(rows.at[count - 1] + rows.size[count - 1]) if count else 0
            is_open = state[kernel.OPEN_AT] != kernel.NONE
            found.last_own = int(state[kernel.OPEN_END]) if is_open else last
            is_synced = found.dialect == WAL_SYNC
            found.proven = int(proven[0]) if is_synced else found.last_own
        return int(state[kernel.READ])

    def open_record(self, at: int, end: int, data: bytearray, sync_offset: int) -> OpenRecord:
        fields: dict[str, Any] = {}
        if self.found.dialect != LEGACY:
            fields["log_number"] = self.found.number
        if self.found.dialect == WAL_SYNC:
            fields["sync_offset"] = str(sync_offset)
        return OpenRecord(at, end, fields, data)

    def fields(self, count: int, synced: NDArray[np.uint64]) -> Mapping[str, pa.Array]:
        number = None if self.found.dialect == LEGACY else self.found.number
        fields = {
            column.name: arrays.repeated(
                number if column.name == "log_number" else None, column.type, count
            )
            for column in plugin_for("rocksdb-wal").columns
        }
        if self.found.dialect == WAL_SYNC:
            fields["sync_offset"] = arrays.numbers(synced)
        return fields
