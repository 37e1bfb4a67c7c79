"""``walproof damage``: single copies, random families, and refused arguments."""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance import contents
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
    done = run(control.input, *wanted.body["made_by"]["damage"], "--out", out)
    assert done.return_value == 0, done.exception
    assert out.read_bytes() == wanted.contents
    assert "damaged (checksum-mismatch)" in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["bad.log"]


@pytest.mark.parametrize("words", [("truncate at 3",), ("--random", "2")])
def test_a_full_disk_is_an_error_of_the_output(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(data: bytes, path: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))  # as of a write: no name in it

    monkeypatch.setattr(contents, "_write", full)
    log, out = VECTORS["leveldb-log/three-records"].input, tmp_path / "new"
    message = str(run(log, *words, "--out", out).exception)
    assert message == f"{out}: No space left on device"
    assert list(tmp_path.iterdir()) == []


def test_no_existing_file_is_changed(tmp_path: Path) -> None:
    log = tmp_path / "000003.log"
    shutil.copy(VECTORS["leveldb-log/three-records"].input, log)
    before = log.read_bytes()
    assert "exists" in str(run(log, "truncate at 3", "--out", log).exception)
    assert log.read_bytes() == before
    assert "--out NEW" in str(run(log, "truncate at 3").exception)
    assert "expected either an OPERATION" in str(run(log, "--out", tmp_path / "x").exception)


@pytest.mark.parametrize(
    "id",
    [
        "leveldb-log/fragments-in-two-blocks",
        "kahadb-journal/two-files",
        "zeebe-journal/three-segments",
        "systemd-journal/five-entries",
        "zmq-raft/three-entries",
    ],
)
def test_the_manifest_describes_a_family(id: str, tmp_path: Path) -> None:
    control = VECTORS[id]
    out = tmp_path / "family"
    options = ("--random", "20", "--seed", "7", "--format", control.body["format"])
    done = run(control.input, *options, "--out", out)
    assert done.return_value == 0, done.exception
    body = json.loads((out / "manifest.json").read_text())
    assert len(body["copies"]) == 20
    assert len({each["sha256"] for each in body["copies"]}) == 20
    assert len({each["damage"][0].split()[0] for each in body["copies"]}) > 5
    for each in body["copies"]:
        again = tmp_path / "again"
        given = run(control.input, *each["damage"], "--out", again, "--format", body["format"])
        assert given.return_value == 0, (each, given.exception)
        assert contents.digest(contents.read_contents(again)) == each["sha256"]
        if again.is_dir():
            shutil.rmtree(again)
        else:
            again.unlink()
    other = tmp_path / "other"
    run(control.input, *options[:3], "8", *options[4:], "--out", other)
    assert (other / "manifest.json").read_text() != (out / "manifest.json").read_text()


def test_random_copies_need_a_small_log(tmp_path: Path) -> None:
    log = tmp_path / "000003.log"
    log.write_bytes(bytes(200_000))
    failed = run(log, "--random", "2", "--format", "leveldb-log", "--out", tmp_path / "x")
    assert "expected at most 131,072 bytes" in str(failed.exception)
    assert not (tmp_path / "x").exists()


def test_the_fields_are_listed_with_the_operations(tmp_path: Path) -> None:
    done = run(VECTORS["leveldb-log/three-records"].input, "--list")
    assert "blocks[0].records[1].header.checksum" in done.stdout
    assert "flip bit N of FIELD" in done.stdout
