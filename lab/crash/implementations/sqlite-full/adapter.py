"""Adapter for ``lab crash``: SQLite acknowledges each transaction when ``COMMIT`` returns.

``SQLITE_SYNCHRONOUS`` is the value of ``PRAGMA synchronous``. ``SQLITE_POWERSAFE_OVERWRITE`` is the
value of the URI parameter ``psow``. The database is next to the log. Connections are closed without
a checkpoint, so that the log remains.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[4]))
sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "conformance/implementations/sqlite"))
import adapter as sqlite
import drivers

from conformance.adapterkit import Refused, serve

#: Number of pages of the database: one for the schema, and one for each table
#: (lab/formats/sqlite_wal/crash.py).
PAGES, PAGE_SIZE = 7, 4096
#: Argument of sqlite3_db_config.
NO_CHECKPOINT_ON_CLOSE = 1006


class WalDatabase(drivers.CSQLite):
    """A connection to the database that a log belongs to."""

    FLAGS = drivers.CSQLite.FLAGS | drivers.CSQLite.URI

    def __init__(self, path: Path) -> None:
        uri = f"{path.as_uri()}?psow={os.environ['SQLITE_POWERSAFE_OVERWRITE']}"
        self.open(uri.encode())
        self.check(self.c.sqlite3_db_config(self.db, NO_CHECKPOINT_ON_CLOSE, 1, None))


@contextmanager
def opened(log: Path) -> Iterator[drivers.Connection]:
    """Open the database that a log belongs to. Raises :class:`Refused` for any SQLite error."""
    try:
        connection = WalDatabase(log.with_name(log.name.removesuffix("-wal")))
        try:
            connection.execute(f"PRAGMA synchronous={os.environ['SQLITE_SYNCHRONOUS']}")
            connection.execute("PRAGMA wal_autocheckpoint=0")
            connection.execute(f"PRAGMA page_size={PAGE_SIZE}")
            yield connection
        finally:
            connection.close()
    except drivers.SQLError as error:
        raise Refused(str(error)) from error


def commit(connection: drivers.Connection, request: dict[str, Any]) -> None:
    """Commit each transaction, and acknowledge it if the request asks for acknowledgements."""
    for number, each in enumerate(request["records"], 1):
        sqlite.commit(connection, each)
        if "acknowledged" in request:
            request["acknowledged"](number)


def read(path: Path, request: dict[str, Any]) -> dict[str, Any]:
    """Return the recovered transactions without padding, which repeats a commit frame (SQW-014)."""
    answer = sqlite.read(path, request)
    records: list[dict[str, Any]] = []
    last = None
    for each in answer["records"]:
        commit_frame = each["pages"][-1], each["db_pages"], each["payload"][-2 * PAGE_SIZE :]
        if len(each["pages"]) > 1 or commit_frame != last:
            records.append(each)
        last = commit_frame
    return answer | {"records": records}


def write(path: Path, request: dict[str, Any]) -> None:
    """Create a database of :data:`PAGES` pages, and write its log."""
    with opened(path) as connection:
        for page in range(2, PAGES + 1):
            connection.execute(f"CREATE TABLE page{page}(value)")
        connection.execute("PRAGMA journal_mode=WAL")
        commit(connection, request)


def append(path: Path, request: dict[str, Any]) -> None:
    """Open the database next to the log, and append to the log."""
    with opened(path) as connection:
        # A crash may have undone the switch to WAL mode, which :func:`write` makes.
        connection.execute("PRAGMA journal_mode=WAL")
        commit(connection, request)


if __name__ == "__main__":
    serve(
        {
            "name": os.environ["WALPROOF_NAME"],
            "version": WalDatabase.version(),
            "formats": ["sqlite-wal"],
            "profiles": ["recover", "append"],
            "reports": ["records", "at", "size", "frame", "pages", "db_pages", "signals"],
            "also_writes": True,
            "acknowledges": True,
        },
        read,
        write,
        append,
    )
