"""``walproof read`` on logs of real LevelDB returns exactly what LevelDB itself recovers."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from reference_impl.answer import payload_to_json
from reference_impl.leveldb_log.reader import read_stream as read_log
from walproof.cli.read import read

# The class with this name in conftest.py.
RealLevelDB = Any

Records = list[dict[str, Any]]


def walproof_read(path: Path) -> tuple[int, Records, dict[str, Any]]:
    """Return exit status, records and end of ``walproof read --jsonl``."""
    done = CliRunner().invoke(read, [str(path), "--jsonl"], standalone_mode=False)
    assert done.exception is None, done.exception
    lines = [json.loads(line) for line in done.output.splitlines()]
    assert set(lines[-1]) == {"end"} and all(set(line) == {"record"} for line in lines[:-1])
    return done.return_value, [line["record"] for line in lines[:-1]], lines[-1]["end"]


def assert_same(leveldb: RealLevelDB, path: Path) -> Records:
    """Assert that Walproof and LevelDB's reader agree on an intact log; return its records."""
    status, records, end = walproof_read(path)
    (real,) = leveldb.read([path])
    assert [record["at"] for record in records] == [record["at"] for record in real]
    assert [payload(record) for record in records] == [payload(record) for record in real]
    assert (status, end) == (0, {"verdict": "intact", "reason": None, "end": path.stat().st_size})
    return records


def payload(record: dict[str, Any]) -> str:
    return str(record.get("payload") or record.get("payload_sha256", ""))


# --- logs that LevelDB's log::Writer wrote --------------------------------------------------------


# --- logs of real databases -----------------------------------------------------------------------


def log_of(folder: Path) -> Path:
    (path,) = folder.glob("*.log")
    return path


def copied(folder: Path, to: Path) -> Path:
    return Path(shutil.copytree(folder, to))


def varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def operations(batch: bytes) -> Iterator[tuple[bytes, bytes | None]]:
    """Return the puts and (value None) deletes of a WriteBatch."""
    at = 12
    while at < len(batch):
        tag, at = batch[at], at + 1
        size, at = varint(batch, at)
        key, at = batch[at : at + size], at + size
        if tag == 0:
            yield key, None
            continue
        size, at = varint(batch, at)
        yield key, batch[at : at + size]
        at += size


def replayed(payloads: Iterable[bytes]) -> dict[str, str]:
    """Return the content of a database after these batches, as ``real_database.cjs`` prints it."""
    entries: dict[str, str] = {}
    for batch in payloads:
        count = 0
        for key, value in operations(batch):
            count += 1
            if value is None:
                entries.pop(key.hex(), None)
            else:
                entries[key.hex()] = hashlib.sha256(value).hexdigest()
        assert count == int.from_bytes(batch[8:12], "little")
    return entries


def payloads_of(path: Path) -> list[bytes]:
    with path.open("rb") as log:
        return [event.payload for event in read_log(log) if hasattr(event, "payload")]


def assert_recovers_the_same(leveldb: RealLevelDB, database: Path) -> Records:
    """Assert that log and MANIFEST read as in LevelDB, and hold what LevelDB recovers."""
    records = assert_same(leveldb, log_of(database))
    (manifest,) = database.glob("MANIFEST-*")
    assert assert_same(leveldb, manifest)
    assert replayed(payloads_of(log_of(database))) == leveldb.entries(database)
    return records


@pytest.mark.parametrize(("scenario", "count"), [("empty", 0), ("small", 5), ("large", 3)])
def test_database_copied_while_open_and_after_a_kill(
    leveldb: RealLevelDB, tmp_path: Path, scenario: str, count: int
) -> None:
    with leveldb.database(tmp_path / "db", scenario):
        while_open = copied(tmp_path / "db", tmp_path / "open")
    killed = tmp_path / "db"
    assert log_of(killed).read_bytes() == log_of(while_open).read_bytes()
    records = assert_recovers_the_same(leveldb, killed)
    assert len(records) == count
    if scenario == "empty":
        assert log_of(killed).stat().st_size == 0
    if scenario == "large":
        assert records[1]["size"] > 5_000_000 + 150 * 7


def test_database_killed_while_it_writes(leveldb: RealLevelDB, tmp_path: Path) -> None:
    """The log ends at the kill, perhaps inside a record, and nothing else is lost."""
    database = tmp_path / "db"
    with leveldb.database(database, "endless"):
        time.sleep(0.2)
    path = log_of(database)
    (real,) = leveldb.read([path])
    expected = [payload_to_json(payload) for payload in payloads_of(path)]
    assert len(expected) > 500
    assert expected == [{k: v for k, v in r.items() if k.startswith("payload")} for r in real]
    assert replayed(payloads_of(path)) == leveldb.entries(database)


def test_log_of_a_database_cut_anywhere(leveldb: RealLevelDB, tmp_path: Path) -> None:
    """``walproof read`` shows what LevelDB recovers from a torn log."""
    with leveldb.database(tmp_path / "db", "small"):
        pass
    whole = log_of(tmp_path / "db").read_bytes()
    for cut in (1, 20, 33, len(whole) - 7000, len(whole) - 70):
        database = copied(tmp_path / "db", tmp_path / f"cut {cut}")
        log_of(database).write_bytes(whole[:-cut])
        payloads = payloads_of(log_of(database))
        assert len(payloads) < 5
        assert replayed(payloads) == leveldb.entries(database)
