"""Test the rows of batch operations, and the text of Chromium's keys and values.

The expected values are those that Chromium stored when it opened ``tests/data/chromium/page.html``.
"""

from __future__ import annotations

import json
import random
import shutil
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reference_impl.answer import Record
from reference_impl.leveldb_log import read
from tests.real_files import CHROMIUM
from walproof.decode.fault import Undecodable
from walproof.decode.operations import with_text
from walproof.formats.leveldb_log.decoder import decode
from walproof.formats.leveldb_log.operations import Operations, batch_rows, v8_value
from walproof.formats.leveldb_log.operations.indexed_db import decompress

INDEXED_DB = CHROMIUM / "IndexedDB" / "http_127.0.0.1_8765.indexeddb.leveldb"
ITEM = {
    "id": "a1", "title": "Zoë", "n": 42, "neg": -7, "f": 1.5, "big": {"bigint": hex(12345678901)},
    "ok": True, "no": False, "nil": None, "u": {"undefined": True}, "d": {"date": 1700000000123},
    "list": [1, "two", [3]], "sparse": {"1": 1}, "re": {"regexp": "a+b", "flags": 3},
    "map": {"map": [["k", 1]]}, "set": {"set": [1, "z"]}, "bytes": {"hex": "0102ff"},
    "buf": {"hex": "00000000"}, "nan": {"float": "nan"}, "inf": {"float": "-inf"}, "jp": "日本語",
}  # fmt: skip


def rows_of(log: Path, folder: Path | None = None) -> Iterator[dict[str, Any]]:
    operations = Operations(folder or log)
    for record in read(log, "strict", {}):
        if isinstance(record, Record):
            yield from operations.rows(decode(record.payload), {})


def entries(log: Path, entry: str) -> list[tuple[Any, ...]]:
    results = [row for row in rows_of(log) if row.get("entry") == entry]
    return [(row["op"], row.get("store"), row["key"], row.get("value")) for row in results]


def test_each_operation_of_a_batch_has_its_sequence_number() -> None:
    payload = struct.pack("<QI", 7, 3)
    payload += b"\x01\x01k\x01v\x03\x04note\x05\x02\x01c\x02\xff\xfe\x0f\x01a\x01z"
    results = list(batch_rows(decode(payload)))
    assert [(row["op"], row["sequence"], row["key"]) for row in results] == [
        ("put", "7", b"k"),
        ("log_data", "8", b"note"),  # log data has no sequence number of its own
        ("put", "8", b"c"),
        ("delete_range", "9", b"a"),
    ]
    assert (results[2]["column_family"], results[3]["end_key"]) == (2, b"z")


def test_records_of_indexed_db() -> None:
    log = INDEXED_DB / "000003.log"
    result = entries(log, "record")
    assert result[:2] == [
        ("put", "items", "a1", ITEM),
        ("put", "items", "a2", {"id": "a2", "title": "second"}),
    ]
    error = {"type": "Error", "message": "boom"}
    expected: list[tuple[Any, Any]] = [
        ("text", "plain text"),
        (17, "日本語"),
        ([1, "x", {"date": 5}], 3.25),
        ({"date": 1700000000000}, "by date"),
        ({"hex": "010203"}, {"hex": "0908"}),
        ("large", "y" * 200_000),  # Chromium compresses this value with Snappy
        ("obj", {"self": "o"}),
        ("dead", "dead"),
        ("dead", None),
        ("shared", {"a": {"b": 1}, "c": {"same_as": 1}}),
        ("error", {"error": error}),
        ("String", "wrapped"),
        ("holes", {}),
        ("two-byte", "x" * 300 + "日"),
        ("dv", {"hex": "00000000"}),
        ("u32", 4294967295),
        ("f", 1e300),
    ]
    for (op, store, key, value), (name, stored) in zip(result[2:], expected, strict=True):
        if name == "error":
            value["error"].pop("stack")
        assert (store, key, value) == ("misc", name, stored)
        assert op == ("delete" if value is None else "put")


def test_names_of_indexed_db() -> None:
    rows = list(rows_of(INDEXED_DB / "000003.log"))
    record = next(row for row in rows if row.get("entry") == "record")
    assert (record["origin"], record["database"]) == ("http_127.0.0.1_8765@1", "notes")
    assert not [row for row in rows if "fault" in row]
    indexes = entries(INDEXED_DB / "000003.log", "index")
    assert indexes[0][2] == {"index_id": 31, "key": "Zoë", "primary_key": "a1"}


