"""Scan a log block by block. A kernel reads plain blocks; the specification reads all others."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reference_impl.answer import Event as ReferenceEvent
from walproof.formats.leveldb_log.scanner import kernel
from walproof.formats.leveldb_log.scanner.kernel import BLOCK, NONE
from walproof.scanners import arrays
from walproof.scanners.byte_source import ByteSource
from walproof.scanners.model import LONGEST, MAX_BYTES, MAX_ROWS, Event, Records, Wanted
from walproof.scanners.reference import ReferenceScanner
from walproof.scanners.window import passing_window

#: Maximum number of payload bytes in a run, unless a single record is longer.
MAX_RUN_BYTES = MAX_BYTES + BLOCK


class BlockScan(ABC):
    """A pass over a log, or over those of its records that begin in ``[start, stop)``."""

    #: The executable specification is a ``Scan`` with ``size``, ``open`` and ``next_block``.
    specification: Any

    def __init__(self, source: ByteSource, wanted: Wanted, format_id: str, start: int = 0) -> None:
        self.window = passing_window(source)
        self.reference = ReferenceScanner(format_id)
        self.size = source.size
        self.start, self.stop = start, self.size
        self.wanted = wanted
        self.cap = min(wanted.cap, LONGEST - BLOCK)
        #: The numbers are the size of a header, the type of a FULL record and the log number in
        #: headers.
        self.headers = kernel.HEADER, 1, 0
        self.state = np.zeros(kernel.STATE, np.int64)
        self.proven = np.zeros(1, np.uint64)

    @abstractmethod
    def goes_on(self) -> bool:
        """Return whether there is another block to read."""

    @abstractmethod
    def is_plain(self) -> bool:
        """Return whether the kernel may read the next block."""

    @abstractmethod
    def open_record(self, at: int, end: int, data: bytearray, sync_offset: int) -> Any:
        """Return the open record of a run in the form that the specification uses."""

    def fields(self, count: int, synced: NDArray[np.uint64]) -> Mapping[str, pa.Array]:
        """Return the columns of ``count`` records."""
        return {}

    def is_here(self, event: ReferenceEvent) -> bool:
        """Return whether an event from the specification belongs to this pass."""
        return True

    def blocks(self) -> Iterator[Event]:
        """Yield the records and lost ranges of all blocks. Raises ``OSError``."""
        while self.goes_on():
            runs = self._plain_blocks() if self.is_plain() else ()
            yield from self.reference.hand_over(
                runs, lambda _: filter(self.is_here, self.unusual_blocks()), self.wanted
            )

    def in_runs(self, events: Iterable[ReferenceEvent]) -> Iterator[Event]:
        """Yield the events that belong to this pass, with records in runs."""
        return self.reference.in_runs(filter(self.is_here, events), self.wanted)

    def unusual_blocks(self) -> Iterator[ReferenceEvent]:
        """Read blocks with the specification, at least one, until the kernel can continue."""
        is_plain = False
        while not is_plain and self.goes_on():
            yield from self.specification.next_block(self.block(self.specification.size))
            is_plain = self.is_plain()

    def block(self, base: int) -> bytes:
        """Return the block at an offset. Raises ``OSError``."""
        return self._held_from(base)[:BLOCK].tobytes()

    def _held_from(self, at: int) -> NDArray[np.uint8]:
        """Return at least one block from ``at`` on. Only the log's last block may be incomplete."""
        self.window.hold(at, BLOCK)
        return self.window.array[at - self.window.base :]

    def _plain_blocks(self) -> Iterator[Records]:
        """Read blocks with the kernel up to ``stop``, or up to a block that it cannot read."""
        specification = self.specification
        rows = self._take_open_record()
        while specification.size < self.stop:
            data = self._held_from(specification.size)[: self.stop - specification.size]
            outcome = kernel.walk(
                data, specification.size, *self.headers, self.cap, self.state, self.proven,
                rows.at, rows.size, rows.synced, rows.ends, rows.cut, rows.payload,
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

    def _take_open_record(self) -> RunArrays:
        """Return a new run that begins with the specification's open record."""
        state, rest = self.state, self.stop - self.specification.size
        state[:] = 0
        state[kernel.OPEN_AT] = NONE
        record, self.specification.open = self.specification.open, None
        if record is None:
            return RunArrays(b"", rest, self.cap)
        copied = max(0, min(len(record.data), self.cap))
        state[kernel.OPEN_AT], state[kernel.OPEN_END] = record.at, record.end
        state[kernel.OPEN_LENGTH], state[kernel.OPEN_COPIED] = len(record.data), copied
        state[kernel.PUT] = copied
        rows = RunArrays(memoryview(record.data)[:copied], rest, self.cap)
        rows.synced[0] = int(getattr(record, "fields", {}).get("sync_offset", 0))
        return rows

    def _hand_over_open_record(self, rows: RunArrays) -> None:
        """Move a run's open record to the specification, which then continues it."""
        state = self.state.tolist()
        if state[kernel.OPEN_AT] == NONE:
            return
        put = state[kernel.PUT]
        data = bytearray(rows.payload[put - state[kernel.OPEN_COPIED] : put])
        if len(data) < state[kernel.OPEN_LENGTH]:
            # One byte above the cap marks the payload as truncated.
            data += b"\0"
        at, end = state[kernel.OPEN_AT], state[kernel.OPEN_END]
        sync_offset = int(rows.synced[state[kernel.ROWS]])
        self.specification.open = self.open_record(at, end, data, sync_offset)

    def _filled(self, rows: RunArrays) -> Iterator[Records]:
        """Yield a run of those records that begin in the scanned part, if there are any."""
        count = int(self.state[kernel.ROWS])
        # In a run, only the first record can begin before the scanned part.
        first = int(count > 0 and rows.at[0] < self.start)
        if count == first:
            return
        fields = self.fields(count, rows.synced[:count])
        yield Records(
            at=rows.at[:count],
            size=rows.size[:count],
            payload=arrays.binary(rows.ends[: count + 1], rows.payload, pa.binary())
            if self.wanted.payload
            else None,
            fields={name: fields[name] for name in fields if self.wanted.wants(name)},
            truncated=rows.cut[:count].astype(np.bool_) if self.state[kernel.CUT] else None,
        ).slice(first, count)


class RunArrays:
    """The arrays of a run, for ``walk`` to fill.

    ``carry`` is the beginning of the open record's payload.
    """

    def __init__(self, carry: bytes | memoryview, rest: int, cap: int) -> None:
        count = min(MAX_ROWS, kernel.MOST_ROWS * (1 + rest // BLOCK))
        self.at, self.size = arrays.pooled(count, np.int64), arrays.pooled(count, np.int64)
        self.synced, self.cut = arrays.pooled(count, np.uint64), arrays.pooled(count)
        self.ends = arrays.pooled(count + 1, np.int32)
        self.ends[0] = 0
        # If a record is longer than a run, double the size each time, so that few copies are
        # necessary.
        room = len(carry) + min(rest + BLOCK, max(len(carry), MAX_RUN_BYTES)) if cap >= 0 else 0
        self.payload = arrays.pooled(min(room, LONGEST))
        self.payload[: len(carry)] = np.frombuffer(carry, np.uint8)
