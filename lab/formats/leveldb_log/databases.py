"""Logs of a key-value store in which each record is a write batch that puts one key.

Upstream: google/leveldb 1.23 ``db/write_batch.cc``.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from conformance.recipes.algebra import Damage
from lab.databases.damaged_logs import FormatDatabases, Item, damaged_cases, shortened, written_log
from reference_impl.answer import Answer, NewRecord

FORMAT = "leveldb-log"
NAME = "damaged.log"
PUT = 1
#: Sizes of the values in bytes. The batches fill three blocks, and a batch crosses each block
#: boundary.
SIZES = (30, 31, 32, 33, 30_000, 34, 35, 20_000, 36, 37, 38, 39, 20_000, 40, 41, 42)


def batch(sequence: int, key: bytes, value: bytes) -> bytes:
    """Return a write batch with one put, whose sequence number in the database is ``sequence``."""
    return (
        struct.pack("<QIB", sequence, 1, PUT) + _varint(len(key)) + key
        + _varint(len(value)) + value
    )  # fmt: skip


def put_of(payload: bytes) -> tuple[int, bytes, bytes] | None:
    """Return the sequence number, key and value of a :func:`batch`, or None for other payloads."""
    sequence, _, _, key_size = struct.unpack_from("<QIBB", payload)
    key, data = payload[14 : 14 + key_size], payload[14 + key_size :]
    while data and data[0] & 0x80:
        data = data[1:]
    return (sequence, key, data[1:]) if payload == batch(sequence, key, data[1:]) else None


def _varint(number: int) -> bytes:
    low = number & 0x7F
    return bytes([low]) if number < 0x80 else bytes([low | 0x80]) + _varint(number >> 7)


def value(word: str, number: int, size: int) -> bytes:
    """Return ``size`` bytes that repeat ``word`` and a number."""
    text = f"{word} {number:02}. ".encode()
    return (text * (size // len(text) + 1))[:size]


def log_of_puts(word: str, sizes: Sequence[int]) -> bytes:
    """Return a log that puts the keys ``key00``, ``key01`` … with values of these byte sizes."""
    records = [
        NewRecord(batch(n + 1, b"key%02d" % n, value(word, n, size)))
        for n, size in enumerate(sizes)
    ]
    log = written_log(FORMAT, NAME, records)
    assert isinstance(log, bytes)
    return log


@cache
def control() -> bytes:
    """Return the log before any damage, with the keys ``key00`` to ``key15``."""
    return log_of_puts("value", SIZES)


@cache
def older() -> bytes:
    """Return an older log of the same file: other values of the same sizes, and two more keys."""
    return log_of_puts("older", [*SIZES, 43, 44])


DAMAGE: Mapping[str, Callable[[Damage], None]] = {
    "none": lambda log: None,
    "torn-last-record": lambda log: log.truncate_in("blocks[2].records[3].data", 20),
    "size-before-data": lambda log: log.zero("blocks[2].records[3].data"),
    "zeroed-sector": lambda log: log.zero_sector(6),
    "stale-tail": lambda log: log.extend(older()[len(control()) :]),
    "lost-write": lambda log: log.stale(0, 4096, older()),
    "bit-in-a-length": lambda log: log.flip("blocks[0].records[5].header.len_data", 4),
    "bit-in-a-checksum": lambda log: log.flip("blocks[0].records[1].header.checksum", 3),
    "bit-in-a-payload": lambda log: log.flip("blocks[0].records[1].data", 8 * 40 + 2),
    "bit-in-a-payload/last-block": lambda log: log.flip("blocks[2].records[2].data", 8 * 40 + 2),
    "missing-in-the-middle": lambda log: log.drop("blocks[2].records[2]"),
    "unit-twice": lambda log: log.duplicate("blocks[2].records[2]"),
    "swapped": lambda log: log.swap_sectors(0, 1, 32768),
}


def items(answer: Answer) -> frozenset[Item]:
    """Return the latest value of each key."""
    latest: dict[bytes, tuple[int, bytes]] = {}
    for sequence, key, data in filter(None, (put_of(each.payload) for each in answer.records)):
        if latest.get(key, (-1,))[0] <= sequence:
            latest[key] = sequence, data
    return frozenset((shortened(key), shortened(data)) for key, (_, data) in latest.items())


DATABASES = FormatDatabases(lambda: damaged_cases(FORMAT, control(), DAMAGE, NAME), items)
