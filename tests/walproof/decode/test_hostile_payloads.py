"""Payloads that mean harm: each gives a struct that its column takes, or a reason, and a phrase."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pytest

from conformance.text import one_line
from conformance.vectors import load_all
from reference_impl.answer import collect
from reference_impl.formats import named
from tests.walproof.decode.conftest import golden
from walproof import decode
from walproof.scan.model import Records

CHANGES = 1500
MESSAGES = [one["payload"] for kept in golden("activemq.json").values() for one in kept]
EDITS = golden("leveldb.json")["payloads"]
BATCH = struct.pack("<QI", 9, 3) + b"\x05\x03\x01k\x05value\x0f\x01a\x01z\x0a\x03xid\x02\x01k\x01v"
TABLE = b"\x67\x00\x0a\x0b" + 2 * (b"\x09a\x01\x07" + bytes(6)) + b"\x04\x05\x05\x01\x09\x01"
KEPT = {
    "kahadb-journal": [bytes.fromhex(payload) for payload in MESSAGES],
    "leveldb-log": [BATCH, TABLE, *(bytes.fromhex(payload) for payload in EDITS)],
}


def seeds(format_id: str) -> list[bytes]:
    """Payloads that programs wrote, and those of the vectors."""
    found = [*KEPT[format_id], bytes(12), b""]
    for vector in load_all().values():
        if vector.body["format"] == format_id and vector.operation == "read":
            answer = collect(
                named(format_id).read(vector.input, "recover", vector.body.get("context", {}))
            )
            found += [record.payload[:500] for record in answer.records[:3]]
    return sorted(set(found))


def changed(payloads: list[bytes], chance: random.Random) -> Iterator[bytes]:
    """One to four bytes set to what readers trip over, a cut, a piece of another payload."""
    for _ in range(CHANGES):
        made = bytearray(chance.choice(payloads))
        for _ in range(chance.randrange(1, 5)):
            if made:
                made[chance.randrange(len(made))] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, 0x67))
        if not chance.randrange(4):
            del made[chance.randrange(len(made) + 1) :]
        if not chance.randrange(4):
            other, at = chance.choice(payloads), chance.randrange(len(made) + 1)
            made[at:at] = other[chance.randrange(len(other) + 1) :]
        yield bytes(made)
    yield from (chance.randbytes(chance.randrange(60)) for _ in range(CHANGES))


def run_of(payloads: list[bytes]) -> Records:
    zeros = np.zeros(len(payloads), np.int64)
    return Records(zeros, zeros, pa.array(payloads, pa.binary()))


@pytest.mark.parametrize("format_id", KEPT)
@pytest.mark.parametrize("seed", range(3))
def test_nothing_raises(format_id: str, seed: int) -> None:
    payloads = list(changed(seeds(format_id), random.Random(seed)))
    values, faults = decode.decoded(format_id, run_of(payloads))
    assert values.type == decode.type_of(format_id)
    assert all(
        (value is None) == (fault is not None)
        for value, fault in zip(values.to_pylist(), faults.to_pylist(), strict=True)
    )
    whole = [value for value in values.to_pylist() if value is not None]
    assert len(whole) > 50, "the changes leave nothing that decodes"
    for value in whole:
        assert one_line(decode.phrase(format_id, value, {})).isprintable()
