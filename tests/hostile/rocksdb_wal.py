"""Hostile logs of RocksDB and Pebble."""

from __future__ import annotations

from conformance.recipes.rocksdb_wal.zstd_frames import frame_of_one_byte
from reference_impl.leveldb_log.layout import BLOCK_SIZE
from reference_impl.rocksdb_wal.layout import TIMESTAMP_SIZE, pack

NAME = "000003.log"
NUMBER, OLDER = 3, 2
FULL, MIDDLE = 1, 3
COMPRESSED = pack("legacy", 9, (7).to_bytes(4, "little"))


def _blocks(size: int, record: bytes, first: bytes = b"") -> bytes:
    """Blocks that are filled with one physical record, after ``first``."""
    log = bytearray(first)
    while len(log) < size:
        left = BLOCK_SIZE - len(log) % BLOCK_SIZE
        log += (record * (left // len(record))).ljust(left, b"\0")
    return bytes(log)


def empty_numbered_records(size: int) -> bytes:
    """A record for each eleven bytes."""
    return _blocks(size, pack("recyclable", FULL, b"", NUMBER))


def orphans(size: int) -> bytes:
    """A lost range for each nineteen bytes."""
    return _blocks(size, pack("wal-sync", MIDDLE, b"", NUMBER))


def metadata_without_end(size: int) -> bytes:
    """Timestamp sizes of one column family after the other, which the next record would have."""
    count = (BLOCK_SIZE - 11) // TIMESTAMP_SIZE.size
    log, family = bytearray(), 0
    while len(log) < size:
        pairs = (TIMESTAMP_SIZE.pack(family + number, 8) for number in range(count))
        log += pack("recyclable", 11, b"".join(pairs), NUMBER)
        log += bytes(-len(log) % BLOCK_SIZE)
        family += count
    return bytes(log) + pack("recyclable", FULL, b"alpha", NUMBER)


def metadata_repeated(size: int) -> bytes:
    """A lost range for each seventeen bytes: one column family again and again."""
    return _blocks(size, pack("recyclable", 11, TIMESTAMP_SIZE.pack(1, 8), NUMBER))


def frames_within_the_budget(size: int) -> bytes:
    """Compressed records of 16 KiB, each from eighteen bytes: most of them exceed the budget."""
    frame = frame_of_one_byte(0x61, 16384)
    return _blocks(size, pack("legacy", FULL, frame), COMPRESSED)


def frames_that_fail(size: int) -> bytes:
    """The same, but each lacks its last byte: what was decompressed is dropped, and counts."""
    frame = frame_of_one_byte(0x61, 1 << 17)[:-1]
    return _blocks(size, pack("legacy", FULL, frame), COMPRESSED)


def other_logs_in_turn(size: int) -> bytes:
    """Blocks of this log and of another in turn, if there is room for both: many lost ranges."""
    own = _blocks(BLOCK_SIZE, pack("recyclable", FULL, b"alpha", NUMBER))
    other = _blocks(BLOCK_SIZE, pack("recyclable", FULL, b"alpha", OLDER))
    return (own + other) * (size // (2 * BLOCK_SIZE)) + own[: BLOCK_SIZE // 2 + 1000]


def zeros_before_a_late_byte(size: int) -> bytes:
    """Zero headers in every block, and one byte at the end of each."""
    log = bytearray(_blocks(BLOCK_SIZE, pack("recyclable", FULL, b"alpha", NUMBER)))
    while len(log) < size:
        log += bytes(BLOCK_SIZE - 1) + b"\1"
    return bytes(log)


def ignorable_in_every_other_block(size: int) -> bytes:
    """Blocks that the scanner's kernel reads, and blocks that it cannot read, in turn."""
    sizes = pack("legacy", 10, TIMESTAMP_SIZE.pack(1, 8))
    plain = pack("legacy", FULL, b"x" * (BLOCK_SIZE - 7))
    unusual = pack("legacy", 200, b"") + pack("legacy", FULL, b"x" * (BLOCK_SIZE - 14))
    first = sizes + pack("legacy", FULL, b"x" * (BLOCK_SIZE - 7 - len(sizes)))
    return first + (plain + unusual) * (size // (2 * BLOCK_SIZE))


LOGS = (
    empty_numbered_records,
    orphans,
    metadata_without_end,
    metadata_repeated,
    frames_within_the_budget,
    frames_that_fail,
    other_logs_in_turn,
    zeros_before_a_late_byte,
    ignorable_in_every_other_block,
)
