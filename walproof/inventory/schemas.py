"""The three tables of an inventory, with the column names of :mod:`walproof.tables.rows`.

Offsets, lengths and sizes are in bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from conformance import __version__
from reference_impl.formats import FORMATS
from walproof import decode
from walproof.formats import plugin_for
from walproof.lake import options as lake
from walproof.scan.model import Records, Wanted
from walproof.tables import rows as table

TIME = pa.timestamp("us", "UTC")

#: One row per record. ``time`` is the time in the record, null in formats without times.
RECORDS = pa.schema(
    [
        ("file", pa.string()),
        ("log", pa.string()),
        ("format", pa.string()),
        ("offset", pa.int64()),
        ("length", pa.int64()),
        ("time", TIME),
        ("payload", pa.binary()),
        ("payload_truncated", pa.bool_()),
        *list(table.schema(*FORMATS))[len(table.FIXED) :],
    ]
)

#: One row per lost range. ``verdict`` is ``torn`` (an unfinished write at the end) or ``damaged``.
DAMAGE = pa.schema(
    [
        ("file", pa.string()),
        ("log", pa.string()),
        ("format", pa.string()),
        ("offset", pa.int64()),
        ("length", pa.int64()),
        ("verdict", pa.string()),
        ("reason", pa.string()),
    ]
)

#: One row per file. ``format`` is null for a file that is not a log. ``verdict`` is the verdict of
#: the file, ``log_verdict`` the verdict of its log; both are null if the log could not be read to
#: its end, and ``error`` gives the reason. ``remark`` marks an intact log of zeros only. The
#: reasons are those of the first fault that the reader found; for a log that was read in parts,
#: those of the first lost range.
FILES = pa.schema(
    [
        ("file", pa.string()),
        ("log", pa.string()),
        ("format", pa.string()),
        ("size", pa.int64()),
        ("modified", TIME),
        ("verdict", pa.string()),
        ("reason", pa.string()),
        ("log_verdict", pa.string()),
        ("log_reason", pa.string()),
        ("records", pa.int64()),
        ("record_bytes", pa.int64()),
        ("lost_ranges", pa.int64()),
        ("lost_bytes", pa.int64()),
        ("first_time", TIME),
        ("last_time", TIME),
        ("error", pa.string()),
        ("remark", pa.string()),
    ]
)


@dataclass(frozen=True, slots=True)
class TableOptions:
    """The options of a result: ``records`` may have payloads and decoded records."""

    source: lake.Options
    payload: bool = False
    decode: bool = False

    @property
    def schemas(self) -> dict[str, pa.Schema]:
        """Return the tables that tasks write; ``files`` is written at the end."""
        records = RECORDS
        if self.decode:
            decoded = pa.field(table.DECODED, table.decoded_type(self.source.format))
            records = pa.schema([*RECORDS, decoded, ("detail", pa.string())])
        return {"records": records, "damage": DAMAGE}

    def to_json(self) -> dict[str, Any]:
        """Return the values on which the rows depend, apart from the logs."""
        return {
            "version": __version__,
            "payload": self.payload,
            "decode": self.decode,
            "format": self.source.format,
            "max_payload": self.source.max_payload if self.payload or self.decode else 0,
            "context": {format_id: self.source.context(format_id) for format_id in FORMATS},
        }

    def wanted(self, format_id: str) -> Wanted:
        """Return the data that a scanner must read."""
        columns = plugin_for(format_id).columns
        names = frozenset(each.name for each in columns if self.payload or not each.is_content)
        wanted = Wanted(self.payload, names, self.source.max_payload)
        return decode.with_decoding(format_id, wanted) if self.decode else wanted


def times(run: Records) -> pa.Array | None:
    """Return the time of each record, microseconds since 1970; None for a format without times."""
    realtime = run.fields.get("realtime")
    if realtime is None:
        return None
    is_valid = pc.less_equal(realtime, pa.scalar(2**63 - 1, pa.uint64()))
    return pc.if_else(is_valid, realtime, pa.scalar(None, pa.uint64())).cast(pa.int64())


def record_rows(
    run: Records, log: str, path: str, format_id: str, options: TableOptions, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    """Yield a run of records as rows of a schema; content columns are null without payloads."""
    for piece in decode.pieces(format_id, run) if options.decode else (run,):
        columns = _columns(piece, log, format_id, options)
        if options.decode:
            columns |= table.decoded(piece, format_id, schema.field(table.DECODED).type)
        batch = table.batch(piece, schema, path, columns)
        assert batch is not None
        yield batch


def _columns(run: Records, log: str, format_id: str, options: TableOptions) -> dict[str, Any]:
    columns: dict[str, Any] = {"log": log, "format": format_id}
    moments = times(run)
    if moments is not None:
        columns["time"] = moments
    if not options.payload:
        content = (each.name for each in plugin_for(format_id).columns if each.is_content)
        columns |= dict.fromkeys([*table.OF_PAYLOADS, *content])
    return columns
