"""Decode the Zeebe records in an application entry: consecutive frames of logged events.

Upstream authority: zeebe-logstreams, ``impl/serializer/DataFrameDescriptor`` and
``impl/log/LogEntryDescriptor`` (up to 8.2 in the package of the dispatcher, with the same bytes).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

from walproof.decode.fault import CUT, Undecodable
from walproof.decode.message_pack import to_json
from walproof.formats.zeebe_journal.decoder import metadata
from walproof.quoted import quoted
from walproof.schema import Struct

RECORD: Struct = {
    "position": "int64",
    # In ``source_position`` and ``key``, −1 means none.
    "source_position": "int64",
    "key": "int64",
    # Milliseconds since 1970.
    "timestamp": "int64",
    # Whether the writer had already processed the record.
    "is_processed": "bool",
    **metadata.FIELDS,
    # The value as JSON.
    "value": "string",
    # The reason why the metadata or the value is null.
    "fault": "string",
}

#: Maximum number of characters of a value in a phrase.
LONGEST = 120

_ALIGNMENT = 8
_FRAME = struct.Struct("<i8x")
# Version, flags, position, source position, key, timestamp, length of the metadata.
_EVENT = struct.Struct("<HBxqqqqi")
_LEAST = _FRAME.size + _EVENT.size
_NEWEST_VERSION = 1


def decode(data: bytes, is_cut: bool = False) -> tuple[list[dict[str, Any]], str | None]:
    """Return the records as :data:`RECORD`, and the reason why some are missing, or None.

    If ``is_cut`` is true, the data is truncated.
    """
    records: list[dict[str, Any]] = []
    at = 0
    while at < len(data):
        left = len(data) - at
        if left < _LEAST:
            return records, CUT if is_cut else f"at {at}: {left} bytes after the last record"
        (size,) = _FRAME.unpack_from(data, at)
        version, flags, position, source, key, timestamp, length = _EVENT.unpack_from(
            data, at + _FRAME.size
        )
        if size < _LEAST or (size > left and not is_cut):
            return records, f"at {at}: invalid Zeebe record: {size} bytes long, {left} left"
        if version > _NEWEST_VERSION or not 0 <= length <= size - _LEAST:
            what = f"of version {version}" if version > _NEWEST_VERSION else f"metadata of {length}"
            return records, f"at {at}: invalid Zeebe record: {what}"
        start, end = at + _LEAST, at + size
        if start + length > len(data):
            return records, CUT
        record = {
            "position": position,
            "source_position": source,
            "key": key,
            "timestamp": timestamp,
            "is_processed": bool(flags),
        }
        value = data[start + length : end] if size <= left else None
        _add(record, data[start : start + length], value)
        records.append(record)
        at += -(-size // _ALIGNMENT) * _ALIGNMENT
    return records, CUT if is_cut else None


def _add(record: dict[str, Any], described: bytes, value: bytes | None) -> None:
    """Add the decoded metadata and value to a record, or the reasons why they are missing.

    ``value`` is None for a truncated record.
    """
    faults = []
    try:
        record |= metadata.decode(described)
    except Undecodable as fault:
        faults.append(f"metadata: {fault}")
    try:
        if value is None:
            raise Undecodable(CUT)
        record["value"] = to_json(value, metadata.DOCUMENTS)
    except Undecodable as fault:
        faults.append(f"value: {fault}")
    record["fault"] = "; ".join(faults) or None


def phrase(record: Mapping[str, Any], data: bytes | None) -> str:
    """Describe a record in one line; ``data`` is None if the entry was truncated."""
    parts = []
    if record["record_type"] is not None:
        kind = record["record_type"].lower().replace("_", " ")
        parts.append(f"{kind} {record['value_type']} {record['intent']}")
    if record["rejection_type"] is not None:
        reason = record["rejection_reason"]
        parts.append(record["rejection_type"] + (f' "{shortened(reason)}"' if reason else ""))
    if record["key"] != -1:
        parts.append(f"key {record['key']}")
    parts.append(f"position {record['position']}")
    if record["value"] is not None:
        parts.append(shortened(record["value"]))
    if record["fault"] is not None and data is not None:
        parts.append(f"{quoted(data[_LEAST:])}  ({record['fault']})")
    return ", ".join(parts)


def shortened(text: str, most: int = LONGEST) -> str:
    """Return a text, or the start of a long text with its length."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text)} characters)"
