"""The fields of a record of a RocksDB write-ahead log as columns."""

from __future__ import annotations

from walproof.scan.columns import Column, JsonColumn, NumberColumn

COLUMNS = (
    Column("log_number", "uint32", "low half of the log number"),
    NumberColumn("sync_offset", "uint64", "bytes of the log that were synced before"),
    JsonColumn("timestamp_sizes", "string", "sizes of timestamps recorded before, as JSON"),
    JsonColumn("predecessor", "string", "the preceding log as recorded before, as JSON"),
)
