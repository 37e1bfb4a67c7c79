"""An input is packed into one byte string, and its file names cannot leave the folder."""

from __future__ import annotations

import json

import pytest

from lab.fuzz.inputs import Input, NotPacked, unpack

ONE = Input("leveldb-log/one-record", "leveldb-log", b"\n\0{}", "a.log", {"key": 1})
SEVERAL = Input("", "zeebe-journal", {"a/b.log": b"xy", "c.log": b"", "d": b"z"}, "journal")


@pytest.mark.parametrize("one", [ONE, SEVERAL, Input("", "zmq-raft", {}, "empty")])
def test_a_packed_input_is_unpacked_unchanged(one: Input) -> None:
    assert unpack(one.pack()) == one


def test_a_log_that_the_engine_has_cut_is_shorter() -> None:
    assert unpack(ONE.pack()[:-2]).contents == b"\n\0"
    assert unpack(SEVERAL.pack()[:-2]).contents == {"a/b.log": b"x", "c.log": b"", "d": b""}


@pytest.mark.parametrize(
    "files",
    [[["../a", 1]], [["/a", 1]], [["a", 1], ["a", 1]], [["a", 1], ["a/b", 1]],
     [["a/b", 1], ["a", 1]], [["a", -1]], [["a\0", 1]], [[str(n), 0] for n in range(65)]],
)  # fmt: skip
def test_impossible_file_names_are_refused(files: list[list[object]]) -> None:
    head = {"format": "zmq-raft", "name": "x", "context": {}, "origin": "", "files": files}
    with pytest.raises(NotPacked):
        unpack(json.dumps(head).encode() + b"\nabc")


@pytest.mark.parametrize(
    "packed",
    [b"", b"[" * 9000, b"\xff\n", ONE.pack()[:20], ONE.pack().replace(b"a.log", b"../a.")],
)
def test_malformed_inputs_are_refused(packed: bytes) -> None:
    with pytest.raises(NotPacked):
        unpack(packed)
