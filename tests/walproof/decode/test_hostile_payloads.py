"""Each hostile payload decodes to a struct of the column's type and a phrase, or to a reason."""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from conformance.text import one_line
from conformance.vectors import load_all
from reference_impl.answer import collect
from reference_impl.formats import named
from tests.walproof.decode.real_programs import golden
from walproof import decode
from walproof.decode import message_pack
from walproof.decode.fault import Undecodable, most_values
from walproof.formats.kahadb_journal.decoder import body
from walproof.formats.leveldb_log.decoder import version_edit, write_batch
from walproof.scan.model import Records

CHANGES = 1500
MESSAGES = [
    message["payload"] for messages in golden("activemq.json").values() for message in messages
]
EDITS = golden("leveldb.json")["payloads"]
BATCH = struct.pack("<QI", 9, 3) + b"\x05\x03\x01k\x05value\x0f\x01a\x01z\x0a\x03xid\x02\x01k\x01v"
TABLE = b"\x67\x00\x0a\x0b" + 2 * (b"\x09a\x01\x07" + bytes(6)) + b"\x04\x05\x05\x01\x09\x01"
RANGE_KEY = struct.pack("<QI", 9, 2) + b"\x15\x01a\x0b\x01c\x02@5\x01v\x02@4\x00\x17\x01k\x01\x07"
INGEST = struct.pack("<QI", 9, 2) + b"\x16\x01\x07\x18\x01a\x01c"
SEEDS = {
    "kahadb-journal": [bytes.fromhex(payload) for payload in MESSAGES],
    "leveldb-log": [BATCH, TABLE, *(bytes.fromhex(payload) for payload in EDITS)],
    "rocksdb-wal": [BATCH, RANGE_KEY, INGEST],
    "zeebe-journal": [
        bytes.fromhex(entry["payload"])
        for release in ("8.2.15", "8.3.4", "8.8.0")
        for entry in golden(f"zeebe-{release}.json")["entries"]
    ],
}


def seeds(format_id: str) -> list[bytes]:
    """Return payloads that real programs wrote, and payloads of the vectors."""
    payloads = [*SEEDS[format_id], bytes(12), b""]
    for vector in load_all().values():
        if vector.body["format"] == format_id and vector.operation == "read":
            answer = collect(
                named(format_id).read(vector.input, "recover", vector.body.get("context", {}))
            )
            payloads += [record.payload[:500] for record in answer.records[:3]]
    return sorted(set(payloads))


def changed(payloads: list[bytes], chance: random.Random) -> Iterator[bytes]:
    """Yield payloads with 1 to 4 changed bytes, a cut or a piece of another, and random bytes."""
    for _ in range(CHANGES):
        data = bytearray(chance.choice(payloads))
        for _ in range(chance.randrange(1, 5)):
            if data:
                data[chance.randrange(len(data))] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, 0x67))
        if not chance.randrange(4):
            del data[chance.randrange(len(data) + 1) :]
        if not chance.randrange(4):
            other, at = chance.choice(payloads), chance.randrange(len(data) + 1)
            data[at:at] = other[chance.randrange(len(other) + 1) :]
        yield bytes(data)
    yield from (chance.randbytes(chance.randrange(60)) for _ in range(CHANGES))


def run_of(payloads: list[bytes]) -> Records:
    zeros = np.zeros(len(payloads), np.int64)
    # Only records of Pebble have a sync offset, so the column has nulls.
    offsets = pa.array([number if number % 2 else None for number in range(len(payloads))])
    return Records(zeros, zeros, pa.array(payloads, pa.binary()), {"sync_offset": offsets})


