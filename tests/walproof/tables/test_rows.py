"""A table has one row for each record, each lost range and each refusal."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from reference_impl.answer import End, Lost
from walproof.scan.model import Records
from walproof.tables import rows

RUN = Records(
    at=np.array([0, 12], np.int64),
    size=np.array([12, 20], np.int64),
    payload=pa.array([b"alpha", b"bravo"], pa.binary()),
    fields={
        "index": pa.array([1, 2], pa.int64()),
        "term": pa.array([2**64 - 1, None], pa.uint64()),
        "checksum": pa.array([2**32 - 1, 0], pa.uint32()),
    },
    file="raft-partition-1.log",
    truncated=np.array([False, True]),
)


def test_records_become_rows() -> None:
    schema = rows.schema("zeebe-journal")
    batch = rows.batch(RUN, schema, "/logs/raft/")
    assert batch is not None and batch.schema == schema
    first, second = batch.to_pylist()
    assert first["file"] == "/logs/raft/raft-partition-1.log"
    assert (first["offset"], first["length"], first["kind"]) == (0, 12, "record")
    assert (first["verdict"], first["reason"], first["detail"]) == ("intact", None, None)
    assert (first["payload"], first["payload_truncated"]) == (b"alpha", False)
    assert (first["term"], first["checksum"]) == (-1, 2**32 - 1)
    assert (second["payload_truncated"], second["term"]) == (True, None)


def test_lost_refused_and_unreadable_become_rows() -> None:
    schema = rows.schema("leveldb-log")
    torn = rows.batch(Lost(5, 9, "torn-header", torn=True), schema, "a.log")
    damaged = rows.batch(Lost(5, 9, "zero-gap"), schema, "a.log")
    refused = rows.batch(End("refused", "foreign-dialect", None), schema, "a.log")
    unreadable = rows.unreadable(schema, "a.log", "Permission denied")
    assert rows.batch(End("intact", None, 12), schema, "a.log") is None
    table = pa.Table.from_batches([torn, damaged, refused, unreadable]).to_pylist()
    assert [row["kind"] for row in table] == ["lost", "lost", "refused", "unreadable"]
    assert [row["verdict"] for row in table] == ["torn", "damaged", "refused", None]
    assert [row["offset"] for row in table] == [5, 5, None, None]
    assert [row["length"] for row in table] == [4, 4, None, None]
    assert table[3]["detail"] == "Permission denied"


def test_columns_can_be_selected_and_added() -> None:
    schema = pa.schema([("index", pa.int64()), ("mine", pa.int32()), ("nobodys", pa.string())])
    batch = rows.batch(RUN, schema, "raft", {"mine": pa.array([7, 8], pa.int32())})
    assert batch is not None
    assert batch.to_pydict() == {"index": [1, 2], "mine": [7, 8], "nobodys": [None, None]}
