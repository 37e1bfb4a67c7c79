"""Findings about a database with its log, index and journal, and the behaviour of SQLite."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.walproof.formats.sqlite_wal.histories import History
from walproof.systems import recognise, systems_in

BEFORE = "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO t VALUES(1, 'old')"
FRAME = 24 + 512


def database(folder: Path, name: str = "app.db", setup: str = "", before: str = BEFORE) -> Path:
    """Create a database whose log has four transactions of one frame each; return its path."""
    work = folder / f"work-{name}"
    work.mkdir(parents=True)
    history = History(work / name, setup, 512, before)
    for value in "abcd":
        history.step(f"UPDATE t SET name = '{value}'")
    (folder / "data").mkdir(exist_ok=True)
    history.close(folder / "data")
    shutil.rmtree(work)
    return folder / "data" / name


def beside(path: Path, suffix: str) -> Path:
    return path.with_name(f"{path.name}{suffix}")


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def open_and_close(path: Path) -> list[str]:
    """Open a database, read all names and close it, as any program does."""
    with closing(sqlite3.connect(path)) as connection:
        return [name for (name,) in connection.execute("SELECT name FROM t")]


def findings(run, path: Path) -> dict[str, list[str]]:
    """Return the texts of all findings by file."""
    found: dict[str, list[str]] = {}
    for line in run(path, "--json").stdout.splitlines():
        for each in json.loads(line).get("findings", ()):
            found.setdefault(each["file"] or "", []).append(f"{each['harm']}: {each['text']}")
    return found


def only(found: dict[str, list[str]], name: str) -> str:
    (text,) = found[name]
    return text


def test_the_files_are_one_system(tmp_path: Path, run) -> None:
    path = database(tmp_path)
    beside(path, "-journal").write_bytes(bytes(512))
    (system,) = systems_in(path.parent)
    assert system.title == "SQLite database"
    assert [log.name for log in system.logs] == ["app.db-wal"]
    assert [(each.name, each.role) for each in system.others] == [
        ("app.db", "database: 2 pages of 512 bytes, WAL mode"),
        ("app.db-shm", "index of the log"),
        ("app.db-journal", "rollback journal"),
    ]
    done = run(path.parent)
    assert done.return_value == 0
    assert "note app.db-wal: the last program that closes app.db" in " ".join(done.output.split())
    assert list(findings(run, path.parent)) == ["app.db-wal"]


def test_several_databases_of_a_folder(tmp_path: Path, run) -> None:
    path = database(tmp_path)
    database(tmp_path, "other.sqlite")
    flip(beside(path, "-wal"), 32 + FRAME + 100)
    (system,) = systems_in(path.parent)
    assert system.title == "SQLite databases"
    assert [log.role for log in system.logs] == ["log of app.db", "log of other.sqlite"]
    assert run(path.parent).return_value == 3
    rows = [
        json.loads(line) for line in run("read", path.parent, "--operations").stdout.splitlines()
    ]
    assert [row["values"]["name"] for row in rows if row["file"] == "other.sqlite-wal"] == [*"abcd"]


@pytest.mark.parametrize("name", ["app.db-wal", "app.db-shm", "app.db"])
def test_files_that_are_not_a_system(name: str, tmp_path: Path) -> None:
    """A log, an index or a database alone is not a system, whether or not it is empty."""
    (tmp_path / name).write_bytes(b"")
    assert recognise(tmp_path) is None
    path = database(tmp_path)
    for other in path.parent.iterdir():
        if other.name != name:
            other.unlink()
    assert recognise(path.parent) is None


def test_a_warning_before_sqlite_deletes_transactions(tmp_path: Path, run) -> None:
    """The warning describes what SQLite does when a program opens the database."""
    path = database(tmp_path)
    log = beside(path, "-wal")
    flip(log, 32 + 2 * FRAME + 100)
    expected = (
        "look: a program that opens app.db, reads one row and closes it recovers 2 of 3"
        " transactions and deletes app.db-wal with all that follows the fault."
        " Copy app.db, app.db-wal and app.db-shm first, and open only copies:"
        " `mode=ro` keeps the log, `immutable=1` ignores it"
    )
    for subject in (path.parent, path, log):
        assert only(findings(run, subject), "app.db-wal") == expected
    with closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as connection:
        assert connection.execute("SELECT name FROM t").fetchall() == [("old",)]
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        assert connection.execute("SELECT name FROM t").fetchall() == [("b",)]
    assert log.exists()
    assert open_and_close(path) == ["b"] and not log.exists()


def put(path: Path, at: int, data: bytes) -> None:
    """Overwrite a part of a file."""
    old = path.read_bytes()
    path.write_bytes(old[:at] + data + old[at + len(data) :])


def cut(log: Path, size: int) -> None:
    log.write_bytes(log.read_bytes()[:size])


MODE = "look: expected a database in WAL mode beside a log, found one"


@pytest.mark.parametrize(
    ("damage", "file", "text", "names"),
    [
        (lambda path: flip(beside(path, "-wal"), 20), "-wal", "recovers 0 of 4 transactions",
         ["old"]),
        (lambda path: cut(beside(path, "-wal"), 32 + 3 * FRAME + 100), "-wal",
         "closes it recovers 3 transactions and deletes app.db-wal.", ["c"]),
        (lambda path: put(path, 0, b"\x93" * 1024), "",
         "look: expected the header of a SQLite database at 0, found 0x9393", None),
        (lambda path: put(path, 18, b"\1\1"), "",
         f"{MODE} rollback mode: SQLite applies the log nevertheless", ["d"]),
        (lambda path: put(path, 18, b"\3\3"), "", f"{MODE} of an unknown mode", None),
        (lambda path: cut(beside(path, "-wal"), 32 + 3 * FRAME), "-shm",
         "lost: it counts 4 committed frames, the log has 3: newer transactions", None),
        (lambda path: beside(path, "-wal").unlink(), "-shm",
         "lost: its index counts 4 frames of a log, and app.db-wal is missing:"
         " 4 frames that no checkpoint has copied are lost", None),
    ],
    ids=["header", "torn", "no database", "rollback mode", "no mode", "end", "deleted"],
)  # fmt: skip
def test_damage_is_found(
    damage: Callable[[Path], None], file: str, text: str, names: list[str] | None,
    tmp_path: Path, run,
) -> None:  # fmt: skip
    """The damage is found, and SQLite returns the rows with ``names``."""
    path = database(tmp_path)
    damage(path)
    assert text in only(findings(run, path.parent), f"app.db{file}")
    if text.startswith("lost"):
        assert run(path.parent).return_value == 3
    if names is not None:
        assert open_and_close(path) == names


@pytest.mark.parametrize("content", [None, b""])
def test_without_its_database(content: bytes | None, tmp_path: Path, run) -> None:
    path = database(tmp_path)
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    found = "none" if content is None else "an empty file"
    done = run(path.parent)
    assert done.return_value == 3
    text = findings(run, path.parent)["app.db"][0]
    assert f"lost: expected the database app.db beside its log, found {found}: SQLite" in text
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM sqlite_master").fetchall() == [(0,)]
    assert not beside(path, "-wal").exists()


def test_another_page_size(tmp_path: Path, run) -> None:
    path, other = database(tmp_path), database(tmp_path / "x")
    with closing(sqlite3.connect(tmp_path / "big.db")) as connection:
        connection.executescript(f"PRAGMA page_size = 1024; {BEFORE}")
    shutil.copy(tmp_path / "big.db", path)
    text = findings(run, path.parent)["app.db-wal"][0]
    pages = "the database has pages of 1,024 bytes, its log of 512"
    assert text == f"look: {pages}: the log is of another database"
    done = run("recover", path, "--out", tmp_path / "new")
    assert f"{pages}: the log is of another database" in str(done.exception)
    assert not (tmp_path / "new").exists() and other.exists()


def test_a_log_of_another_database(tmp_path: Path, run) -> None:
    path = database(tmp_path)
    (tmp_path / "other").mkdir()
    history = History(tmp_path / "other" / "app.db", "", 512, "CREATE TABLE other(name)")
    history.step("CREATE TABLE more(x)")
    shutil.copy(history.log, beside(path, "-wal"))
    history.connection.close()
    found = findings(run, path.parent)["app.db-wal"][0]
    assert found.startswith("look: no table is in both: t in the database, more, other in"), found


def test_a_database_that_is_newer_than_its_log(tmp_path: Path, run) -> None:
    path = tmp_path / "app.db"
    history = History(path, "", 512, BEFORE)
    history.step("CREATE TABLE u(x)")
    old = history.log.read_bytes()
    history.connection.close()
    for number in range(2):
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"CREATE TABLE v{number}(x)")
    beside(path, "-wal").write_bytes(old)
    found = findings(run, path)["app.db-wal"][0]
    assert "the database is newer than its log, and SQLite would take it back" in found
    with closing(sqlite3.connect(path)) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master")]
    assert names == ["t", "u"]


@pytest.fixture
def hot(tmp_path: Path) -> Callable[[Path], Path]:
    """Return a function that copies a database as a crash in rollback mode leaves it."""

    def copy(to: Path) -> Path:
        path = tmp_path / "hot.db"
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.executescript(f"PRAGMA page_size = 512; {BEFORE}; PRAGMA cache_size = 1")
            connection.execute("BEGIN")
            connection.execute("CREATE TABLE u(x)")
            for _ in range(200):
                connection.execute("INSERT INTO u VALUES(zeroblob(200))")
            for suffix in ("", "-journal"):
                shutil.copy(beside(path, suffix), beside(to, suffix))
            connection.execute("ROLLBACK")
        return path

    return copy


def test_a_hot_journal(hot: Callable[[Path], Path], tmp_path: Path, run) -> None:
    """SQLite rolls the hot journal back before it reads the log."""
    target = tmp_path / "data" / "app.db"
    target.parent.mkdir()
    path = hot(target)
    size = target.stat().st_size
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
        connection.execute("UPDATE t SET name = 'new'")
        shutil.copy(beside(path, "-wal"), beside(target, "-wal"))
    text = only(findings(run, target.parent), "app.db-journal")
    assert text.startswith("look: a rollback journal: SQLite plays it back before it reads the log")
    assert open_and_close(target) == ["new"] and not beside(target, "-journal").exists()
    assert target.stat().st_size < size


def test_a_hot_journal_beside_a_database_without_a_log(
    hot: Callable[[Path], Path], tmp_path: Path, run
) -> None:
    """A hot journal is found although its database has no log and another database has one."""
    path = database(tmp_path / "app")
    copy = path.with_name("contacts.db")
    hot(copy)
    text = only(findings(run, path.parent), "contacts.db-journal")
    assert text.startswith("look: a rollback journal with the old content of pages")
    assert open_and_close(copy) == ["old"] and not beside(copy, "-journal").exists()
    assert "contacts.db-journal" not in str(findings(run, path.parent))
