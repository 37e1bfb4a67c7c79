"""The grammars: every byte has a field, and no input makes a parser stop."""

from __future__ import annotations

import random

import pytest

from conformance.kaitai.field_map import field_map, resolve

from .conftest import INDEX_FILE, SNAPSHOT, STATE


def leaves(data: bytes):
    fields = field_map(data, "zmq-raft")
    return [f for f in fields if not any(g.path.startswith(f"{f.path}.") for g in fields)]


@pytest.mark.parametrize("data", [INDEX_FILE, SNAPSHOT, STATE], ids=["index", "snap", "state"])
def test_fields_cover_the_file(data):
    at = 0
    for field in sorted(leaves(data), key=lambda field: (field.start, field.end)):
        assert field.start == at
        at = field.end
    assert at == len(data)


@pytest.mark.parametrize(
    ("data", "path", "start", "end", "value"),
    [
        (INDEX_FILE, "header.first_index", 16, 24, 1),
        (INDEX_FILE, "offsets[1]", 28, 32, 46),
        (INDEX_FILE, "chunks[0].padding", 94, 96, b"\0\0"),
        (INDEX_FILE, "data.entries[1].header.term", 142, 149, 2),
        (INDEX_FILE, "data.entries[0].data", 124, 129, b"hello"),
        (SNAPSHOT, "header.len_data", 28, 36, 10),
        (SNAPSHOT, "data", 104, 114, b"0123456789"),
        (STATE, "updates[2].elements[1].number", 21, 29, bytes.fromhex("41e0000000000000")),
    ],
)
def test_known_fields(data, path, start, end, value):
    field = resolve(lambda: field_map(data, "zmq-raft"), path)
    assert (field.start, field.end, field.value) == (start, end, value)


def test_damaged_input_does_not_stop_the_parsers():
    chance = random.Random(5)
    for number in range(1500):
        data = bytearray(chance.choice([INDEX_FILE, SNAPSHOT, STATE]))
        for _ in range(chance.randint(0, 3)):
            data[chance.randrange(len(data))] = chance.choice(
                [0, 0xFF, 0xDF, chance.randrange(256)]
            )
        if number % 3 == 0:
            del data[chance.randint(0, len(data)) :]
        if number % 10 == 0:
            data = bytearray(chance.randbytes(chance.randint(0, 90)))
        field_map(bytes(data), "zmq-raft")
