"""Headers, types and metadata of a RocksDB write-ahead log.

Upstream: facebook/rocksdb ``db/log_format.h``, cockroachdb/pebble ``record/record.go``.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from functools import lru_cache

from reference_impl.leveldb_log.dialects import (
    COMPRESSION,
    PREDECESSOR,
    RECYCLABLE_HEADER_SIZE,
    RECYCLABLE_PREDECESSOR,
    RECYCLABLE_TIMESTAMP_SIZES,
    SYNC_HEADER_SIZE,
    TIMESTAMP_SIZES,
    header_size,
)
from reference_impl.leveldb_log.layout import HEADER, HEADER_SIZE, masked_crc

ZERO, FULL, FIRST, MIDDLE, LAST = range(5)
LEGACY_TYPES = (FULL, FIRST, MIDDLE, LAST, TIMESTAMP_SIZES, PREDECESSOR)
IGNORABLE = 0x80  # RDB-011

LEGACY, RECYCLABLE, WAL_SYNC = "legacy", "recyclable", "wal-sync"
HEADER_SIZES = {LEGACY: HEADER_SIZE, RECYCLABLE: RECYCLABLE_HEADER_SIZE, WAL_SYNC: SYNC_HEADER_SIZE}
FIRST_TYPE = {LEGACY: 1, RECYCLABLE: 5, WAL_SYNC: 9}
"""The type of a FULL record in each dialect. The next three types are FIRST, MIDDLE and LAST."""

NO_COMPRESSION, ZSTD = 0, 7  # RDB-030
TIMESTAMP_SIZE = struct.Struct("<IH")
PREDECESSOR_INFO = struct.Struct("<QQQ")
PREDECESSOR_NAMES = ("log_number", "size", "last_sequence")
SYNC_OFFSET = struct.Struct("<Q")


@dataclass(frozen=True, slots=True)
class Physical:
    """A whole physical record with a valid checksum, at ``[at, end)`` in its block."""

    dialect: str | None
    """None for compression records and unknown types, which do not determine the dialect."""
    kind: int
    """FULL, FIRST, MIDDLE, LAST, or the type byte of any other record."""
    data: memoryview
    at: int
    end: int
    number: int | None
    sync_offset: int | None
    has_bad_number: bool
    """True if the checksum matches only with the log's number in the header (RDB-062)."""

    @property
    def is_fragment(self) -> bool:
        """Return whether the physical record holds all or part of a record."""
        return FULL <= self.kind <= LAST

    @property
    def is_metadata(self) -> bool:
        """Return whether the physical record holds metadata about the log (RDB-009)."""
        return self.kind in (
            COMPRESSION,
            TIMESTAMP_SIZES,
            RECYCLABLE_TIMESTAMP_SIZES,
            PREDECESSOR,
            RECYCLABLE_PREDECESSOR,
        )


def physical(
    block: bytes, at: int, is_sync: bool, log_number: int | None = None
) -> Physical | None:
    """Return the valid physical record at an offset in a block, or None (RDB-002 to RDB-008).

    If ``is_sync`` is true, types 9 to 12 have the meaning that Pebble gives them (RDB-013). If
    ``log_number`` is given, it replaces a damaged number in the header (RDB-062).
    """
    if at + HEADER_SIZE > len(block):
        return None
    checksum, length, kind = HEADER.unpack_from(block, at)
    size = header_size(kind, is_sync)
    end = at + size + length
    if end > len(block):
        return None
    number = int.from_bytes(block[at + 7 : at + 11], "little") if size > HEADER_SIZE else None
    covered = memoryview(block)[at + 6 : end]
    has_bad_number = masked_crc(covered) != checksum
    if has_bad_number:
        if number is None or log_number is None:
            return None
        number = log_number
        renumbered = b"".join((covered[:1], number.to_bytes(4, "little"), covered[5:]))
        if masked_crc(renumbered) != checksum:
            return None
    offset = None
    dialect: str | None
    if size == SYNC_HEADER_SIZE:
        (offset,) = SYNC_OFFSET.unpack_from(block, at + RECYCLABLE_HEADER_SIZE)
        dialect, kind = WAL_SYNC, kind - 8
    elif size == RECYCLABLE_HEADER_SIZE:
        dialect, kind = RECYCLABLE, kind - 4 if kind <= 8 else kind
    else:
        dialect = LEGACY if kind in LEGACY_TYPES else None
    data = memoryview(block)[at + size : end]
    return Physical(dialect, kind, data, at, end, number, offset, has_bad_number)


def any_physical(block: bytes, at: int, log_number: int | None = None) -> Physical | None:
    """Return the valid physical record at an offset, whatever its dialect (RDB-013)."""
    return physical(block, at, True, log_number) or physical(block, at, False, log_number)


@lru_cache(maxsize=1)
def last_record(block: bytes, log_number: int) -> int:
    """Return where the last of the log's recyclable records begins in a block, or -1 (RDB-050).

    A block may have thousands of faults that ask for it.
    """
    number = re.escape(log_number.to_bytes(4, "little"))
    places = re.finditer(b"(?=%b)" % number, block[HEADER_SIZE:])
    for start in reversed([place.start() for place in places]):
        if 5 <= block[start + 6] <= 8 and physical(block, start, is_sync=False) is not None:
            return start
    return -1


def is_well_formed(record: Physical) -> bool:
    """Return whether a metadata record has a valid length (RDB-030 to RDB-034)."""
    length = len(record.data)
    if record.kind == COMPRESSION:
        return length == 4
    if record.kind in (TIMESTAMP_SIZES, RECYCLABLE_TIMESTAMP_SIZES):
        return length > 0 and length % TIMESTAMP_SIZE.size == 0
    return length == PREDECESSOR_INFO.size


def is_clean_close(block: bytes, at: int, number: int | None) -> bool:
    """Return whether Pebble's trailer for a closed log is at an offset in a block (RDB-026).

    ``number`` is the log number, or None if it is unknown.
    """
    trailer = block[at : at + RECYCLABLE_HEADER_SIZE]
    if len(trailer) < RECYCLABLE_HEADER_SIZE or trailer[:7] != b"\0\0\0\0\0\0\5":
        return False
    next_number = int.from_bytes(trailer[7:], "little")
    return number is None or next_number == (number + 1) & 0xFFFFFFFF


def clean_close(number: int) -> bytes:
    """Return the trailer that Pebble writes when it closes log ``number`` (RDB-026)."""
    return HEADER.pack(0, 0, 5) + ((number + 1) & 0xFFFFFFFF).to_bytes(4, "little")


def pack(dialect: str, kind: int, data: bytes, number: int = 0, sync_offset: int = 0) -> bytes:
    """Encode a physical record. ``kind`` is FULL to LAST, or the type byte of metadata."""
    extra = b""
    if kind <= LAST:
        kind = FIRST_TYPE[dialect] + kind - FULL
    if header_size(kind, dialect == WAL_SYNC) > HEADER_SIZE:
        extra = (number & 0xFFFFFFFF).to_bytes(4, "little")
    if dialect == WAL_SYNC:
        extra += SYNC_OFFSET.pack(sync_offset)
    covered = bytes([kind]) + extra + data
    return HEADER.pack(masked_crc(covered), len(data), kind) + covered[1:]
