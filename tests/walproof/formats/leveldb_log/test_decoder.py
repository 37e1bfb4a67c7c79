"""Decode write batches and version edits whose bytes the tests write."""

from __future__ import annotations

import struct

import pyarrow as pa
import pytest

from walproof.decode import phrase
from walproof.decode.fault import Undecodable
from walproof.formats.leveldb_log.decoder import TYPE, decode, version_edit, write_batch
from walproof.schema import arrow_type


def batch(sequence: int, count: int, *operations: bytes) -> bytes:
    return struct.pack("<QI", sequence, count) + b"".join(operations)


def phrase_of(payload: bytes) -> str:
    (value,) = pa.array([decode(payload)], arrow_type(TYPE)).to_pylist()
    return phrase("leveldb-log", value, {})


def test_write_batch() -> None:
    result = write_batch.decode(batch(7, 2, b"\x01\x01k\x05value", b"\x00\x80\x01" + b"d" * 128))
    assert result["sequence"] == 7
    assert result["ops"] == [
        {"op": "put", "key": b"k", "value": b"value"},
        {"op": "delete", "key": b"d" * 128},
    ]


def test_a_transaction_of_rocksdb() -> None:
    """In a two-phase commit, only operations on keys count (``WriteBatchInternal::Iterate``)."""
    prepared = batch(2**64 - 1, 1, b"\x09", b"\x05\x03\x01k\x00", b"\x03\x02hi", b"\x0a\x03xid")
    result = write_batch.decode(prepared)
    assert result["sequence"] == -1
    assert [(op["op"], op.get("column_family"), op.get("xid")) for op in result["ops"]] == [
        ("begin_prepare", None, None),
        ("put", 3, None),
        ("log_data", None, None),
        ("end_prepare", None, b"xid"),
    ]
    assert phrase_of(batch(5, 0, b"\x0b\x03xid")) == 'commit transaction "xid" (sequence 5)'


# Source: facebook/rocksdb, the grammar at the head of db/write_batch.cc, and db/dbformat.h.
@pytest.mark.parametrize(
    ("operation", "counted", "expected"),
    [
        (b"\x02\x01k\x01v", 1, 'merge "k" = "v"'),
        (b"\x06\x07\x01k\x01v", 1, 'merge in column family 7 "k" = "v"'),
        (b"\x03\x01d", 0, 'log data "d"'),
        (b"\x04\x07\x01k", 1, 'delete in column family 7 "k"'),
        (b"\x07\x01k", 1, 'single delete "k"'),
        (b"\x08\x07\x01k", 1, 'single delete in column family 7 "k"'),
        (b"\x0c\x01x", 0, 'rollback transaction "x"'),
        (b"\x0d", 0, "noop"),
        (b"\x0e\x07\x01a\x01z", 1, 'delete range in column family 7 "a" to "z"'),
        (b"\x0f\x01a\x01z", 1, 'delete range "a" to "z"'),
        (b"\x10\x07\x01k\x01\x00", 1, 'put blob index in column family 7 "k" = 0x00'),
        (b"\x11\x01k\x01\x00", 1, 'put blob index "k" = 0x00'),
        (b"\x12", 0, "begin persisted prepare"),
        (b"\x13", 0, "begin unprepare"),
        (b"\x16\x01k\x02\x01\x00", 1, 'put entity "k" = {}'),
        (b"\x17\x07\x01k\x02\x02\x00", 1, 'put entity in column family 7 "k" = 0x0200'),
        (b"\x18\x01k\x09v" + b"\x05" + bytes(7), 1, 'timed put "k" = "v"'),
        (b"\x19\x07\x01k\x08" + bytes(8), 1, 'timed put in column family 7 "k" = ""'),
    ],
)
def test_every_rocksdb_tag(operation: bytes, counted: int, expected: str) -> None:
    assert phrase_of(batch(1, counted, operation)) == f"{expected} (sequence 1)"
    with pytest.raises(Undecodable, match=r"expected [0-9]+ operations"):
        write_batch.decode(batch(1, 1 - counted, operation))


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        (b"short", "at 0: expected 12 bytes, found 5"),
        (batch(1, 1), "expected 1 operations, found 0"),
        (batch(1, 1, b"\x63"), "at 12: unknown operation 99"),
        (batch(1, 1, b"\x18\x01k\x01v"), "no write time in a value of 1 bytes"),
        (batch(1, 1, b"\x00\x09k"), "expected 9 bytes, found 1"),
        (batch(1, 1, b"\x00\xff\xff\xff\xff\xff\xff"), "unterminated varint"),
    ],
)
def test_invalid_write_batches(payload: bytes, words: str) -> None:
    with pytest.raises(Undecodable) as caught:
        write_batch.decode(payload)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "entity",
    [b"", b"\x01\x02\x01a\x01", b"\x01\xff\xff\xff\xff\x0f", b"\x01\x01\x01a\x00more", b"\x03\x00"],
)
def test_an_invalid_entity_keeps_its_bytes(entity: bytes) -> None:
    operation = b"\x16\x01k" + bytes([len(entity)]) + entity
    (put,) = write_batch.decode(batch(1, 1, operation))["ops"]
    assert put["columns"] is None and put["value"] == entity


