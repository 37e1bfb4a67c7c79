"""Adapter for SQLite and the libraries that read its logs through SQL.

These libraries do not return the frames of a log. The adapter therefore copies the log, opens a
database next to the copy, and determines how many frames the library recovers. To find the end of
each transaction, it truncates the copy before the last recovered frame and opens the database
again.
"""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
import drivers

from conformance.adapterkit import Refused, Skipped, measure, record, serve

DRIVER: type[drivers.Connection] = getattr(drivers, os.environ["SQLITE_DRIVER"])
HEADER_SIZE = 32
FRAME_HEADER_SIZE = 24
DEFAULT_PAGE_SIZE = 4096
PAGE_SIZES = [1 << bits for bits in range(9, 17)]
INSERT = "INSERT INTO sqlite_dbpage(pgno, data, schema) VALUES(?1, ?2, 'main')"
#: Layout of a wal-index (walformat.html, section 2.2): the number of page numbers in the first
#: block and in each later block, the offset of the page numbers in the first block, and the size of
#: a block.
FIRST_BLOCK, OTHER_BLOCKS, FIRST_OFFSET, BLOCK_SIZE = 4062, 4096, 136, 32768


@dataclass
class Recovered:
    """The result of a recovery and its errors. ``pages`` lists the page number of each frame."""

    frames: int
    page_size: int
    signals: list[str]
    pages: tuple[int, ...] = ()
    db_pages: int | None = None


def empty_database(page_size: int) -> bytes:
    """Return a one-page database in WAL mode, without tables."""
    stored_size = 1 if page_size == 65536 else page_size
    start = b"SQLite format 3\0" + struct.pack(">H6BI", stored_size, 2, 2, 0, 64, 32, 32, 1)
    start += struct.pack(">II", 1, 0)
    start = start.ljust(44, b"\0") + struct.pack(">4I", 4, 0, 0, 1)
    start = start.ljust(92, b"\0") + struct.pack(">II", 1, 3007000)
    start += struct.pack(">B3HB", 13, 0, 0, page_size & 0xFFFF, 0)
    return start.ljust(page_size, b"\0")


@contextmanager
def opened(log: bytes) -> Iterator[tuple[Path, drivers.Connection]]:
    """Open a one-page database next to a copy of the log. Yield its path and the connection."""
    page_size = int.from_bytes(log[8:12], "big")
    if page_size not in PAGE_SIZES:
        page_size = DEFAULT_PAGE_SIZE
    with TemporaryDirectory() as folder:
        path = Path(folder) / "case.db"
        path.write_bytes(empty_database(page_size))
        log_of(path).write_bytes(log)
        connection = DRIVER(path)
        try:
            yield path, connection
        finally:
            with suppress(drivers.SQLError):  # the checkpoint raised the error
                connection.close()


def log_of(path: Path) -> Path:
    """Return the path of a database's log."""
    return path.with_name(f"{path.name}-wal")


def recovered(log: bytes) -> Recovered:
    """Let the library recover a log, and return the result of the recovery."""
    signals: list[str] = []
    try:
        with opened(log) as (path, connection):
            if DRIVER.has_wal_index:
                try:
                    connection.execute("SELECT count(*) FROM sqlite_master")
                except drivers.SQLError as error:
                    signals.append(str(error))
                return from_wal_index(path.with_name(f"{path.name}-shm"), signals)
            ((page_size,),) = connection.execute("PRAGMA page_size")
            ((_, frames, _),) = connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
            return Recovered(frames, page_size, signals)
    except drivers.SQLError as error:  # the database cannot be opened
        return Recovered(0, 0, [str(error)])


def from_wal_index(path: Path, signals: list[str]) -> Recovered:
    """Return the result of a recovery from the wal-index, which SQLite writes to a file."""
    index = path.read_bytes() if path.exists() else b""
    page_size, frames, db_pages = struct.unpack_from("=HII", index.ljust(24, b"\0"), 14)
    page_size = page_size & 0xFE00 | (page_size & 1) << 16
    numbers = index[FIRST_OFFSET : FIRST_OFFSET + 4 * FIRST_BLOCK]
    for start in range(BLOCK_SIZE, len(index), BLOCK_SIZE):
        numbers += index[start : start + 4 * OTHER_BLOCKS]
    pages = struct.unpack_from(f"={frames}I", numbers)
    return Recovered(frames, page_size, signals, pages, db_pages)


