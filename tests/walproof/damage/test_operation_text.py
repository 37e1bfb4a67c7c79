"""What a vector says of its damage can be typed, and makes the vector's bytes."""

from __future__ import annotations

import pytest

from conformance.vectors import Vector, load_all
from walproof.damage.log import LogToDamage
from walproof.damage.operation_text import BadWords, damage, forms

VECTORS = load_all()


def speakable() -> list[Vector]:
    """Vectors whose damage is told in operations of the algebra alone."""
    found = []
    for vector in VECTORS.values():
        words = vector.body.get("made_by", {}).get("damage", [])
        control = vector.body.get("control")
        if words and control and vector.operation == "read":
            found.append(vector)
    return found


@pytest.mark.slow
def test_most_damage_in_vectors_can_be_typed_and_makes_the_same_bytes() -> None:
    same = unsaid = 0
    other = []
    for vector in speakable():
        control = VECTORS[vector.body["control"]]
        log = LogToDamage(control.contents, vector.body["format"], control.input.name)
        try:
            for words in vector.body["made_by"]["damage"]:
                damage(log, words)
        except BadWords:
            unsaid += 1  # bytes that have a name in a recipe alone
            continue
        if log.contents == vector.contents:
            same += 1
            assert log.operations == vector.body["made_by"]["damage"], vector.id
        else:
            other.append(vector.id)
    assert other == []
    assert same > 700, (same, unsaid)


@pytest.fixture
def log() -> LogToDamage:
    control = VECTORS["leveldb-log/three-records"]
    return LogToDamage(control.contents, "leveldb-log", control.input.name)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("flip bit 3 of blocks[0].records[9].header", "records[0] … records[2]"),
        ("flip bit 32 of blocks[0].records[0].header.checksum", "has 32 bits"),
        ("flip bit 8 of byte 1", "bit 0 to 7"),
        ("flip bit 1 of byte 99999", "of byte 0 to"),
        ("set blocks[0].records[0].header.type to 256", "does not fit"),
        ("set blocks[0].records[0].header.type to xx", "hexadecimal"),
        ("set blocks[0].records[0].header.checksum to 00", "expected 4 bytes, got 1"),
        ("truncate at 99999", "an offset up to"),
        ("zero sector 1 of 4096 bytes", "there are 1 sectors"),
        ("insert 00 at 99999", "an offset up to"),
        ("reseal blocks[0]", "no checksum over"),
        ("remove some.log", "a log of one file"),
        ("extend by 99999999999 zero bytes", "at most"),
        ("flap bit 3 of x", "'flip bit N of FIELD'"),
        ("explode", "expected an operation: flip,"),
        ("flip", "'flip bit N of FIELD'"),
    ],
)
def test_what_cannot_be_done_says_what_could(words: str, said: str, log: LogToDamage) -> None:
    before = log.contents
    with pytest.raises(BadWords) as raised:
        damage(log, words)
    assert said in str(raised.value)
    assert log.contents == before


def test_each_form_is_read() -> None:
    assert len(forms()) > 15
    assert len({form.split()[0] for form in forms()}) > 10
