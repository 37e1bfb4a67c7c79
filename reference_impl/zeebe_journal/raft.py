"""Raft log entries in schema versions 1 to 4, the payloads of Zeebe's records (ZBJ-054).

Upstream authority: camunda/zeebe ``atomix/cluster/src/main/resources/raft-entry-schema.xml`` and
``raft/storage/serializer/RaftEntrySBESerializer.java``.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from reference_impl.answer import INLINE_PAYLOAD_LIMIT, payload_to_json

RAFT_SCHEMA = 8
RAFT_LOG_ENTRY, APPLICATION_ENTRY, CONFIGURATION_ENTRY = 1, 2, 4  # templates
ENTRY_TYPES = ("application", "configuration", "initial")  # ZBJ-054
MEMBER_TYPES = ("inactive", "passive", "promotable", "active")  # ZBJ-057
NEWEST_VERSION = 4

_HEADER = struct.Struct("<HHHH")
_LOG_ENTRY = struct.Struct("<QB")
_APPLICATION = struct.Struct("<QQ")
_CONFIGURATION = struct.Struct("<Q")
_GROUP = struct.Struct("<HB")
_MEMBER = struct.Struct("<Bq")
_LENGTH = struct.Struct("<I")


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a raft cluster. ``updated`` is in milliseconds since 1970."""

    type: str
    updated: int
    member_id: bytes

    def to_json(self) -> dict[str, Any]:
        """Return the member as it appears in an answer."""
        return {
            "type": self.type,
            "updated": str(self.updated),
            "member_id": _text(self.member_id),
        }


@dataclass(frozen=True, slots=True)
class RaftEntry:
    """A decoded payload. ``term``, ``type`` and ``entry`` are None if it is invalid (ZBJ-058)."""

    term: int | None = None
    type: str | None = None
    entry: dict[str, Any] | None = None
    fault: str | None = None
    #: If the payload has a fault, the offset of the fault in it.
    fault_at: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the record fields that come from the payload."""
        fields: dict[str, Any] = {
            "term": None if self.term is None else str(self.term),
            "entry_type": self.type,
            "entry": self.entry,
        }
        return fields if self.fault is None else {**fields, "entry_fault": self.fault}


class _Invalid(Exception):
    """Raised with a reason code and an offset if the payload is not a valid raft entry."""

    def __init__(self, code: str, at: int) -> None:
        super().__init__(code)
        self.at = at


class _Message:
    """Reads SBE fields in order, never past the end of the bytes."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, count: int) -> bytes:
        if self.at + count > len(self.data):
            raise _Invalid("truncated-entry", self.at)
        self.at += count
        return self.data[self.at - count : self.at]

    def block(self, template: int, size: int, otherwise: str) -> tuple[bytes, int]:
        """Return the next message's root block, of at least ``size`` bytes, and its version."""
        at = self.at
        length, actual, schema, version = _HEADER.unpack(self.take(_HEADER.size))
        if (actual, schema) != (template, RAFT_SCHEMA) or length < size:
            raise _Invalid(otherwise, at)
        return self.take(length), version

    def var_data(self) -> bytes:
        (length,) = _LENGTH.unpack(self.take(_LENGTH.size))
        return self.take(length)

    def members(self) -> list[Member]:
        at = self.at
        length, count = _GROUP.unpack(self.take(_GROUP.size))
        if count and length < _MEMBER.size:
            raise _Invalid("bad-entry-header", at)
        members = []
        for _ in range(count):
            at = self.at
            member_type, updated = _MEMBER.unpack_from(self.take(length))
            if member_type >= len(MEMBER_TYPES):
                raise _Invalid("unknown-member-type", at)  # ZBJ-058
            members.append(Member(MEMBER_TYPES[member_type], updated, self.var_data()))
        return members


