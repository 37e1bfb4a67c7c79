"""The layout of a LevelDB log: blocks, headers and checksums, and the dialects to refuse.

Upstream authority: google/leveldb ``db/log_format.h``.
"""

from __future__ import annotations

import struct
from typing import BinaryIO

from crc32c import crc32c

BLOCK_SIZE = 32768  # LDB-001
HEADER = struct.Struct("<IHB")  # The fields are a masked checksum, a length and a type (LDB-002).
HEADER_SIZE = HEADER.size
ZERO, FULL, FIRST, MIDDLE, LAST = range(5)


def masked_crc(covered: bytes | memoryview) -> int:
    """Return the masked CRC-32C of a type byte and its data (LDB-006, LDB-007)."""
    crc = crc32c(covered)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def foreign_dialect(block: bytes, at: int = 0) -> str | None:
    """Return the dialect of a valid physical record, or ``None`` for plain LevelDB (LDB-043)."""
    if len(block) < at + HEADER_SIZE:
        return None
    checksum, length, record_type = HEADER.unpack_from(block, at)
    for dialect, types, header_size, lengths in (
        ("RocksDB or Pebble recyclable", (5, 6, 7, 8, 11, 131), 11, None),
        ("Pebble WAL sync", (9, 10, 11, 12), 19, None),
        ("RocksDB compression type", (9,), 7, (4,)),
        ("RocksDB timestamp sizes", (10,), 7, range(6, BLOCK_SIZE, 6)),
        ("RocksDB predecessor log", (130,), 7, (24,)),
    ):
        end = at + header_size + length
        if (
            record_type in types
            and (lengths is None or length in lengths)
            and end <= len(block)
            and masked_crc(block[at + 6 : end]) == checksum
        ):
            return dialect
    return None


def is_sound(block: bytes, at: int) -> bool:
    """Return whether the physical record at ``at`` has type 1 to 4 and a valid checksum."""
    if len(block) < at + HEADER_SIZE:
        return False
    checksum, length, record_type = HEADER.unpack_from(block, at)
    end = at + HEADER_SIZE + length
    is_whole = FULL <= record_type <= LAST and end <= len(block)
    return bool(is_whole and masked_crc(block[at + 6 : end]) == checksum)


def read_block(log: BinaryIO) -> bytes:
    """Read one block, and retry short reads, because they do not mean the end of the log."""
    block = log.read(BLOCK_SIZE)
    while 0 < len(block) < BLOCK_SIZE:
        more = log.read(BLOCK_SIZE - len(block))
        if not more:
            break
        block += more
    return block


def all_zero(data: bytes) -> bool:
    """Return whether all bytes are zero."""
    return data.count(0) == len(data)
