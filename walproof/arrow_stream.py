"""Stream the rows of logs to any library that reads Arrow (``__arrow_c_stream__``)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from walproof import log_rows
from walproof.scanners.model import ReadableLog, Records


def stream(logs: Sequence[ReadableLog]) -> pa.RecordBatchReader:
    """Return the rows of these logs as a stream."""
    schema = log_rows.schema(*dict.fromkeys(log.format for log in logs))
    batches = (batch for log in logs for batch in _batches(log, schema))
    return pa.RecordBatchReader.from_batches(schema, batches)


def _batches(log: ReadableLog, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    try:
        for event in log.columns():
            for run in event.pieces() if isinstance(event, Records) else (event,):
                if (batch := log_rows.batch(run, schema, log.name)) is not None:
                    yield batch
    except OSError as error:
        yield log_rows.unreadable(schema, log.name, error.strerror or str(error))
