"""Vectors of every format, and random changes to their logs."""

from __future__ import annotations

import random

from conformance.contents import Contents, read_contents
from conformance.vectors import Vector, load_all


def sampled_vectors(format_id: str, kind: str = "") -> list[Vector]:
    """Return a fifth of a format's reading vectors, optionally of one kind."""
    vectors = [
        vector
        for vector in load_all().values()
        if vector.body["format"] == format_id
        and vector.operation == "read"
        and vector.body["kind"].startswith(kind)
        and vector.input.stat().st_size < 200_000
    ]
    return vectors[::5]


def changed(chance: random.Random, vector: Vector) -> Contents:
    """Return the log of a vector after changing, removing and adding bytes of one file."""
    contents = read_contents(vector.input)
    if isinstance(contents, bytes):
        return _changed_bytes(chance, contents)
    name = chance.choice(sorted(contents))
    return {**contents, name: _changed_bytes(chance, contents[name])}


def _changed_bytes(chance: random.Random, data: bytes) -> bytes:
    changed_data = bytearray(data)
    for _ in range(chance.choice((0, 1, 1, 2, 4)) if data else 0):
        at = chance.randrange(len(data))
        new = chance.choice((b"\0", b"\xff", chance.randbytes(1), chance.randbytes(8), bytes(24)))
        changed_data[at : at + len(new)] = new
    if chance.random() < 0.4:
        del changed_data[chance.randrange(len(changed_data) + 1) :]
    if chance.random() < 0.4:
        changed_data += chance.choice((chance.randbytes(chance.randrange(200)), data[:100]))
    return bytes(changed_data)
