"""Decode batches of Pebble and RocksDB whose bytes the tests write."""

from __future__ import annotations

import struct
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from conformance import ROOT
from reference_impl.answer import collect
from reference_impl.formats import named
from walproof.decode import decode_row, phrase, row_of
from walproof.decode.fault import Undecodable
from walproof.formats.rocksdb_wal.decoder import TYPE, decode
from walproof.formats.rocksdb_wal.operations import Operations
from walproof.schema import arrow_type


def batch(sequence: int, count: int, *operations: bytes) -> bytes:
    return struct.pack("<QI", sequence, count) + b"".join(operations)


def said(payload: bytes, is_pebble: bool) -> str:
    (value,) = pa.array([decode(payload, is_pebble=is_pebble)], arrow_type(TYPE)).to_pylist()
    return phrase("rocksdb-wal", value, {})


# Source: cockroachdb/pebble 2.1.7, batchrepr/reader.go, Reader.Next.
@pytest.mark.parametrize(
    ("operation", "counted", "expected"),
    [
        (b"\x00\x01k", 1, 'delete "k"'),
        (b"\x01\x01k\x01v", 1, 'put "k" = "v"'),
        (b"\x02\x01k\x01v", 1, 'merge "k" = "v"'),
        (b"\x03\x01d", 0, 'log data "d"'),
        (b"\x07\x01k", 1, 'single delete "k"'),
        (b"\x0f\x01a\x01c", 1, 'delete range "a" to "c"'),
        (b"\x13\x01a\x01c", 1, 'range key delete "a" to "c"'),
        (b"\x14\x01a\x05\x01c\x02@5", 1, 'range key unset "a" to "c"'),
        (b"\x15\x01a\x07\x01c\x02@5\x01v", 1, 'range key set "a" to "c"'),
        (b"\x16\x02\x80\x01", 1, "ingest 128"),
        (b"\x17\x01k\x02\xac\x02", 1, 'delete sized "k"'),
        (b"\x16\x01\x07\x18\x01a\x01c", 2, "ingest 7"),
    ],
)
def test_operations_of_pebble(operation: bytes, counted: int, expected: str) -> None:
    found = said(batch(9, counted, operation), is_pebble=True)
    assert found.removesuffix(", and 1 more") == f"{expected} (sequence 9)"


def test_the_parts_of_range_keys() -> None:
    operation = b"\x15\x01a\x0b\x01c\x02@5\x01v\x02@4\x00"
    (op,) = decode(batch(9, 1, operation), is_pebble=True)["ops"]
    assert op == {
        "op": "range_key_set",
        "key": b"a",
        "value": b"c",
        "suffixes": [{"suffix": b"@5", "value": b"v"}, {"suffix": b"@4", "value": b""}],
    }
    (op,) = decode(batch(9, 1, b"\x17\x01k\x02\xac\x02"), is_pebble=True)["ops"]
    assert op == {"op": "delete_sized", "key": b"k", "deleted_size": 300}


@pytest.mark.parametrize(
    "operation",
    [
        b"\x12\x01k\x01v",  # set-with-delete, which occurs only in tables
        b"\x05\x00\x01k\x01v",  # a put into a column family, which Pebble lacks
        b"\x15\x01a\x03\x01c\x05",  # a range key whose suffix is cut off
        b"\x16\x02\x07\x07",  # an additional byte after the number of a table
        b"\x18\x01a\x01c",  # an excise that ingests no tables
    ],
)
def test_batches_that_pebble_never_writes_are_refused(operation: bytes) -> None:
    with pytest.raises(Undecodable):
        decode(batch(9, 1, operation), is_pebble=True)


