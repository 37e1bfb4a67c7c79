"""The bulk scanner of RocksDB's and Pebble's logs; ``reference_impl.rocksdb_wal`` is authoritative.

A kernel reads blocks that contain only sound records of the log: nearly all blocks of most logs.
The executable specification reads the other blocks (damage, metadata, zeros, the end of the log),
and compressed logs as a whole. At a block boundary, the open record passes from one to the other.
The survey decides what a fault means, so it is completed before the specification reads a block.

A log is not split. Whether a log has ended before a part, and which metadata apply to a record,
depends on all blocks before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reference_impl.answer import Event as ReferenceEvent
from reference_impl.rocksdb_wal.compression import MAX_RECORD_SIZE
from reference_impl.rocksdb_wal.layout import (
    FIRST_TYPE,
    LEGACY,
    WAL_SYNC,
    ZSTD,
    physical_records,
)
from reference_impl.rocksdb_wal.reader import OpenRecord, Scan
from reference_impl.rocksdb_wal.survey import Survey, number_of
from walproof.formats.leveldb_log.scanner.kernel import BLOCK, NONE
from walproof.formats.rocksdb_wal.columns import COLUMNS
from walproof.formats.rocksdb_wal.scanner import kernel
from walproof.scan import arrays
from walproof.scan.log import Log, Source
from walproof.scan.model import LONGEST, MAX_BYTES, MAX_ROWS, WHOLE, Event, Part, Records, Wanted
from walproof.scan.reference import ReferenceScanner
from walproof.scan.window import passing_window

#: Maximum bytes of payload in a run, unless a record is longer.
MAX_RUN_BYTES = MAX_BYTES + BLOCK


def plan(log: Log, target_bytes: int) -> Sequence[Part]:
    """Return one part: a log is not split."""
    return [WHOLE]


def scan(log: Log, wanted: Wanted, part: Part = WHOLE) -> Iterator[Event]:
    """Yield the events of the log, in the order of the reference. Raises ``OSError``."""
    with closing(log.open()) as source:
        yield from _Scan(source, log, wanted).events()


class _Scan:
    """A pass over a log. ``specification.size`` is the number of bytes that were read.

    ``proven`` holds the highest sync offset that the kernel has read.
    """

    def __init__(self, source: Source, log: Log, wanted: Wanted) -> None:
        self.window = passing_window(source)
        self.wanted = wanted
        self.cap = min(wanted.cap, LONGEST - BLOCK)
        self.found = Survey(number_of(log.path, log.context))
        self.is_surveyed = not self._settle()
        limit = log.context.get("max_record_size", MAX_RECORD_SIZE)
        self.specification = Scan(self.found, limit)
        self.reference = ReferenceScanner("rocksdb-wal")
        self.state = np.zeros(kernel.STATE, np.int64)
        self.proven = np.array([self.found.proven], np.uint64)

    def _settle(self) -> bool:
        """Find dialect, number and compression; return False if this took the whole log."""
        found = self.found
        for base in range(0, self.window.size, BLOCK):
            block = self._block(base)
            if base == 0:
                found.look_at_start(block)
            for record in physical_records(block):
                found.add(record, base)
                if found.dialect is not None and found.compression is not None:
                    return True
        return False

    def _held_from(self, at: int) -> NDArray[np.uint8]:
        """Return whole blocks from ``at`` on, at least one, except at the end of the log."""
        self.window.hold(at, BLOCK)
        return self.window.array[at - self.window.base :]

    def _block(self, base: int) -> bytes:
        return self._held_from(base)[:BLOCK].tobytes()

    def events(self) -> Iterator[Event]:
        specification = self.specification
        while not specification.is_refused and specification.size < self.window.size:
            if self._is_plain():
                yield from self._plain_blocks()
            yield from self.reference.in_runs(self._unusual_blocks(), self.wanted)
        yield from self.reference.in_runs(specification.end_of_log(), self.wanted)

    def _is_plain(self) -> bool:
        """Return whether the kernel may read the next block."""
        specification = self.specification
        return not (
            self.found.dialect is None
            or self.found.compression == ZSTD
            or specification.has_ended
            or specification.announced
            or specification.zeros_from is not None
        )

    def _unusual_blocks(self) -> Iterator[ReferenceEvent]:
        """Read at least one block by the specification, until the kernel may go on."""
        is_plain = False
        while not is_plain and self.specification.size < self.window.size:
            if not self.is_surveyed:
                self._complete_survey()
            yield from self.specification.next_block(self._block(self.specification.size))
            is_plain = self._is_plain()

    def _complete_survey(self) -> None:
        """Survey the log from the next block on.

        Earlier blocks matter only for their sync offsets, which the kernel has already collected.
        """
        self.found.proven = int(self.proven[0])
        for base in range(self.specification.size, self.window.size, BLOCK):
            for record in physical_records(self._block(base)):
                self.found.add(record, base)
        self.is_surveyed = True

    def _plain_blocks(self) -> Iterator[Records]:
        """Read blocks by the kernel, up to one that it cannot read."""
        found, specification = self.found, self.specification
        full, number = FIRST_TYPE[found.dialect or LEGACY], found.number or 0
        rows = self._take_open_record()
        while specification.size < self.window.size:
            data = self._held_from(specification.size)
            outcome = kernel.walk(
                data, specification.size, specification.header_size, full, number, self.cap,
                self.state, self.proven, rows.at, rows.size, rows.synced, rows.ends, rows.cut,
                rows.payload,
            )  # fmt: skip
            specification.size += int(self.state[kernel.READ])
            if outcome != kernel.USED_UP:
                yield from self._filled(rows)
                self._hand_over_open_record(rows)
                if outcome == kernel.UNUSUAL:
                    return
                rows = self._take_open_record()
        yield from self._filled(rows)
        self._hand_over_open_record(rows)

    def _take_open_record(self) -> _Rows:
        """Return a new run, which begins with the open record of the specification."""
        state, rest = self.state, self.window.size - self.specification.size
        state[:] = 0
        state[kernel.OPEN_AT] = NONE
        record, self.specification.open = self.specification.open, None
        if record is None:
            return _Rows(b"", rest, self.cap)
        copied = max(0, min(len(record.data), self.cap))
        state[kernel.OPEN_AT], state[kernel.OPEN_END] = record.at, record.end
        state[kernel.OPEN_LENGTH], state[kernel.OPEN_COPIED] = len(record.data), copied
        state[kernel.PUT] = copied
        rows = _Rows(memoryview(record.data)[:copied], rest, self.cap)
        rows.synced[0] = int(record.fields.get("sync_offset", 0))
        return rows

    def _hand_over_open_record(self, rows: _Rows) -> None:
        """Let the specification continue the open record of a run."""
        state = self.state.tolist()
        if state[kernel.OPEN_AT] == NONE:
            return
        count, put = state[kernel.ROWS], state[kernel.PUT]
        data = bytearray(rows.payload[put - state[kernel.OPEN_COPIED] : put])
        if len(data) < state[kernel.OPEN_LENGTH]:
            data += b"\0"  # shows that there is more of it
        fields: dict[str, Any] = {}
        if self.found.dialect != LEGACY:
            fields["log_number"] = self.found.number
        if self.found.dialect == WAL_SYNC:
            fields["sync_offset"] = str(rows.synced[count])
        open_at, open_end = state[kernel.OPEN_AT], state[kernel.OPEN_END]
        self.specification.open = OpenRecord(open_at, open_end, fields, data)

    def _filled(self, rows: _Rows) -> Iterator[Records]:
        """Yield the records of a run, if there are any."""
        count = int(self.state[kernel.ROWS])
        if not count:
            return
        number = None if self.found.dialect == LEGACY else self.found.number
        fields = {
            column.name: arrays.repeated(
                number if column.name == "log_number" else None, column.type, count
            )
            for column in COLUMNS
            if self.wanted.wants(column.name)
        }
        if self.found.dialect == WAL_SYNC and "sync_offset" in fields:
            fields["sync_offset"] = arrays.numbers(rows.synced[:count])
        yield Records(
            at=rows.at[:count],
            size=rows.size[:count],
            payload=arrays.binary(rows.ends[: count + 1], rows.payload, pa.binary())
            if self.wanted.payload
            else None,
            fields=fields,
            truncated=rows.cut[:count].astype(np.bool_) if self.state[kernel.CUT] else None,
        )


class _Rows:
    """The arrays of a run, which ``walk`` fills.

    The first record of a run may have begun in the previous one; ``carry`` is its payload so far.
    ``rest`` is the number of log bytes still to read. If ``cap`` is negative, payloads are not
    stored.
    """

    def __init__(self, carry: bytes | memoryview, rest: int, cap: int) -> None:
        count = min(MAX_ROWS, kernel.MOST_ROWS * (1 + rest // BLOCK))
        self.at, self.size = arrays.pooled(count, np.int64), arrays.pooled(count, np.int64)
        self.synced, self.cut = arrays.pooled(count, np.uint64), arrays.pooled(count)
        self.ends = arrays.pooled(count + 1, np.int32)
        self.ends[0] = 0
        # Twice as long for a record that is longer than a run, so that it is seldom copied.
        room = len(carry) + min(rest + BLOCK, max(len(carry), MAX_RUN_BYTES)) if cap >= 0 else 0
        self.payload = arrays.pooled(min(room, LONGEST))
        self.payload[: len(carry)] = np.frombuffer(carry, np.uint8)
