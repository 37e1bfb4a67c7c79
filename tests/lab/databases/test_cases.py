"""The damaged logs for systems, and the items that are due."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from lab.databases.judge import due
from lab.databases.model import formats, written_log
from lab.databases.run import cases_of
from lab.formats.leveldb_log import databases as leveldb_log
from lab.formats.sqlite_wal import databases as sqlite_wal
from lab.scenarios.book import scenarios
from reference_impl.answer import NewRecord

# What LevelDB 1.22 (plyvel 1.5.1) wrote when it was told to put key0 to key3, one after the other.
REAL = """
    5a9140c0 1900 01 0100000000000000 01000000 01 04 6b657930 06 76616c756530
    6f1f3dfb 1900 01 0200000000000000 01000000 01 04 6b657931 06 76616c756531
    aee33ec9 1900 01 0300000000000000 01000000 01 04 6b657932 06 76616c756532
    3d06d8e1 1900 01 0400000000000000 01000000 01 04 6b657933 06 76616c756533
"""


def test_batches_are_those_that_leveldb_writes() -> None:
    records = [NewRecord(leveldb_log.batch(n + 1, b"key%d" % n, b"value%d" % n)) for n in range(4)]
    assert written_log("leveldb-log", "log", records) == bytes.fromhex(REAL)


@pytest.mark.parametrize("format_id", formats())
def test_the_first_log_has_no_damage_and_each_other_has(format_id: str) -> None:
    first, *others = cases_of(format_id)
    assert (first.id, first.log, list(first.operations)) == ("none", first.control, [])
    sound = due(format_id, first)
    assert sound.verdict == "intact" and sound.left == sound.written and not sound.gone
    assert len({case.id for case in others}) == len(others) >= 8
    for case in others:
        assert case.scenario in scenarios(), case.id
        assert case.log != case.control and case.operations, case.id


@pytest.mark.parametrize(
    ("format_id", "case_id", "verdict", "left", "gone"),
    [
        ("rocksdb-wal", "stale-tail/recyclable", "intact", 16, 0),
        ("rocksdb-wal", "lost-write/recyclable", "damaged", 8, 8),
        ("rocksdb-wal", "bit-in-a-payload/recyclable", "damaged", 9, 7),
        ("rocksdb-wal", "bit-in-a-payload/wal-sync-last-block", "torn", 14, 0),
        ("rocksdb-wal", "bit-in-a-payload/zstd", "damaged", 9, 7),
        ("rocksdb-wal", "stale-tail/zstd", "intact", 19, 0),
        ("rocksdb-wal", "torn-last-record/recyclable-over-an-older-log", "torn", 15, 0),
        ("leveldb-log", "torn-last-record", "torn", 15, 0),
        ("leveldb-log", "bit-in-a-payload", "damaged", 9, 7),
        ("leveldb-log", "zeroed-sector", "damaged", 12, 4),
        ("leveldb-log", "stale-tail", "intact", 18, 0),
        ("leveldb-log", "missing-in-the-middle", "intact", 15, 0),
        ("sqlite-wal", "torn-last-record", "torn", 14, 0),
        ("sqlite-wal", "stale-tail", "intact", 16, 0),
        ("sqlite-wal", "zeroed-sector/frame", "damaged", 14, 2),
        ("sqlite-wal", "zeroed-sector/file-header", "damaged", 16, 0),
        ("sqlite-wal", "bit-in-a-checksum", "damaged", 16, 0),
        ("sqlite-wal", "bit-in-a-payload", "damaged", 15, 1),
    ],
)
def test_items_that_a_log_still_has(
    format_id: str, case_id: str, verdict: str, left: int, gone: int
) -> None:
    (case,) = [each for each in cases_of(format_id) if each.id == case_id]
    result = due(format_id, case)
    assert (result.verdict, len(result.left), len(result.gone)) == (verdict, left, gone)


def test_sqlite_finds_the_root_pages_intact(tmp_path: Path) -> None:
    path = tmp_path / "case.db"
    database = sqlite3.connect(path)
    database.execute(f"PRAGMA page_size={sqlite_wal.PAGE_SIZE}")
    database.execute("PRAGMA journal_mode=WAL")
    tables = sqlite_wal.DB_PAGES - 1
    for number in range(tables):
        database.execute(f"CREATE TABLE table{number}(value)")
    database.close()
    path.with_name("case.db-wal").write_bytes(sqlite_wal.control())
    database = sqlite3.connect(path)
    assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    counts = [
        database.execute(f"SELECT count(*) FROM table{n}").fetchone()[0] for n in range(tables)
    ]
    assert counts == [1] * sqlite_wal.KEYS + [0, 0]
