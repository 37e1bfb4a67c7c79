"""Hostile journals of KahaDB."""

from __future__ import annotations

import random
import struct
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
ADD, STREAM, TEXT = 1, 27, 28
"""The number of the command that adds a message, and OpenWire type numbers."""
TIMES, MOST = 100, 4 << 20
"""Content is not decoded if it inflates to more than this factor or this number of bytes."""


def _of(kind: int, size: int) -> bytes:
    """Return a batch of records of one type without data."""
    records = RECORD.pack(RECORD_HEAD, kind) * (size // RECORD_HEAD)
    return CONTROL.pack(HEADER, len(records), zlib.adler32(records)) + records


def unknown_types(size: int) -> bytes:
    """Return a journal with a lost range for every five bytes."""
    return _of(UNKNOWN, size)


def empty_records(size: int) -> bytes:
    """Return a journal with a record for every five bytes."""
    return _of(USER_RECORD, size)


def headers_that_claim_all(size: int) -> bytes:
    """Return a sequence of control records, each of which claims the rest of the file."""
    count = size // CONTROL.size
    return b"".join(
        CONTROL.pack(HEADER, CONTROL.size * (count - number), 1 + number) for number in range(count)
    )


def _message(
    kind: int, content: bytes, is_compressed: bool = False, properties: bytes = b""
) -> bytes:
    """Return a journal with one message in the oldest layout; all optional fields are null."""
    body = struct.pack(">b5x", kind) + bytes(7) + struct.pack(">i", 0) + bytes(2)
    body += struct.pack(">qbxqx?i", 0, 4, 0, True, len(content)) + content
    body += struct.pack(">?", bool(properties))
    body += struct.pack(">i", len(properties)) + properties if properties else b""
    body += struct.pack(">2x?ixqxx", is_compressed, 0, 0)
    data = struct.pack(">i", len(body)) + body
    return _command(b"\x22" + _varint(len(data)) + data)


def _command(fields: bytes) -> bytes:
    """Return a journal with one command that adds a message and has these fields."""
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
    """Return a command of empty fields, each with a different unknown number."""
    fields, number = bytearray(), 100
    while len(fields) < size:
        fields += _varint(number << 3 | 2) + b"\x00"
        number += 1
    return _command(bytes(fields))


def command_of_transactions(size: int) -> bytes:
    """Return a command with a nested message for every six bytes."""
    return _command(b"\x0a\x04\x0a\x00\x12\x00" * (size // 6))


def command_of_levels(size: int) -> bytes:
    """Return a command of messages nested as deep as the size allows."""
    fields = bytearray()  # built from the innermost message outwards, in reverse
    while len(fields) < size:
        fields += _varint(len(fields))[::-1] + b"\x0a"
    return _command(bytes(fields[::-1]))


def command_of_groups(size: int) -> bytes:
    """Return a command of nested groups: half of the bytes start groups, half end them."""
    return _command(b"\x0b" * (size // 2) + b"\x0c" * (size // 2))


def message_of_nulls(size: int) -> bytes:
    """Return a stream message with a null for every byte."""
    return _message(STREAM, bytes(size))


def message_of_properties(size: int) -> bytes:
    """Return a message with a property for every seven bytes."""
    names = [b"\x00\x04%04x\x00" % number for number in range(min(size // 7, 0x10000))]
    return _message(TEXT, b"\xff" * 4, properties=struct.pack(">i", len(names)) + b"".join(names))


def inflated_text(size: int) -> bytes:
    """Return a compressed text of nearly the maximum size; one character makes the string wide."""
    text = chr(0x1F600).encode() + _inflating(size, b"a", MOST)
    return _message(TEXT, zlib.compress(struct.pack(">i", len(text)) + text), is_compressed=True)


def inflated_nulls(size: int) -> bytes:
    """Return a compressed stream message of nulls of nearly the maximum size."""
    content = _inflating(size, b"\0", MOST // 2)
    return _message(STREAM, zlib.compress(content), is_compressed=True)


def _inflating(size: int, filler: bytes, most: int) -> bytes:
    """Return content of nearly the maximum size that compresses to about ``size`` bytes."""
    chance = random.Random(size)
    unlike = b"".join(b"\x02%c" % chance.randrange(0x80) for _ in range(size // 2))
    packed = len(zlib.compress(unlike))
    count = min(TIMES * packed, most + packed * 2 * most // MOST) * 15 // 16 - len(unlike)
    return unlike + filler * max(0, count)


LOGS = (
    unknown_types,
    empty_records,
    headers_that_claim_all,
    message_of_nulls,
    message_of_properties,
    inflated_text,
    inflated_nulls,
    command_of_fields,
    command_of_unknown_fields,
    command_of_transactions,
    command_of_levels,
    command_of_groups,
)
