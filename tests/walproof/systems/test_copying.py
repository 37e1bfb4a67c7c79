"""A copy has every file, with holes, links and times; a full disk leaves no partial copy."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from conformance import VECTORS
from walproof.systems.copying import copy_folder

LOG = VECTORS / "leveldb-log" / "three-records.log"


def test_every_file_is_copied(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "deep" / ".hidden").mkdir(parents=True)
    (folder / "a").write_bytes(b"first")
    (folder / "deep" / ".hidden" / "b").write_bytes(b"")
    os.utime(folder / "a", (1, 1))
    (folder / "a").chmod(0o440)
    (folder / "deep").chmod(0o555)
    assert copy_folder(folder, tmp_path / "copy") == []
    assert (tmp_path / "copy" / "a").read_bytes() == b"first"
    assert (tmp_path / "copy" / "a").stat().st_mtime == 1
    assert (tmp_path / "copy" / "a").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "copy" / "deep").stat().st_mode & 0o777 == 0o755
    (folder / "deep").chmod(0o755)
    assert (tmp_path / "copy" / "deep" / ".hidden" / "b").read_bytes() == b""


def test_holes_stay_holes(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    with (folder / "sparse").open("wb") as file:
        file.write(b"head")
        file.seek(50 << 20)
        file.write(b"tail")
        file.truncate(80 << 20)
    assert copy_folder(folder, tmp_path / "copy") == []
    copy = tmp_path / "copy" / "sparse"
    assert copy.read_bytes() == (folder / "sparse").read_bytes()
    assert copy.stat().st_blocks * 512 < 1 << 20


def test_links(tmp_path: Path) -> None:
    """A link inside the folder leads to the copy; a link out of the folder becomes the file."""
    folder = tmp_path / "folder"
    (folder / "deep").mkdir(parents=True)
    (folder / "a").write_bytes(b"inside")
    (tmp_path / "outside").write_bytes(b"outside")
    (folder / "deep" / "within").symlink_to(folder / "a")
    (folder / "out").symlink_to("../outside")
    (folder / "nowhere").symlink_to("not there")
    (folder / "deep" / "up").symlink_to("..")
    copy = tmp_path / "copy"
    (left,) = copy_folder(folder, copy)
    assert (left.name, left.why) == ("deep/up", "a link to a folder above")
    assert (copy / "deep" / "within").readlink() == Path("../a")
    assert not (copy / "out").is_symlink()
    assert (copy / "out").read_bytes() == b"outside"
    assert (copy / "nowhere").readlink() == Path("not there")


def test_unreadable_files_are_listed(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "broken").symlink_to("/proc/self/mem")  # an I/O error, also for root
    (folder / "a").write_bytes(b"first")
    os.mkfifo(folder / "pipe")
    left = {each.name: each.why for each in copy_folder(folder, tmp_path / "copy")}
    assert left.keys() == {"broken", "pipe"} or left.keys() == {"pipe"}
    assert (tmp_path / "copy" / "a").read_bytes() == b"first"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    folder = tmp_path / "db"
    folder.mkdir()
    shutil.copy(LOG, folder / "000003.log")
    (folder / "CURRENT").write_bytes(b"MANIFEST-000002\n")
    return folder


def test_a_copy_without_space_is_not_started(
    database: Path, tmp_path: Path, run, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=10))
    done = run("recover", database, "--out", tmp_path / "new")
    assert "No space left on device" in str(done.exception)
    assert "needed for a copy" in str(done.exception)
    assert [path.name for path in tmp_path.iterdir()] == ["db"]


def test_a_copy_into_the_folder_itself_is_refused(database: Path, run) -> None:
    done = run("recover", database, "--out", database / "deep" / "new")
    assert "choose a path outside" in str(done.exception)
    assert sorted(path.name for path in database.iterdir()) == ["000003.log", "CURRENT"]
