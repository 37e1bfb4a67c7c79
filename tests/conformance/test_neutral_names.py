"""The names of scratch copies do not identify the vector."""

from __future__ import annotations

import re

import pytest

from conformance.vectors import NEUTRAL, load_all

VECTORS = load_all()
# Some input names are kept, because readers depend on them: zmq-raft files whose name is an index,
# a name that only begins like a snapshot's, and RocksDB logs whose name is a number or similar to
# one.
MEANT = re.compile(r"[0-9a-f]{14}\.rlog(-copy)?|x\.rlog\.tmp-1-a|snapped|x?\d+(-\d+)?\.log(-copy)?")


@pytest.mark.parametrize("format", sorted({each.body["format"] for each in VECTORS.values()}))
def test_scratch_names_hide_the_vector(format):
    of_format = [each for each in VECTORS.values() if each.body["format"] == format]
    for vector in of_format:
        name, slug = vector.neutral_name, vector.path.stem
        if MEANT.fullmatch(vector.input.name):
            assert name == vector.input.name
            continue
        assert slug not in name
        assert name == NEUTRAL + vector.input.name.removeprefix(slug), "the extension stays"
        assert vector.in_its_names(name) == vector.input.name


def test_files_beside_a_copy_have_the_vectors_names():
    vector = VECTORS["leveldb-log/three-records"]
    for stated, names in (
        ("three-records.log", "case.log"),
        ("three-records.tmp", "case.tmp"),
        ("three-records/1.log", "case/1.log"),
        ("LOCK", "LOCK"),
    ):
        assert vector.in_neutral_names(stated) == names
        assert vector.in_its_names(names) == stated
