"""The executable specification in columns: the scanner if numba or a kernel is missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from reference_impl.answer import Event as ReferenceEvent
from reference_impl.answer import Record
from reference_impl.formats import named
from walproof.formats import plugin_for
from walproof.scan.log import Log
from walproof.scan.model import MAX_BYTES, PIECE_ROWS, WHOLE, Event, Part, Records, Wanted


class _Row(NamedTuple):
    """A record as a row of columns, which takes much less memory than a dictionary of its fields.

    ``held`` is the number of bytes of payload and text.
    """

    at: int
    size: int
    payload: bytes
    values: list[Any]
    file: str | None
    was_cut: bool
    held: int


class ScannerMissing(Exception):
    """Raised if a log was split for a scanner that is not installed on this machine."""

    def __init__(self, log: Log) -> None:
        super().__init__(
            f"{log.path}: was split on a machine with numba, but numba is missing on this one; "
            "install walproof[spark] on the driver and on all executors, or numba on none of them"
        )


class ReferenceScanner:
    """Scan with the executable specification. A log is one part."""

    def __init__(self, format_id: str) -> None:
        self.format = named(format_id)
        self.columns = plugin_for(format_id).columns

    def plan(self, log: Log, target_bytes: int) -> Sequence[Part]:
        """Return one part, because the executable specification reads a log from its start."""
        return [WHOLE]

    def scan(self, log: Log, wanted: Wanted, part: Part = WHOLE) -> Iterator[Event]:
        """Yield the events of the executable specification, with records in runs of one file.

        Raises :class:`ScannerMissing` for a part of a log.
        """
        if part != WHOLE:
            raise ScannerMissing(log)
        yield from self.in_runs(self.format.read(log.local(), "recover", log.context), wanted)

    def in_runs(self, events: Iterable[ReferenceEvent], wanted: Wanted) -> Iterator[Event]:
        """Yield events of the executable specification, with records in runs of one file."""
        run: list[_Row] = []
        held = 0
        for event in events:
            if isinstance(event, Record):
                if run and (
                    event.file != run[0].file or len(run) == PIECE_ROWS or held >= MAX_BYTES
                ):
                    yield self._emptied(run, wanted)
                    held = 0
                run.append(self._row(event, wanted))
                held += run[-1].held
                continue
            if run:
                yield self._emptied(run, wanted)
                held = 0
            yield event
        if run:
            yield self._emptied(run, wanted)

    def _emptied(self, run: list[_Row], wanted: Wanted) -> Records:
        """Return the rows as columns and clear the list, to save memory."""
        records = self._in_columns(run, wanted)
        run.clear()
        return records

    def in_columns(self, run: Sequence[Record], wanted: Wanted) -> Records:
        """Return records of one file, at least one, as a run."""
        return self._in_columns([self._row(record, wanted) for record in run], wanted)

    def _row(self, record: Record, wanted: Wanted) -> _Row:
        cap = wanted.max_payload
        was_cut = wanted.payload and len(record.payload) > cap
        payload = record.payload[:cap] if wanted.payload else b""
        values, held = [], len(payload)
        for column in self.columns:
            if wanted.wants(column.name):
                value, is_cut = column.cut(column.of(record), cap)
                values.append(value)
                held += len(value) if isinstance(value, str) else 0
                was_cut |= is_cut
        return _Row(record.at, record.size, payload, values, record.file, was_cut, held)

    def _in_columns(self, run: Sequence[_Row], wanted: Wanted) -> Records:
        columns = [column for column in self.columns if wanted.wants(column.name)]
        longer = np.array([row.was_cut for row in run])
        return Records(
            at=np.array([row.at for row in run], np.int64),
            size=np.array([row.size for row in run], np.int64),
            payload=pa.array([row.payload for row in run], pa.binary()) if wanted.payload else None,
            fields={
                column.name: pa.array([row.values[number] for row in run], column.type)
                for number, column in enumerate(columns)
            },
            file=run[0].file,
            truncated=longer if longer.any() else None,
        )
