"""Compare decoded Zeebe records in raft entries with the output of the real classes."""

from __future__ import annotations

import json
import re
import shutil
import struct
import time
from collections.abc import Mapping
from typing import Any

import msgpack
import pyarrow as pa
import pytest

from reference_impl.zeebe_journal import raft
from tests.conftest import unavailable
from tests.walproof.decode.real_programs import GOLDEN
from walproof.decode import phrase
from walproof.decode.fault import Undecodable
from walproof.decode.message_pack import MAX_DEPTH, to_json
from walproof.formats.zeebe_journal.decoder import TYPE, batch, decode, metadata
from walproof.formats.zeebe_journal.decoder.protocol import names
from walproof.formats.zeebe_journal.decoder.protocol.table_writer import TABLE, read_jars, table
from walproof.schema import arrow_type

pytestmark = pytest.mark.slow

# One release of each line; the layout of the metadata differs between the lines.
RELEASES = ("8.2.15", "8.3.4", "8.8.0")
# The values that the real getters return for null.
NULLS: dict[str, Any] = {
    "rejection_reason": "",
    "request_id": -1,
    "request_stream_id": -(2**31),
    "operation_reference": -1,
    "batch_operation_reference": -1,
}


def golden(release: str) -> list[dict[str, Any]]:
    given: dict[str, Any] = json.loads((GOLDEN / f"zeebe-{release}.json").read_text())
    entries: list[dict[str, Any]] = given["entries"]
    return entries


def entry(payload: bytes, is_cut: bool = False) -> dict[str, Any]:
    """Decode a payload and return the struct as a column stores it."""
    (value,) = pa.array([decode(payload, is_cut)], arrow_type(TYPE)).to_pylist()
    assert isinstance(value, dict)
    return value


def in_java_terms(record: Mapping[str, Any], told: Mapping[str, Any]) -> dict[str, Any]:
    """Return our record with the names and null values of the real classes."""
    message = {}
    for name in told:
        ours = re.sub("(?<=.)(?=[A-Z])", "_", name).lower()
        if name not in ("value", "documents"):
            value = record[ours]
            message[name] = NULLS[ours] if value is None and ours in NULLS else value
    return message


@pytest.mark.parametrize("release", RELEASES)
def test_records_equal_those_of_the_real_classes(release: str) -> None:
    for each in golden(release):
        value = entry(bytes.fromhex(each["payload"]))
        assert value["records_fault"] is None and value["term"] == 3
        assert len(value["records"]) == len(each["records"])
        for record, given in zip(value["records"], each["records"], strict=True):
            assert record["fault"] is None
            plain = {name: given[name] for name in given if name not in ("value", "documents")}
            assert in_java_terms(record, given) == plain
            body = json.loads(given["value"])
            body |= {name: json.loads(text) for name, text in given["documents"].items()}
            assert json.loads(record["value"]) == body
            assert list(json.loads(record["value"])) == list(body)
            line = ".".join(release.split(".")[:2])
            assert record["names_of"] == line and record["broker_version"] == f"{line}.5"


def test_the_table_matches_the_real_classes() -> None:
    for tool in ("java", "javac", "mvn"):
        if shutil.which(tool) is None:
            unavailable(f"unavailable, because there is no {tool}")
    try:
        lines = read_jars()
    except RuntimeError as error:
        unavailable(f"unavailable, because {error}")
    assert table(lines) == TABLE.read_text()


def test_numbers_are_named_by_the_release_of_the_broker() -> None:
    assert names((8, 2), 3).intent(22, 1) == "DELETED"
    assert names((8, 3), 4).intent(22, 1) == "DELETING"
    assert names((8, 2), 3).value_type(47) == "47" and names((8, 8), 6).intent(47, 99) == "99"
    assert [names(None, schema).line for schema in (3, 4, 5, 6, 7, 8)] == [
        "8.2", "8.5", "8.7", "8.8", "8.9", "8.9",
    ]  # fmt: skip
    assert names((9, 1), 9).line == "8.9" and names((0, 26), 1).line == "1.0"


def test_phrases_of_records() -> None:
    create, refused, follow = (entry(bytes.fromhex(each["payload"])) for each in golden("8.8.0"))
    at = {"index": 5}
    assert phrase("zeebe-journal", create, at).startswith(
        'command PROCESS_INSTANCE_CREATION CREATE, position 17, {"bpmnProcessId":"order",'
    )
    assert phrase("zeebe-journal", refused, at).startswith(
        "command rejection PROCESS_INSTANCE_CREATION CREATE,"
        ' NOT_FOUND "no process \'größer\' with a "name"", position 17, {'
    )
    message = phrase("zeebe-journal", follow, at)
    assert message.startswith(
        "event PROCESS_INSTANCE ELEMENT_ACTIVATING, key 2251799813685249, position 17, {"
    )
    assert message.endswith("characters), and 5 more records")
    other = entry(raft.encode_application(3, 10, 12, b"Test"))
    assert phrase("zeebe-journal", other, at) == (
        'index 5, term 3: application, records 10–12, "Test"  (at 0: 4 bytes after the last record)'
    )


