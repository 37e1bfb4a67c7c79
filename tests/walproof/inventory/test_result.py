"""The tables of a folder of logs, including rows for damage and for unreadable logs."""

from __future__ import annotations

import io
import os
import re
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from rich.console import Console

from conformance import ROOT
from reference_impl.answer import collect
from reference_impl.formats import FORMATS, named
from tests.walproof.lake.test_remote import served  # noqa: F401 -- a fixture
from walproof.inventory import result
from walproof.inventory.logs import find_logs
from walproof.inventory.report import print_summary

from .lakes import CRASHES, MIXED, leveldb, mixed, options, rows, vector, write_tables

TABLES = ("records", "damage", "files")


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    return mixed(tmp_path / "lake")


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def test_rows_equal_the_answers_of_the_specification(lake: Path, out: Path) -> None:
    write_tables(options(lake, payload=True), out)
    records, damage, files = (rows(out, table) for table in TABLES)
    for format_id, names in MIXED.items():
        for name in names:
            log = lake / format_id / name
            context = {"last_flushed_index": "meta"} if format_id == "zeebe-journal" else {}
            answer = collect(named(format_id).read(log, "recover", context))
            of_log = [row for row in files if row["log"] == str(log)]
            verdicts = {(row["log_verdict"], row["log_reason"]) for row in of_log}
            assert verdicts == {(answer.verdict, answer.reason)}
            actual = tuples(records, log, "file", "offset", "length", "payload")
            assert actual == sorted(
                (str(log / r.file if r.file else log), r.at, r.size, r.payload)
                for r in answer.records
            )
            actual = tuples(damage, log, "file", "offset", "length", "reason")
            assert actual == sorted(
                (str(log / r.file if r.file else log), r.start, r.end - r.start, r.reason)
                for r in answer.lost
            )
            assert sum(row["records"] for row in of_log) == len(answer.records)
            assert sum(row["lost_ranges"] for row in of_log) == len(answer.lost)


def tuples(rows: list[dict[str, Any]], log: Path, *columns: str) -> list[tuple[Any, ...]]:
    """Return these columns of the rows of a log, sorted."""
    return sorted(tuple(row[c] for c in columns) for row in rows if row["log"] == str(log))


