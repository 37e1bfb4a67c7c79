"""Decode the raft entries in the payloads of Zeebe records.

The generated parser omits a field that extends past the end of its message. This module reads the
fields again to determine which fault of ZBJ-058 applies. It was written from spec/zeebe-journal.md
alone.
"""

from __future__ import annotations

import hashlib
import struct
from typing import Any

MEMBER_TYPES = ("inactive", "passive", "promotable", "active")
SCHEMA = 8


class Fault(Exception):
    """Raised if the payload is not a raft entry. The message is the reason code (ZBJ-058)."""


class Cursor:
    """A position in a payload. Reading past the end is a fault."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def bytes(self, size: int) -> bytes:
        """Return the next ``size`` bytes."""
        if self.at + size > len(self.data):
            raise Fault("truncated-entry")
        self.at += size
        return self.data[self.at - size : self.at]

    def numbers(self, layout: str) -> tuple[int, ...]:
        """Return the next numbers, little-endian."""
        return struct.unpack("<" + layout, self.bytes(struct.calcsize("<" + layout)))

    def message(self, template: int, least: int) -> tuple[bytes, int]:
        """Return the block and the version of a message."""
        size, actual, schema, version = self.numbers("HHHH")
        if (actual, schema) != (template, SCHEMA) or size < least:
            raise Fault("bad-entry-header")
        return self.bytes(size), version

    def text(self) -> bytes:
        """Return the bytes after a length field."""
        (size,) = self.numbers("I")
        return self.bytes(size)


def fields(payload: bytes) -> dict[str, Any]:
    """Return ``term``, ``entry_type``, ``entry`` (None after a fault) and any ``entry_fault``."""
    try:
        return decoded(payload)
    except Fault as fault:
        return {"term": None, "entry_type": None, "entry": None, "entry_fault": str(fault)}


def decoded(payload: bytes) -> dict[str, Any]:
    """Decode a raft entry (ZBJ-054 to ZBJ-057)."""
    cursor = Cursor(payload)
    try:
        block, _ = cursor.message(1, 9)
    except Fault:
        raise Fault("not-raft") from None
    term, entry_type = struct.unpack_from("<QB", block)
    if entry_type == 0:
        name, entry = "application", application(cursor)
    elif entry_type == 1:
        name, entry = "configuration", configuration(cursor)
    elif entry_type == 2:
        name, entry = "initial", {}
    else:
        raise Fault("unknown-entry-type")
    return {"term": str(term), "entry_type": name, "entry": entry}


def application(cursor: Cursor) -> dict[str, Any]:
    """Decode an ApplicationEntry (ZBJ-055)."""
    block, _ = cursor.message(2, 16)
    lowest, highest = struct.unpack_from("<QQ", block)
    data = cursor.text()
    whole = {"application_data": data.hex()}
    short = {"application_data_sha256": hashlib.sha256(data).hexdigest()}
    entry = {"lowest_asqn": str(lowest), "highest_asqn": str(highest)}
    return entry | (whole if len(data) <= 4096 else short)


def configuration(cursor: Cursor) -> dict[str, Any]:
    """Decode a ConfigurationEntry (ZBJ-057)."""
    block, version = cursor.message(4, 8)
    (timestamp,) = struct.unpack_from("<Q", block)
    new = members(cursor)
    old = members(cursor) if version >= 2 else []
    return {"timestamp": str(timestamp), "new_members": new, "old_members": old}


def members(cursor: Cursor) -> list[dict[str, Any]]:
    """Return the members of one group."""
    size, count = cursor.numbers("HB")
    if count and size < 9:
        raise Fault("bad-entry-header")
    group = []
    for _ in range(count):
        member_type, updated = struct.unpack_from("<Bq", cursor.bytes(size))
        if member_type >= len(MEMBER_TYPES):
            raise Fault("unknown-member-type")
        name = cursor.text()
        try:
            member_id: Any = name.decode()
        except UnicodeDecodeError:
            member_id = {"hex": name.hex()}
        group.append(
            {"type": MEMBER_TYPES[member_type], "updated": str(updated), "member_id": member_id}
        )
    return group