KEY = b"\x09a\x01\x07" + bytes(6)
"""The internal key of ``a``: sequence 7, a put."""


def test_version_edit() -> None:
    result = version_edit.decode(
        b"\x01\x01c" + b"\x02\x80\x01" + b"\x03\x04" + b"\x04\x05" + b"\x09\x00"
        b"\x05\x01" + KEY + b"\x06\x02\x09" + b"\x07\x03\x0a\x0b" + KEY + KEY
    )
    key = {"user_key": b"a", "sequence": 7, "type": "put"}
    assert result == {
        "comparator": "c",
        "log_number": 128,
        "next_file_number": 4,
        "last_sequence": 5,
        "prev_log_number": 0,
        "compact_pointers": [{"level": 1, "key": key}],
        "deleted_files": [{"level": 2, "number": 9}],
        "new_files": [{"level": 3, "number": 10, "size": 11, "smallest": key, "largest": key}],
    }
    assert (
        phrase_of(b"\x06\x02\x09\x06\x02\x0a") == "deletes table 000009 at level 2, deletes 1 more"
    )
    assert phrase_of(b"\xc8\x01\x02\xca\x01") == "column family 2, column family dropped"
    assert phrase_of(b"") == "empty edit"
    assert phrase_of(b"\xac\x02\x02") == "edits left in group 2"


def test_a_rocksdb_edit() -> None:
    """Decode an edit with blob files, logs, an atomic group, and tags that a reader may ignore."""
    result = version_edit.decode(
        b"\x90\x03\x01\x02\x03\x01m\x01c\x00" + b"\x91\x03\x01\x02\x03\x05\x01x\x00"
        b"\x87\x40\x04\x05\x02\x07\x01" + b"\x88\x40\x01\x09" + b"\x89\x40\x01\x00"
        b"\x80\x60\x02hi" + b"\x66\x00\x01\x02\x03" + KEY + KEY + b"\x04\x05"
    )
    assert result["new_blob_files"] == [
        {"number": 1, "blobs": 2, "bytes": 3, "checksum_method": b"m", "checksum": b"c"}
    ]
    assert result["blob_garbage"] == [{"number": 1, "blobs": 2, "bytes": 3}]
    assert result["new_logs"] == [{"number": 5, "size": 7}]
    assert result["logs_deleted_before"] == 9
    assert [(field["name"], field["data"]) for field in result["fields"]] == [
        ("persist_user_defined_timestamps", b"\x00"),
        (None, b"hi"),
    ]
    (file,) = result["new_files"]
    assert (file["path_id"], file["smallest_sequence"], file["largest_sequence"]) == (2, 4, 5)


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        (b"\x08\x00", "at 0: unknown tag 8"),
        (b"\x02", "at 1: unterminated varint"),
        (b"\x05\x01\x03abc", "at 2: an internal key of 3 bytes"),
        (b"\x01\x01\xff", "invalid UTF-8"),
        (b"\x67\x00\x01\x02" + KEY + KEY + b"\x04\x05\x47\x00", "unknown field 71 of a new file"),
        (b"\x67\x00\x01\x02" + KEY + KEY + b"\x04\x05\x02\x02ab", "2 bytes in a field of the form"),
        (b"\x90\x03\x01\x02\x03\x01m\x01c\x40\x00", "unknown field 64 of a blob file"),
        (b"\x84\x40\x01\x03", "unknown field 3 of a log"),
    ],
)
def test_invalid_version_edits(payload: bytes, words: str) -> None:
    with pytest.raises(Undecodable) as caught:
        version_edit.decode(payload)
    assert words in str(caught.value)


