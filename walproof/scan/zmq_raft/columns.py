"""The fields of a zmq-raft entry or update as columns."""

from __future__ import annotations

import pyarrow as pa

from walproof.scan.columns import Column, JsonColumn, NumberColumn

COLUMNS = (
    NumberColumn("index", pa.uint64(), "log index"),
    NumberColumn("term", pa.uint64(), "raft term"),
    Column("entry_type", pa.int32(), "0 state, 1 config, 2 checkpoint"),
    Column("request_id", pa.string(), "12 bytes in hexadecimal"),
    JsonColumn("update", pa.string(), "an update of a state file, as JSON", is_content=True),
    # Only the last record of a state file has it (ZMR-072).
    JsonColumn(
        "state",
        pa.string(),
        "the state after the update, as JSON",
        is_content=True,
        is_settled=False,
    ),
)
