"""``walproof DIR`` lists the logs below a directory, and names the files that it does not read."""

from __future__ import annotations

import json
import os
import shutil
import socket
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from conformance import VECTORS
from reference_impl.answer import NewRecord
from reference_impl.formats import named
from walproof.cli import directory as directory_command
from walproof.cli import walproof
from walproof.log import Log
from walproof.log_finder import LocalLogs, find_logs
from walproof.log_summary import Summary, summarise
from walproof.unread_file import UnreadFile

LEVELDB = VECTORS / "leveldb-log"


def run(*arguments: object) -> Result:
    return CliRunner(env={"COLUMNS": "80"}).invoke(
        walproof, list(map(str, arguments)), standalone_mode=False
    )


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Return a directory with one-file logs, logs of several files, and other files."""
    folder = tmp_path / "folder"
    (folder / "deep" / "er").mkdir(parents=True)
    shutil.copy(LEVELDB / "three-records.log", folder / "000003.log")
    shutil.copy(LEVELDB / "payload-flipped-in-second-record.log", folder / "deep" / "000004.log")
    shutil.copytree(VECTORS / "zeebe-journal" / "three-segments", folder / "deep" / "1")
    raft = folder / "raft"
    named("zmq-raft").write(raft, [NewRecord(b"a"), NewRecord(b"b")], {"kind": "directory"})
    for name in ("1", "2"):
        (folder / "deep" / "er" / f"db-{name}.log").write_bytes(b"")
    (folder / "CURRENT").write_bytes(b"MANIFEST-000002\n")
    (folder / "deep" / "1" / "notes").write_bytes(b"text")
    return folder


def test_one_line_for_each_log(directory: Path) -> None:
    done = run(directory)
    assert done.return_value == 3, done.exception
    assert done.stdout.splitlines() == [
        str(directory),
        "verdict  records  bytes lost  format          log",
        "intact         3           0  leveldb-log     000003.log",
        "damaged        1          26  leveldb-log     deep/000004.log",
        "intact         6           0  zeebe-journal   deep/1",
        "intact         0           0  kahadb-journal  deep/er",
        "intact         2           0  zmq-raft        raft",
        "",
        "2 other files were not read",
    ]


def test_json(directory: Path) -> None:
    (directory / "link").symlink_to("CURRENT")
    done = run(directory, "--json")
    *logs, last = map(json.loads, done.stdout.splitlines())
    assert [Path(log["log"]).relative_to(directory).as_posix() for log in logs] == [
        "000003.log", "deep/000004.log", "deep/1", "deep/er", "raft",
    ]  # fmt: skip
    assert logs[1]["verdict"] == "damaged"
    assert logs[1]["lost_bytes"] == 26
    assert last == {
        "directory": str(directory),
        "unread": [{"file": str(directory / "link"), "reason": "a link to CURRENT"}],
        "other_files": 2,
    }


def test_links_and_special_files_are_named_and_not_opened(directory: Path) -> None:
    (directory / "etc").symlink_to("/etc")
    (directory / "000005.log").symlink_to("/proc/kmsg")
    (directory / "up").symlink_to("..")
    (directory / "deep" / "nowhere").symlink_to("missing")
    os.mkfifo(directory / "MANIFEST-000001")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(directory / "s"))
    done = run(directory)
    assert done.stdout.splitlines()[-7:] == [
        "2 other files were not read",
        "  not read: 000005.log: a link to /proc/kmsg",
        "  not read: MANIFEST-000001: a named pipe",
        "  not read: deep/nowhere: a link to missing",
        "  not read: etc: a link to /etc",
        "  not read: s: a socket",
        "  not read: up: a link to ..",
    ]
    assert done.return_value == 3


def test_a_reader_of_several_files_opens_no_link_and_no_pipe(directory: Path) -> None:
    """A named pipe or link is not part of the log, even if it has the name of a segment."""
    journal = directory / "deep" / "1"
    segment = next(journal.glob("*-3.log"))
    expected = run(directory, "--json").stdout.splitlines()[2]
    (journal / segment.name.replace("-3", "-8")).symlink_to("/proc/kmsg")
    os.mkfifo(journal / segment.name.replace("-3", "-9"))
    assert run(directory, "--json").stdout.splitlines()[2] == expected
    out = directory.parent / "new"
    (directory / "deep" / "1" / "notes").unlink()
    assert run("recover", directory, "--out", out).return_value == 3


@pytest.mark.parametrize(("names", "status"), [
    (["three-records"], 0),
    (["three-records", "cut-in-the-first-header"], 3),
])  # fmt: skip
def test_the_worst_verdict_is_the_exit_status(
    names: list[str], status: int, tmp_path: Path
) -> None:
    for number, name in enumerate(names):
        shutil.copy(LEVELDB / f"{name}.log", tmp_path / f"00000{number}.log")
    assert run(tmp_path).return_value == status


def test_a_refused_log(tmp_path: Path) -> None:
    (tmp_path / "system.journal").write_bytes(b"LPKSHHRH" + b"\xff" * 300)
    (tmp_path / "000003.log").write_bytes((LEVELDB / "three-records.log").read_bytes())
    assert run(tmp_path).return_value == 4


def test_a_log_that_cannot_be_read(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(log: Log) -> Summary:
        if log.path.name == "000003.log":
            raise PermissionError(13, "Permission denied", log.name)
        return summarise(log)

    monkeypatch.setattr(directory_command, "summarise", refusing)
    done = run(directory)
    assert done.return_value == 1
    assert "  not read: 000003.log: Permission denied" in done.stdout.splitlines()


def test_names_are_escaped(tmp_path: Path) -> None:
    shutil.copy(LEVELDB / "three-records.log", tmp_path / "\x1b[31m\n000003.log")
    done = run(tmp_path)
    assert done.stdout.splitlines()[2].endswith("  \\x1b[31m\\n000003.log")


def test_a_directory_without_logs(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("text")
    done = run(tmp_path)
    assert "no log found; 1 other file was not read" in done.stderr
    assert done.return_value == 4


def test_the_format_option_selects_logs(directory: Path) -> None:
    """An empty file belongs to the selected format if its name does."""
    found = find_logs(directory, "zeebe-journal")
    names = ["deep/1", "deep/er/db-1.log", "deep/er/db-2.log"]
    assert [log.name for log in found.logs] == [str(directory / name) for name in names]
    assert found.other_files == 6


def test_files_are_counted_once(directory: Path) -> None:
    found = find_logs(directory)
    files = [path for path in directory.rglob("*") if path.is_file()]
    in_logs = sum(len(log.files) or 1 for log in found.logs)
    assert in_logs + found.other_files == len(files)


def test_an_unreadable_directory(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scandir = os.scandir

    def refusing(path: Any) -> Any:
        if not isinstance(path, int) and Path(path).name == "deep":
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    found: LocalLogs = find_logs(directory)
    assert found.unread == [UnreadFile("deep", "Permission denied", is_error=True)]
    names = [str(directory / name) for name in ("000003.log", "raft")]
    assert [log.name for log in found.logs] == names
    done = run("recover", directory, "--out", directory.parent / "new")
    assert done.return_value == 1
    assert "not copied: deep: Permission denied" in done.stderr


def test_a_large_file_of_zeros_is_recognised_by_its_start(tmp_path: Path) -> None:
    """Reading the whole 8 TiB file would take minutes."""
    with (tmp_path / "table").open("wb") as file:
        file.truncate(1 << 43)
    assert find_logs(tmp_path).other_files == 1


def test_time_grows_with_the_logs_and_special_files(tmp_path: Path) -> None:
    """Finding eight times as many takes about eight times as long, not sixty-four."""
    times = []
    for count in (150, 1200):
        for number in range(count):
            (log := tmp_path / str(count) / f"{number}").mkdir(parents=True)
            named("prometheus-wal").write(log / "00000000", [NewRecord(b"alpha")], {})
            os.mkfifo(log.with_suffix(".pipe"))
        started = time.process_time()
        found = find_logs(tmp_path / str(count))
        times.append(time.process_time() - started)
        assert len(found.logs) == len(found.unread) == count
        assert not any(log.reads_files_only for log in found.logs)
    assert times[1] < 30 * times[0]
