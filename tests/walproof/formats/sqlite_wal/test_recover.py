"""SQLite accepts the log and the database that ``walproof recover`` writes; their rows agree."""

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
from walproof.formats.sqlite_wal.pages import MAGIC

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


def kept(answer: Answer) -> list[Record]:
    """Return the records that may be applied."""
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
    """Return a function that gives an empty WAL-mode database of one page, by page size."""
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
    """SQLite recovers all frames of the new log, and a checkpoint results in the new database."""
    log = tmp_path / "x.db-wal"
    shutil.copy(LOGS[vector], log)
    before, answer = log.read_bytes(), answer_of(log)
    done = run("recover", log, "--out", tmp_path / "new.db-wal")
    assert log.read_bytes() == before
    if answer.verdict == "refused":
        assert done.return_value == 4 and list(tmp_path.iterdir()) == [log]
        return
    if not answer.records and answer.lost:
        assert "no record survives" in str(done.exception) and list(tmp_path.iterdir()) == [log]
        return
    if any(page > MAX_PAGE for record in answer.records for page in record.fields["pages"]):
        assert f"from 1 to {MAX_PAGE}" in str(done.exception)  # no database can have this page
        return
    assert done.return_value == (0 if answer.verdict == "intact" else 3), done.output
    records = kept(answer)
    assert [record.payload for record in answer_of(tmp_path / "new.db-wal").records] == [
        record.payload for record in records
    ]
    evidence = tmp_path / "new.db-wal.after-loss"
    if len(records) < len(answer.records):
        assert len(answer_of(evidence).records) == len(answer.records) - len(records)
    assert evidence.exists() == (len(records) < len(answer.records))
    if not records:
        return
    page_size = len(records[0].payload) // len(records[0].fields["pages"])
    shutil.copy(databases(page_size), tmp_path / "new.db")
    shutil.copy(databases(page_size), tmp_path / "x.db")
    done = run("recover", tmp_path / "x.db", "--out", tmp_path / "applied.db")
    try:
        frames = accepted_frames(tmp_path / "new.db")
    except sqlite3.DatabaseError as error:
        if "malformed" in str(error):
            assert "sets a size of" in str(done.exception)
        else:
            assert str(error) == "file is not a database"
            assert not (tmp_path / "applied.db").read_bytes().startswith(MAGIC)
        return
    assert frames == sum(len(record.fields["pages"]) for record in records)
    assert (tmp_path / "applied.db").read_bytes() == (tmp_path / "new.db").read_bytes()
    assert log.read_bytes() == before


def is_sound(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.parametrize("seed", range(4))
def test_damaged_logs_of_a_real_history(seed: int, tmp_path: Path, run) -> None:
    """The new database has the rows after one of the transactions.

    The old database with the new log has the same rows.
    """
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
        done = run("recover", tmp_path / "app.db", "--out", out / "applied.db")
        if answer.verdict == "refused":
            assert done.return_value == 4
            continue
        run("recover", log, "--out", out / "app.db-wal")
        found = state_at(out / "applied.db")
        assert is_sound(out / "applied.db") and found in states
        counts.add(len(kept(answer)))
        if answer.records:
            shutil.copy(database, out / "app.db")
            assert is_sound(out / "app.db") and state_at(out / "app.db") == found
        assert {path: path.read_bytes() for path in source} == source
        assert not list(out.glob("*.unfinished"))
    assert len(counts) > 4


def recovered(folder: Path) -> State:
    """Return the rows that SQLite reads from ``app.db`` and its log in a folder."""
    assert is_sound(folder / "app.db")
    return state_at(folder / "app.db")


@pytest.fixture
def broken(tmp_path: Path) -> tuple[Path, list[State]]:
    """Return a folder with a database whose third of four transactions is damaged."""
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


def test_a_folder(broken: tuple[Path, list[State]], tmp_path: Path, run) -> None:
    folder, states = broken
    out = tmp_path / "new"
    done = run("recover", folder, "--out", out)
    assert done.return_value == 3
    text = " ".join(done.output.split())
    assert "lost app.db-wal: [1104, 1640) frame-checksum" in text
    evidence = "1 record after a loss: written to app.db-wal.after-loss as evidence"
    assert f"found app.db-wal: {evidence}; do not apply them" in text
    assert "replaced app.db-wal: 3 records before, 2 after, 536 bytes lost" in text
    assert "replaced app.db-shm: pointed into the old log" in text
    assert "SQLite opens app.db; its pages were not read" in text
    assert sorted(path.name for path in out.iterdir()) == [
        "app.db",
        "app.db-shm.before-recovery",
        "app.db-wal",
        "app.db-wal.after-loss",
        "app.db-wal.before-recovery",
    ]
    assert recovered(out) == states[2]


def test_existing_files_are_kept(broken: tuple[Path, list[State]], tmp_path: Path, run) -> None:
    folder, _ = broken
    for name in ("new", "new.after-loss"):
        (tmp_path / name).write_text("mine")
        for subject in ("app.db", "app.db-wal"):
            done = run("recover", folder / subject, "--out", tmp_path / "new")
            assert f"{name} already exists" in str(done.exception)
        assert (tmp_path / name).read_text() == "mine"
        (tmp_path / name).unlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["old", "work"]
