"""Columns for the fields of a zmq-raft entry or update."""

from __future__ import annotations

from walproof.scan.columns import Column, JsonColumn, NumberColumn

COLUMNS = (
    NumberColumn("index", "uint64", "log index"),
    NumberColumn("term", "uint64", "raft term"),
    Column("entry_type", "int32", "0 state, 1 config, 2 checkpoint"),
    Column("request_id", "string", "12 bytes in hexadecimal"),
    JsonColumn("update", "string", "an update of a state file, as JSON", is_content=True),
    # Only the last record of a state file has this field (ZMR-072).
    JsonColumn(
        "state",
        "string",
        "the state after the update, as JSON",
        is_content=True,
        is_settled=False,
    ),
)
