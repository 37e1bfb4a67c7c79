"""The operations of a transaction equal the changes between the rows that SQLite returns."""

from __future__ import annotations

import json
import random
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reference_impl.answer import NewRecord, Record
from reference_impl.sqlite_wal import read, write
from tests.walproof.formats.sqlite_wal.histories import History, State, random_history
from walproof.formats.sqlite_wal.operations import Operations, _json


def operations(log: Path) -> Iterator[list[dict[str, Any]]]:
    """Yield the operations of each transaction."""
    of_log = Operations(log)
    for event in read(log, "recover", {}):
        if isinstance(event, Record):
            of_log.take(event)
            yield [*of_log.rows({}, event.fields)]


def keys_of(states: tuple[State, State]) -> dict[tuple[str, str], Any]:
    """Return the keys of rows in tables without rowids, by table and values."""
    return {
        (table, json.dumps(_json(values))): key
        for state in states
        for table, rows in state.items()
        for key, values in rows.items()
        if isinstance(key, tuple)
    }


def expected(old: State, new: State) -> dict[tuple[str, Any], tuple[Any, ...]]:
    """Return the operations that lead from one state to the next, by table and key."""
    result = {}
    for table in {**new, **old}:
        before, after = old.get(table, {}), new.get(table, {})
        for key in {**before, **after}:
            if key not in before:
                result[table, key] = ("insert", _json(after[key]), None)
            elif key not in after:
                result[table, key] = ("delete", _json(before[key]), None)
            else:
                was, row = before[key], after[key]
                changed = {
                    name: was[name]
                    for name in was
                    if name in row and (type(was[name]), was[name]) != (type(row[name]), row[name])
                }
                if changed:
                    result[table, key] = ("update", _json(row), _json(changed))
    return result


def found(rows: list[dict[str, Any]], states: tuple[State, State]) -> dict[Any, Any]:
    """Return operations in the form of :func:`expected`."""
    keys = keys_of(states)
    result: dict[Any, Any] = {}
    for row in rows:
        assert "fault" not in row, row
        table = row["table"]
        rowid = row.get("rowid")
        key = table, keys[table, json.dumps(row["values"])] if rowid is None else int(rowid)
        assert key not in result, row
        result[key] = row["op"], row["values"], row.get("before")
    return result


def check(log: Path, states: list[State]) -> int:
    """Compare each transaction with the states before and after it; return the count."""
    count = at = 0
    for count, rows in enumerate(operations(log), 1):
        # The reader does not return padding as a transaction; padding repeats the previous frame.
        while rows and states[at] == states[at + 1]:
            at += 1
        pair = states[at], states[at + 1]
        assert found(rows, pair) == expected(*pair), f"transaction {count}"
        at += 1
    assert all(state == states[at] for state in states[at:])
    return count


