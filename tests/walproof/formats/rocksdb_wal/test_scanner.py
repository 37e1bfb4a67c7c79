"""The RocksDB scanner agrees with the executable specification, on random logs and damage."""

from __future__ import annotations

import io
import random
import tracemalloc
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from reference_impl.answer import End, NewRecord, Record
from reference_impl.answer import Event as ReferenceEvent
from reference_impl.leveldb_log.layout import BLOCK_SIZE, HEADER, masked_crc
from reference_impl.rocksdb_wal.layout import clean_close, pack
from reference_impl.rocksdb_wal.reader import read_stream
from reference_impl.rocksdb_wal.survey import Survey
from reference_impl.rocksdb_wal.writer import Writer
from tests.walproof.formats.block_logs import InMemory, damage, random_size, small_windows
from walproof.formats.rocksdb_wal import scanner
from walproof.log import Log
from walproof.scanners import answers
from walproof.scanners.model import Event, Records, Wanted

NUMBER = 12
DIALECTS = ("legacy", "recyclable", "wal-sync")


def in_full(events: Iterator[Event]) -> list[ReferenceEvent]:
    return list(answers.in_full("rocksdb-wal", events))


def random_records(rng: random.Random, dialect: str, headers: int) -> list[NewRecord]:
    """Return records of all sizes, with sync offsets or metadata."""
    records = []
    for family in range(rng.randrange(1, 60)):
        size = random_size(rng, BLOCK_SIZE - headers * rng.randrange(1, 3) - rng.randrange(3))
        fields: dict[str, Any] = {}
        if dialect == "wal-sync" and rng.random() < 0.05:
            fields["sync_offset"] = str(rng.choice([0, rng.randrange(1 << 20), (1 << 64) - 1]))
        if dialect != "wal-sync" and rng.random() < 0.05:
            fields["timestamp_sizes"] = {str(rng.choice([family, 1, 2])): 8}
        if dialect != "wal-sync" and rng.random() < 0.05:
            fields["predecessor"] = {"log_number": "4", "size": "137", "last_sequence": "6"}
        payload = rng.randbytes(size) if rng.random() < 0.5 else bytes([rng.randrange(256)]) * size
        records.append(NewRecord(payload, fields))
    return records


def sound_log(rng: random.Random, dialect: str, number: int = NUMBER) -> bytearray:
    context = {
        "headers": dialect,
        "closed": dialect != "legacy" and rng.random() < 0.3,
        "compression": "zstd" if dialect != "wal-sync" and rng.random() < 0.2 else "none",
    }
    writer = Writer(number, context)
    return bytearray(b"".join(writer.pieces(random_records(rng, dialect, writer.header_size))))


def odd_record(rng: random.Random) -> bytes:
    """Return a valid physical record of any type and dialect, from this or another log."""
    data = rng.randbytes(rng.choice([0, 0, 1, 4, 24, 50, 5000]))
    number = rng.choice([NUMBER, NUMBER, NUMBER - 1, NUMBER + 1])
    if rng.random() < 0.7:
        sync_offset = rng.choice([0, rng.randrange(1 << 18), (1 << 64) - 1])
        return pack(rng.choice(DIALECTS), rng.randrange(1, 5), data, number, sync_offset)
    if rng.random() < 0.3:
        return clean_close(number)
    kind = rng.choice([0, 5, 9, 10, 11, 13, 130, 131, 132, 200])
    return HEADER.pack(masked_crc(bytes([kind]) + data), len(data), kind) + data


def random_log(seed: int) -> tuple[bytes, dict[str, Any]]:
    """Return a random log and its context."""
    rng = random.Random(seed)
    dialect = rng.choice(DIALECTS)
    log = sound_log(rng, dialect)
    if dialect != "legacy" and rng.random() < 0.5:
        # The file was recycled, so it ends with the rest of another log.
        older = sound_log(rng, rng.choice([dialect, dialect, *DIALECTS]), NUMBER - 1)
        log += older[len(log) :]
    for _ in range(rng.choice([0, 1, 1, 2, 3, 6])):
        if rng.random() < 0.3 and log:
            events = read_stream(io.BytesIO(log), number=NUMBER)
            at = rng.choice([e.at for e in events if isinstance(e, Record)] or [0])
            record = odd_record(rng)
            log[at : at + len(record)] = record
        else:
            damage(rng, log, odd_record)
    context: dict[str, Any] = {}
    if rng.random() < 0.6:
        context["log_number"] = NUMBER
    if rng.random() < 0.2:
        context["max_record_size"] = rng.choice([0, 1000, 100_000])
    return bytes(log), context


def expected_events(data: bytes, context: Mapping[str, Any]) -> list[ReferenceEvent]:
    return list(read_stream(io.BytesIO(data), "recover", context.get("log_number"), context))


@pytest.mark.parametrize("seed", range(250))
def test_random_damage(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if seed % 2:
        small_windows(random.Random(seed), monkeypatch)
    data, context = random_log(seed)
    results = in_full(scanner.scan(InMemory("rocksdb-wal", data, context), Wanted()))
    assert results == expected_events(data, context)


def full_block(dialect: str, number: int = NUMBER) -> bytes:
    """Return a block full of records, of which the last one is longer to fill the block."""
    record = pack(dialect, 1, b"x" * 100, number)
    records = record * (BLOCK_SIZE // len(record) - 1)
    length = BLOCK_SIZE - len(records) - (len(record) - 100)
    return records + pack(dialect, 1, b"x" * length, number)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_memory_does_not_depend_on_the_size_of_the_log(tmp_path: Path, dialect: str) -> None:
    """Scan logs of many records, one huge record, zeros, or another log's blocks."""
    blocks = 512
    full = full_block(dialect)
    data = b"y" * (BLOCK_SIZE - len(pack(dialect, 1, b"", NUMBER)))
    first, middle, last = (pack(dialect, kind, data, NUMBER) for kind in (2, 3, 4))
    other = pack("recyclable", 1, b"x" * 100, NUMBER - 1).ljust(BLOCK_SIZE, b"\0")
    start = pack(dialect, 1, b"alpha", NUMBER)
    for name, data in (
        ("small", full * blocks),
        ("large", first + middle * blocks + last),
        ("zeros", start + bytes(BLOCK_SIZE * blocks - len(start))),
        ("other", full + other * blocks),
    ):
        path = tmp_path / name
        path.write_bytes(data)
        tracemalloc.start()
        events = scanner.scan(Log("rocksdb-wal", path), Wanted(max_payload=1000))
        kinds = {type(event) for event in events}
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert Records in kinds and End in kinds
        assert peak < 12 << 20


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_kernel_surveys_the_rest_of_a_damaged_log(
    dialect: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The specification's survey would add each physical record of the rest separately."""
    rng = random.Random(1)
    writer = Writer(NUMBER, {"headers": dialect})
    records = [NewRecord(rng.randbytes(500)) for _ in range(4000)]
    data, context = bytearray(b"".join(writer.pieces(records))), {"log_number": NUMBER}
    data[BLOCK_SIZE + 700] ^= 1
    expected = expected_events(bytes(data), context)
    added, add = [], Survey.add
    monkeypatch.setattr(Survey, "add", lambda *each: added.append(add(*each)))
    results = in_full(scanner.scan(InMemory("rocksdb-wal", bytes(data), context), Wanted()))
    assert results == expected
    assert len(added) < 200
