"""Decode commands and OpenWire objects whose bytes the tests write."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import pyarrow as pa
import pytest

from walproof.decode import phrase
from walproof.decode.fault import Undecodable
from walproof.formats.kahadb_journal.decoder import TYPE, body, decode, openwire
from walproof.formats.kahadb_journal.decoder.java_data import DEEPEST, JavaData
from walproof.schema import arrow_type


def varint(value: int) -> bytes:
    result = bytearray()
    while value > 0x7F:
        result.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*result, value])


def message(*fields: tuple[int, int | bytes]) -> bytes:
    """Return a protobuf message of these varints (negative ones take 64 bits) and byte fields."""
    return b"".join(
        varint(number << 3) + varint(value % 2**64)
        if isinstance(value, int)
        else varint(number << 3 | 2) + varint(len(value)) + value
        for number, value in fields
    )


def command(number: int, *fields: tuple[int, int | bytes]) -> dict[str, Any]:
    result = message(*fields)
    decoded = decode(bytes([number]) + varint(len(result)) + result)
    value: dict[str, Any] = pa.array([decoded], arrow_type(TYPE)).to_pylist()[0]
    return value


def phrase_of(value: dict[str, Any]) -> str:
    return phrase("kahadb-journal", value, {})


ORDERS = message((1, 1), (2, b"orders"))


def test_a_message_that_is_not_openwire() -> None:
    value = command(1, (2, ORDERS), (3, b"ID:1"), (4, b"\x00content"), (5, 4), (6, 1))
    assert (value["command"], value["name"]) == (1, "KAHA_ADD_MESSAGE_COMMAND")
    assert (value["destination_type"], value["destination"]) == ("topic", "orders")
    assert value["message_id"] == "ID:1"
    assert value["fields"] == [("priority", "4"), ("priority_supported", "true")]
    assert value["data"] == b"\x00content"
    assert value["message"]["not_decoded"].startswith("expected 6516590 bytes, found 4")
    assert phrase_of(value).startswith("message ID:1 to topic://orders (expected 6516590 bytes")
    added = message((2, ORDERS), (3, b"ID:1"), (4, b""))
    assert command(10, (1, added))["message_id"] == "ID:1"
    with pytest.raises(Undecodable, match="unknown broker command"):
        decode(b"hello")


# Source: apache/activemq activemq-kahadb-store/src/main/proto/journal-data.proto.
@pytest.mark.parametrize(
    ("number", "fields", "expected"),
    [
        (0, [(1, b"LOADED")], 'trace "LOADED"'),
        (2, [(2, ORDERS), (3, b"ID:1"), (5, b"c:s")], None),
        (6, [(1, message((2, b"q")))], "remove destination queue://q"),
        (6, [(1, message((1, 9), (2, b"q")))], "remove destination 9://q"),
        (7, [(1, ORDERS), (2, b"c:s")], "unsubscribes c:s from topic://orders"),
        (
            8,
            [(1, b"\xac\xed")],
            "producer audit (2 bytes of a serialised Java object, not decoded)",
        ),
        (
            12,
            [(1, b"JMS"), (2, b"job"), (3, 1), (4, -1), (5, 2)],
            "reschedule job, scheduler JMS, job id job, execution time 1, "
            "next execution time -1, rescheduled count 2",
        ),
        (15, [(1, b"JMS")], "destroy scheduler, scheduler JMS"),
        (
            16,
            [(1, 7), (2, 0), (3, 0)],
            "rewritten data file, source data file id 7, rewrite type 0, "
            "skip if source exists false",
        ),
    ],
)
def test_phrases_of_commands(
    number: int, fields: list[tuple[int, int | bytes]], expected: str | None
) -> None:
    expected = expected or "removes ID:1 from topic://orders, subscription c:s"
    assert phrase_of(command(number, *fields)) == expected


def test_a_local_transaction_is_decoded() -> None:
    """Decode a local transaction; its connection id and its transaction id have field number 1."""
    local = message((1, b"ID:c"), (1, 5))
    previous = message((1, 3), (2, 400))
    value = command(4, (1, message((1, local), (3, previous))))
    known = {name: member for name, member in value["transaction"].items() if member is not None}
    assert known == {
        "connection_id": "ID:c",
        "transaction_id": 5,
        "previous_file": 3,
        "previous_offset": 400,
    }


def test_nesting_and_counts_of_values_are_limited() -> None:
    deep = struct.pack(">bi", 12, 1)
    assert JavaData(deep * DEEPEST + b"\0").value() is not None
    with pytest.raises(Undecodable, match="levels of nesting"):
        JavaData(deep * 5000 + b"\0").value()
    with pytest.raises(Undecodable, match="values in 3 bytes"):
        JavaData(struct.pack(">bi", 12, 4) + bytes(3)).value()


@pytest.mark.parametrize(
    ("kind", "data", "words", "is_compressed"),
    [
        ("text", zlib.compress(b"\0\0\0\1a")[:-1], "it is truncated", True),
        ("text", b"\0\0\0\1ab", "1 bytes after the content", False),
        ("text", b"\xff\xff\xff\xfe", "invalid length -2", False),
        ("map", b"\0\0\0\1\0\1k\x63", "unknown value type 99", False),
        ("map", b"\0\0\0\1\0\1k\1\2", "expected a boolean, found 2", False),
        ("object", b"\xac\xed\0\5", "not decoded", False),
    ],
)
def test_content_that_is_not_decoded(
    kind: str, data: bytes, words: str, is_compressed: bool
) -> None:
    with pytest.raises(Undecodable, match=words):
        body.content(kind, data, is_compressed)


def test_numbers_that_json_cannot_represent() -> None:
    map_of = struct.pack(">iH1sbf", 1, 1, b"k", 8, float("nan"))
    assert body.content("map", map_of, False) == {"values": '{"k":"nan"}'}
    assert body.properties(map_of) == [("k", "nan")]


def test_nesting_of_objects_is_limited() -> None:
    """Decoding stops at the first of a thousand nested transactions."""
    inside = b"\x01" + b"\x6f" + bytes(8)
    data = b"\x1c" + bytes(5) + b"\0\0" + inside * 1000
    result = openwire.message(struct.pack(">i", len(data)) + data)
    assert "expected an object of type 120, found type 111" in result["not_decoded"]


def test_a_truncated_message_is_decoded() -> None:
    """A truncated message is decoded to its id, its destination, and the size of the rest."""
    fields = message(
        (2, message((1, 0), (2, b"orders"))), (3, b"ID:h-1:0:1:1"), (4, b"x" * 100_000)
    )
    payload = bytes([1]) + varint(len(fields)) + fields
    missing = "not decoded after 60,000 bytes: the message of 100,000 bytes"
    (value,) = pa.array([decode(payload[:60_000], is_cut=True)], arrow_type(TYPE)).to_pylist()
    assert phrase_of(value) == f"message ID:h-1:0:1:1 to queue://orders ({missing})"
    for size in (0, 1, 2, 10, len(payload)):
        with pytest.raises(Undecodable):
            decode(payload[:size], is_cut=True)
    for number in (9, 10):  # a command without a message, and a command with a nested message
        with pytest.raises(Undecodable, match="the payload was truncated"):
            decode(bytes([number]) + varint(200) + message((1, b"x" * 100)), is_cut=True)
