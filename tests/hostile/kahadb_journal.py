"""Hostile KahaDB journals."""

from __future__ import annotations

import zlib

from reference_impl.kahadb_journal.layout import (
    CONTROL,
    HEADER,
    RECORD,
    RECORD_HEAD,
    USER_RECORD,
)

NAME = "db-1.log"
UNKNOWN = 9
#: The type of the command that adds a message.
ADD = 1


def _of(kind: int, size: int) -> bytes:
    """Return a batch of empty records of one type."""
    records = RECORD.pack(RECORD_HEAD, kind) * (size // RECORD_HEAD)
    return CONTROL.pack(HEADER, len(records), zlib.adler32(records)) + records


def unknown_types(size: int) -> bytes:
    """Return a journal with a lost range for every five bytes."""
    return _of(UNKNOWN, size)


def empty_records(size: int) -> bytes:
    """Return a journal with a record for every five bytes."""
    return _of(USER_RECORD, size)


def headers_that_claim_all(size: int) -> bytes:
    """Return control records that each claim the rest of the file."""
    count = size // CONTROL.size
    return b"".join(
        CONTROL.pack(HEADER, CONTROL.size * (count - number), 1 + number) for number in range(count)
    )


def sizes_into_a_gap(size: int) -> bytes:
    """Return control records without checksums, whose batches end in bytes without headers."""
    log = bytearray()
    while len(log) < size // 2:
        log += CONTROL.pack(HEADER, size - 100 - len(log) - CONTROL.size, 0)
    return bytes(log).ljust(size, b"\x07")


def _command(fields: bytes) -> bytes:
    """Return a journal with one command, which has these fields and adds a message."""
    payload = bytes([ADD]) + _varint(len(fields)) + fields
    record = RECORD.pack(RECORD_HEAD + len(payload), USER_RECORD) + payload
    return CONTROL.pack(HEADER, len(record), zlib.adler32(record)) + record


def _varint(number: int) -> bytes:
    created = bytearray()
    while number > 0x7F:
        created.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*created, number])


def command_of_fields(size: int) -> bytes:
    """Return a command with a field for every two bytes, all with the same number."""
    return _command(b"\x28\x00" * (size // 2))


def command_of_unknown_fields(size: int) -> bytes:
    """Return a command with empty fields whose numbers are all unknown and different."""
    fields, number = bytearray(), 100
    while len(fields) < size:
        fields += _varint(number << 3 | 2) + b"\x00"
        number += 1
    return _command(bytes(fields))


def command_of_transactions(size: int) -> bytes:
    """Return a command with a nested message for every six bytes."""
    return _command(b"\x0a\x04\x0a\x00\x12\x00" * (size // 6))


def command_of_levels(size: int) -> bytes:
    """Return a command with messages that are nested as deeply as the size allows."""
    # The bytes are built in reverse, from the innermost message outwards.
    fields = bytearray()
    while len(fields) < size:
        fields += _varint(len(fields))[::-1] + b"\x0a"
    return _command(bytes(fields[::-1]))


def command_of_groups(size: int) -> bytes:
    """Return a command with nested groups: half of the bytes start a group, half end one."""
    return _command(b"\x0b" * (size // 2) + b"\x0c" * (size // 2))


LOGS = (
    unknown_types,
    empty_records,
    headers_that_claim_all,
    sizes_into_a_gap,
    command_of_fields,
    command_of_unknown_fields,
    command_of_transactions,
    command_of_levels,
    command_of_groups,
)
