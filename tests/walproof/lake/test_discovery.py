"""Discovery finds the files and folders that are logs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance import VECTORS
from reference_impl.answer import NewRecord
from reference_impl.formats import named
from walproof.lake.discovery import FoundLog, find
from walproof.lake.options import BadOption, Options

Found = Callable[..., list[FoundLog]]


def write(format_id: str, path: Path, count: int = 3, **context: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    fields = {"systemd-journal": {"realtime": "1", "monotonic": "1", "boot_id": "00" * 16}}
    records = [
        NewRecord(f"record {number}".encode(), fields.get(format_id, {})) for number in range(count)
    ]
    named(format_id).write(path, records, context)
    return path


def zeebe(folder: Path) -> Path:
    shutil.copytree(VECTORS / "zeebe-journal" / "exactly-full-segments", folder)
    return folder


def kahadb(folder: Path) -> Path:
    folder.mkdir(parents=True)
    write("kahadb-journal", folder / "db-1.log")
    (folder / "db.data").write_bytes(b"index")
    (folder / "lock").touch()
    return folder


def zmq_raft(folder: Path) -> Path:
    shutil.copytree(VECTORS / "zmq-raft" / "files-in-two-folders", folder)
    return folder


@pytest.fixture
def found() -> Found:
    def search(path: Path | str, **options: str) -> list[FoundLog]:
        return find(Options.parse({"path": str(path), **options}))

    return search


def names(logs: list[FoundLog], root: Path) -> list[tuple[str, str | None]]:
    return [(os.path.relpath(log.path, root), log.format) for log in logs]


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    lake = tmp_path / "lake"
    write("leveldb-log", lake / "000003.log")
    zeebe(lake / "broker")
    kahadb(lake / "store")
    zmq_raft(lake / "raft")
    write("leveldb-log", lake / "deep" / "er" / "000007.log")
    (lake / "_hidden").mkdir()
    write("leveldb-log", lake / "_hidden" / "000001.log")
    write("leveldb-log", lake / ".hidden.log")
    return lake


FOLDERS = [("broker", "zeebe-journal"), ("raft", "zmq-raft"), ("store", "kahadb-journal")]


def test_folders_are_logs_and_their_files_are_not(lake: Path, found: Found) -> None:
    assert names(found(lake), lake) == [("000003.log", None), *FOLDERS]


def test_recursive(lake: Path, found: Found) -> None:
    logs = names(found(lake, recursiveFileLookup="true"), lake)
    assert logs == sorted([("000003.log", None), ("deep/er/000007.log", None), *FOLDERS])


@pytest.mark.parametrize(("folder", "format_id"), FOLDERS)
def test_a_folder_itself(lake: Path, found: Found, folder: str, format_id: str) -> None:
    (log,) = found(lake / folder)
    assert (log.path, log.format) == (str(lake / folder), format_id)
    assert log.size == sum((lake / folder / name).stat().st_size for name in log.files)
    for file in log.files:
        (alone,) = found(lake / folder / file)
        assert (alone.path, alone.format, alone.files) == (str(lake / folder / file), None, ())


def test_a_given_format(lake: Path, found: Found) -> None:
    for folder, format_id in FOLDERS:
        (log,) = found(lake / folder, journalFormat=format_id)
        assert log.format == format_id and log.files
    logs = found(lake, journalFormat="leveldb-log")
    assert names(logs, lake) == [("000003.log", "leveldb-log")]


def test_a_log_next_to_the_files_of_another(lake: Path, found: Found) -> None:
    write("leveldb-log", lake / "store" / "000009.log")
    (lake / "store" / "unknown").write_bytes(b"neither here nor there")
    logs = names(found(lake / "store"), lake)
    assert logs == [("store", "kahadb-journal"), ("store/000009.log", None)]


def test_two_journals_in_a_folder_are_two_logs(lake: Path, found: Found) -> None:
    for file in sorted((lake / "broker").glob("*.log")):
        shutil.copy(file, file.with_name(file.name.replace("journal-", "other-")))
    logs = found(lake / "broker")
    assert [log.context["name"] for log in logs] == ["journal", "other"]
    assert [log.context["name"] for log in found(lake / "broker", journalName="other")] == ["other"]


def test_a_journal_without_segments(lake: Path, found: Found) -> None:
    (lake / "broker" / "gone.meta").write_bytes(bytes(32))
    logs = found(lake / "broker", journalFormat="zeebe-journal")
    assert [log.files for log in logs if log.context["name"] == "gone"] == [("gone.meta",)]


@pytest.mark.parametrize(
    ("glob", "count"),
    [
        ("000003.log", 1),
        ("*", 4),
        ("b*", 1),
        ("{b,s}*", 2),
        ("[^b]*", 3),
        ("deep/*/0000??.log", 1),
        ("*/*/*.log", 1),
    ],
)
def test_globs(lake: Path, found: Found, glob: str, count: int) -> None:
    assert len(found(f"{lake}/{glob}")) == count


def test_path_glob_filter(lake: Path, found: Found) -> None:
    assert names(found(lake, pathGlobFilter="0*.log"), lake) == [("000003.log", None)]
    assert names(found(lake, pathGlobFilter="db-*.log"), lake) == [("store", "kahadb-journal")]


def test_modified(lake: Path, found: Found) -> None:
    os.utime(lake / "000003.log", (0, 86400))
    assert names(found(lake, modifiedBefore="1970-01-03T00:00:00"), lake) == [("000003.log", None)]
    assert names(found(lake, modifiedAfter="1970-01-03T00:00:00"), lake) == FOLDERS


def test_missing_paths(tmp_path: Path, found: Found) -> None:
    with pytest.raises(FileNotFoundError, match=r"path does not exist: .*/nothing"):
        found(tmp_path / "nothing")
    with pytest.raises(FileNotFoundError, match="nothing matches"):
        found(tmp_path / "*.log")
    with pytest.raises(BadOption, match="no path"):
        find(Options.parse({}))


def test_forms_of_a_path(lake: Path, found: Found, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [str(lake / "000003.log")]
    monkeypatch.chdir(lake)
    for path in ("000003.log", f"file:{lake}/000003.log", f"file://{lake}/000003.log"):
        assert [log.path for log in found(path)] == expected
    both = find(Options.parse({"paths": f'["{lake}/000003.log", "{lake}/*.log"]'}))
    assert [log.path for log in both] == expected


def test_an_unlistable_folder_is_a_fault(
    lake: Path, found: Found, monkeypatch: pytest.MonkeyPatch
) -> None:
    (lake / "nowhere.log").symlink_to(lake / "gone")
    os.mkfifo(lake / "pipe")
    (lake / "deep" / "circle").symlink_to(lake)
    scandir = os.scandir

    def denied(folder: Any) -> Any:
        if str(folder).endswith("/er"):
            raise PermissionError(13, "Permission denied", folder)
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", denied)
    logs = found(lake, recursiveFileLookup="true")
    faults = {os.path.relpath(log.path, lake): str(log.fault) for log in logs if log.fault}
    assert set(faults) == {"nowhere.log", "pipe", "deep/er"}
    assert "No such file" in faults["nowhere.log"]
    assert "neither a file nor a folder" in faults["pipe"]
    assert "Permission denied" in faults["deep/er"]


def test_an_empty_folder(tmp_path: Path, found: Found) -> None:
    assert found(tmp_path) == []


def test_a_link_to_a_found_log_is_ignored(tmp_path: Path) -> None:
    lake, elsewhere = tmp_path / "lake", tmp_path / "elsewhere"
    write("leveldb-log", lake / "m" / "real.log")
    write("leveldb-log", elsewhere / "far.log")
    write("leveldb-log", elsewhere / "deep" / "inner.log")
    (lake / "a.log").symlink_to(lake / "m" / "real.log")
    (lake / "a-folder").symlink_to(lake / "m")
    (lake / "b.log").symlink_to(elsewhere / "far.log")
    (lake / "c.log").symlink_to(elsewhere / "far.log")
    (lake / "d-folder").symlink_to(elsewhere / "deep")
    (lake / "e-folder").symlink_to(elsewhere / "deep")
    options = Options.parse({"recursiveFileLookup": "true", "path": str(lake)})
    results = [str(Path(log.path).relative_to(lake)) for log in find(options)]
    assert results == ["b.log", "d-folder/inner.log", "m/real.log"]


def test_a_hard_link_is_another_log(tmp_path: Path) -> None:
    write("leveldb-log", tmp_path / "one.log")
    (tmp_path / "two.log").hardlink_to(tmp_path / "one.log")
    assert len(find(Options.parse({"path": str(tmp_path)}))) == 2