def test_indexed_db_is_recognised_by_the_comparator(tmp_path: Path) -> None:
    shutil.copy(INDEXED_DB / "000003.log", tmp_path / "copy.log")
    shutil.copy(INDEXED_DB / "MANIFEST-000001", tmp_path)
    assert len(entries(tmp_path / "copy.log", "record")) == 19


def test_an_unreadable_manifest_does_not_prevent_reading_the_log(tmp_path: Path) -> None:
    shutil.copy(INDEXED_DB / "000003.log", tmp_path)
    (tmp_path / "MANIFEST-000005").mkdir()
    assert next(rows_of(tmp_path / "000003.log"))


def test_a_key_from_outside_indexed_db_keeps_its_bytes(tmp_path: Path) -> None:
    operations = Operations(INDEXED_DB)
    payload = struct.pack("<QI", 1, 1) + b"\x01\x03abc\x01v"
    (row,) = operations.rows(decode(payload), {})
    assert (row["key"], row["value"]) == (b"abc", b"v")
    assert row["fault"].startswith("invalid IndexedDB key: ")


def test_local_storage() -> None:
    results = list(rows_of(CHROMIUM / "Local Storage" / "leveldb" / "000003.log"))
    records = [row for row in results if row.get("entry") == "record"]
    assert {row["origin"] for row in records} == {"http://127.0.0.1:8765"}
    assert [(row["op"], row["key"], row.get("value")) for row in records] == [
        ("put", "日本", "東京 ✓"),  # stored as UTF-16
        ("put", "naïve", "café"),  # stored as Latin-1
        ("put", "theme", "dark"),
        ("delete", "gone", None),
    ]


def test_other_databases_keep_their_keys() -> None:
    """Only keys with the exact form of Local Storage are decoded."""
    for key in (b"_key\0\1", b"_\0\1x", b"_a://b\0\2x"):
        payload = struct.pack("<QI", 1, 1) + b"\x01" + bytes([len(key)]) + key + b"\x02\x01v"
        (row,) = Operations(Path()).rows(decode(payload), {})
        assert (row["key"], row["value"], "origin" in row) == (key, b"\x01v", False)


@pytest.mark.parametrize(
    "data",
    [
        b"\x08\x04ab\x05\x02",  # the content is shorter than the claimed size
        b"\x08\x04ab\x16\x03\x00",  # a copy from before the start of the content
        b"\xff\xff\xff\xff\x0f\x00a",  # 4 GiB claimed
    ],
)
def test_invalid_snappy(data: bytes) -> None:
    """Invalid Snappy data is refused (google/snappy, ``format_description.txt``)."""
    with pytest.raises(Undecodable, match="Snappy"):
        decompress(data)


@pytest.mark.parametrize("data", [b"", b"\xff\x0fo", b"\xff\x0f?", b"\xff\x0fA\xff\xff\xff\x0f",
                                  b"\xff\x0f" + b"A\x01" * 5000, b"\xff\x0fI\x02x"])  # fmt: skip
def test_invalid_javascript_values(data: bytes) -> None:
    with pytest.raises(Undecodable):
        v8_value.decode(data)


@pytest.mark.parametrize("seed", range(3))
def test_damaged_keys_and_values(seed: int) -> None:
    """Damaged keys and values give printable rows."""
    chance = random.Random(seed)
    payloads = [
        record.payload
        for record in read(INDEXED_DB / "000003.log", "strict", {})
        if isinstance(record, Record)
    ]
    operations = Operations(INDEXED_DB)
    faults = 0
    for payload in payloads * 4:
        value = decode(payload)
        for op in value["ops"]:
            for name in ("key", "value"):
                if op.get(name):
                    data = bytearray(op[name])
                    data[chance.randrange(len(data))] = chance.randrange(256)
                    op[name] = bytes(data[: chance.randrange(len(data) + 1)])
        for row in operations.rows(value, {}):
            json.dumps(with_text(row), allow_nan=False)
            faults += "fault" in row
    assert faults > 100