def decode(payload: bytes) -> RaftEntry:
    """Decode the raft entry in a payload. Never raises.

    If the payload is not an entry, ``fault`` contains the reason code.
    """
    message = _Message(payload)
    try:
        try:
            block, _ = message.block(RAFT_LOG_ENTRY, _LOG_ENTRY.size, "not-raft")
        except _Invalid:
            raise _Invalid("not-raft", 0) from None
        term, entry_type = _LOG_ENTRY.unpack_from(block)
        if entry_type >= len(ENTRY_TYPES):
            raise _Invalid("unknown-entry-type", _HEADER.size + _LOG_ENTRY.size - 1)  # ZBJ-058
        return RaftEntry(term, ENTRY_TYPES[entry_type], _ENTRIES[entry_type](message))
    except _Invalid as invalid:
        return RaftEntry(fault=str(invalid), fault_at=invalid.at)


def _application(message: _Message) -> dict[str, Any]:
    """Decode an ApplicationEntry (ZBJ-055)."""
    block, _ = message.block(APPLICATION_ENTRY, _APPLICATION.size, "bad-entry-header")
    lowest, highest = _APPLICATION.unpack_from(block)
    data = message.var_data()
    shown = payload_to_json(data)
    name = "payload_sha256" if len(data) > INLINE_PAYLOAD_LIMIT else "payload"
    return {
        "lowest_asqn": str(lowest),
        "highest_asqn": str(highest),
        name.replace("payload", "application_data"): shown[name],
    }


def _configuration(message: _Message) -> dict[str, Any]:
    """Decode a ConfigurationEntry (ZBJ-057)."""
    block, version = message.block(CONFIGURATION_ENTRY, _CONFIGURATION.size, "bad-entry-header")
    (timestamp,) = _CONFIGURATION.unpack_from(block)
    new = message.members()
    old = message.members() if version >= 2 else []
    return {
        "timestamp": str(timestamp),
        "new_members": [member.to_json() for member in new],
        "old_members": [member.to_json() for member in old],
    }


def _initial(message: _Message) -> dict[str, Any]:
    """Decode an InitialEntry, which has no content (ZBJ-054)."""
    return {}


_ENTRIES = (_application, _configuration, _initial)


def _text(data: bytes) -> str | dict[str, str]:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"hex": data.hex()}


def encode_initial(term: int, version: int = NEWEST_VERSION) -> bytes:
    """Encode an InitialEntry, which has only a type (ZBJ-054)."""
    return _log_entry(term, 2, version)


def encode_application(
    term: int, lowest: int, highest: int, data: bytes, version: int = NEWEST_VERSION
) -> bytes:
    """Encode an ApplicationEntry for the application's records ``lowest`` to ``highest``."""
    header = _HEADER.pack(_APPLICATION.size, APPLICATION_ENTRY, RAFT_SCHEMA, version)
    block = _APPLICATION.pack(lowest, highest)
    return _log_entry(term, 0, version) + header + block + _LENGTH.pack(len(data)) + data


def encode_configuration(
    term: int,
    timestamp: int,
    new: Sequence[Member],
    old: Sequence[Member] = (),
    version: int = NEWEST_VERSION,
) -> bytes:
    """Encode a ConfigurationEntry. If ``old`` is given, it describes a joint consensus."""
    header = _HEADER.pack(_CONFIGURATION.size, CONFIGURATION_ENTRY, RAFT_SCHEMA, version)
    groups = _group(new) + (_group(old) if version >= 2 else b"")
    return _log_entry(term, 1, version) + header + _CONFIGURATION.pack(timestamp) + groups


def _log_entry(term: int, entry_type: int, version: int) -> bytes:
    header = _HEADER.pack(_LOG_ENTRY.size, RAFT_LOG_ENTRY, RAFT_SCHEMA, version)
    return header + _LOG_ENTRY.pack(term, entry_type)


def _group(members: Sequence[Member]) -> bytes:
    return _GROUP.pack(_MEMBER.size, len(members)) + b"".join(
        _MEMBER.pack(MEMBER_TYPES.index(member.type), member.updated)
        + _LENGTH.pack(len(member.member_id))
        + member.member_id
        for member in members
    )
