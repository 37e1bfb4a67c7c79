"""SQLite's logs are found in the folders of phones, browsers and messengers."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from conformance import VECTORS
from reference_impl.formats import UnknownFormat
from walproof.formats.sqlite_wal.discovery import LOOKED_AT_BYTES
from walproof.lake.discovery import find
from walproof.lake.options import Options
from walproof.lake.recognition import recognise_log

#: Databases as their programs name them: on Android, in Firefox, Chrome and Safari, in messengers.
DATABASES = (
    "data/data/com.android.providers.telephony/databases/mmssms.db",
    "data/data/com.whatsapp/databases/msgstore.db",
    "data/data/org.telegram.messenger/files/cache4.db",
    "firefox/profile/places.sqlite",
    "chrome/Default/Cookies",
    "Library/Safari/History.db",
    "Library/Messages/chat.db",
    "Signal/sql/db.sqlite",
)


RECURSIVE = {"recursiveFileLookup": "true"}


def make_database(path: Path) -> sqlite3.Connection:
    """Write a database in WAL mode; its log stays until the connection is closed."""
    path.parent.mkdir(parents=True)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE message(text)")
    return connection


def test_logs_are_found_beside_their_databases(tmp_path: Path) -> None:
    connections = [make_database(tmp_path / name) for name in DATABASES]
    journal = VECTORS / "sqlite-wal" / "rollback-journal.db-wal"
    (tmp_path / "firefox/profile/places.sqlite-journal").write_bytes(journal.read_bytes())
    (tmp_path / "chrome/Default/Cookies-wal.txt").write_text("not a log\n")
    files = [Path(log.path) for log in find(Options.parse({"path": str(tmp_path), **RECURSIVE}))]
    formats = {str(path.relative_to(tmp_path)): _format_of(path) for path in files}
    for connection in connections:
        connection.close()
    assert {f"{name}-shm" for name in DATABASES} < set(formats)
    logs = {name for name, format_id in formats.items() if format_id == "sqlite-wal"}
    assert logs == {f"{name}-wal" for name in DATABASES}
    assert set(formats.values()) == {"sqlite-wal", None}


def _format_of(path: Path) -> str | None:
    try:
        return recognise_log(path)
    except UnknownFormat:
        return None


@pytest.mark.parametrize("size", [512, 600])
def test_a_log_without_its_start_is_recognised_by_linked_frames(tmp_path: Path, size: int) -> None:
    log = (VECTORS / "sqlite-wal" / "five-transactions.db-wal").read_bytes()
    path = tmp_path / "database-wal"
    path.write_bytes(b"\xa5" * size + log[size:])
    assert recognise_log(path) == "sqlite-wal"
    for name, data in (
        ("database.bin", path.read_bytes()),
        ("other-wal", b"\xa5" * len(log)),
        ("long-wal", b"\xa5" * LOOKED_AT_BYTES + log),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(UnknownFormat):
            recognise_log(tmp_path / name)
