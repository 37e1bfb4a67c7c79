"""Columns for the fields of a KahaDB record."""

from __future__ import annotations

from walproof.scan.columns import Column

COLUMNS = (
    Column("type", "int32", "record type of the journal"),
    Column("batch", "int64", "offset of the batch that the record belongs to"),
    Column("command", "int32", "number of the broker command"),
    Column("command_name", "string", "name of the broker command"),
)
