"""The fields of a record of a RocksDB write-ahead log as columns."""

from __future__ import annotations

import pyarrow as pa

from walproof.scan.columns import Column, JsonColumn, NumberColumn

COLUMNS = (
    Column("log_number", pa.uint32(), "low half of the log number"),
    NumberColumn("sync_offset", pa.uint64(), "bytes of the log that were synced before"),
    JsonColumn("timestamp_sizes", pa.string(), "sizes of timestamps recorded before, as JSON"),
    JsonColumn("predecessor", pa.string(), "the preceding log as recorded before, as JSON"),
)
