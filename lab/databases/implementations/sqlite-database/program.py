"""Open a damaged log with SQLite, libsql or Turso; see ``../opener/opener.py``.

The database has one table per key. Each table has one row, whose integer is the value of the key.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "opener"))
sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "conformance/implementations/sqlite"))
import drivers
from opener import MORE, Told, main

#: The tables, in the order of their root pages, which begin at page 2
#: (lab/formats/sqlite_wal/databases.py).
TABLES = [*(f"key{number:02}" for number in range(16)), "older", MORE[0].decode()]
PAGE_SIZE = 4096
#: Argument of sqlite3_config.
CONFIG_LOG = 16
LOG_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p)
#: The exit status of a child process that cannot open the database.
REFUSED = 3


DRIVER: type[drivers.Connection] = getattr(drivers, os.environ["SQLITE_DRIVER"])
lines: list[str] = []


@LOG_FUNCTION
def note(_: object, code: int, message: bytes) -> None:
    """Collect a line of SQLite's error log."""
    lines.append(f"sqlite3_log {code} {message.decode(errors='backslashreplace')}")


def make(folder: Path) -> Path:
    """Create a database whose tables have no rows, and return the path of its log."""
    if DRIVER is drivers.CSQLite:
        drivers.library().sqlite3_config(CONFIG_LOG, note, None)
    folder.mkdir()
    path = folder / "case.db"
    database = DRIVER(path)
    database.execute(f"PRAGMA page_size={PAGE_SIZE}")
    database.execute("PRAGMA journal_mode=WAL")
    for table in TABLES:
        database.execute(f"CREATE TABLE {table}(value INTEGER)")
    roots = [root for (root,) in database.execute("SELECT rootpage FROM sqlite_master")]
    assert roots == [*range(2, 2 + len(TABLES))], roots
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    log = folder / "case.db-wal"
    log.touch()
    return log


def connect(mode: str, folder: Path) -> drivers.Connection:
    """Open the database and read its schema, which makes SQLite recover the log."""
    driver = drivers.ReadOnlySQLite if mode == "read-only" else DRIVER
    database = driver(folder / "case.db")
    database.execute("SELECT count(*) FROM sqlite_master")
    return database


def rows(database: drivers.Connection) -> Iterator[tuple[bytes, bytes]]:
    """Yield the table name and the value of each row, for all tables except ``older``."""
    for table in TABLES:
        if table != "older":
            for (value,) in database.execute(f"SELECT value FROM {table}"):
                yield table.encode(), b"%d" % value


def report(folder: Path, told: Told) -> None:
    """Print the lines of the error log."""
    log = folder / "errors.log"
    log.write_text("\n".join(lines))
    lines.clear()
    told.report_lines(log)


def open_once(mode: str, folder: Path, told: Told) -> drivers.Connection:
    """Open the database, print its items, and insert one more row."""
    lines.clear()
    database = told.trying(lambda: connect(mode, folder))
    told.items(rows(database))
    if mode != "read-only":
        try:
            database.execute(f"INSERT INTO {TABLES[-1]} VALUES(1)")
        except drivers.SQLError as error:
            lines.append(f"sqlite3_exec - {error}")
    report(folder, told)
    return database


def open_in_a_child(mode: str, folder: Path, told: Told) -> None:
    """Open the database in a process that ends without closing it."""
    child = os.fork()
    if not child:
        # Without this reference, the connection would be closed before the process ends.
        database: drivers.Connection | None = None
        with suppress(SystemExit):
            database = open_once(mode, folder, told)
        sys.stdout.flush()
        os._exit(0 if database else REFUSED)
    if status := os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
        sys.exit(0 if status == REFUSED else 70)


def open_twice(mode: str, folder: Path, told: Told) -> None:
    """Open the database, insert one more row, and open it again."""
    if mode == "killed":
        open_in_a_child(mode, folder, told)
    else:
        open_once(mode, folder, told).close()
    told.again()
    database = told.trying(lambda: connect(mode, folder))
    told.later(rows(database))
    database.close()


main(make, open_twice)