@pytest.mark.parametrize("format_id", SEEDS)
@pytest.mark.parametrize("seed", range(2))
def test_changed_payloads_raise_no_error(format_id: str, seed: int) -> None:
    payloads = list(changed(seeds(format_id), random.Random(seed)))
    values, faults = decode.decoded(format_id, run_of(payloads))
    assert values.type == decode.type_of(format_id)
    assert all(
        (value is None) == (fault is not None)
        for value, fault in zip(values.to_pylist(), faults.to_pylist(), strict=True)
    )
    decoded = [value for value in values.to_pylist() if value is not None]
    assert len(decoded) > 50, "too few changed payloads are decoded"
    for value in decoded:
        assert one_line(decode.phrase(format_id, value, {"index": 1})).isprintable()


def test_pieces_add_up_to_the_run() -> None:
    """A run is decoded in small pieces; the structs for 8 MiB at once would take a GiB."""
    payloads = [bytes([number % 251]) * (number % 700) for number in range(3000)]
    payloads.insert(100, b"large" * decode.BATCH_BYTES)
    cut = np.arange(3001) % 7 == 0
    parts = list(decode.pieces("leveldb-log", replace(run_of(payloads), truncated=cut)))
    columns = [
        pa.array([], pa.binary()) if part.payload is None else part.payload for part in parts
    ]
    assert [payload for part in columns for payload in part.to_pylist()] == payloads
    assert np.array_equal(np.concatenate([part.truncated for part in parts]), cut)
    assert all(part.nbytes <= decode.BATCH_BYTES or len(part) == 1 for part in columns)
    assert len(parts) < 30


@pytest.mark.parametrize("count", [most_values(0) - 9, most_values(0) + 70_000])
def test_too_many_values_are_an_error(count: int) -> None:
    """Too many values of a few hundred bytes each are an error; a payload with fewer is decoded."""
    is_read = count < most_values(0)
    pairs = b"\0\0\0\1\0\0\x0c" + pack(count - 1) + bytes(count - 1)
    array = b"\xdd" + pack(count - 1) + b"\x90" * (count - 1)
    tiny: Mapping[str, Callable[[], object]] = {
        "operations": lambda: write_batch.decode(struct.pack("<QI", 1, 0) + b"\x0d" * count),
        "fields of an edit": lambda: version_edit.decode(b"\x80\x40\x00" * count),
        "of a table": lambda: version_edit.decode(TABLE[:-1] + b"\x08\x00" * count + b"\x01"),
        "of a stream": lambda: body.content("stream", bytes(count), False),
        "of a map": lambda: body.properties(pairs),
        "of an array": lambda: message_pack.unpacked(array),
    }
    for name, make in tiny.items():
        if is_read:
            assert make(), name
        else:
            with pytest.raises(Undecodable, match=r"more than [0-9,]+ values"):
                make()


def test_an_entity_with_too_many_columns_stays_bytes() -> None:
    """An entity with 65,535 columns is decoded; an entity with 131,072 columns stays bytes."""
    few, many = (b"\x01\xff\xff\x03", bytes(2 * 65_535)), (b"\x01\x80\x80\x08", bytes(1 << 18))
    assert len(write_batch.columns(b"".join(few)) or ()) == 65_535
    assert write_batch.columns(b"".join(many)) is None


@pytest.mark.parametrize("type_name", ["text", "stream", "bytes"])
def test_compressed_content_is_inflated_up_to_a_limit(type_name: str) -> None:
    """Content is inflated up to a limit; a journal of 32 MiB could otherwise fill the memory."""
    plain = random.Random(1).randbytes(200_000).hex().encode()
    for count, is_read in ((3 << 19, True), (5 << 20, False)):
        text = plain + b"a" * count
        content = {
            "text": zlib.compress(struct.pack(">i", len(text)) + text),
            "stream": zlib.compress(b"\x0d" + struct.pack(">i", len(text)) + text),
            "bytes": struct.pack(">i", len(text)) + zlib.compress(text),
        }[type_name]
        if is_read:
            (value,) = body.content(type_name, content, True).values()
            assert len(value) in (len(text), len(text) + 4)
        else:
            with pytest.raises(Undecodable, match="compressed content"):
                body.content(type_name, content, True)


def pack(number: int) -> bytes:
    return struct.pack(">I", number)
