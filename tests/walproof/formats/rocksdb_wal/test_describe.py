"""RocksDB and Pebble write batches are described."""

from __future__ import annotations

import struct

import pytest

from tests.walproof.formats.described import assert_linear, describe_payload, texts_of
from walproof.describe import NotDescribed

FORMAT = "rocksdb-wal"
PEBBLE = {"sync_offset": "0"}


def batch(sequence: int, count: int, *operations: bytes) -> bytes:
    return struct.pack("<QI", sequence, count) + b"".join(operations)


def test_write_batches_of_vectors() -> None:
    assert texts_of("rocksdb-wal/batch-without-operations")[:2] == [
        'put "key0" = "alpha" (sequence 101)',
        "no operations (sequence 102)",
    ]
    assert texts_of("rocksdb-wal/compressed-by-rocksdb")[1] == 'put "key1" = "value1" (sequence 2)'


def test_a_transaction_counts_only_operations_on_keys() -> None:
    described = describe_payload(
        FORMAT, batch(7, 2, b"\x09", b"\x0e\3\1a\1c", b"\3\2hi", b"\2\1k\1v", b"\x0a\3xid")
    )
    assert described is not None
    counts = "1 begin prepare, 1 delete range, 1 log data, 1 merge, 1 end prepare"
    assert described.text == f"5 operations ({counts}), first begin prepare (sequence 7)"
    assert described.fields["operations"][1:] == [
        {"operation": "delete range", "column_family": 3, "start": "a", "end": "c"},
        {"operation": "log data", "data": "hi"},
        {"operation": "merge", "key": "k", "value": "v"},
        {"operation": "end prepare", "transaction": "xid"},
    ]


def test_tags_that_mean_other_operations_in_pebble() -> None:
    sized = batch(1, 1, b"\x17\1k\1\x07")
    for fields in (PEBBLE, {}):
        # In RocksDB, the operation with this tag has a different structure.
        described = describe_payload(FORMAT, sized, fields)
        assert described is not None
        assert described.text == 'delete sized "k" (sequence 1)'
    either = batch(1, 1, b"\x18\1a\1c")
    described = describe_payload(FORMAT, either, PEBBLE)
    assert described is not None
    assert described.text == 'excise "a" to "c" (sequence 1)'
    with pytest.raises(NotDescribed, match=r"several: \(timed put\) and \(excise\)"):
        describe_payload(FORMAT, either)


def test_a_sync_offset_excludes_rocksdb() -> None:
    with pytest.raises(NotDescribed, match="at 12: expected the tag of a known operation, found 5"):
        describe_payload(FORMAT, batch(1, 1, b"\5\3\1k\1v"), PEBBLE)


def test_hostile_payloads_take_linear_time() -> None:
    assert_linear(FORMAT, lambda count: batch(1, count, b"\x18\0\0" * count))
    assert_linear(FORMAT, lambda count: batch(1, count, b"\0\0" * count), PEBBLE)
