"""Hostile journals of Zeebe."""

from __future__ import annotations

import struct
from collections.abc import Callable

from crc32c import crc32c

from reference_impl.zeebe_journal.layout import (
    DATA_BLOCK,
    DESCRIPTOR_BLOCK,
    JOURNAL_SCHEMA,
    METADATA_BLOCK,
    RECORD_DATA,
    RECORD_FRAME,
    RECORD_METADATA,
    SBE_HEADER,
    SEGMENT_DESCRIPTOR,
)
from reference_impl.zeebe_journal.raft import APPLICATION_ENTRY, RAFT_LOG_ENTRY, RAFT_SCHEMA
from walproof.decode.fault import most_values

NAME = "journal-1.log"
FRAME = struct.Struct("<iii")
EVENT = struct.Struct("<HBxqqqqi")
"""What comes before the metadata of a record of Zeebe."""


def asqns_that_do_not_rise(size: int) -> bytes:
    """A lost range for each record, and no payloads."""
    return _of(size, lambda index: 1)


def empty_records(size: int) -> bytes:
    """Records without payloads."""
    return _of(size, lambda index: index)


def _of(size: int, asqn: Callable[[int], int]) -> bytes:
    """A segment of records without payloads; ``asqn`` gives that of an index."""
    made, index = bytearray(_head()), 1
    while len(made) < size:
        made += _record(index, asqn(index), b"")
        index += 1
    return bytes(made)


def _head() -> bytes:
    head = SBE_HEADER.pack(DESCRIPTOR_BLOCK.size, SEGMENT_DESCRIPTOR, JOURNAL_SCHEMA, 1)
    return b"\1" + head + DESCRIPTOR_BLOCK.pack(1, 1, 2**31 - 1)


def _record(index: int, asqn: int, payload: bytes) -> bytes:
    data = SBE_HEADER.pack(DATA_BLOCK.size, RECORD_DATA, JOURNAL_SCHEMA, 1)
    data += DATA_BLOCK.pack(index, asqn) + struct.pack("<I", len(payload)) + payload
    head = SBE_HEADER.pack(METADATA_BLOCK.size, RECORD_METADATA, JOURNAL_SCHEMA, 1)
    return RECORD_FRAME + head + METADATA_BLOCK.pack(crc32c(data), len(data)) + data


def _entry(data: bytes, count: int) -> bytes:
    """A segment of one record, an application entry with so many records of Zeebe."""
    entry = SBE_HEADER.pack(9, RAFT_LOG_ENTRY, RAFT_SCHEMA, 1) + struct.pack("<QB", 1, 0)
    entry += SBE_HEADER.pack(16, APPLICATION_ENTRY, RAFT_SCHEMA, 1)
    entry += struct.pack("<QQI", 1, count, len(data)) + data
    return _head() + _record(1, 1, entry)


def batch_of_bare_records(size: int) -> bytes:
    """One entry: as many records of Zeebe as there can be, with neither metadata nor value."""
    least = FRAME.size + EVENT.size
    count = size // -(-least // 8) // 8
    records = (FRAME.pack(least, 0, 0) + EVENT.pack(0, 0, n + 1, 0, 0, 0, 0) for n in range(count))
    return _entry(b"".join(one.ljust(-(-least // 8) * 8, b"\0") for one in records), count)


def _value(value: bytes) -> bytes:
    """One entry of one record of Zeebe with this value."""
    least = FRAME.size + EVENT.size
    head = FRAME.pack(least + len(value), 0, 0) + EVENT.pack(0, 0, 1, 0, 0, 0, 0)
    data = head + value
    return _entry(data + bytes(-len(data) % 8), 1)


def value_of_empty_arrays(size: int) -> bytes:
    """One record of Zeebe whose value is an array of empty arrays."""
    return _value(b"\xdd" + struct.pack(">I", size) + b"\x90" * size)


def value_of_pairs(size: int) -> bytes:
    """One record of Zeebe whose value is a map of infinities, all with one key."""
    pair = b"\xa0\xca\x7f\x80\x00\x00"
    count = size // len(pair)
    return _value(b"\xdf" + struct.pack(">I", count) + pair * count)


def value_of_texts_that_are_none(size: int) -> bytes:
    """One record of Zeebe whose value is an array of strings of one byte that is no text."""
    return _value(b"\xdd" + struct.pack(">I", size // 2) + b"\xa1\xff" * (size // 2))


def value_below_the_limit(size: int) -> bytes:
    """The same of as many strings as are decoded, and long bytes."""
    count = min(size // 2, most_values(size) - 100)
    filler = bytes(max(0, size - 2 * count))
    head = b"\xdd" + struct.pack(">I", count + 1)
    return _value(head + b"\xa1\xff" * count + b"\xc6" + struct.pack(">I", len(filler)) + filler)


def value_of_extensions(size: int) -> bytes:
    """One record of Zeebe whose value is an array of extensions of one byte."""
    return _value(b"\xdd" + struct.pack(">I", size // 3) + b"\xd4\x01\x00" * (size // 3))


LOGS = (
    asqns_that_do_not_rise,
    empty_records,
    batch_of_bare_records,
    value_of_empty_arrays,
    value_of_pairs,
    value_of_texts_that_are_none,
    value_below_the_limit,
    value_of_extensions,
)
