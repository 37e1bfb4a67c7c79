"""The fields of a transaction of a SQLite write-ahead log as columns."""

from __future__ import annotations

import pyarrow as pa

from walproof.scan.columns import Column, JsonColumn

COLUMNS = (
    Column("frame", pa.int64(), "number of the slot of the first frame, from 1"),
    JsonColumn("pages", pa.string(), "the page numbers in frame order, as JSON"),
    Column("db_pages", pa.int64(), "size of the database after the transaction, in pages"),
    Column("after_loss", pa.bool_(), "true if a transaction before it is lost"),
)
