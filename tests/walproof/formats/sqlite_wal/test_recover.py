"""SQLite accepts the log that ``walproof recover`` writes, and returns the rows in its records."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from conformance.vectors import load_all
from reference_impl.answer import Answer, Record, collect
from reference_impl.sqlite_wal import read
from reference_impl.sqlite_wal.layout import MAX_PAGE
from tests.walproof.formats.sqlite_wal.histories import History, State, random_history, state_at
from tests.walproof.formats.sqlite_wal.logs import damage
from walproof.new_log import after_loss_file

VECTORS = [
    vector
    for vector in load_all().values()
    if vector.body["format"] == "sqlite-wal" and vector.operation == "read"
]
LOGS = {vector.id: vector.input for vector in VECTORS[::2]}
PAGE_SIZE = 512
SLOT = 24 + PAGE_SIZE


def answer_of(log: Path) -> Answer:
    return collect(read(log, "recover", {}))


def in_sequence(answer: Answer) -> list[Record]:
    """Return the records that may be applied to the database."""
    return [record for record in answer.records if not record.fields.get("after_loss")]


def accepted_frames(path: Path) -> int:
    """Return the number of frames that SQLite recovers from a log and copies to the database."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        ((is_busy, frames, copied),) = connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        assert not is_busy and frames == copied
        return int(frames)


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    """Return a function that returns an empty one-page database in WAL mode for each page size."""
    folder = tmp_path_factory.mktemp("databases")

    def database(page_size: int) -> Path:
        path = folder / f"{page_size}.db"
        if not path.exists():
            with closing(sqlite3.connect(path)) as connection:
                connection.executescript(
                    f"PRAGMA page_size = {page_size}; PRAGMA journal_mode = WAL"
                )
        assert path.stat().st_size == page_size
        return path

    return database


@pytest.mark.parametrize("vector", LOGS)
def test_the_logs_of_all_vectors(
    vector: str, databases: Callable[[int], Path], tmp_path: Path, run
) -> None:
    """SQLite recovers all frames of the new log."""
    log, out = tmp_path / "x.db-wal", tmp_path / "new.db-wal"
    shutil.copy(LOGS[vector], log)
    before, answer = log.read_bytes(), answer_of(log)
    done = run("recover", log, "--out", out)
    assert log.read_bytes() == before
    if answer.verdict == "refused":
        assert done.return_value == 4 and list(tmp_path.iterdir()) == [log]
        return
    if not answer.records and answer.lost:
        assert "no record survives" in str(done.exception) and list(tmp_path.iterdir()) == [log]
        return
    if any(page > MAX_PAGE for record in answer.records for page in record.fields["pages"]):
        # No database can have a page with this number.
        assert f"from 1 to {MAX_PAGE}" in str(done.exception)
        return
    assert done.return_value == (0 if answer.verdict == "intact" else 3), done.output
    records = in_sequence(answer)
    assert [record.payload for record in answer_of(out).records] == [
        record.payload for record in records
    ]
    others = after_loss_file(out)
    assert others.exists() == (len(records) < len(answer.records))
    if others.exists():
        lines = others.read_text("utf-8").splitlines()
        assert len(lines) == len(answer.records) - len(records)
    if not records:
        return
    page_size = len(records[0].payload) // len(records[0].fields["pages"])
    shutil.copy(databases(page_size), tmp_path / "new.db")
    try:
        frames = accepted_frames(tmp_path / "new.db")
    except sqlite3.DatabaseError as error:
        # The pages of some vectors do not form a database.
        assert "malformed" in str(error) or str(error) == "file is not a database"
        return
    assert frames == sum(len(record.fields["pages"]) for record in records)


def is_sound(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.parametrize("seed", range(4))
def test_damaged_logs_of_a_real_history(seed: int, tmp_path: Path, run) -> None:
    """The old database with the new log has the rows that existed after one of the transactions."""
    work = tmp_path / "work"
    work.mkdir()
    chance = random.Random(seed)
    setup = "PRAGMA auto_vacuum = FULL" if seed % 2 else ""
    history = History(work / "app.db", setup, PAGE_SIZE)
    random_history(history, chance, 15)
    states = history.states
    log = history.close(tmp_path)
    shutil.rmtree(work)
    data, database = log.read_bytes(), log.with_name("app.db")
    counts = set()
    for number in range(12):
        log.write_bytes(damage(chance, data))
        source = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
        answer = answer_of(log)
        out = tmp_path / str(number)
        out.mkdir()
        done = run("recover", log, "--out", out / "app.db-wal")
        if answer.verdict == "refused":
            assert done.return_value == 4
            continue
        counts.add(len(in_sequence(answer)))
        if answer.records:
            shutil.copy(database, out / "app.db")
            assert is_sound(out / "app.db") and state_at(out / "app.db") in states
        assert {path: path.read_bytes() for path in source} == source
        assert not list(out.glob("*.unfinished"))
    assert len(counts) > 4


@pytest.fixture
def broken(tmp_path: Path) -> tuple[Path, list[State]]:
    """Return a folder with a database in which the third of four transactions is damaged."""
    (tmp_path / "work").mkdir()
    history = History(tmp_path / "work" / "app.db", "", PAGE_SIZE, "CREATE TABLE t(x)")
    for number in range(4):
        history.step(f"INSERT INTO t VALUES({number})")
    (tmp_path / "old").mkdir()
    log = history.close(tmp_path / "old")
    data = bytearray(log.read_bytes())
    data[32 + 2 * SLOT + 100] ^= 1
    log.write_bytes(data)
    return log.parent, history.states


def test_a_directory(broken: tuple[Path, list[State]], tmp_path: Path, run) -> None:
    folder, states = broken
    out = tmp_path / "new"
    done = run("recover", folder, "--out", out)
    assert done.return_value == 3
    counts = "2 records returned, 536 bytes lost, 1 record in app.db-wal.after-loss.jsonl"
    assert done.output.splitlines() == [
        f"app.db-wal: replaced: {counts}",
        f"{out}: 1 log of 1 replaced",
    ]
    assert sorted(path.name for path in out.iterdir()) == [
        "app.db",
        "app.db-shm",
        "app.db-wal",
        "app.db-wal.after-loss.jsonl",
        "app.db-wal.damaged",
    ]
    assert is_sound(out / "app.db")
    assert state_at(out / "app.db") == states[2]
