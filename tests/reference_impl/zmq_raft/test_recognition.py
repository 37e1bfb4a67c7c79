"""Files that are recognised as zmq-raft's, and files that are not."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from conformance import ROOT, VECTORS
from reference_impl import formats
from reference_impl.answer import NewRecord
from reference_impl.formats import FORMATS, UnknownFormat, detect
from reference_impl.zmq_raft.index_writer import empty
from tests.real_files import ZMQ_RAFT

from .conftest import INDEX_FILE, SNAPSHOT, STATE

FORMAT = formats.named("zmq-raft")


@pytest.mark.parametrize(
    ("name", "data"),
    [("x", INDEX_FILE), ("x", SNAPSHOT), ("x", STATE), ("x", INDEX_FILE[:12]), ("x", STATE[:8]),
     ("raft.pers", b""), ("00000000000001.rlog", b""), ("raft.pers", b"\x80"),
     ("raft.pers-2018-09-26-145936-8170", STATE[:6]), ("raft.pers", STATE[:15] + b"\x05")],
)  # fmt: skip
def test_zmq_raft_files_are_recognised(tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data)
    assert FORMAT.recognise(path)
    assert detect(path).id == "zmq-raft"


@pytest.mark.parametrize("capacity", [4, 16384, 32768, 65536, 1 << 20])
def test_index_files_of_any_capacity(tmp_path, capacity):
    """For some capacities the length of the first chunk looks like a LevelDB header."""
    path = tmp_path / "x"
    path.write_bytes(empty(1, capacity, {}))
    assert detect(path).id == "zmq-raft"


@pytest.mark.parametrize(
    "data",
    [b"RLOG is a word\n", b"SNAP! goes the twig\n", b"", b"\x80", b"hello", b"\0" * 100,
     b"\xff" * 99, "ދިވެހި text\n".encode(), b"\x80\x80\x80", b"\x81\xa1a", b"\x82\xa1a\x01",
     b"\x93\x01\x02\x03", b"\x81\x01\x02", b"\x7fELF\x02\x01\x01",
     b"\x89PNG\r\n\x1a\n" + bytes(50)],
)  # fmt: skip
def test_other_files_are_not_recognised(tmp_path, data):
    path = tmp_path / "x"
    path.write_bytes(data)
    assert not FORMAT.recognise(path)


def test_source_files_are_not_recognised():
    done = subprocess.run(["git", "ls-files", "*.*"], cwd=ROOT, capture_output=True, text=True)
    paths = [ROOT / line for line in done.stdout.splitlines()]
    assert len(paths) > 1000
    taken = [path for path in paths if path.is_file() and FORMAT.recognise(path)]
    logs = {VECTORS, ZMQ_RAFT, ROOT / "tests/walproof/decode/golden/zmq-raft"}
    assert all(logs.intersection(path.parents) for path in taken)


def test_other_folders_are_not_recognised(tmp_path):
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / "notes.txt").write_text("nothing")
    assert not FORMAT.recognise(tmp_path)
    (tmp_path / "snap").write_text("a program of that name")
    assert not FORMAT.recognise(tmp_path)
    with pytest.raises(UnknownFormat):
        detect(tmp_path)


def test_the_undamaged_vectors_of_every_format():
    """Vectors of zmq-raft match only this format; those of other formats never do."""
    ours = 0
    for description in sorted(VECTORS.glob("*/*.json")):
        body = json.loads(description.read_text())
        if body["kind"] != "valid" or body["operation"] != "read":
            continue
        path = description.parent / body["input"]
        fitting = [format.id for format in FORMATS.values() if format.recognise(path)]
        if body["format"] != "zmq-raft":
            assert "zmq-raft" not in fitting, body["id"]
        elif body["size"]:
            assert fitting == ["zmq-raft"], body["id"]
            ours += 1
    assert ours > 30


@pytest.mark.parametrize(
    "name",
    ["log", "logE", "logF", "logR", "raft", "snap", "snap0", "snapU", "one.pers", "raft.pers",
     "raft.pers-2018-09-26-145936-8170"],
)  # fmt: skip
def test_real_files(name):
    assert detect(ZMQ_RAFT / name).id == "zmq-raft"


def test_kind_in_the_context(tmp_path):
    """The context decides if neither bytes nor name do."""
    path = tmp_path / "x"
    path.write_bytes(INDEX_FILE[:2])
    events = list(FORMAT.read(path, "recover", {"kind": "index"}))
    assert events[-1].reason == "torn-header"
    other = tmp_path / "y"
    FORMAT.write(other, [NewRecord(b"x", {"index": "1"})], {"kind": "snapshot"})
    assert Path(other).read_bytes().startswith(b"SNAP")
