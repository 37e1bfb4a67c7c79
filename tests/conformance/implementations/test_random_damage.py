"""Test that LevelDB's reader and the executable specification recover the same records.

The logs are from LevelDB's own writer, with reproducible random damage. The readers may differ in
two cases. LevelDB takes a valid physical record of type 5 for the end of the log (LDB-029). The
specification refuses logs of another dialect (LDB-043).
"""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from reference_impl.answer import Answer, collect, payload_to_json
from reference_impl.leveldb_log.layout import (
    BLOCK_SIZE,
    HEADER,
    HEADER_SIZE,
    foreign_dialect,
    masked_crc,
)
from reference_impl.leveldb_log.reader import (
    read_stream as read,
)

# The class with this name in conftest.py.
RealLevelDB = Any

VARIANTS = 300


@dataclass(frozen=True)
class Variant:
    """One damaged log, with a description of the damage."""

    seed: int
    damage: str
    log: bytes


def base_logs(leveldb: RealLevelDB, folder: Path) -> dict[str, bytes]:
    """Return intact logs of LevelDB's writer: few, many and large records, difficult block ends."""
    leveldb.generate(folder / "short", 800, 150)
    leveldb.generate(folder / "long", 6, 50_000)
    leveldb.write(folder / "few", [b"alpha", b"bravo", b"", b"charlie"])
    ends = [b"x" * (BLOCK_SIZE - 7 - left) for left in (0, 7, 3)]
    leveldb.write(folder / "ends", [ends[0], b"a", ends[1][:-8], b"b", b"", ends[2][:-8], b"c"])
    leveldb.write(folder / "logs", [(folder / "few").read_bytes(), b"d" * 33_000] * 3)
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def some_record(log: bytes, rng: random.Random) -> tuple[int, int]:
    """Return start and end of a physical record of an intact log."""
    records, at = [], 0
    while at < len(log):
        left = BLOCK_SIZE - at % BLOCK_SIZE
        if left < HEADER_SIZE:
            at += left
            continue
        end = at + HEADER_SIZE + HEADER.unpack_from(log, at)[1]
        records.append((at, end))
        at = end
    return rng.choice(records)


def replaced(log: bytes, start: int, new: bytes) -> bytes:
    return log[:start] + new + log[start + len(new) :]


def flip(log: bytes, rng: random.Random, other: bytes) -> bytes:
    changed = bytearray(log)
    for _ in range(rng.randint(1, 4)):
        at, end = some_record(log, rng)
        position = rng.choice([at + rng.randrange(7), rng.randrange(at, end)])
        changed[position] ^= 1 << rng.randrange(8)
    return bytes(changed)


def truncate(log: bytes, rng: random.Random, other: bytes) -> bytes:
    at, end = some_record(log, rng)
    return log[
        : rng.choice([at, at + rng.randrange(8), rng.randint(at, end), rng.randrange(len(log))])
    ]


def zero(log: bytes, rng: random.Random, other: bytes) -> bytes:
    size = rng.choice([7, 512, 4096, BLOCK_SIZE])
    start = some_record(log, rng)[0] if size == 7 else rng.randrange(len(log)) // size * size
    return replaced(log, start, bytes(min(size, len(log) - start)))


def splice(log: bytes, rng: random.Random, other: bytes) -> bytes:
    start, end = sorted(rng.randrange(len(log) + 1) for _ in range(2))
    if rng.random() < 0.5:
        start, end = start // BLOCK_SIZE * BLOCK_SIZE, end // BLOCK_SIZE * BLOCK_SIZE
    begin = rng.randrange(len(other)) // BLOCK_SIZE * BLOCK_SIZE
    return log[:start] + other[begin : begin + end - start] + log[end:]


def insert(log: bytes, rng: random.Random, other: bytes) -> bytes:
    at = rng.choice([some_record(log, rng)[0], rng.randrange(len(log) + 1)])
    new = rng.choice([rng.randbytes(rng.randint(1, 40)), bytes(rng.randint(1, 5000)), other[:200]])
    return log[:at] + new + log[at:]


def drop(log: bytes, rng: random.Random, other: bytes) -> bytes:
    start, end = rng.choice(
        [some_record(log, rng), (0, BLOCK_SIZE), (rng.randrange(len(log)),) * 2]
    )
    return log[:start] + log[max(end, start + 1) :]


def duplicate(log: bytes, rng: random.Random, other: bytes) -> bytes:
    start, end = rng.choice([some_record(log, rng), (0, BLOCK_SIZE)])
    return log[:end] + log[start:]


def extend(log: bytes, rng: random.Random, other: bytes) -> bytes:
    size = rng.choice([1, 6, 7, 100, 40_000])
    return log + rng.choice([bytes(size), b"\xff" * size, rng.randbytes(size), other[:size]])


