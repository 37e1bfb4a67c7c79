"""Entries, updates and snapshots are described."""

from __future__ import annotations

import struct

import pytest

from tests.walproof.formats.described import assert_linear, describe_payload, texts_of
from walproof.describe import NotDescribed

FORMAT = "zmq-raft"
CONFIG = {"index": "2", "term": "1", "entry_type": 1}


def test_records_of_vectors() -> None:
    assert texts_of("zmq-raft/an-entry-of-each-type")[:3] == [
        "checkpoint entry (index 1, term 1)",
        'config entry (index 2, term 1): [["p1", "tcp://127.0.0.1:8047"]]',
        'state entry (index 3, term 1): "alpha"',
    ]
    assert (
        texts_of("zmq-raft/a-pair-too-many-in-the-last-update")[1] == 'update: {"baz": [1, 2, 3]}'
    )
    assert texts_of("zmq-raft/a-lost-file-below-the-snapshot")[0] == (
        'snapshot (index 5, term 1): "state at 5"'
    )
    assert texts_of("zmq-raft/a-directory-of-raw-entries")[0] is None
    assert texts_of("zmq-raft/an-entry-of-type-seven")[1] == (
        "at 0: expected the data of an entry of type 0, 1 or 2, found type 7"
    )


def test_fields() -> None:
    described = describe_payload(FORMAT, b"\x81\xa3old\x91\xcf" + b"\xff" * 8, CONFIG)
    assert described is not None
    value = {"old": [{"int": str(2**64 - 1)}]}
    assert described.fields == {"type": "config", "value": value}
    described = describe_payload(FORMAT, b"\xff", {**CONFIG, "entry_type": 0})
    assert described is not None
    assert described.fields == {"type": "state", "data": {"hex": "ff"}}


@pytest.mark.parametrize(
    ("payload", "fields", "message"),
    [
        (b"\x92\xc0", CONFIG, "at 2: expected the rest of a MessagePack value, found the end"),
        (b"\xc0\xc0", CONFIG, "at 1: expected the end, found 1 byte"),
        (b"\xc1", CONFIG, "at 0: expected a MessagePack value, found the byte c1 at 0"),
        (b"\x91" * 99, CONFIG, "found more than 64 levels"),
        (b"alpha", CONFIG | {"entry_type": 2}, 'at 0: expected the byte c0, found "alpha"'),
        (b"\x01", {}, "at 0: expected a map with text as keys, found the byte 01"),
        (b"\x81\1\1", {}, "expected a map with text as keys, found the key at 1"),
    ],
)
def test_other_payloads(payload: bytes, fields: dict[str, object], message: str) -> None:
    with pytest.raises(NotDescribed, match=message):
        describe_payload(FORMAT, payload, fields)


def test_hostile_payloads_take_linear_time() -> None:
    def nils(count: int) -> bytes:
        return b"\xdd" + struct.pack(">I", count) + b"\xc0" * count

    assert_linear(FORMAT, nils, CONFIG)
    assert_linear(FORMAT, lambda count: b"\xdf\xff\xff\xff\xff" + b"\xa0\xc0" * count)
    described = describe_payload(FORMAT, nils(16_384), CONFIG)
    assert described is not None
    assert described.text == "config entry (index 2, term 1): more than 16,384 values"