def test_a_file_of_two_formats_is_an_error(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leveldb(tmp_path / "lake" / "000003.log", 2)
    zeebe = replace(FORMATS["zeebe-journal"], recognise=lambda path: True)
    monkeypatch.setitem(FORMATS, zeebe.id, zeebe)
    write_tables(options(tmp_path / "lake"), out)
    (row,) = rows(out, "files")
    assert row["error"] == (
        "matches leveldb-log and zeebe-journal; choose one with --option journalFormat=…"
    )


def test_an_unreadable_file_is_a_row(lake: Path, out: Path) -> None:
    summary = write_tables(options(lake), out)
    files = {Path(row["file"]).name: row for row in rows(out, "files")}
    assert files["notes.txt"]["format"] is None and files["notes.txt"]["error"] is None
    assert files["nowhere.log"]["error"] == "No such file or directory"
    assert "neither a file nor a folder" in files["pipe.log"]["error"]
    assert files["compressed-with-lz4.log"]["verdict"] == "refused"
    assert summary["totals"]["unreadable"] == 2 and summary["totals"]["other_files"] == 1
    assert summary["totals"]["refused"] == 1


def test_a_failing_reader_is_a_row(lake: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from walproof.lake import splits

    scanner = splits.scanner

    class Failing:
        def plan(self, *_: Any) -> Any:
            raise MemoryError

        def scan(self, *_: Any) -> Any:
            raise ZeroDivisionError("of the reader")

    monkeypatch.setattr(
        splits, "scanner", lambda name: Failing() if name == "zmq-raft" else scanner(name)
    )
    write_tables(options(lake), out)
    errors = {row["error"] for row in rows(out, "files") if row["format"] == "zmq-raft"}
    assert errors == {"ZeroDivisionError: of the reader"}
    assert any(row["format"] == "kahadb-journal" for row in rows(out, "records"))


def test_a_log_that_kills_its_reader_is_a_row(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log that crashes its reader, in forked workers and in their children, gets a row."""
    for name in ("a", "crash", "z"):
        leveldb(tmp_path / "lake" / f"{name}.log", 3)
    (tmp_path / "sitecustomize.py").write_text(CRASHES)  # read by the child processes of workers
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(ROOT)]))
    from walproof.lake import splits

    scanner = splits.scanner

    class Killing:
        def scan(self, log: Any, *more: Any) -> Any:
            if log.path.name == "crash.log":
                os.kill(os.getpid(), signal.SIGSEGV)
            return scanner("leveldb-log").scan(log, *more)

    monkeypatch.setattr(splits, "scanner", lambda _: Killing())
    task_options = options(tmp_path / "lake")
    logs = find_logs(task_options.source)
    plan = result.make_plan(logs, task_options, tmp_path / "tasks", 2)
    result.write_result(logs, plan, result.run_in_pool, out)
    files = {Path(row["file"]).name: row for row in rows(out, "files")}
    assert files["crash.log"]["error"] == "the reader was killed by signal 11"
    assert files["crash.log"]["verdict"] is None
    assert files["a.log"]["records"] == files["z.log"]["records"] == 3
    assert len(rows(out, "records")) == 6


def test_parts_of_a_large_log_give_equal_tables(tmp_path: Path) -> None:
    log = leveldb(tmp_path / "lake" / "large.log", 5000)
    data = bytearray(log.read_bytes())
    for at in (40_000, 140_000, 141_000, 300_000):
        data[at] ^= 1
    log.write_bytes(data[:-7])
    at_once, parts = tmp_path / "whole", tmp_path / "parts"
    summary_at_once = write_tables(options(log), at_once, 1 << 30)
    summary_of_parts = write_tables(options(log), parts, 64 << 10)
    assert len(list((parts / "records").iterdir())) > len(list((at_once / "records").iterdir()))
    for table in TABLES:
        assert rows(parts, table) == rows(at_once, table)
    assert summary_of_parts == summary_at_once and summary_of_parts["totals"]["damaged"] == 1


def test_two_journals_in_one_folder_are_two_logs(tmp_path: Path, out: Path) -> None:
    vector("zeebe-journal", "another-journal-in-the-folder", tmp_path / "lake")
    write_tables(options(tmp_path / "lake"), out)
    logs = {row["log"] for row in rows(out, "files")}
    assert len(logs) == 2 and all(log.endswith("-*.log") for log in logs)


def test_an_empty_folder_has_empty_tables(tmp_path: Path, out: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert write_tables(options(tmp_path / "empty"), out)["totals"]["logs"] == 0
    for table in TABLES:
        assert pq.read_table(out / table).num_rows == 0
    with pytest.raises(FileNotFoundError):
        write_tables(options(tmp_path / "missing"), tmp_path / "another")


def test_a_log_of_zeros_has_a_remark(tmp_path: Path, out: Path) -> None:
    lake = tmp_path / "lake"
    lake.mkdir()
    (lake / "wiped.log").write_bytes(bytes(200_000))
    with (lake / "prepared.log").open("wb") as file:
        file.truncate(3 << 20)  # a hole, read in several parts
    leveldb(lake / "sound.log", 3)
    (lake / "empty.log").touch()
    summary = write_tables(options(lake), out, 1 << 20)
    assert {row["file"] for row in rows(out, "files") if row["remark"]} == {
        str(lake / "wiped.log"), str(lake / "prepared.log"),
    }  # fmt: skip
    assert [(file["size"]) for file in summary["blank"]["first"]] == [3 << 20, 200_000]
    console = Console(width=80, record=True, file=io.StringIO())
    print_summary({"paths": [str(lake)], **summary}, console)
    assert re.search(r"^zeros  wiped\.log: 19\d\S* \w+, all 0$", console.export_text(), re.M)
