"""The contents of a log can be read from files, written to files, and compared."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from conformance import contents
from conformance.contents import TooMuch, read_contents, write_contents
from conformance.vector_cases import contents_at

FOLDER = {"a.log": b"one", "b": b"", "c/d.log": b"two"}


@pytest.mark.parametrize("log", [b"", b"log", FOLDER])
def test_written_contents_are_read_back(tmp_path: Path, log) -> None:
    write_contents(log, tmp_path / "case")
    assert read_contents(tmp_path / "case") == log


def test_files_are_listed_in_the_order_of_their_names(tmp_path: Path) -> None:
    log = {"c/d": b"", "c-d": b"", "a": b"", "c/a": b""}
    write_contents(log, tmp_path / "case")
    assert list(read_contents(tmp_path / "case")) == ["a", "c/a", "c/d", "c-d"]


def test_a_pipe_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "case")
    assert contents_at(tmp_path / "case") is None
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "folder" / "case")
    assert contents_at(tmp_path / "folder") == {}


def test_a_missing_path_has_no_contents(tmp_path: Path) -> None:
    assert contents_at(tmp_path / "case") is None


def test_the_size_of_a_folder_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_contents(FOLDER, tmp_path / "case")
    monkeypatch.setattr(contents, "MAX_DEPTH", 1)
    with pytest.raises(TooMuch, match="folders"):
        read_contents(tmp_path / "case")
    monkeypatch.undo()
    monkeypatch.setattr(contents, "MAX_FILES", 2)
    with pytest.raises(TooMuch, match="files"):
        read_contents(tmp_path / "case")
    monkeypatch.undo()
    monkeypatch.setattr(contents, "MAX_BYTES", 5)
    with pytest.raises(TooMuch, match="MiB"):
        read_contents(tmp_path / "case")


def test_only_links_to_files_are_followed(tmp_path: Path) -> None:
    folder = tmp_path / "case"
    write_contents({"a": b"one"}, folder)
    (folder / "loop").symlink_to("loop")
    (folder / "up").symlink_to(tmp_path)
    (folder / "same").symlink_to("a")
    assert read_contents(folder) == {"a": b"one", "same": b"one"}
