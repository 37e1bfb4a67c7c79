"""Run the executable specification as a scanner, and hand over to it from a kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from reference_impl.answer import Event as ReferenceEvent
from reference_impl.answer import Record
from reference_impl.formats import named
from walproof.formats import plugin_for
from walproof.scanners.columns import Column
from walproof.scanners.model import (
    MAX_BYTES,
    PIECE_ROWS,
    WHOLE,
    Event,
    Part,
    ReadableLog,
    Records,
    Wanted,
)


class ScannerMissing(Exception):
    """Raised if a log was split for a scanner that is not installed on this machine."""

    def __init__(self, log: ReadableLog) -> None:
        super().__init__(
            f"{log.path}: was split on a machine with numba, but numba is missing on this one; "
            "install walproof[spark] on the driver and on all executors, or numba on none of them"
        )


class ReferenceScanner:
    """A scanner that uses the executable specification, and never splits a log."""

    def __init__(self, format_id: str) -> None:
        self.format = named(format_id)
        self.columns = plugin_for(format_id).columns

    def plan(self, log: ReadableLog, target_bytes: int) -> Sequence[Part]:
        """Return one part, because the executable specification reads from the start."""
        return [WHOLE]

    def scan(self, log: ReadableLog, wanted: Wanted, part: Part = WHOLE) -> Iterator[Event]:
        """Yield the events of a log, with records in runs. Raises :class:`ScannerMissing`."""
        if part != WHOLE:
            raise ScannerMissing(log)
        yield from self.in_runs(self.format.read(log.readable, "recover", log.context), wanted)

    def in_runs(self, events: Iterable[ReferenceEvent], wanted: Wanted) -> Iterator[Event]:
        """Group single records into runs, one file at a time; yield runs and other events."""
        rows = _RowBuilder(self.columns, wanted)
        for event in events:
            if not isinstance(event, Record):
                yield from rows.take()
                yield event
                continue
            if event.file != rows.file or len(rows.rows) == PIECE_ROWS or rows.bytes >= MAX_BYTES:
                yield from rows.take()
            rows.add(event)
        yield from rows.take()

    def hand_over(
        self,
        bulk: Iterable[Records],
        specified: Callable[[int], Iterable[ReferenceEvent]],
        wanted: Wanted,
    ) -> Iterator[Event]:
        """Yield the runs of a kernel, then the events that the specification yields after them.

        ``specified`` is called after the last run, with the total number of records in all runs.
        """
        count = 0
        for run in bulk:
            count += len(run)
            yield run
        yield from self.in_runs(specified(count), wanted)


class _RowBuilder:
    """Collects records of one file as tuples, which need much less memory than dictionaries."""

    def __init__(self, columns: Sequence[Column], wanted: Wanted) -> None:
        self.columns = [column for column in columns if wanted.wants(column.name)]
        self.wanted = wanted
        self.rows: list[tuple[int, int, bytes, bool, list[Any]]] = []
        self.file: str | None = None
        self.bytes = 0

    def add(self, record: Record) -> None:
        limit = self.wanted.max_payload
        payload = record.payload[:limit] if self.wanted.payload else b""
        is_cut = self.wanted.payload and len(record.payload) > limit
        self.bytes += len(payload)
        values = []
        for column in self.columns:
            value, is_value_cut = column.cut(column.of(record), limit)
            values.append(value)
            self.bytes += len(value) if isinstance(value, str) else 0
            is_cut |= is_value_cut
        self.rows.append((record.at, record.size, payload, is_cut, values))
        self.file = record.file

    def take(self) -> Iterator[Records]:
        """Yield the records as columns and clear the list."""
        if not self.rows:
            return
        at, size, payloads, are_cut, values = zip(*self.rows, strict=True)
        self.rows, self.bytes = [], 0
        truncated = np.array(are_cut)
        by_column = zip(*values, strict=True) if self.columns else ()
        yield Records(
            at=np.array(at, np.int64),
            size=np.array(size, np.int64),
            payload=pa.array(payloads, pa.binary()) if self.wanted.payload else None,
            fields={
                column.name: pa.array(of_column, column.type)
                for column, of_column in zip(self.columns, by_column, strict=True)
            },
            file=self.file,
            truncated=truncated if truncated.any() else None,
        )
