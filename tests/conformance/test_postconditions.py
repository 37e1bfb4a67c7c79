"""Postconditions of a write or an append cover file names and sizes, and leave writers choices."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from conformance import VECTORS, postconditions
from reference_impl.register import registers


def test_files_are_listed_below_the_folder(tmp_path):
    (tmp_path / "log" / "deep").mkdir(parents=True)
    (tmp_path / "log" / "deep" / "1.rlog").write_bytes(b"four")
    (tmp_path / "log.old").symlink_to(tmp_path / "nowhere")
    actual = postconditions.files_in(tmp_path)
    assert actual["log/deep/1.rlog"] == 4
    assert set(actual) == {"log/deep/1.rlog", "log.old"}


@pytest.mark.parametrize(
    ("actual", "free", "message"),
    [
        ({"a": 1, "b": 2}, (), None),
        ({"a": 1}, (), "b is missing"),
        ({"a": 1}, postconditions.FREEDOMS, "b is missing"),
        ({"a": 1, "b": 3}, (), "b: expected 2 bytes, found 3"),
        ({"a": 1, "b": 3}, ("preallocation",), None),
        ({"a": 1, "b": 2, "c": 0}, ("preallocation",), "c (0 bytes) should not be there"),
        ({"a": 1, "b": 2, "c": 0}, ("other-files",), None),
    ],
)
def test_differing_files_are_reported(actual, free, message):
    differences = postconditions.file_differences({"a": 1, "b": 2}, actual, free)
    assert differences == ([] if message is None else [f"files: {message}"])


def test_a_name_may_be_a_pattern_and_claims_one_file():
    expected = {"x.pers": 1, "x.pers-*": 2}
    assert not postconditions.file_differences(expected, {"x.pers": 1, "x.pers-817": 2}, ())
    files = {"x.pers": 1, "x.pers-1": 2, "x.pers-2": 2}
    (wrong,) = postconditions.file_differences(expected, files, ())
    assert wrong == "files: x.pers-2 (2 bytes) should not be there"


@pytest.mark.parametrize("make", [lambda path: None, os.mkfifo, Path.mkdir])
def test_a_pipe_or_folder_has_no_bytes(tmp_path, make):
    make(tmp_path / "1.log")
    (wrong,) = postconditions.byte_differences({("1.log", 0): b"a"}, tmp_path.joinpath)
    assert wrong == "bytes: 1.log at 0: expected 61, found no file"


def test_only_the_stated_files_are_digested(tmp_path, monkeypatch):
    for name in ("1.log", "2.log"):
        (tmp_path / name).write_bytes(name.encode())
    digests = postconditions.digests_in(tmp_path)
    opened = []
    real = Path.open
    monkeypatch.setattr(
        Path, "open", lambda path, *arguments: opened.append(path.name) or real(path, *arguments)
    )
    assert not postconditions.digest_differences({"2.log": digests["2.log"]}, tmp_path.joinpath)
    assert opened == ["2.log"]
    assert not postconditions.digest_differences({}, tmp_path.joinpath)
    assert opened == ["2.log"]


def test_the_stated_files_bytes_and_digests_are_compared(tmp_path):
    log = tmp_path / "log" / "1.log"
    log.parent.mkdir()
    log.write_bytes(b"abc")
    files, digests = postconditions.files_in(tmp_path), postconditions.digests_in(tmp_path)
    assert files == {"log/1.log": 3} and set(digests) == set(files)
    after = postconditions.to_json(files, {("log/1.log", 1): b"b"}, (), digests)
    assert after["bytes"] == [{"name": "log/1.log", "at": 1, "hex": "62"}]

    def differences():
        files = postconditions.files_in(tmp_path)
        return postconditions.differences(after, (), files, tmp_path.joinpath)

    assert differences() == []
    log.write_bytes(b"abd")
    (wrong,) = differences()
    assert "log/1.log: expected sha256 ba7816bf8f01" in wrong
    log.write_bytes(b"acd")
    assert differences() == ["bytes: log/1.log at 1: expected 62, found 63"]
    log.write_bytes(b"ab")
    assert differences() == ["files: log/1.log: expected 3 bytes, found 2"]


def test_every_part_is_compared_unless_it_is_free():
    for format_id, register in registers().items():
        every = {"records", "verdict", "reason", "lost", "end", *register.fields} - {"payload"}
        assert set(postconditions.compared_parts(format_id, ())) == every
        free = set(postconditions.compared_parts(format_id, postconditions.FREEDOMS))
        assert "records" in free and not free & {"at", "size", "file", "end", "lost", "verdict"}


def test_the_schema_has_the_same_freedoms():
    schema = json.loads((VECTORS / "schema.json").read_text())
    free = schema["properties"]["after"]["properties"]["free"]["items"]
    assert free["properties"]["freedom"]["enum"] == list(postconditions.FREEDOMS)


@pytest.mark.parametrize("format_id", registers())
def test_the_name_of_a_new_log_selects_file_or_folder(format_id):
    """An adapter gets only a path, so the name of a new log shows whether it is a folder."""
    for path in (VECTORS / format_id).glob("*.json"):
        body = json.loads(path.read_text("utf-8"))
        if body["operation"] == "write" and not body.get("must_refuse"):
            is_folder = (path.parent / body["input"]).is_dir()
            assert is_folder == (not path.with_name(body["input"]).suffix), path
