"""The reference reader in columns: the scanner where numba is absent, or no kernel is there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from reference_impl.answer import Record
from reference_impl.formats import named
from walproof.scan.columns import columns_of
from walproof.scan.log import Log
from walproof.scan.model import MAX_BYTES, MAX_ROWS, WHOLE, Event, Part, Records, Wanted


class ReferenceScanner:
    """Scans with the executable specification. A log is one part."""

    def __init__(self, format_id: str) -> None:
        self.format = named(format_id)
        self.columns = columns_of(format_id)

    def plan(self, log: Log, target_bytes: int) -> Sequence[Part]:
        """One part: the reference reader reads a log from its start."""
        return [WHOLE]

    def scan(self, log: Log, wanted: Wanted, part: Part = WHOLE) -> Iterator[Event]:
        """The events of the reference reader, records in runs of one file."""
        run: list[Record] = []
        held = 0
        for event in self.format.read(log.local(), "recover", log.context):
            if isinstance(event, Record):
                if run and (event.file != run[0].file or len(run) == MAX_ROWS or held >= MAX_BYTES):
                    yield self.in_columns(run, wanted)
                    run, held = [], 0
                run.append(event)
                held += len(event.payload)
                continue
            if run:
                yield self.in_columns(run, wanted)
                run, held = [], 0
            yield event

    def in_columns(self, run: Sequence[Record], wanted: Wanted) -> Records:
        """Some records of one file, at least one, as a run."""
        cap = wanted.max_payload
        longer = np.array([wanted.payload and len(record.payload) > cap for record in run])
        fields = {}
        for column in self.columns:
            if wanted.wants(column.name):
                values = [column.cut(column.of(record), cap) for record in run]
                fields[column.name] = pa.array([value for value, _ in values], column.type)
                longer |= np.array([was_cut for _, was_cut in values])
        return Records(
            at=np.array([record.at for record in run], np.int64),
            size=np.array([record.size for record in run], np.int64),
            payload=pa.array([record.payload[:cap] for record in run], pa.binary())
            if wanted.payload
            else None,
            fields=fields,
            file=run[0].file,
            truncated=longer if longer.any() else None,
        )
