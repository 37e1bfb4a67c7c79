"""Databases of RocksDB and Pebble whose logs use the dialects of these systems."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from conformance import ROOT
from reference_impl.answer import NewRecord, collect
from reference_impl.formats import named
from walproof.formats import plugin_for
from walproof.systems import recognise, systems_in

DATA = ROOT / "tests" / "data"
DATABASES = {"rocksdb-recycled": "000016.log", "pebble-synced": "000006.log"}


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return a copy of a database; ``DATABASES`` names its log."""
    shutil.copytree(DATA / request.param, tmp_path / request.param)
    return tmp_path / request.param


def log_of(database: Path) -> Path:
    return database / DATABASES[database.name]


def test_logs_of_a_database_are_read(database: Path, run) -> None:
    (system,) = systems_in(database)
    assert system.format == "rocksdb-wal"
    assert [log.name for log in system.logs] == [log_of(database).name]
    done = run(database)
    assert done.return_value == 0, done.output
    engine = "RocksDB" if database.name.startswith("rocksdb") else "Pebble"
    assert f"{engine} database: 1 log" in done.output and "all logs are intact" in done.output
    assert not re.search(r"^  (lost|check) ", done.output, re.MULTILINE), done.output
    rows = [json.loads(line) for line in run("read", "--operations", database).stdout.splitlines()]
    assert {row["file"] for row in rows} == {log_of(database).name}
    assert rows[-1]["op"] == "put"


def test_a_damaged_log_is_rewritten(database: Path, tmp_path: Path, run) -> None:
    """The rewritten log has the same dialect and log number, and the old file remains."""
    log = log_of(database)
    whole = collect(named("rocksdb-wal").read(log, "recover", {}))
    data = bytearray(log.read_bytes())
    data[whole.records[-1].at + 4] ^= 8  # flips a bit of the length
    log.write_bytes(data)
    out = tmp_path / "new"
    done = run("recover", database, "--out", out)
    assert done.return_value == 3, done.output
    assert f"replaced  {log.name}: " in done.output
    assert (out / f"{log.name}.before-recovery").read_bytes() == data == log.read_bytes()
    written = collect(named("rocksdb-wal").read(out / log.name, "strict", {}))
    assert written.verdict == "intact"
    assert [(record.payload, record.fields.get("log_number")) for record in written.records] == [
        (record.payload, record.fields.get("log_number")) for record in whole.records[:-1]
    ]


def test_a_log_without_survivors_is_unchanged(database: Path, tmp_path: Path, run) -> None:
    log = log_of(database)
    (record, *_) = collect(named("rocksdb-wal").read(log, "recover", {})).records
    data = bytearray(log.read_bytes()[: record.at + record.size])
    data[-1] ^= 1
    log.write_bytes(data)
    done = run("recover", database, "--out", tmp_path / "new")
    assert done.return_value == 3, done.output
    assert f"unchanged  {log.name}: not rewritten: no record survives" in done.output
    files = [path for folder in (database, tmp_path / "new") for path in sorted(folder.iterdir())]
    half = len(files) // 2
    for path, copy in zip(files[:half], files[half:], strict=True):
        assert (path.name, path.read_bytes()) == (copy.name, copy.read_bytes())


def test_a_log_of_7_byte_headers_makes_a_leveldb_log(database: Path, run) -> None:
    """Databases of both systems whose logs have 7-byte headers belong to leveldb-log."""
    for log in database.glob("*.log"):
        answer = collect(named("rocksdb-wal").read(log, "recover", {}))
        log.unlink()
        records = [NewRecord(record.payload) for record in answer.records]
        named("leveldb-log").write(log, records, {})
    (system,) = systems_in(database)
    assert system.format == "leveldb-log"
    assert run(database).return_value == 0


def test_a_log_is_recognised_by_its_name(tmp_path: Path, run) -> None:
    """The name gives the format, and the first valid record gives the reported dialect."""
    log = tmp_path / "000012.log"
    context = {"log_number": 12}
    named("rocksdb-wal").write(log, [NewRecord(b"x" * 30_000) for _ in range(8)], context)
    data = bytearray(log.read_bytes())
    data[: 4 * 32768] = b"\xff" * (4 * 32768)
    log.write_bytes(data)
    assert "a log in the recyclable RocksDB or Pebble dialect: --format rocksdb-wal reads it" in (
        " ".join(run(log).output.split())
    )
    assert run("read", log, "--format", "rocksdb-wal").return_value == 3


def test_logs_are_found_without_their_names(tmp_path: Path) -> None:
    """A damaged type leads to a wrong length, so the headers of each dialect are tried."""
    for name, log in DATABASES.items():
        data = bytearray((DATA / name / log).read_bytes())
        data[6] = 0x63
        path = tmp_path / name
        path.write_bytes(data)
        assert plugin_for("rocksdb-wal").discovery.recognises(path)
    assert recognise(tmp_path) is None
