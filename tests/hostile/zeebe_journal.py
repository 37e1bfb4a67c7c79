"""Hostile Zeebe journals."""

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
    Member,
    encode_configuration,
)
from reference_impl.zeebe_journal.writer import pack_descriptor

NAME = "journal-1.log"
#: The head of a group, which contains the size of each member and the number of members.
GROUP = struct.Struct("<HB")


def asqns_that_do_not_rise(size: int) -> bytes:
    """Return a segment with a lost range for each record, and no payloads."""
    return _of(size, lambda index: 1)


def empty_records(size: int) -> bytes:
    """Return a segment of records without payloads."""
    return _of(size, lambda index: index)


def _of(size: int, asqn: Callable[[int], int]) -> bytes:
    """Return a segment of records without payloads. ``asqn`` maps an index to an asqn."""
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


def groups_of_members(size: int) -> bytes:
    """Return configurations whose groups have the maximum number of nameless members."""
    members = [Member("active", 0, b"")] * 255
    return _of_payload(encode_configuration(1, 1, members, members), size)


def groups_that_claim_members(size: int) -> bytes:
    """Return configurations with an empty group that claims the most and the longest members."""
    whole = encode_configuration(1, 1, [])
    return _of_payload(whole[: -2 * GROUP.size] + GROUP.pack(0xFFFF, 0xFF), size)


def _of_payload(payload: bytes, size: int) -> bytes:
    """Return a segment of records that all have this payload."""
    created, index = bytearray(_head()), 1
    while len(created) < size:
        created += _record(index, index, payload)
        index += 1
    return bytes(created)


def lengths_of_the_rest(size: int) -> bytes:
    """Return a sealed segment of records whose data messages reach the end of the file.

    The length of each payload leads to the next record.
    """
    log = bytearray(_sealed_head(size))
    while len(log) < size - 98:
        record = _record(1, 1, b"")
        length = (size - 1 - len(log) - 21).to_bytes(4, "little")
        log += record[:9] + b"\1" + bytes(7) + length + record[21:]
    return bytes(log).ljust(size, b"\xff")


def messages_in_messages(size: int) -> bytes:
    """Return a sealed segment with a fault, and frames of valid checksums that end with the file.

    The data message of each frame begins with the next frame.
    """
    head = SBE_HEADER.pack(METADATA_BLOCK.size, RECORD_METADATA, JOURNAL_SCHEMA, 1)
    log = bytearray(_sealed_head(size) + b"\1" + bytes(60)).ljust(size, b"\0")
    for at in range(size - 49, 118, -21):
        crc = crc32c(memoryview(log)[at + 21 :])
        log[at : at + 21] = RECORD_FRAME + head + METADATA_BLOCK.pack(crc, size - at - 21)
    return bytes(log)


def _sealed_head(size: int) -> bytes:
    return pack_descriptor(1, 1, size, (1 << 40, 100))


LOGS = (
    asqns_that_do_not_rise,
    empty_records,
    groups_of_members,
    groups_that_claim_members,
    lengths_of_the_rest,
    messages_in_messages,
)
