"""``walproof read --each`` works on zmq-raft and LevelDB logs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from reference_impl import formats
from reference_impl.answer import NewRecord
from reference_impl.zmq_raft.message_pack import encode
from walproof.cli.read import read

from .conftest import INDEX_FILE

RECORDS = [NewRecord(encode({"n": n}), {"term": "1"}) for n in range(10)]


def run(command, *arguments):
    done = CliRunner().invoke(command, [*map(str, arguments)], standalone_mode=False)
    return done, done.return_value if done.exception is None else 1


@pytest.fixture
def raft(write) -> Path:
    root = write("raft", *RECORDS, capacity=4)
    (root / "raft.pers").write_bytes(encode({"currentTerm": 1}))
    (root / "notes.txt").write_text("text")
    return root


@pytest.fixture
def leveldb(tmp_path) -> Path:
    path = tmp_path / "000003.log"
    formats.named("leveldb-log").write(path, [NewRecord(b"r%d" % n) for n in range(5)], {})
    return path


def test_each_by_index(raft, tmp_path):
    out = tmp_path / "new" / "out"
    done, status = run(read, raft, "--each", out)
    assert status == 0
    assert sorted(file.name for file in out.iterdir()) == [f"{n:016}.data" for n in range(1, 11)]
    assert (out / "0000000000000003.data").read_bytes() == encode({"n": 2})
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["index"] for line in lines] == [str(n) for n in range(1, 11)]
    assert lines[0]["term"] == "1" and "payload" not in lines[0]


def test_each_numbers_records_without_an_index(leveldb, tmp_path):
    assert run(read, leveldb, "--each", tmp_path / "o")[1] == 0
    names = sorted(file.name for file in (tmp_path / "o").iterdir())
    assert names == [f"{n:016}.data" for n in range(5)]


def test_each_replaces_no_existing_file(raft, tmp_path):
    out = tmp_path / "out"
    assert run(read, raft, "--each", out)[1] == 0
    (out / "0000000000000002.data").write_bytes(b"mine")
    assert run(read, raft, "--each", out)[1] == 1
    assert (out / "0000000000000002.data").read_bytes() == b"mine"


def test_each_of_damage(tmp_path):
    path = tmp_path / "00000000000001.rlog"
    path.write_bytes(INDEX_FILE[:-1])
    done, status = run(read, path, "--each", tmp_path / "o")
    assert status == 3 and "torn-entry" in done.stderr
    assert (tmp_path / "o" / "0000000000000001.data").read_bytes() == b"hello"
