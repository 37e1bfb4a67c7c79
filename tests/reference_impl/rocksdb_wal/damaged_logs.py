"""Sound logs in every dialect, and random damage to them, for the tests beside this file."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from reference_impl.answer import NewRecord
from reference_impl.leveldb_log.dialects import header_size
from reference_impl.leveldb_log.layout import BLOCK_SIZE, HEADER_SIZE, masked_crc
from reference_impl.rocksdb_wal.layout import clean_close, pack
from reference_impl.rocksdb_wal.writer import Writer

NUMBER, OLDER = 12, 8
TYPES = (*range(14), 103, 130, 131, 132, 133, 200)


@dataclass(frozen=True)
class SoundLog:
    """A log with the records that were written to it; ``end`` is where the writer stopped."""

    data: bytes
    payloads: tuple[bytes, ...]
    end: int
    headers: str


def sound_log(chance: random.Random) -> SoundLog:
    """Return a log of a few records, some of it over an older log, some closed."""
    headers = chance.choice(["legacy", "recyclable", "recyclable", "wal-sync", "wal-sync"])
    is_compressed = headers != "wal-sync" and chance.random() < 0.3
    sizes = (0, 5, 100, 3000, 32_700, 32_757, 40_000)
    payloads = [b"%07d" % n * (chance.choice(sizes) // 7) for n in range(chance.randrange(1, 9))]
    fields: list[dict[str, object]] = [{} for _ in payloads]
    if headers != "wal-sync" and chance.random() < 0.4:
        chance.choice(fields)["timestamp_sizes"] = {"3": 8}
    context = {"headers": headers, "compression": "zstd" if is_compressed else "none"}
    records = [NewRecord(*both) for both in zip(payloads, fields, strict=True)]
    log = b"".join(Writer(NUMBER, context).pieces(records))
    end = len(log)
    if headers != "legacy" and chance.random() < 0.3 and BLOCK_SIZE - end % BLOCK_SIZE >= 19:
        log += clean_close(NUMBER)
    if headers != "legacy" and chance.random() < 0.4:
        blocks = len(log) // BLOCK_SIZE + 3
        older = pack("recyclable", 1, b"o" * (BLOCK_SIZE - 11), OLDER) * blocks
        log += older[len(log) :]
    return SoundLog(log, tuple(payloads), end, headers)


def damaged(chance: random.Random, log: bytes) -> bytes:
    """Return the log after one to three random operations; some repair the checksum."""
    data = bytearray(log)
    for _ in range(chance.randint(1, 3)):
        at = chance.choice([*_headers(bytes(data)), 0])
        match chance.randrange(9):
            case 0 if data:
                data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            case 1 if at + HEADER_SIZE <= len(data):
                data[at + 6] = chance.choice(TYPES)
                _reseal(chance, data, at)
            case 2:
                del data[chance.randrange(len(data) + 1) :]
            case 3:
                data[at:at] = bytes(chance.choice([7, 8, 11, 18, 19, 100, 40_000]))
            case 4 if at + 11 <= len(data):
                data[at + 7 : at + 11] = chance.choice([12, 13, 8]).to_bytes(4, "little")
                _reseal(chance, data, at)
            case 5:
                start = chance.choice([*_headers(bytes(data)), 0])
                data[at:at] = data[start : start + chance.choice([11, 16, 24, 600, 33_000])]
            case 6:
                base = chance.randrange(0, len(data) + 1, BLOCK_SIZE)
                data[base : base + BLOCK_SIZE] = bytes(chance.choice([0, BLOCK_SIZE]))
            case 7:
                data += chance.choice([bytes(5), bytes(50), b"\xff" * 20, clean_close(NUMBER)])
            case 8 if at + HEADER_SIZE <= len(data):
                length = chance.choice([0, 1, 4, 5, 6, 24, 300, 32_757, 65_535])
                data[at + 4 : at + 6] = length.to_bytes(2, "little")
                _reseal(chance, data, at)
    return bytes(data)


def _headers(log: bytes) -> Iterator[int]:
    """Yield the offsets that the lengths lead to, at most a few in each block."""
    for base in range(0, len(log), BLOCK_SIZE):
        at = base
        while at + HEADER_SIZE <= min(base + BLOCK_SIZE, len(log)) and at < base + 5000:
            yield at
            length, kind = int.from_bytes(log[at + 4 : at + 6], "little"), log[at + 6]
            at += header_size(kind, kind in (9, 12)) + length


def _reseal(chance: random.Random, log: bytearray, at: int) -> None:
    if chance.random() < 0.3:
        return
    length, kind = int.from_bytes(log[at + 4 : at + 6], "little"), log[at + 6]
    end = at + header_size(kind, chance.random() < 0.5) + length
    if end <= len(log):
        log[at : at + 4] = masked_crc(bytes(log[at + 6 : end])).to_bytes(4, "little")
