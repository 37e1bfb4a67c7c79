"""The audit without Spark: which logs are read again, and the output after any failure."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from conformance.saving import sync_to_disk
from pyspark_journal.audit import JobFailed, Outcome, OutputRefused, audit, reason_of
from tests.walproof.inventory.lakes import leveldb, mixed, options, rows, vector
from walproof.inventory.task import Task, Written, write_rows

from .in_process import InProcess

TASK_BYTES = 64 << 10
State = tuple[Any, ...] | None


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    return mixed(tmp_path / "lake")


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def run(lake: Path, out: Path, is_again: bool = False, **given: Any) -> Outcome:
    return audit(
        options(lake, **given), out, None, None, is_again, TASK_BYTES, spark=InProcess()
    )  # fmt: skip


def counts(outcome: Outcome) -> tuple[int, int]:
    return outcome.summary["read"]["logs"], outcome.summary["carried_over"]["logs"]


def state(out: Path) -> State:
    """Return everything that a user sees in the output, or None before the first result."""
    if not out.exists() or not list(out.iterdir()):
        return None
    assert {path.name for path in out.iterdir()} == {
        "records", "damage", "files", "summary.json", "summary.html",
    }  # fmt: skip
    totals = json.loads((out / "summary.json").read_text())["totals"]
    assert (out / "summary.html").read_text().endswith("</html>\n")
    return (*(rows(out, name) for name in ("records", "damage", "files")), totals)


def test_unchanged_logs_are_not_read_again(lake: Path, out: Path) -> None:
    first = run(lake, out)
    assert counts(first) == (12, 0)
    inode = out.stat().st_ino
    again = run(lake, out)
    assert not again.is_new and again.summary == first.summary
    assert out.stat().st_ino == inode


def test_only_changed_logs_are_read(lake: Path, out: Path) -> None:
    run(lake, out)
    log = lake / "zmq-raft" / "a-thousand-entries.rlog"
    log.write_bytes(log.read_bytes()[:-3])
    leveldb(lake / "new.log", 10)
    (lake / "systemd-journal" / "closed-file.journal").unlink()
    assert counts(run(lake, out)) == (2, 10)
    fresh = out.with_name("fresh")
    run(lake, fresh)
    assert state(out) == state(fresh)
    summary, expected = (json.loads((d / "summary.json").read_text()) for d in (out, fresh))
    for name in ("totals", "formats", "reasons", "worst"):
        assert summary[name] == expected[name]
    assert counts(run(lake, out, is_again=True)) == (12, 0)


def test_files_of_unchanged_logs_are_linked(tmp_path: Path, out: Path) -> None:
    leveldb(tmp_path / "lake" / "large.log", 3000)
    run(tmp_path / "lake", out)
    before = {path.name: path.stat().st_ino for path in (out / "records").iterdir()}
    leveldb(tmp_path / "lake" / "new.log", 10)
    run(tmp_path / "lake", out)
    after = {path.name: path.stat().st_ino for path in (out / "records").iterdir()}
    assert before.items() < after.items()


def test_files_are_copied_without_hard_links(
    tmp_path: Path, lake: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(lake, out)
    leveldb(lake / "new.log", 2)

    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError("no hard links here")

    monkeypatch.setattr("os.link", refuse)
    run(lake, out)
    run(lake, tmp_path / "fresh")
    assert state(out) == state(tmp_path / "fresh")


def test_a_change_is_detected_by_its_time(tmp_path: Path, out: Path) -> None:
    log = leveldb(tmp_path / "lake" / "long.log", 1000)
    run(tmp_path / "lake", out)
    data = bytearray(log.read_bytes())
    data[50_000] ^= 1
    log.write_bytes(data)
    assert counts(run(tmp_path / "lake", out)) == (1, 0)
    assert any(row["file"] == str(log) for row in rows(out, "damage"))


def test_changed_options_read_everything(tmp_path: Path, out: Path) -> None:
    leveldb(tmp_path / "lake" / "a.log", 3)
    run(tmp_path / "lake", out)
    for changed in ({"payload": True}, {"decode": True}, {"journalFormat": "rocksdb-wal"}):
        assert counts(run(tmp_path / "lake", out, **changed)) == (1, 0), changed


def test_the_output_may_be_inside_the_input(lake: Path) -> None:
    out = lake / "audit"
    run(lake, out)
    assert not run(lake, out).is_new
    assert not any("/audit/" in row["file"] for row in rows(out, "files"))


def test_the_page_is_self_contained(lake: Path, out: Path) -> None:
    name = "<script>alert(1)<⁄script>&.log"
    (lake / "leveldb-log" / "large-lengths-in-every-block.log").rename(lake / name)
    run(lake, out)
    page = (out / "summary.html").read_text()
    assert "<script" not in page and "&lt;script&gt;" in page and "default-src 'none'" in page
    links = re.findall(r"""(?:href|src)=["']([^"']+)|url\(([^)]+)""", page)
    assert all("".join(link).startswith("data:") for link in links)
    assert page.count("<svg") >= 3 and page.count('class="bar"') >= 3
    for heading in ("Damage by reason", "Files with the largest losses"):
        assert heading in page


def small_lake(lake: Path) -> None:
    vector("leveldb-log", "large-lengths-in-every-block.log", lake)
    leveldb(lake / "large.log", 1500)
    leveldb(lake / "old.log", 3)


def change(lake: Path) -> None:
    leveldb(lake / "new.log", 2)
    (lake / "old.log").unlink()


def audited(lake: Path, out: Path) -> State:
    run(lake, out)
    return state(out)


def test_a_late_copy_of_a_task_changes_nothing(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark ends a job when each task has finished once; another copy may still be writing."""
    lake = tmp_path / "lake"
    small_lake(lake)
    expected = audited(lake, tmp_path / "fresh")
    tasks: list[Task] = []

    class Remembers(InProcess):
        def collect(self) -> list[Written]:
            tasks.extend(self.tasks)
            return super().collect()

    def write_late(path: Path) -> None:
        write_rows(tasks[0])
        sync_to_disk(path)

    monkeypatch.setattr("pyspark_journal.audit.sync_to_disk", write_late)
    audit(options(lake), out, spark=Remembers(), max_task_bytes=TASK_BYTES)
    assert tasks
    assert state(out) == expected


def test_a_part_of_a_log_is_not_read_without_numba(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An executor without numba reads no part of a log; a driver without numba splits no log."""
    leveldb(tmp_path / "lake" / "a.log", 200, size=2_000)

    class WithoutNumba(InProcess):
        def collect(self) -> list[Written]:
            monkeypatch.setitem(sys.modules, "numba", None)
            return super().collect()

    message = r"a\.log: was split on a machine with numba, but numba is missing"
    with pytest.raises(JobFailed, match=message):
        audit(options(tmp_path / "lake"), out, spark=WithoutNumba(), max_task_bytes=TASK_BYTES)
    assert not out.exists()
    audit(options(tmp_path / "lake"), out, spark=WithoutNumba(), max_task_bytes=TASK_BYTES)
    assert len(rows(out, "records")) == 200, "planned without numba, it is read whole"


def test_one_audit_at_a_time(tmp_path: Path, out: Path) -> None:
    leveldb(tmp_path / "lake" / "a.log", 1)

    class Second(InProcess):
        def collect(self) -> list[Written]:
            with pytest.raises(OutputRefused, match="another audit is writing here"):
                run(tmp_path / "lake", out)
            return super().collect()

    assert audit(options(tmp_path / "lake"), out, spark=Second()).is_new


@pytest.mark.parametrize("name", ["records", "notes.txt"])
def test_a_folder_of_another_program_is_refused(tmp_path: Path, out: Path, name: str) -> None:
    if name == "notes.txt":
        leveldb(tmp_path / "lake" / "a.log", 1)
        run(tmp_path / "lake", out)
    else:
        out.mkdir()
    (out / name).mkdir(parents=True)
    (out / name / "mine").write_text("kept")
    with pytest.raises(OutputRefused, match=f"{name} is not part of an audit"):
        run(tmp_path, out, is_again=True)
    assert (out / name / "mine").read_text() == "kept"


def test_the_output_may_be_a_link(tmp_path: Path, out: Path) -> None:
    leveldb(tmp_path / "lake" / "a.log", 1)
    (tmp_path / "disk").mkdir()
    out.symlink_to(tmp_path / "disk")
    run(tmp_path / "lake", out)
    assert out.is_symlink() and len(rows(tmp_path / "disk", "records")) == 1


SPARK_MESSAGE = """An error occurred while calling z:org.apache.spark.api.python.PythonRDD.collect.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 17.0 failed 4
  File "pyarrow/error.pxi", line 92, in pyarrow.lib.check_status
FileNotFoundError: [Errno 2] Failed to open local file '/audit/records/a.parquet'
 SQLSTATE: 38000
	at org.apache.spark.api.python.BasePythonRunner$ReaderIterator.handlePythonException(x.scala:1)
"""


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (SPARK_MESSAGE, "FileNotFoundError: [Errno 2] Failed to open local file"),
        ("Connection refused", "Connection refused"),
        ("", ""),
    ],
)
def test_spark_errors_become_one_line(message: str, line: str) -> None:
    assert reason_of(message).startswith(line)