def retype(log: bytes, rng: random.Random, other: bytes) -> bytes:
    """Change type or length of a record, with a matching checksum."""
    at, end = some_record(log, rng)
    record_type = rng.choice([0, 1, 2, 3, 4, 5, 5, 6, 9, 103, 200])
    length = rng.choice([end - at - HEADER_SIZE, rng.randrange(end - at - HEADER_SIZE + 1)])
    covered = bytes([record_type]) + log[at + HEADER_SIZE : at + HEADER_SIZE + length]
    return replaced(log, at, HEADER.pack(masked_crc(covered), length, record_type))


def foreign(log: bytes, rng: random.Random, other: bytes) -> bytes:
    """Insert a recyclable record of RocksDB at the start, or further on."""
    covered = bytes([rng.choice([5, 6])]) + b"\1\0\0\0" + b"foo"
    record = HEADER.pack(masked_crc(covered), 3, covered[0]) + covered[1:]
    at = rng.choice([0, some_record(log, rng)[0]])
    return log[:at] + record + log[at:]


DAMAGES: list[Callable[[bytes, random.Random, bytes], bytes]] = [
    flip, truncate, zero, splice, insert, drop, duplicate, extend, retype, retype, foreign,
]  # fmt: skip


@pytest.fixture(scope="module")
def variants(leveldb: RealLevelDB, tmp_path_factory: pytest.TempPathFactory) -> list[Variant]:
    logs = base_logs(leveldb, tmp_path_factory.mktemp("logs"))
    result = []
    for seed in range(VARIANTS):
        rng = random.Random(seed)
        name, other = rng.choice(list(logs)), rng.choice(list(logs.values()))
        damage = DAMAGES[seed % len(DAMAGES)]
        log = damage(logs[name], rng, other)
        if rng.random() < 0.2:
            log = log[: -rng.randint(1, 60)]  # and torn on top of it
        result.append(Variant(seed, f"{damage.__name__} in {name}", log))
    return result


@pytest.fixture(scope="module")
def answers(
    leveldb: RealLevelDB, variants: list[Variant], tmp_path_factory: pytest.TempPathFactory
) -> list[tuple[Variant, Answer, list[str]]]:
    """Return each variant, its answer, and the payloads that LevelDB returns."""
    folder = tmp_path_factory.mktemp("damaged")
    paths = [folder / f"{variant.seed:06}.log" for variant in variants]
    for path, variant in zip(paths, variants, strict=True):
        path.write_bytes(variant.log)
    return [
        (variant, collect(read(io.BytesIO(variant.log))), [shown(record) for record in real])
        for variant, real in zip(variants, leveldb.read(paths), strict=True)
    ]


def shown(record: dict[str, Any]) -> str:
    return str(record.get("payload", record.get("payload_sha256")))


def payloads(answer: Answer, before: int | None = None) -> list[str]:
    """Return the payloads of the records that end before an offset, in LevelDB's form."""
    return [
        shown(payload_to_json(record.payload))
        for record in answer.records
        if before is None or record.at + record.size <= before
    ]


def type_5(log: bytes, answer: Answer) -> int | None:
    """Return the offset of the first valid physical record of type 5."""
    unknown = (gap.start for gap in answer.lost if gap.reason == "unknown-type")
    return next((at for at in unknown if log[at + 6] == 5), None)


def test_records_are_those_that_leveldb_returns(
    answers: list[tuple[Variant, Answer, list[str]]],
) -> None:
    different = []
    for variant, answer, real in answers:
        if answer.verdict == "refused":
            assert foreign_dialect(variant.log[:BLOCK_SIZE])
        elif (at := type_5(variant.log, answer)) is not None:
            assert real == payloads(answer, before=at), (variant.seed, variant.damage)
        elif real != payloads(answer):
            different.append(f"seed {variant.seed}: {variant.damage}")
    assert not different


def test_damage_covers_every_operation(answers: list[tuple[Variant, Answer, list[str]]]) -> None:
    """Without all operations, agreement would mean little."""
    assert len(answers) == VARIANTS
    reasons = {gap.reason for _, answer, _ in answers for gap in answer.lost}
    assert reasons == {
        "torn-header", "torn-payload", "torn-record", "checksum-mismatch", "bad-length",
        "zero-header", "zero-gap", "unknown-type", "orphan-fragment", "incomplete-record",
    }  # fmt: skip
    verdicts = [answer.verdict for _, answer, _ in answers]
    assert verdicts.count("damaged") > VARIANTS / 2
    # The two exceptions do occur, and are exceptions.
    stopped = sum(type_5(variant.log, answer) is not None for variant, answer, _ in answers)
    assert 3 <= stopped <= 40
    assert 3 <= verdicts.count("refused") <= 40