def test_a_cut_payload_returns_its_complete_records() -> None:
    payload = bytes.fromhex(golden("8.3.4")[2]["payload"])
    whole = entry(payload)
    for size in range(len(payload)):
        try:
            value = entry(payload[:size], is_cut=True)
        except Undecodable:
            assert size < 45
            continue
        assert value["application_data"] is None and "truncated" in value["records_fault"]
        for result, real in zip(value["records"], whole["records"], strict=False):
            assert result == real or (result["fault"] and result["value"] is None)
        assert phrase("zeebe-journal", value, {"index": 1})


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda data: data[:-20], "invalid Zeebe record: "),
        (lambda data: data + b"\0" * 3, "bytes after the last record"),
        (lambda data: struct.pack("<i", -1) + data[4:], "invalid Zeebe record: -1 bytes long"),
        (lambda data: data[:12] + b"\2\0" + data[14:], "invalid Zeebe record: of version 2"),
        (lambda data: data[:48] + b"\xff" * 4 + data[52:], "invalid Zeebe record: metadata of -1"),
        (lambda data: data[:16] + b"\1" + data[17:], "the entry has records 17–17, found 1, from"),
        (lambda data: b"", "the entry has records 17–17, found none"),
    ],
)
def test_invalid_batches_are_reported(change: Any, fault: str) -> None:
    data = decode(bytes.fromhex(golden("8.3.4")[0]["payload"]))["application_data"]
    value = entry(raft.encode_application(3, 17, 17, change(data)))
    assert fault in value["records_fault"]
    assert fault in phrase("zeebe-journal", value, {"index": 1})


def test_unknown_metadata() -> None:
    payload = bytes.fromhex(golden("8.3.4")[0]["payload"])
    data = decode(payload)["application_data"]
    (size,) = struct.unpack_from("<i", data, 48)
    described = data[52 : 52 + size]
    assert metadata.decode(described)["names_of"] == "8.3"
    for version, words in ((2, "version 2: 3 or later"), (6, "expected 8 bytes")):
        with pytest.raises(Undecodable, match=words):
            metadata.decode(described[:6] + struct.pack("<H", version) + described[8:])
    with pytest.raises(Undecodable, match="template 201 of schema 0"):
        metadata.decode(described[:2] + b"\xc9" + described[3:])
    (record,), fault = batch.decode(data.replace(described, b"\xff" * size, 1))
    assert fault is None and record["fault"].startswith("metadata: ") and record["value"]


def test_messagepack() -> None:
    value = {
        "a": 1,
        "b": [1.5, -3, None, True, "ä\n"],
        "c": b"\xff\0",
        "variables": b"\x81\xa1x\x01",
    }
    packed = msgpack.packb(value)
    assert to_json(packed) == (
        '{"a":1,"b":[1.5,-3,null,true,"ä\\n"],"c":"/wA=","variables":"gaF4AQ=="}'
    )
    assert '"variables":{"x":1}' in to_json(packed, frozenset({"variables"}))
    assert to_json(msgpack.packb({"variables": b"\xc1"}), frozenset({"variables"})) == (
        '{"variables":"wQ=="}'
    )
    assert to_json(b"\x82\xa1a\x01\xa1a\x02") == '{"a":1,"a":2}'
    assert to_json(b"\x82\x01\x01\xc0\x02") == '{"1":1,"null":2}'
    assert to_json(b"\xcb\x7f\xf8" + b"\0" * 6) == '{"float":"7ff8000000000000"}'
    assert to_json(b"\xa2\xff\xfe") == '{"hex":"fffe"}'
    assert to_json(b"\xc7\x02\x05ab") == '{"ext":[5,"6162"]}'
    assert to_json(b"\xd6\xff\0\0\0\1") == '{"ext":[-1,"00000001"]}'
    assert to_json(b"\xcf" + b"\xff" * 8) == str(2**64 - 1)
    deep = b"\x91" * MAX_DEPTH + b"\xc0"
    assert to_json(deep) == "[" * MAX_DEPTH + "null" + "]" * MAX_DEPTH


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "truncated"),
        (b"\xc1", "not MessagePack"),
        (b"\x01\x02", "1 bytes after"),
        (b"\xdd\xff\xff\xff\xff\0", "truncated"),
        ((b"\xdd" + struct.pack(">I", 100_000)) * 1000 + b"\0" * 100_000, "truncated"),
        (b"\x91" * (MAX_DEPTH + 1) + b"\xc0", "levels"),
        (b"\x81" * (MAX_DEPTH + 1) + b"\xc0", "array|levels|truncated"),
        (b"\x81\x90\x01", "array or binary key"),
    ],
)
def test_invalid_messagepack(data: bytes, words: str) -> None:
    started = time.process_time()
    with pytest.raises(Undecodable, match=words):
        to_json(data)
    assert time.process_time() - started < 2
