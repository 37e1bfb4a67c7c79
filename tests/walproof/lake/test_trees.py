"""Listing a local folder gives the same information about each file as querying the file."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from walproof.lake import retry, trees


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "b.log").write_bytes(b"abc")
    (tmp_path / "folder").mkdir()
    (tmp_path / "a link").symlink_to("b.log")
    (tmp_path / "folder, by a link").symlink_to("folder")
    os.link(tmp_path / "b.log", tmp_path / "another name")
    os.mkfifo(tmp_path / "pipe")
    return tmp_path


def test_a_listing_equals_the_entries(folder: Path) -> None:
    tree = trees.LocalTree()
    listed = tree.entries(str(folder))
    assert [one.name for one in listed] == sorted(path.name for path in folder.iterdir())
    for one in listed:
        alone = tree.entry(one.path)
        assert (one.fault is None) == (alone.fault is None) == (one.name != "pipe")
        facts = [
            (each.path, each.is_folder, each.size, each.modified, each.inode, each.is_link)
            for each in (one, alone)
        ]
        assert facts[0] == facts[1]
    assert {one.name for one in listed if one.is_link} == {"a link", "folder, by a link"}


def test_a_transient_error_is_retried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "PAUSE_SECONDS", (0.0, 0.0))
    disk_error = OSError(errno.EIO, "Input/output error")
    errors = [PermissionError(errno.EACCES, "Permission denied"), disk_error, disk_error]

    @retry.with_retries
    def call() -> int:
        if errors:
            raise errors.pop()
        return 7

    with pytest.raises(PermissionError):
        call()
    assert errors == [] and call() == 7
