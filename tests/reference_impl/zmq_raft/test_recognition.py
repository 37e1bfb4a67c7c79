"""zmq-raft files are recognised, and other files are not."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from conformance import ROOT, VECTORS
from reference_impl import formats
from reference_impl.answer import NewRecord
from reference_impl.formats import detect
from tests.real_files import ZMQ_RAFT

from .conftest import INDEX_FILE

FORMAT = formats.named("zmq-raft")


def test_source_files_are_not_recognised():
    done = subprocess.run(["git", "ls-files", "*.*"], cwd=ROOT, capture_output=True, text=True)
    paths = [ROOT / line for line in done.stdout.splitlines()]
    assert len(paths) > 1000
    taken = [path for path in paths if path.is_file() and FORMAT.recognise(path)]
    logs = {VECTORS, ZMQ_RAFT, ROOT / "tests/walproof/decode/golden/zmq-raft"}
    assert all(logs.intersection(path.parents) for path in taken)


@pytest.mark.parametrize(
    "name",
    ["log", "logE", "logF", "logR", "raft", "snap", "snap0", "snapU", "one.pers", "raft.pers",
     "raft.pers-2018-09-26-145936-8170"],
)  # fmt: skip
def test_real_files(name):
    assert detect(ZMQ_RAFT / name).id == "zmq-raft"


def test_kind_in_the_context(tmp_path):
    """The ``kind`` in the context decides if neither the bytes nor the name do."""
    path = tmp_path / "x"
    path.write_bytes(INDEX_FILE[:2])
    events = list(FORMAT.read(path, "recover", {"kind": "index"}))
    assert events[-1].reason == "torn-header"
    other = tmp_path / "y"
    FORMAT.write(other, [NewRecord(b"x", {"index": "1"})], {"kind": "snapshot"})
    assert Path(other).read_bytes().startswith(b"SNAP")