def test_payloads_of_neither_or_both_types() -> None:
    with pytest.raises(
        Undecodable, match=r"neither a write batch \(at 0: expected 12.* nor a version edit \(at"
    ):
        decode(b"alpha")
    # As a batch, this payload has sequence 0x...0a01 and no operation; as an edit, a comparator.
    with pytest.raises(Undecodable, match="both a write batch and a version edit"):
        decode(b"\x01\x0asevens" + bytes(4))


def cut(payload: bytes) -> str:
    (value,) = pa.array([decode(payload, is_cut=True)], arrow_type(TYPE)).to_pylist()
    return phrase("leveldb-log", value, {})


def test_a_truncated_batch_is_decoded() -> None:
    """A truncated batch keeps its complete operations and the full size of the cut value."""
    large = b"\x01\x05chunk\xa0\x8d\x06" + b"A" * 100_000
    whole = batch(1, 3, b"\x01\x01k\x01v", large, b"\x00\x01k")
    result = decode(whole[:60_000], is_cut=True)
    assert result["ops"] == [
        {"op": "put", "key": b"k", "value": b"v"},
        {"op": "put", "key": b"chunk"},
    ]
    missing = "not decoded after 60,000 bytes: the value of 100,000 bytes"
    assert result["ops_fault"] == f"{missing} and 1 more operation"
    assert cut(batch(1, 1, large)[:60_000]) == f'put "chunk" (sequence 1)  ({missing})'


def test_a_cut_at_each_byte_returns_complete_operations() -> None:
    whole = batch(1, 3, b"\x01\x01k\x01v", b"\x05\x80\x01\x02ab\x83\x01" + b"c" * 131, b"\x00\x01k")
    ops = decode(whole)["ops"]
    for size in range(13, len(whole)):
        result = decode(whole[:size], is_cut=True)
        assert "not decoded after" in result["ops_fault"]
        for each, original in zip(result["ops"], ops, strict=False):
            assert each.items() <= original.items()
    with pytest.raises(Undecodable):
        decode(whole[:12] + b"\x80", is_cut=True)  # cut before the end of the first operation


def test_a_cut_payload_without_a_batch() -> None:
    for payload in (b"", b"x" * 11, b"neither a batch nor an edit"):
        with pytest.raises(Undecodable, match="the payload was truncated"):
            decode(payload, is_cut=True)


def test_a_truncated_edit_is_decoded() -> None:
    """A truncated edit keeps its complete tables; the first edit of a MANIFEST lists all tables."""
    bound = b"\x09k" + b"\x01" + bytes(7)
    table = b"\x07\x00\x09\x85\x20" + bound + bound
    whole = b"\x01\x1aleveldb.BytewiseComparator" + table * 4000
    tables = len(version_edit.decode(whole)["new_files"])
    for size in range(60_000, 60_030):
        result = decode(whole[:size], is_cut=True)
        edit = result["version_edit"]
        assert edit["comparator"] == "leveldb.BytewiseComparator"
        assert len(edit["new_files"]) == (size - 28) // len(table) < tables
    assert cut(whole[:60_000]).endswith("(not decoded after 60,000 bytes: the rest of the edit)")
    with pytest.raises(Undecodable):
        decode(whole[:60_000])
