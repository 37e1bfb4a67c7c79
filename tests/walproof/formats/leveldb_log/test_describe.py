"""Write batches and version edits are described."""

from __future__ import annotations

import struct

import pytest

from tests.walproof.formats.described import assert_linear, describe_payload, texts_of
from walproof.describe import LISTED_ITEMS, NotDescribed

FORMAT = "leveldb-log"


def batch(sequence: int, count: int, *operations: bytes) -> bytes:
    return struct.pack("<QI", sequence, count) + b"".join(operations)


def test_write_batches_of_a_vector() -> None:
    assert texts_of("leveldb-log/write-batches-of-a-real-database")[3:] == [
        'put "k3" = "v3" (sequence 4)',
        'put "batch1" = "x", delete "k0" (sequence 5)',
    ]


def test_fields_of_a_batch() -> None:
    described = describe_payload(
        FORMAT, batch(2**64 - 1, 3, b"\1\1k\2\xff\0", b"\5\3\1k\1v", b"\0\1z")
    )
    assert described is not None
    assert described.text == (
        f'put "k" = 0xff00, put in column family 3 "k" = "v", delete "z" (sequence {2**64 - 1})'
    )
    assert described.fields == {
        "sequence": str(2**64 - 1),
        "operations": [
            {"operation": "put", "key": "k", "value": {"hex": "ff00"}},
            {"operation": "put", "column_family": 3, "key": "k", "value": "v"},
            {"operation": "delete", "key": "z"},
        ],
    }


def test_version_edits_of_the_chapter() -> None:
    name = b"leveldb.BytewiseComparator"
    for payload, text in (
        (b"\1\x1a" + name, f'comparator "{name.decode()}"'),
        (
            bytes.fromhex("0203090003040400"),
            "log number 3, previous log number 0, next file number 4, last sequence 0",
        ),
        (
            b"\6\0\4\7\1\5\x80\1\1a\1z\5\1\1m",
            'deleted file level 0 file 4, new file level 1 file 5 size 128 smallest "a" '
            'largest "z", compaction pointer level 1 "m"',
        ),
    ):
        described = describe_payload(FORMAT, payload)
        assert described is not None
        assert described.text == f"version edit: {text}"
    assert described.fields["fields"][0] == {"field": "deleted file", "level": 0, "file": "4"}


def test_many_operations_are_counted() -> None:
    described = describe_payload(FORMAT, batch(1, 9_999, b"\1\1a\0" * 9_998, b"\0\1b"))
    assert described is not None
    counts = "9,999 operations (9,998 put, 1 delete)"
    assert described.text == f'{counts}, first put "a" = "" (sequence 1)'
    assert len(described.fields["operations"]) == 9_999
    described = describe_payload(FORMAT, batch(1, 0, b"\x0d" * 64_000))
    assert described is not None
    assert len(described.fields["operations"]) == LISTED_ITEMS + (64_000 + 12) // 64
    assert described.fields["not_listed"] == 64_000 - LISTED_ITEMS - (64_000 + 12) // 64


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        (b"alpha", "at 0: expected a header of 12 bytes, found 5 bytes"),
        (batch(1, 1), r"at 8: expected the number of operations \(0\), found 1"),
        (batch(1, 1, b"\x1a\0"), "at 12: expected the tag of a known operation, found 26"),
        (batch(1, 1, b"\0\5abc"), "at 13: expected a length of at most 3, found 5"),
        (batch(1, 1, b"\0\xff\xff\xff\xff\x0f"), "of at most 0, found 4,294,967,295"),
        (batch(1, 1, b"\0\x80\x80"), "at 13: expected a varint of at most 5 bytes, found 8080"),
        (b"\x0a\0", "at 0: expected"),
        (
            b"\1\x0a" + bytes(6) + b"\1\0\0\0" + b"\1\1k\3\4\2\0",
            r"at 0: expected a payload with one meaning, found several: \(put\) and \(comparator",
        ),
    ],
)
def test_other_payloads(payload: bytes, message: str) -> None:
    with pytest.raises(NotDescribed, match=message):
        describe_payload(FORMAT, payload)


def test_hostile_payloads_take_linear_time() -> None:
    assert_linear(FORMAT, lambda count: batch(1, count, b"\1\0\0" * count))
    assert_linear(FORMAT, lambda count: batch(1, 0, b"\x0d" * count))
    assert_linear(FORMAT, lambda count: b"\2\3" * count)
