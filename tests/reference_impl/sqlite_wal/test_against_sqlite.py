"""Python's SQLite and the executable specification agree on logs that SQLite wrote."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reference_impl.answer import NewRecord
from reference_impl.sqlite_wal import append
from tests.reference_impl.sqlite_wal.conftest import answer

PAGE_BYTES = 512
SLOT_BYTES = 24 + PAGE_BYTES
CUTS = [0, 20, 32, 33, 567, 568, 1000, 1640, 1641]
#: With these seeds, a writer may append after the damage: the cuts, random bytes after the log, and
#: zeros in its last sectors.
APPENDABLE = [*range(len(CUTS)), *range(10, 40, 3), 24, 27, 33]


def connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("pragma wal_autocheckpoint=0")
    return connection


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield a database with a log of six transactions, as a crash would leave it."""
    folder = tmp_path_factory.mktemp("database")
    path = folder / "live.db"
    with closing(connect(path)) as live:
        for line in (
            f"pragma page_size={PAGE_BYTES}",
            "pragma journal_mode=wal",
            "create table t(a integer primary key, b)",
            *(f"insert into t(b) values(printf('%.{size}c', 'x'))" for size in (5, 400, 30, 900)),
            "insert into t(b) values('written')",
        ):
            live.execute(line)
        for end in ("", "-wal"):
            shutil.copy(f"{path}{end}", f"{folder}/crashed.db{end}")
    yield folder / "crashed.db"


def copy(database: Path, log: bytes, folder: Path) -> Path:
    path = folder / "copy.db"
    shutil.copy(database, path)
    Path(f"{path}-wal").write_bytes(log)
    return path


def written(database: Path) -> bytes:
    return Path(f"{database}-wal").read_bytes()


def committed(log: bytes) -> int:
    """Return how many committed frames a strict reader finds."""
    read = answer(log, "strict")
    if read.records:
        return (read.records[-1].at + read.records[-1].size - 32) // SLOT_BYTES
    return 0


def damaged(log: bytes, seed: int) -> bytes:
    chance = random.Random(seed)
    made = bytearray(log)
    if seed < len(CUTS):
        return log[: CUTS[seed]]
    if seed % 3 == 0:
        start = chance.randrange(0, len(made), 512)
        made[start : start + 512] = bytes(len(made[start : start + 512]))
    elif seed % 3 == 1:
        made += chance.randbytes(chance.randrange(2000))
    else:
        slot = 32 + SLOT_BYTES * chance.randrange((len(made) - 32) // SLOT_BYTES)
        place = chance.choice([chance.randrange(len(made)), slot + chance.randrange(24)])
        made[place] ^= 1 << chance.randrange(8)
    return bytes(made)


@pytest.mark.parametrize("seed", range(40))
def test_sqlite_recovers_the_same_frames(database: Path, seed: int, tmp_path: Path) -> None:
    log = damaged(written(database), seed)
    with closing(connect(copy(database, log, tmp_path))) as opened:
        _, frames, _ = opened.execute("pragma wal_checkpoint(passive)").fetchone()
    assert frames == committed(log)


@pytest.mark.parametrize("seed", APPENDABLE)
def test_sqlite_appends_at_end(database: Path, seed: int, tmp_path: Path) -> None:
    log = damaged(written(database), seed)
    read = answer(log)
    assert read.end is not None
    path = copy(database, log, tmp_path)
    with closing(connect(path)) as opened:
        opened.execute("insert into t(b) values('new')" if read.records else "create table n(a)")
        after = written(path)
    # Without committed frames, SQLite writes a new header.
    kept = read.end if read.records else 0
    assert after[:kept] == log[:kept]
    now = answer(after)
    assert now.records[: len(read.records)] == read.records
    assert now.records[len(read.records)].at == max(read.end, 32)


def test_sqlite_reads_what_is_appended(database: Path, tmp_path: Path) -> None:
    """SQLite reads a copy of the last transaction that was appended with one changed row."""
    log = written(database)
    last = answer(log).records[-1]
    assert last.payload.count(b"written") == 1
    path = copy(database, log, tmp_path)
    record = NewRecord(last.payload.replace(b"written", b"changed"), last.fields)
    append(Path(f"{path}-wal"), [record], {})
    with closing(connect(path)) as opened:
        rows = opened.execute("select b from t where a = 5").fetchall()
    assert rows == [("changed",)]


@pytest.fixture(scope="module")
def padded(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, list[int]]:
    """Return a padded log of nine transactions, and its size after each of them."""
    path = tmp_path_factory.mktemp("padded") / "live.db"
    sizes = []
    with closing(sqlite3.connect(f"file:{path}?psow=0", uri=True, isolation_level=None)) as live:
        for line in ("pragma journal_mode=wal", "pragma synchronous=full"):
            live.execute(line)
        for number in range(9):
            live.execute(f"create table t{number} as select randomblob({number % 3 * 3000})")
            sizes.append(Path(f"{path}-wal").stat().st_size)
        return written(path), sizes


@pytest.mark.parametrize("number", range(1, 9))
def test_a_commit_whose_sectors_are_lost_is_torn(
    padded: tuple[bytes, list[int]], number: int
) -> None:
    """A commit with lost sectors is torn.

    SQLite syncs a commit up to the end of a 4096-byte sector, and writes the rest of the padding
    later.
    """
    log, sizes = padded
    start = sizes[number - 1]
    before = answer(log[:start]).records
    last = answer(log[: sizes[number]]).records[-1]
    synced = log[: -(-(last.at + last.size) // 4096) * 4096]
    for sector in range(start // 512, len(synced) // 512):
        lost = slice(max(start, sector * 512), (sector + 1) * 512)
        crashed = bytearray(synced)
        crashed[lost] = bytes(len(crashed[lost]))
        read = answer(bytes(crashed))
        assert read.verdict == "torn"
        assert read.records in (before, (*before, last))
