"""Columns for the fields of a KahaDB record."""

from __future__ import annotations

import pyarrow as pa

from walproof.scan.columns import Column

COLUMNS = (
    Column("type", pa.int32(), "record type of the journal"),
    Column("batch", pa.int64(), "offset of the batch that the record belongs to"),
    Column("command", pa.int32(), "number of the broker command"),
    Column("command_name", pa.string(), "name of the broker command"),
)