def read(path: Path, request: dict[str, Any]) -> dict[str, Any]:
    """Return the transactions that the library recovers, and its errors."""
    log = path.read_bytes()
    last = recovered(log)
    slot_size = FRAME_HEADER_SIZE + last.page_size
    ends = [last]
    while ends[-1].frames:
        ends.append(recovered(log[: HEADER_SIZE + (ends[-1].frames - 1) * slot_size]))
    ends.reverse()
    records = []
    for before, end in pairwise(ends):
        at = HEADER_SIZE + before.frames * slot_size
        slots = log[at : HEADER_SIZE + end.frames * slot_size]
        starts = range(FRAME_HEADER_SIZE, len(slots), slot_size)
        payload = b"".join(slots[start : start + last.page_size] for start in starts)
        found = record(payload, at, len(slots)) | {"frame": before.frames + 1}
        if DRIVER.has_wal_index:
            found |= {"pages": end.pages[before.frames :], "db_pages": end.db_pages}
        records.append(found)
    return {"records": records, "signals": last.signals}


def bench(path: Path, repeat: int) -> None:
    """Time ``repeat`` recoveries of a log of one-page transactions.

    A read-only connection opens a database next to a hard link to the log, because SQLite does not
    follow symbolic links. The connection reads the schema and does not change the log.
    """
    with path.open("rb") as log:
        page_size = int.from_bytes(log.read(12)[8:], "big")
    with TemporaryDirectory(dir=path.parent) as folder:
        database = Path(folder) / "case.db"
        database.write_bytes(empty_database(page_size))
        log_of(database).hardlink_to(path)

        def once() -> tuple[int, int]:
            connection = drivers.ReadOnlySQLite(database)
            connection.execute("SELECT count(*) FROM sqlite_master")
            frames = from_wal_index(database.with_name("case.db-shm"), []).frames
            connection.close()
            return frames, 0

        measure(repeat, once)


def append(path: Path, request: dict[str, Any]) -> None:
    """Write the pages of each transaction through the sqlite_dbpage table."""
    with opened(path.read_bytes()) as (database, connection):
        try:
            connection.execute("PRAGMA wal_autocheckpoint=0")
            for each in request["records"]:
                commit(connection, each)
        except drivers.SQLError as error:
            raise Refused(str(error)) from error
        path.write_bytes(log_of(database).read_bytes())


def has_dbpage() -> bool:
    """Return whether the library has the sqlite_dbpage table, through which pages are written."""
    with opened(b"") as (_, connection), suppress(drivers.SQLError):
        connection.execute("SELECT count(*) FROM sqlite_dbpage")
        return True
    return False


def commit(connection: drivers.Connection, wanted: dict[str, Any]) -> None:
    """Commit one transaction."""
    ((page_size,),) = connection.execute("PRAGMA page_size")
    pages, payload = wanted["pages"], bytes.fromhex(wanted["payload"])
    page_count = check_order(connection, wanted)
    connection.execute("BEGIN IMMEDIATE")
    for number, page in enumerate(pages):
        image = payload[number * page_size : (number + 1) * page_size]
        if 1 <= page <= page_count:
            connection.execute("UPDATE sqlite_dbpage SET data = ?2 WHERE pgno = ?1", page, image)
            continue
        try:
            connection.execute(INSERT, page, image)
        except drivers.SQLError as error:
            if page == 0:
                raise
            raise Skipped("sqlite_dbpage of this release cannot add a page") from error
    connection.execute("COMMIT")


def check_order(connection: drivers.Connection, wanted: dict[str, Any]) -> int:
    """Return the size of the database in pages.

    Raises :class:`Skipped` if SQLite would write a different transaction.
    """
    ((page_count,),) = connection.execute("PRAGMA page_count")
    pages: list[int] = wanted["pages"]
    if 1 in pages:
        raise Skipped("SQLite writes its own version and change counter into page 1")
    if pages != sorted(set(pages)):
        raise Skipped("SQLite writes each page once, in the order of their numbers")
    if wanted["db_pages"] != max(page_count, *pages):
        raise Skipped("SQLite chooses the size of the database")
    return int(page_count)


if __name__ == "__main__":
    if sys.argv[1:2] == ["bench"]:
        bench(Path(sys.argv[2]), int(sys.argv[3]))
        sys.exit()
    reports = ["records", "at", "size", "frame", "signals"]
    serve(
        {
            "name": os.environ["WALPROOF_NAME"],
            "version": DRIVER.version(),
            "formats": ["sqlite-wal"],
            "profiles": ["recover", "append"] if has_dbpage() else ["recover"],
            "reports": reports + ["pages", "db_pages"] * DRIVER.has_wal_index,
            "homepage": DRIVER.homepage,
            "issues": DRIVER.issues,
        },
        read,
        None,
        append,
    )
