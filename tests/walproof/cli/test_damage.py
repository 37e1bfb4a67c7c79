"""``walproof damage`` writes damaged copies and refuses invalid arguments."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance import contents
from conformance.damage.text import render
from conformance.vectors import load_all
from walproof.cli import walproof

VECTORS = load_all()


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(
        walproof, ["damage", *map(str, arguments)], standalone_mode=False
    )  # fmt: skip


def test_a_vector_made_by_hand(tmp_path: Path) -> None:
    wanted = VECTORS["leveldb-log/payload-flipped-in-second-record"]
    control = VECTORS[wanted.body["control"]]
    out = tmp_path / "bad.log"
    done = run(control.input, *map(render, wanted.damage), "--out", out)
    assert done.return_value == 0, done.exception
    assert out.read_bytes() == wanted.contents
    assert "damaged (checksum-mismatch)" in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["bad.log"]


def test_a_full_disk_is_an_error_of_the_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(data: bytes, path: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))  # write(2) sets no file name

    monkeypatch.setattr(contents, "_write", full)
    log, out = VECTORS["leveldb-log/three-records"].input, tmp_path / "new"
    message = str(run(log, "truncate at 3", "--out", out).exception)
    assert message == f"{out}: No space left on device"
    assert list(tmp_path.iterdir()) == []


def test_no_existing_file_is_changed(tmp_path: Path) -> None:
    log = tmp_path / "000003.log"
    shutil.copy(VECTORS["leveldb-log/three-records"].input, log)
    before = log.read_bytes()
    assert "exists" in str(run(log, "truncate at 3", "--out", log).exception)
    assert log.read_bytes() == before
    assert "--out NEW" in str(run(log, "truncate at 3").exception)
    assert "expected an OPERATION" in str(run(log, "--out", tmp_path / "x").exception)


def test_the_fields_are_listed_with_the_operations(tmp_path: Path) -> None:
    done = run(VECTORS["leveldb-log/three-records"].input, "--list")
    assert "blocks[0].records[1].header.checksum" in done.stdout
    assert "flip bit N of FIELD" in done.stdout