@pytest.mark.parametrize(
    ("setup", "page_size"),
    [
        ("", 512),
        ("", 65536),
        ("PRAGMA encoding = 'UTF-16le'", 1024),
        ("PRAGMA encoding = 'UTF-16be'; PRAGMA auto_vacuum = FULL", 4096),
        ("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA secure_delete = ON", 512),
        ("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA secure_delete = ON", 4096),
    ],
)
def test_a_random_history(setup: str, page_size: int, tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    for seed in range(3):
        history = History(work / f"{seed}.db", setup, page_size)
        random_history(history, random.Random(f"{setup} {page_size} {seed}"), 40)
        log = history.close(tmp_path)
        assert check(log, history.states) > 20


def ops(rows: list[dict[str, Any]]) -> list[tuple[str, str, str | None]]:
    """Return operation, table and rowid of each row."""
    return [(row["op"], row["table"], row.get("rowid")) for row in rows]


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    work = tmp_path / "work"
    work.mkdir()
    before = "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, data)"
    history = History(work / "app.db", "", 512, before)
    yield history
    history.connection.close()


@pytest.mark.parametrize("setup", ["", "PRAGMA auto_vacuum = FULL"])
@pytest.mark.parametrize("key", ["", "WITHOUT ROWID"])
def test_deep_trees_are_split_and_merged(setup: str, key: str, tmp_path: Path) -> None:
    """A merge frees pages without writing them, so the log alone does not show the free pages."""
    work = tmp_path / "work"
    work.mkdir()
    before = f"CREATE TABLE t(id INT PRIMARY KEY, name TEXT) {key}"
    history = History(work / "app.db", setup, 512, before)
    series = "WITH RECURSIVE n(i) AS (SELECT {} UNION ALL SELECT i + {} FROM n WHERE i < {})"
    insert = f"{series} INSERT OR IGNORE INTO t SELECT i, printf('%0{{}}d', i) FROM n"
    history.step(insert.format(0, 3, 6000, 40))
    history.step(insert.format(1, 3, 3000, 90))
    history.step("DELETE FROM t WHERE id BETWEEN 500 AND 4000 AND id % 7")
    history.step("UPDATE t SET name = substr(name, 30) WHERE id % 5 = 0")
    history.step("DELETE FROM t WHERE id BETWEEN 100 AND 5900")
    history.step(insert.format(0, 1, 2000, 10))
    history.step("UPDATE t SET id = id + 1000000 WHERE id < 300")
    history.step("DELETE FROM t")
    history.step(insert.format(0, 1, 500, 10))
    history.step("DROP TABLE t")
    assert check(history.close(tmp_path), history.states) == 10


def test_the_schema_changes(history: History, tmp_path: Path) -> None:
    history.step("INSERT INTO t VALUES(1, 'a', 5), (2, 'b', 6)")
    history.step("ALTER TABLE t ADD COLUMN extra REAL DEFAULT 7")
    history.step("UPDATE t SET name = 'z' WHERE id = 2")
    history.step("INSERT INTO t VALUES(3, 'c', 7, 8)")
    history.step("ALTER TABLE t RENAME COLUMN name TO title")
    history.step("ALTER TABLE t DROP COLUMN data")
    history.step("CREATE VIEW v AS SELECT * FROM t; CREATE INDEX i ON t(title)")
    rows = [*operations(history.close(tmp_path))]
    (update,) = rows[2]
    assert update["values"] == {"id": 2, "name": "z", "data": 6, "extra": 7.0}
    assert update["before"] == {"name": "b"}
    assert ops(rows[5]) == [("update", "sqlite_schema", "1")]
    assert ops(rows[6]) == [("insert", "sqlite_schema", "2"), ("insert", "sqlite_schema", "3")]


def test_generated_columns_and_foreign_collations(history: History, tmp_path: Path) -> None:
    history.connection.create_collation("LOCALIZED", lambda a, b: (a > b) - (a < b))
    history.step(
        "CREATE TABLE g(a INTEGER PRIMARY KEY DESC, b TEXT COLLATE LOCALIZED,"
        " c AS (a + 1), d AS (a + 2) STORED, UNIQUE(b))"
    )
    history.step("INSERT INTO g(a, b) VALUES(40, 'x')")
    *_, (row,) = operations(history.close(tmp_path))
    assert row["values"] == {"a": 40, "b": "x", "d": 42}


def test_a_key_that_becomes_an_equal_number(history: History, tmp_path: Path) -> None:
    """For SQLite, 3 and 3.0 are the same key, so the row is updated."""
    history.step("CREATE TABLE w(k PRIMARY KEY, v) WITHOUT ROWID; INSERT INTO w VALUES(3, 'a')")
    history.step("REPLACE INTO w VALUES(3.0, 'b')")
    _, (update,) = operations(history.close(tmp_path))
    assert update["op"] == "update" and update["before"] == {"k": 3, "v": "a"}


def test_a_blob_is_overwritten_in_place(history: History, tmp_path: Path) -> None:
    """The log has only the overflow pages of the blob, not the page that refers to them."""
    history.step("INSERT INTO t VALUES(1, 'x', zeroblob(3000)), (2, 'y', zeroblob(3000))")
    history.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    history.step("SELECT 1")
    history.states = [history.state()]
    for value in (b"\1", b"\2"):
        with history.connection.blobopen("t", "data", 1) as blob:
            blob.seek(2500)
            blob.write(value)
        history.states.append(history.state())
    log = history.close(tmp_path)
    first = next(event for event in read(log, "recover", {}) if isinstance(event, Record))
    assert len(first.fields["pages"]) == 1
    assert check(log, history.states) == 2


def test_a_database_that_a_checkpoint_has_changed(history: History, tmp_path: Path) -> None:
    """After a checkpoint the database already has the rows, so an insert is listed as a write."""
    history.step("INSERT INTO t VALUES(1, 'a', 5)")
    history.step("UPDATE t SET name = 'b'")
    history.connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
    log = history.close(tmp_path)
    first, second = operations(log)
    assert ops(first) == [("write", "t", "1")] and first[0]["values"]["name"] == "a"
    assert ops(second) == [("update", "t", "1")] and second[0]["before"] == {"name": "a"}
    log.with_name("app.db-shm").unlink()
    assert [*operations(log)] == [first, second]


def test_without_the_index_a_page_that_returns_to_its_content_is_written(
    history: History, tmp_path: Path
) -> None:
    """Without the index, such a page looks like a page that a checkpoint has copied."""
    history.step("INSERT INTO t VALUES(1, 'a', 5)")
    history.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    history.step("UPDATE t SET name = 'b'")
    history.step("UPDATE t SET name = 'a'")
    log = history.close(tmp_path)
    assert [row["op"] for rows in operations(log) for row in rows] == ["update", "update"]
    log.with_name("app.db-shm").unlink()
    assert [row["op"] for rows in operations(log) for row in rows] == ["write", "update"]


@pytest.mark.parametrize("size", [None, 0, 100, 4096])
def test_without_its_database(size: int | None, history: History, tmp_path: Path) -> None:
    """Without the database, rows of pages that no earlier transaction wrote have a page number."""
    history.step("INSERT INTO t VALUES(1, 'a', 5)")
    history.step("CREATE TABLE u(x)")
    history.step("INSERT INTO u VALUES(9)")
    log = history.close(tmp_path)
    database = log.with_name("app.db")
    database.unlink()
    if size is not None:
        database.write_bytes(bytes(size))
    first, second, third = operations(log)
    assert first == [{"op": "write", "rowid": "1", "values": [None, "a", 5], "page": 2}]
    assert ("write", "sqlite_schema", "2") in ops(second)
    assert ops(third) == [("insert", "u", "1")] and third[0]["values"] == {"x": 9}


def test_a_transaction_after_a_loss_shows_the_rows_that_are_new(
    history: History, tmp_path: Path
) -> None:
    for name in "abcd":
        history.step(f"INSERT INTO t(name) VALUES('{name}')")
    log = history.close(tmp_path)
    data = bytearray(log.read_bytes())
    data[32 + 536 + 300] ^= 1  # flips a bit in the second transaction
    log.write_bytes(data)
    first, third, fourth = operations(log)
    assert ops(first) == [("insert", "t", "1")]
    assert ops(third) == [("write", "t", "2"), ("write", "t", "3")]
    assert ops(fourth) == [("write", "t", "4")] and fourth[0]["page"] == 2


def test_damaged_pages_raise_no_error(tmp_path: Path) -> None:
    """Random changes of database and log pages raise no error; the checksums are valid."""
    work = tmp_path / "work"
    work.mkdir()
    chance = random.Random(1)
    history = History(work / "app.db", "PRAGMA auto_vacuum = FULL", 512)
    random_history(history, chance, 25)
    log = history.close(tmp_path)
    database = log.with_name("app.db")
    copy = {path: path.read_bytes() for path in (log, database)}
    records = [event for event in read(log, "recover", {}) if isinstance(event, Record)]
    shown = 0
    for _ in range(60):
        for path, data in copy.items():
            changed = bytearray(data)
            for _ in range(chance.choice([1, 5, 50])):
                at = chance.randrange(len(changed))
                changed[at] = chance.choice([0, 1, 2, 5, 10, 13, 0x7F, 0x80, 0xFF])
            path.write_bytes(changed)
        of_log = Operations(log)
        for record in records:
            payload = log.read_bytes()[record.at :][: record.size]
            images = b"".join(payload[at + 24 : at + 536] for at in range(0, len(payload), 536))
            of_log.take(Record(record.at, record.size, images, record.fields))
            shown += len([*of_log.rows({}, {})])
    assert shown > 2000


def interior(right_child: int) -> bytes:
    """Return an interior page of a table with one child."""
    page = struct.pack(">BHHHBI", 5, 0, 0, 512, 0, right_child)
    return page + bytes(512 - len(page))


def schema(sql: bytes) -> bytes:
    """Return page 1 with one table, whose root is page 2."""
    record = bytes([6, 23, 15, 15, 1, 13 + 2 * len(sql)]) + b"tablett\2" + sql
    cell = bytes([len(record), 1]) + record
    header = b"SQLite format 3\0\2\0\2\2\0\x40\x20\x20" + bytes(32) + b"\0\0\0\1" + bytes(40)
    leaf = struct.pack(">BHHHBH", 13, 0, 1, 512 - len(cell), 0, 512 - len(cell))
    return (header + leaf).ljust(512 - len(cell), b"\0") + cell


def seconds_for_a_chain(pages: int, folder: Path) -> float:
    """Return the CPU time for a tree of one page per level, unlinked and linked again."""
    log = folder / f"{pages}-wal"
    chain = [interior(number + 1) for number in range(2, pages)]
    whole = [schema(b"CREATE TABLE t(x)"), *chain, bytes([13]).ljust(512, b"\0")]
    records = [NewRecord(b"".join(whole), {})]
    for child in (pages, 3, pages, 3):
        records.append(NewRecord(interior(child), {"pages": [2], "db_pages": pages}))
    write(log, records, {"page_size": 512})
    begin = time.process_time()
    assert len([*operations(log)]) == len(records)
    return time.process_time() - begin


def test_the_time_is_linear_in_the_depth_of_a_tree(tmp_path: Path) -> None:
    small, large = (seconds_for_a_chain(pages, tmp_path) for pages in (1_000, 8_000))
    assert large < 24 * small
