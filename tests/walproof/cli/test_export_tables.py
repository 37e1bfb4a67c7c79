"""``walproof export`` writes the answers for logs as tables."""

from __future__ import annotations

import os
import re
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from click import ClickException
from click.testing import CliRunner, Result

from conformance.vectors import load_all
from reference_impl.answer import collect
from reference_impl.formats import FORMATS, named
from tests.lakes import leveldb, mixed, rows, vector
from walproof import parquet_export
from walproof.cli import walproof
from walproof.cli.output import EXIT_STATUS
from walproof.extras import advice
from walproof.formats import plugin_for

KINDS = ("record", "lost", "log")


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
    # Some folders also contain another log, which the tables would list.
    vectors = [v for v in vectors if not (v.input / "other-1.log").exists()]
    for number, each in enumerate(vectors[:: len(vectors) // 3]):
        answer = collect(named(format_id).read(each.input, "recover", {}))
        folder = out.with_name(f"{number}")
        done = export(each.input, "--format", format_id, "--out", folder)
        assert done.exception is None, each.id
        assert done.return_value == EXIT_STATUS[answer.verdict], each.id
        records, damage, logs = (rows(folder, kind) for kind in KINDS)
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
                    # The column contains text, because the type of the field depends on the format.
                    value = str(value)
                if column.name != "fields":
                    assert row[column.name] == value, (each.id, column.name)
        assert [(row["offset"], row["length"], row["reason"]) for row in damage] == [
            (lost.start, lost.end - lost.start, lost.reason)
            for lost in sorted(answer.lost, key=lambda lost: (lost.file or "", lost.start))
        ]
        (log,) = logs
        assert (log["verdict"], log["reason"]) == (answer.verdict, answer.reason)
        assert (log["records"], log["resume_offset"]) == (len(answer.records), answer.end)
        assert log["lost_bytes"] == sum(lost.end - lost.start for lost in answer.lost)


def test_export_writes_the_rows_of_several_logs(tmp_path: Path, out: Path) -> None:
    lake = mixed(tmp_path / "lake")
    done = export(lake, "--parquet", out)
    assert done.return_value == 3, done.output
    assert {row["log"] for row in rows(out, "unreadable")} == {
        str(lake / "nowhere.log"), str(lake / "pipe.log"),
    }  # fmt: skip
    for line in (
        r"format +verdict +logs +size +records +lost",
        r"zeebe-journal +torn +\d +\d.* KiB +\d+ .*",
        r"1 file is not a log of a known format\.",
        r"11 logs, .* 2 unreadable, .* damaged, .* torn, 1 refused; .*B lost\.",
        rf"Rows {out}/kind=record, kind=lost, kind=log",
    ):
        assert re.search(f"^{line}$", done.stdout, re.MULTILINE), (line, done.stdout)
    assert f"{out} already exists" in str(export(lake, "--out", out).exception)


def test_a_log_in_parts_has_the_rows_of_the_whole_log(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = leveldb(tmp_path / "large.log", 5000)
    data = bytearray(log.read_bytes())
    for at in (40_000, 140_000, 141_000, 300_000):
        data[at] ^= 1
    log.write_bytes(data[:-7])
    parts = tmp_path / "parts"
    first = export(log, "--out", out)
    monkeypatch.setattr(parquet_export, "MAX_TASK_BYTES", 64 << 10)
    second = export(log, "--out", parts)
    assert len(rows(out, "log")) == 1 < len(rows(parts, "log"))
    for kind in ("record", "lost"):
        assert rows(parts, kind) == rows(out, kind)
    assert second.stdout.replace(str(parts), str(out)) == first.stdout


def test_an_empty_folder_has_no_rows(tmp_path: Path, out: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = export(tmp_path / "empty", "--out", out)
    assert done.return_value == 0 and "no logs found" in done.stdout


def test_a_failed_export_leaves_nothing(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = leveldb(tmp_path / "000003.log", 1)

    def fails(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(parquet_export.pq, "ParquetWriter", fails)
    message = str(export(log, "--out", out).exception)
    assert "No space left on device" in message and str(log) not in message
    assert [path.name for path in tmp_path.iterdir()] == ["000003.log"]


def _dies(*_: Any, **__: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_dead_worker_is_an_error_and_leaves_nothing(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = leveldb(tmp_path / "000003.log", 1)
    monkeypatch.setattr(parquet_export, "_write", _dies)
    error = export(log, "--out", out).exception
    assert isinstance(error, ClickException) and "a worker process died" in str(error)
    assert [path.name for path in tmp_path.iterdir()] == ["000003.log"]


def test_options_that_do_not_fit_are_rejected(tmp_path: Path, out: Path) -> None:
    log = leveldb(tmp_path / "000003.log", 3)
    for words, message in (
        ([log], "Missing parameter: out"),
        ([log, "--out", out, "--format", "x"], "unknown format"),
        ([log, "--out", out, "--context", "name=x"], "needs --format"),
        ([log, tmp_path / "none", "--out", out], "none: No such file or directory"),
        ([log, "--out", log], f"{log} already exists"),
    ):
        assert message in str(export(*words).exception), words
    (tmp_path / "text").write_text("not a log")
    assert export(tmp_path / "text", "--out", out).return_value == 4
    refused = vector("rocksdb-wal", "compressed-with-lz4.log", tmp_path / "lake")
    assert export(log, refused, "--out", tmp_path / "two").return_value == 4
    assert not out.exists()


def test_without_pyarrow_the_error_names_the_extra(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = leveldb(tmp_path / "000003.log", 1)
    for name in [
        name
        for name in sys.modules
        if name.startswith(("walproof.scanners", "walproof.log_rows", "walproof.parquet_export"))
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    done = export(log, "--out", out)
    assert isinstance(done.exception, ModuleNotFoundError)
    assert "pip install 'walproof[fast]'" in str(advice(done.exception))
