"""Scratch copies do not say which vector they are of."""

from __future__ import annotations

import re

import pytest

from conformance.vectors import NEUTRAL, load_all

VECTORS = load_all()
MEANT = re.compile(r"[0-9a-f]{14}\.rlog(-copy)?|snapped|\d{6}(-\d{3})?\.log")
"""Names that a reader goes by: an index of zmq-raft, a prefix to avoid, a number of RocksDB."""


@pytest.mark.parametrize("format", sorted({one.body["format"] for one in VECTORS.values()}))
def test_no_name_tells_the_vector(format):
    mine = [one for one in VECTORS.values() if one.body["format"] == format]
    for vector in mine:
        name, slug = vector.neutral_name, vector.path.stem
        if MEANT.fullmatch(vector.input.name):
            assert name == vector.input.name
            continue
        assert slug not in name
        assert name == NEUTRAL + vector.input.name.removeprefix(slug), "the extension stays"
        assert vector.in_its_names(name) == vector.input.name


def test_what_stands_beside_a_copy_goes_by_the_name_of_the_vector():
    vector = VECTORS["leveldb-log/three-records"]
    for stated, beside in (
        ("three-records.log", "case.log"),
        ("three-records.tmp", "case.tmp"),
        ("three-records/1.log", "case/1.log"),
        ("LOCK", "LOCK"),
    ):
        assert vector.in_neutral_names(stated) == beside
        assert vector.in_its_names(beside) == stated
