"""Hostile LevelDB logs."""

from __future__ import annotations

import io
import struct

from reference_impl.leveldb_log.layout import BLOCK_SIZE, FULL, HEADER, HEADER_SIZE, masked_crc
from reference_impl.leveldb_log.writer import append_stream

NAME = "000003.log"
UNKNOWN = 5


def _of(kind: int, size: int) -> bytes:
    """Return blocks full of empty physical records of one type."""
    header = HEADER.pack(masked_crc(bytes([kind])), 0, kind)
    block = (header * (BLOCK_SIZE // HEADER_SIZE)).ljust(BLOCK_SIZE, b"\0")
    return block * max(1, size // BLOCK_SIZE)


def unknown_types(size: int) -> bytes:
    """Return a log with a lost range for every seven bytes."""
    return _of(UNKNOWN, size)


def empty_records(size: int) -> bytes:
    """Return a log with a record for every seven bytes."""
    return _of(FULL, size)


def _record(payload: bytes) -> bytes:
    log = io.BytesIO()
    append_stream(log, [payload])
    return log.getvalue()


def _batch(operations: bytes, count: int) -> bytes:
    return _record(struct.pack("<QI", 1, count) + operations)


def batch_of_marks(size: int) -> bytes:
    """Return a write batch with an operation for every byte, all with the longest name."""
    return _batch(b"\x12" * size, 0)


def entity_of_columns(size: int) -> bytes:
    """Return a write batch with a wide-column entity that has a column for every two bytes."""
    entity = b"\x01" + _varint(size // 2) + bytes(size // 2 * 2)
    return _batch(b"\x16\x00" + _varint(len(entity)) + entity, 1)


def edit_of_fields(size: int) -> bytes:
    """Return a version edit with a field for every three bytes, all with the longest name."""
    return _record((_varint((1 << 13) + 11) + b"\x00") * (size // 3))


def edit_of_custom_fields(size: int) -> bytes:
    """Return a version edit with a table that has a custom field for every two bytes."""
    key = b"\x08" + bytes(8)
    return _record(b"\x67\x00\x01\x01" + key * 2 + bytes(2) + b"\x08\x00" * (size // 2) + b"\x01")


def _varint(number: int) -> bytes:
    created = bytearray()
    while number > 0x7F:
        created.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*created, number])


LOGS = (
    unknown_types,
    empty_records,
    batch_of_marks,
    entity_of_columns,
    edit_of_fields,
    edit_of_custom_fields,
)
