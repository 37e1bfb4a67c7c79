"""The rows of a table: one for each record, each lost range and each refusal."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from reference_impl.answer import End, Lost
from walproof.scan.model import MAX_ROWS, PIECE_ROWS, Records
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


@pytest.mark.parametrize(
    "count",
    [
        1,
        rows.MAX_UNCACHED_ROWS,
        rows.MAX_UNCACHED_ROWS + 1,
        PIECE_ROWS,
        PIECE_ROWS + 1,
        MAX_ROWS,
        MAX_ROWS + 1,
    ],
)
@pytest.mark.parametrize("name", ["000003.log", "x" * (rows.MAX_CACHED_BYTES // MAX_ROWS + 1)])
def test_constant_columns_are_correct_at_every_length(count: int, name: str) -> None:
    run = Records(np.arange(count), np.arange(count), pa.array([b"a"] * count, pa.binary()))
    schema = rows.schema("leveldb-log")
    coded = schema.set(0, pa.field("file", pa.dictionary(pa.int32(), pa.string())))
    for expected in (schema, coded):
        batch = rows.batch(run, expected, name)
        assert batch is not None and batch.schema == expected
        batch.validate(full=True)
        assert batch["file"].to_pylist() == [name] * count
        assert batch["kind"].to_pylist() == ["record"] * count
        assert batch["reason"].null_count == batch["detail"].null_count == count
        assert batch["payload_truncated"].to_pylist() == [False] * count


def test_a_column_with_a_long_path_is_not_cached() -> None:
    """A path of 4,096 bytes would take 64 MiB."""
    rows._constant_column.cache_clear()
    run = Records(np.arange(MAX_ROWS), np.arange(MAX_ROWS), None)
    schema = pa.schema([pa.field("file", pa.string())])
    rows.batch(run, schema, "/" + "x" * 4095)
    assert rows._constant_column.cache_info().currsize == 0
    addresses = []
    for _ in range(2):
        batch = rows.batch(run, schema, "/log")
        assert batch is not None
        addresses.append(batch["file"].buffers()[2].address)
    assert addresses[0] == addresses[1]
