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
from reference_impl.zeebe_journal.raft import (
    APPLICATION_ENTRY,
    RAFT_LOG_ENTRY,
    RAFT_SCHEMA,
    Member,
    encode_configuration,
)
from walproof.decode.fault import most_values

NAME = "journal-1.log"
FRAME = struct.Struct("<iii")
GROUP = struct.Struct("<HB")
"""The head of a group: the size of each member, and the number of members."""
DEEP = 250
"""The maximum depth of a MessagePack value that is decoded."""
#: The fields before the metadata of a Zeebe record.
EVENT = struct.Struct("<HBxqqqqi")


def asqns_that_do_not_rise(size: int) -> bytes:
    """Return a segment with a lost range for each record, and no payloads."""
    return _of(size, lambda index: 1)


def empty_records(size: int) -> bytes:
    """Return a segment of records without payloads."""
    return _of(size, lambda index: index)


def _of(size: int, asqn: Callable[[int], int]) -> bytes:
    """Return a segment of records without payloads; ``asqn`` returns the asqn of an index."""
    created, index = bytearray(_head()), 1
    while len(created) < size:
        created += _record(index, asqn(index), b"")
        index += 1
    return bytes(created)


def _head() -> bytes:
    head = SBE_HEADER.pack(DESCRIPTOR_BLOCK.size, SEGMENT_DESCRIPTOR, JOURNAL_SCHEMA, 1)
    return b"\1" + head + DESCRIPTOR_BLOCK.pack(1, 1, 2**31 - 1)


def _record(index: int, asqn: int, payload: bytes) -> bytes:
    data = SBE_HEADER.pack(DATA_BLOCK.size, RECORD_DATA, JOURNAL_SCHEMA, 1)
    data += DATA_BLOCK.pack(index, asqn) + struct.pack("<I", len(payload)) + payload
    head = SBE_HEADER.pack(METADATA_BLOCK.size, RECORD_METADATA, JOURNAL_SCHEMA, 1)
    return RECORD_FRAME + head + METADATA_BLOCK.pack(crc32c(data), len(data)) + data


def _entry(data: bytes, count: int) -> bytes:
    """Return a segment with one application entry of ``count`` Zeebe records."""
    entry = SBE_HEADER.pack(9, RAFT_LOG_ENTRY, RAFT_SCHEMA, 1) + struct.pack("<QB", 1, 0)
    entry += SBE_HEADER.pack(16, APPLICATION_ENTRY, RAFT_SCHEMA, 1)
    entry += struct.pack("<QQI", 1, count, len(data)) + data
    return _head() + _record(1, 1, entry)


def batch_of_bare_records(size: int) -> bytes:
    """Return one entry with as many Zeebe records as fit, without metadata and value."""
    least = FRAME.size + EVENT.size
    count = size // -(-least // 8) // 8
    records = (FRAME.pack(least, 0, 0) + EVENT.pack(0, 0, n + 1, 0, 0, 0, 0) for n in range(count))
    return _entry(b"".join(each.ljust(-(-least // 8) * 8, b"\0") for each in records), count)


def groups_of_members(size: int) -> bytes:
    """Return configurations whose groups have the maximum number of members, without names."""
    members = [Member("active", 0, b"")] * 255
    return _of_payload(encode_configuration(1, 1, members, members), size)


def groups_that_claim_members(size: int) -> bytes:
    """Return configurations with a group that claims the most and longest members but is empty."""
    whole = encode_configuration(1, 1, [])
    return _of_payload(whole[: -2 * GROUP.size] + GROUP.pack(0xFFFF, 0xFF), size)


def _of_payload(payload: bytes, size: int) -> bytes:
    """Return a segment of records that all have this payload."""
    created, index = bytearray(_head()), 1
    while len(created) < size:
        created += _record(index, index, payload)
        index += 1
    return bytes(created)


def _value(value: bytes, metadata: bytes = b"") -> bytes:
    """Return one entry with one Zeebe record, which has this value."""
    least = FRAME.size + EVENT.size
    head = FRAME.pack(least + len(metadata) + len(value), 0, 0)
    data = head + EVENT.pack(0, 0, 1, 0, 0, 0, len(metadata)) + metadata + value
    return _entry(data + bytes(-len(data) % 8), 1)


def value_of_empty_arrays(size: int) -> bytes:
    """Return a Zeebe record whose value is an array of empty arrays."""
    return _value(b"\xdd" + struct.pack(">I", size) + b"\x90" * size)


def value_of_pairs(size: int) -> bytes:
    """Return a Zeebe record whose value is a map of infinities under the same key."""
    pair = b"\xa0\xca\x7f\x80\x00\x00"
    count = size // len(pair)
    return _value(b"\xdf" + struct.pack(">I", count) + pair * count)


def value_of_texts_that_are_none(size: int) -> bytes:
    """Return a Zeebe record whose value is an array of one-byte strings that are invalid UTF-8."""
    return _value(b"\xdd" + struct.pack(">I", size // 2) + b"\xa1\xff" * (size // 2))


def value_of_levels(size: int) -> bytes:
    """Return a Zeebe record whose value is nested arrays, one level for each byte."""
    return _value(b"\x91" * size + b"\xc0")


def value_of_deep_arrays(size: int) -> bytes:
    """Return a Zeebe record whose value is many arrays of the maximum depth."""
    deep = b"\x91" * DEEP + b"\xc0"
    count = min(size, most_values(size) - 100) // len(deep)
    filler = bytes(size - count * len(deep))
    head = b"\xdd" + struct.pack(">I", count + 1)
    return _value(head + deep * count + b"\xc6" + struct.pack(">I", len(filler)) + filler)


def value_of_documents(size: int) -> bytes:
    """Return a Zeebe record whose value has documents with the maximum number of values each."""
    count = min(most_values(0), size // 3 - 20)
    document = b"\xdd" + struct.pack(">I", count - 1) + b"\xd4\x01\x00" * (count - 1)
    pair = b"\xa9variables\xc6" + struct.pack(">I", len(document)) + document
    pairs = max(1, size // len(pair))
    filler = bytes(max(0, size - pairs * len(pair)))
    head = b"\xdf" + struct.pack(">I", pairs + 1)
    return _value(head + pair * pairs + b"\xa1a\xc6" + struct.pack(">I", len(filler)) + filler)


def metadata_of_levels(size: int) -> bytes:
    """Return a Zeebe record whose metadata have an authorization of ``size`` levels."""
    block = struct.pack("<BiQHBB", 0, 1, 1, 1, 0, 0) + struct.pack("<iiiHB", 8, 3, 0, 1, 255)
    metadata = SBE_HEADER.pack(len(block), 200, 0, 4) + block + struct.pack("<I", 0)
    deep = b"\x91" * size + b"\xc0"
    return _value(b"\x80", metadata + struct.pack("<I", len(deep)) + deep)


LOGS = (
    asqns_that_do_not_rise,
    empty_records,
    batch_of_bare_records,
    value_of_empty_arrays,
    value_of_pairs,
    value_of_texts_that_are_none,
    value_of_levels,
    value_of_deep_arrays,
    value_of_documents,
    metadata_of_levels,
    groups_of_members,
    groups_that_claim_members,
)
