"""``walproof export --parquet``."""

from __future__ import annotations

import os
import re
import signal
import sys
import tarfile
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click import ClickException
from click.testing import CliRunner, Result

from conformance import ROOT, VECTORS
from conformance.vectors import load_all
from reference_impl.answer import collect
from reference_impl.formats import FORMATS, named
from tests.walproof.inventory.lakes import leveldb, mixed, options, rows, vector, write_tables
from walproof.cli import walproof
from walproof.cli.output import EXIT_STATUS
from walproof.extras import advice
from walproof.formats import plugin_for
from walproof.inventory import result
from walproof.inventory.task import Task, Written

TABLES = ("records", "damage", "files")


def export(*words: object) -> Result:
    arguments = ["export", *map(str, words)]
    return CliRunner().invoke(walproof, arguments, standalone_mode=False)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "tables"


@pytest.mark.parametrize("format_id", FORMATS)
def test_the_tables_of_one_log_have_its_whole_answer(format_id: str, out: Path) -> None:
    known = [v for v in load_all().values() if v.body["format"] == format_id]
    vectors = [v for v in known if v.operation == "read" and not v.body.get("context")]
    for number, each in enumerate(vectors[:: len(vectors) // 3]):
        answer = collect(named(format_id).read(each.input, "recover", {}))
        folder = out.with_name(f"{number}")
        done = export(each.input, "--format", format_id, "--parquet", folder)
        assert done.exception is None, each.id
        assert done.return_value == EXIT_STATUS[answer.verdict], each.id
        records, damage, files = (rows(folder, table) for table in TABLES)
        columns = plugin_for(format_id).columns
        expected = sorted(
            (each.file or "", each.at, each.size, each.payload, *(c.of(each) for c in columns))
            for each in answer.records
        )
        assert len(records) == len(expected)
        for row, (file, at, size, payload, *values) in zip(records, expected, strict=True):
            assert row["file"].endswith(file)
            assert (row["offset"], row["length"], row["payload"]) == (at, size, payload)
            for column, value in zip(columns, values, strict=True):
                if isinstance(value, int) and value >= 1 << 63:
                    value -= 1 << 64
                if column.name == "entry_type" and value is not None:
                    value = str(value)  # text, because the formats have different types
                if column.name != "fields":
                    assert row[column.name] == value, (each.id, column.name)
        assert [(row["offset"], row["length"], row["reason"]) for row in damage] == [
            (lost.start, lost.end - lost.start, lost.reason)
            for lost in sorted(answer.lost, key=lambda lost: (lost.file or "", lost.start))
        ]
        assert {(row["log_verdict"], row["log_reason"]) for row in files} == {
            (answer.verdict, answer.reason)
        }


def test_export_writes_the_tables_of_several_logs(tmp_path: Path, out: Path) -> None:
    lake = mixed(tmp_path / "lake")
    done = export(lake, "--parquet", out)
    assert done.return_value == 3, done.output
    write_tables(options(lake, payload=True), tmp_path / "expected")
    for table in TABLES:
        assert rows(out, table) == rows(tmp_path / "expected", table)
    for line in (
        r"format +logs +files +size +records +intact +torn +damaged +refused +lost",
        r"zeebe-journal +2 +\d+ +\d.* KiB +\d+ .*",
        r"all +11 .*",
        r"checksum-mismatch +\d+ +.*B +\d+ +damaged +(leveldb-log|kahadb-journal)",
        r"unreadable  nowhere.log: No such file or directory",
        r"1 file is not a log of a known format\.",
        r"11 logs, .* damaged, .* torn, 1 refused, 2 unreadable; .*B lost\.",
        rf"Tables {out}/records, damage, files",
    ):
        assert re.search(f"^{line}$", done.stdout, re.MULTILINE), (line, done.stdout)
    assert f"{out} already exists" in str(export(lake, "--parquet", out).exception)


def test_the_tables_of_an_archive_name_its_files(tmp_path: Path, out: Path) -> None:
    archive = tmp_path / "broker.tar"
    with tarfile.open(archive, "w") as file:
        file.add(VECTORS / "zeebe-journal" / "last-segment-cut", "raft/1")
        file.add(VECTORS / "leveldb-log" / "one-record.log", "000003.log")
    assert export(archive, "--parquet", out).return_value == 3
    logs = {row["log"] for row in rows(out, "files")}
    assert logs == {f"{archive}/raft/1", f"{archive}/000003.log"}
    for table in TABLES:
        assert all(row["file"].startswith(row["log"]) for row in rows(out, table))


@pytest.mark.parametrize("format_id", [None, "zmq-raft"])
def test_decoded_records_do_not_need_the_payloads(format_id: str | None, out: Path) -> None:
    log = ROOT / "tests/walproof/decode/golden/zmq-raft/log.rlog"
    words = [] if format_id is None else ["--format", format_id]
    assert export(log, *words, "--decode", "--no-payload", "--parquet", out).return_value == 0
    table = rows(out, "records")
    assert all(row["payload"] is None and row["detail"] is None for row in table)
    decoded = [row["decoded"] for row in table]
    if format_id is None:
        assert {name for row in decoded for name, value in row.items() if value} == {"zmq_raft"}
        decoded = [row["zmq_raft"] for row in decoded]
    assert [value["type"] for value in decoded] == [
        "checkpoint", "state", "state", "config", "config",
    ]  # fmt: skip
    assert decoded[1]["data"] == b"hello" and decoded[4]["old_peers"][0]["id"] == "01"


def test_a_failed_export_leaves_nothing(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = leveldb(tmp_path / "000003.log", 1)

    def fails(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pq.ParquetWriter, "write_table", fails)
    message = str(export(log, "--parquet", out).exception)
    assert "No space left on device" in message and str(log) not in message
    assert [path.name for path in tmp_path.iterdir()] == ["000003.log"]


def _dies(task: Task, is_careful: bool) -> Written:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def test_a_dead_worker_is_an_error_and_leaves_nothing(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = leveldb(tmp_path / "000003.log", 1)
    monkeypatch.setattr(result, "write_rows", _dies)
    error = export(log, "--parquet", out).exception
    assert isinstance(error, ClickException) and "a worker process died" in str(error)
    assert [path.name for path in tmp_path.iterdir()] == ["000003.log"]


def test_options_that_do_not_fit_are_rejected(tmp_path: Path, out: Path) -> None:
    log = leveldb(tmp_path / "000003.log", 3)
    for words, message in (
        ([log, "--match", "A=b", "--parquet", out], "--match"),
        ([log, "--format", "leveldb-log"], "--parquet DIR"),
        ([log, "--no-payload"], "--no-payload needs --parquet"),
        ([log, "--decode"], "--decode needs --parquet"),
        ([log, "--parquet", out, "--format", "x"], "unknown format"),
        ([log, "--parquet", out, "--context", "name=x"], "needs --format"),
        ([log, tmp_path / "none", "--parquet", out], "none: No such file or directory"),
        ([log, "--parquet", log], f"{log} already exists"),
    ):
        assert message in str(export(*words).exception), words
    (tmp_path / "text").write_text("not a log")
    assert export(tmp_path / "text", "--parquet", out).return_value == 4
    refused = vector("rocksdb-wal", "compressed-with-lz4.log", tmp_path / "lake")
    assert export(log, refused, "--parquet", tmp_path / "two").return_value == 4
    store = export(VECTORS / "kahadb-journal" / "negative-size-in-the-first-file")
    assert store.return_value == 4 and "--parquet DIR" in store.stderr
    assert not out.exists()


def test_without_pyarrow_the_error_names_the_extra(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = leveldb(tmp_path / "000003.log", 1)
    for name in [
        name
        for name in sys.modules
        if name.startswith(("walproof.scan", "walproof.tables", "walproof.inventory"))
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    done = export(log, "--parquet", out)
    assert isinstance(done.exception, ModuleNotFoundError)
    assert "pip install 'walproof[fast]'" in str(advice(done.exception))
