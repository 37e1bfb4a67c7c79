"""Logs from RocksDB, Pebble and the chapter can be read, and are written with the same bytes."""

from __future__ import annotations

import hashlib
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from conformance.recipes.rocksdb_wal.real_logs import COMPRESSED_BY_ROCKSDB, RECYCLED_BY_ROCKSDB
from reference_impl.answer import Answer, NewRecord, collect
from reference_impl.rocksdb_wal import copied, read, write
from reference_impl.rocksdb_wal.layout import pack
from reference_impl.rocksdb_wal.reader import read_stream

CHAPTER = (Path(__file__).parents[3] / "spec" / "rocksdb-wal.md").read_text("utf-8")


def answer(log: bytes, number: int | None = None) -> Answer:
    return collect(read_stream(io.BytesIO(log), "recover", number))


def written(folder: Path, *payloads: bytes, **context: Any) -> bytes:
    path = folder / "written"
    write(path, [NewRecord(payload) for payload in payloads], context)
    log = path.read_bytes()
    path.unlink()
    return log


@pytest.mark.parametrize(
    ("headers", "sha256"),
    [
        ("recyclable", "a317afcc19e20e33a6360e13471912f8d26deedffdbb15a6a07070e3c8e7c529"),
        ("wal-sync", "90211af3c8465314854db1723c74665aafa5370757b994ad8dc921cc38724277"),
    ],
)
def test_a_log_that_pebble_wrote_and_closed(headers: str, sha256: str, tmp_path: Path) -> None:
    """Pebble 2.1.7 wrote log 12 with ``record.NewLogWriter``: five unsynced records, ``Close``."""
    payloads = (b"alpha", b"", b"bravo", b"0123456" * 10_000, b"charlie")
    path = tmp_path / "000012.log"
    records = [
        NewRecord(payload, {"sync_offset": "0"} if headers == "wal-sync" else {})
        for payload in payloads
    ]
    write(path, records, {"headers": headers, "closed": True})
    log = path.read_bytes()
    assert hashlib.sha256(log).hexdigest() == sha256
    found = collect(read(path, "recover", {}))
    assert (found.verdict, found.end) == ("intact", len(log) - 11)
    assert tuple(record.payload for record in found.records) == payloads


def test_a_recycled_log_that_rocksdb_wrote(tmp_path: Path) -> None:
    """RocksDB 9.8.4 wrote log 18, with three puts, over log 14, of which nine records are left."""
    path = tmp_path / "000018.log"
    path.write_bytes(RECYCLED_BY_ROCKSDB)
    found = collect(read(path, "recover", {}))
    assert (found.verdict, found.end, len(found.records)) == ("intact", 90, 3)
    payloads = [record.payload for record in found.records]
    assert written(tmp_path, *payloads, log_number=18) == RECYCLED_BY_ROCKSDB[:90]
    rest = answer(RECYCLED_BY_ROCKSDB, number=14)
    assert (rest.reason, len(rest.records), rest.records[0].at) == ("other-log", 9, 90)
    older = answer(RECYCLED_BY_ROCKSDB[90:], number=14)
    assert (older.verdict, len(older.records)) == ("intact", 9)


def test_a_compressed_log_that_rocksdb_wrote(tmp_path: Path) -> None:
    """RocksDB 9.8.4 wrote this log with zstd. Our frames may differ, but hold the same records."""
    path = tmp_path / "log"
    path.write_bytes(COMPRESSED_BY_ROCKSDB)
    found = collect(read(path, "recover", {}))
    assert (found.verdict, found.end) == ("intact", len(COMPRESSED_BY_ROCKSDB))
    payloads = [record.payload for record in found.records]
    assert [payload[14:18] for payload in payloads] == [b"key0", b"key1", b"key2"]
    context = copied(path, {})
    assert context == {"headers": "legacy", "compression": "zstd"}
    copy = answer(written(tmp_path, *payloads, **context))
    assert (copy.verdict, copy.records) == ("intact", found.records)


def test_records_in_the_chapter() -> None:
    """The reader returns the chapter's compressed record and its record with metadata."""
    found = re.search(r"compressed legacy FULL `foo` is `([0-9a-f ]+)`", CHAPTER)
    assert found is not None
    compressed = bytes.fromhex(found[1])
    assert answer(pack("legacy", 9, b"\7\0\0\0") + compressed).records[0].payload == b"foo"
    predecessor = b"".join(n.to_bytes(8, "little") for n in (4, 137, 6))
    log = pack("legacy", 130, predecessor) + pack("legacy", 10, bytes.fromhex("000000000800"))
    (record,) = answer(log + pack("legacy", 1, b"foo")).records
    shown = re.search(r'\{"at": 44.*?"payload": "666f6f"\}', CHAPTER, re.DOTALL)
    assert shown is not None
    assert json.loads(shown[0]) == record.to_json()


def test_small_logs_in_the_chapter(tmp_path: Path) -> None:
    """Our writer writes the two logs that the chapter shows byte by byte."""
    rows = re.findall(r"^ +\d+  ((?:[0-9a-f]{2} )*[0-9a-f]{2})  ", CHAPTER, re.MULTILINE)
    assert written(tmp_path, b"foo", b"", log_number=12).hex(" ") == " ".join(rows)
    rows = re.findall(r"^ +\d+  ([0-9a-f]{8} [0-9a-f ]+?)     ", CHAPTER, re.MULTILINE)
    log = written(tmp_path, b"foo", b"bar", log_number=9, headers="wal-sync", closed=True)
    assert log.hex() == "".join(rows).replace(" ", "")
    assert answer(log).end == 44
