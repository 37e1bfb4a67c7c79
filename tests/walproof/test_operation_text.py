"""The damage of a vector, applied to its control from text, gives the bytes of the vector."""

from __future__ import annotations

import pytest

from conformance.vectors import Vector, load_all
from walproof.operation_text import BadOperation, LogToDamage, damage

VECTORS = load_all()


def damaged_vectors() -> list[Vector]:
    """Return the vectors whose logs are damaged copies."""
    vectors = []
    for vector in VECTORS.values():
        operations = vector.body.get("made_by", {}).get("damage", [])
        control = vector.body.get("control")
        if operations and control and vector.operation == "read":
            vectors.append(vector)
    return vectors


@pytest.mark.slow
def test_damage_of_vectors_is_reproducible_from_text() -> None:
    equal = unsupported = 0
    different = []
    for vector in damaged_vectors():
        control = VECTORS[vector.body["control"]]
        log = LogToDamage(control.contents, vector.body["format"], control.input.name)
        try:
            for operation in vector.body["made_by"]["damage"]:
                damage(log, operation)
        except BadOperation:
            unsupported += 1  # an operation that exists only in recipes
            continue
        if log.contents == vector.contents:
            equal += 1
            assert log.operations == vector.body["made_by"]["damage"], vector.id
        else:
            different.append(vector.id)
    assert different == []
    assert equal > 700, (equal, unsupported)


@pytest.fixture
def log() -> LogToDamage:
    control = VECTORS["leveldb-log/three-records"]
    return LogToDamage(control.contents, "leveldb-log", control.input.name)


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        ("flip bit 3 of blocks[0].records[9].header", "records[0] … records[2]"),
        ("flip bit 32 of blocks[0].records[0].header.checksum", "expected bit 0 to 31"),
        ("flip bit 1 of byte 99999", "of byte 0 to"),
        ("set blocks[0].records[0].header.type to 256", "does not fit"),
        ("truncate at 99999", "an offset up to"),
        ("zero sector 1 of 4096 bytes", "expected a sector below 1"),
        ("reseal blocks[0]", "no checksum covers"),
        ("remove some.log", "a log of one file"),
        ("extend by 99999999999 zero bytes", "at most"),
        ("explode", "an operation that --list shows"),
    ],
)
def test_impossible_operations_are_rejected(operation: str, message: str, log: LogToDamage) -> None:
    before = log.contents
    with pytest.raises(BadOperation) as raised:
        damage(log, operation)
    assert message in str(raised.value)
    assert log.contents == before


def test_no_byte_of_an_empty_log_is_flipped() -> None:
    empty = LogToDamage(b"", "leveldb-log", "000003.log")
    with pytest.raises(BadOperation, match="found an empty file"):
        damage(empty, "flip bit 0 of byte 0")
