"""The fields of a transaction of a SQLite write-ahead log as columns."""

from __future__ import annotations

from walproof.scan.columns import Column, JsonColumn

COLUMNS = (
    Column("frame", "int64", "number of the slot of the first frame, from 1"),
    JsonColumn("pages", "string", "the page numbers in frame order, as JSON"),
    Column("db_pages", "int64", "size of the database after the transaction, in pages"),
    Column("after_loss", "bool", "true if a transaction before it is lost"),
)