def test_a_log_without_sync_offsets_is_of_either_system() -> None:
    """Both systems write recyclable headers, so a batch belongs to the system whose rules consume
    every byte.
    """
    assert said(batch(9, 1, b"\x16\x02\x80\x01"), is_pebble=False) == "ingest 128 (sequence 9)"
    entity = b"\x16\x01k\x05\x01\x01\x00\x01v"
    assert said(batch(9, 1, entity), is_pebble=False) == 'put entity "k" = {"": "v"} (sequence 9)'
    timed = b"\x18\x01k\x09v" + struct.pack("<Q", 1_700_000_000)
    (op,) = decode(batch(9, 1, timed))["ops"]
    assert (op["op"], op["write_time"]) == ("timed_put", 1_700_000_000)
    commit = b"\x15\x0801234567\x03xid"
    assert decode(batch(9, 0, commit))["ops"] == [
        {"op": "commit", "timestamp": b"01234567", "xid": b"xid"}
    ]


def test_a_cut_payload_has_the_operations_before_the_cut() -> None:
    payload = batch(9, 2, b"\x01\x01k\x01v", b"\x15\x01a\x0b\x01c\x02@5\x01v")
    value = decode(payload[:-3], is_cut=True, is_pebble=True)
    assert [op["op"] for op in value["ops"]] == ["put", "range_key_set"]
    assert "value of 11 bytes" in value["ops_fault"]


def test_timestamps_are_split_from_keys() -> None:
    operations = Operations(Path("000012.log"))
    put = decode(batch(9, 1, b"\x05\x03\x09k00000001\x01v"))
    sizes: dict[str, Any] = {"timestamp_sizes": {"3": 8}}
    for fields in (sizes, {}):  # the sizes are in the first record and hold for the rest of the log
        (row,) = operations.rows(put, fields)
        assert (row["key"], row["timestamp"], row["value"]) == (b"k", b"00000001", b"v")
    (row,) = operations.rows(decode(batch(9, 1, b"\x01\x09k00000001\x01v")), {})
    assert row["key"] == b"k00000001" and "timestamp" not in row, "another column family"


EACH_OPERATION = [
    ("put", b"b", b"2"),
    ("merge", b"b", b"3"),
    ("delete", b"c", None),
    ("single_delete", b"d", None),
    ("log_data", b"note", None),
    ("delete_range", b"e", b"g"),
    ("delete_sized", b"h", None),
    ("range_key_set", b"i", b"k"),
    ("range_key_unset", b"i", b"j"),
    ("range_key_delete", b"l", b"m"),
]
"""The operations of the second batch that Pebble wrote (tests/data/README.md)."""


@pytest.mark.parametrize("log", ["pebble-synced/000006.log", "pebble-recyclable.log"])
def test_batches_written_by_pebble(log: str) -> None:
    answer = collect(named("rocksdb-wal").read(ROOT / "tests/data" / log, "strict", {}))
    assert answer.verdict == "intact"
    rows = (row_of("rocksdb-wal", each, sys.maxsize) for each in answer.records)
    values = [decode_row("rocksdb-wal", row)[0] for row in rows]
    ops = values[1]["ops"]
    assert [(op["op"], op["key"], op.get("value")) for op in ops] == EACH_OPERATION
    assert ops[6]["deleted_size"] == 301, "the key and 300 bytes"
    assert ops[7]["suffixes"] == [{"suffix": b"@5", "value": b"v"}]
    assert ops[8]["suffixes"] == [{"suffix": b"@5"}]
    assert [(v["sequence"], v["ops"][0]["key"]) for v in values[2:]] == [
        (20 + number, b"late%d" % number) for number in range(5)
    ]


def test_batches_written_by_rocksdb() -> None:
    log = ROOT / "tests/data/rocksdb-recycled/000016.log"
    answer = collect(named("rocksdb-wal").read(log, "strict", {}))
    values = [decode(record.payload) for record in answer.records]
    assert [value["sequence"] for value in values] == list(range(100, 111))
    assert [value["ops"] for value in values[:4]] == [
        [{"op": "put", "column_family": 1, "key": b"a", "value": b"in second, round 3"}],
        [{"op": "delete_range", "key": b"key020", "value": b"key025"}],
        [{"op": "delete", "key": b"key007"}],
        [{"op": "put", "key": b"key000", "value": b"round 3 of 000"}],
    ]
