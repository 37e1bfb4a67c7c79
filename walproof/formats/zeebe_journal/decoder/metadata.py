"""Decode the metadata of a Zeebe record: the SBE message RecordMetadata.

Version 3 (releases 1.0 to 8.2) orders its fields differently from version 4 (8.3).

Upstream authority: ``protocol.xml`` in io.camunda:zeebe-protocol, and the class RecordMetadata of
zeebe-protocol-impl.
"""

from __future__ import annotations

import struct
from typing import Any

from walproof.decode.fault import Cursor, Undecodable
from walproof.decode.message_pack import to_json
from walproof.decode.signed import signed
from walproof.formats.zeebe_journal.decoder.protocol import names
from walproof.schema import Struct

#: Fields of a record's struct that come from its metadata.
FIELDS: Struct = {
    "record_type": "string",
    "value_type": "string",
    "intent": "string",
    "rejection_type": "string",
    "rejection_reason": "string",
    "request_id": "int64",
    "request_stream_id": "int32",
    "operation_reference": "int64",
    "batch_operation_reference": "int64",
    "protocol_version": "int32",
    "broker_version": "string",
    "record_version": "int32",
    "authorization": "string",
    "agent": "string",
    # The release line that defines the names of types and intents.
    "names_of": "string",
}

#: Properties whose binary value is itself MessagePack: the DocumentProperty of all records in
#: zeebe-protocol-impl 8.8.21, and each BinaryProperty whose getter converts it.
DOCUMENTS = frozenset(
    {"authentication", "claims", "counterValues", "setValues", "variables"}  # DocumentProperty
    | {"decisionOutput", "inputValue", "outputValue", "value"}  # BinaryProperty
)

_SCHEMA, _TEMPLATE = 0, 200
_OLDEST, _NEWEST = 3, 7
_HEADER = struct.Struct("<HHHH")
_COMMON = struct.Struct("<BiQHBB")
_OLD_TAIL = struct.Struct("<Biii")
_TAIL = struct.Struct("<iiiHB")
_REFERENCE = struct.Struct("<Q")
_LENGTH = struct.Struct("<I")
_NULL_8, _NULL_16, _NULL_32, _NULL_64 = 0xFF, 0xFFFF, -(2**31), 2**64 - 1


def decode(data: bytes) -> dict[str, Any]:
    """Return the fields in :data:`FIELDS`. Null values are None. Raises ``Undecodable``."""
    cursor = Cursor(data)
    size, template, schema, version = _HEADER.unpack(cursor.take(_HEADER.size))
    if (template, schema) != (_TEMPLATE, _SCHEMA):
        raise Undecodable(f"template {template} of schema {schema} is not RecordMetadata")
    if version < _OLDEST:
        raise Undecodable(f"RecordMetadata of version {version}: {_OLDEST} or later expected")
    block = Cursor(cursor.take(size))
    kind, stream, request, protocol, value_type, intent = _COMMON.unpack(block.take(_COMMON.size))
    record = None
    references: list[int | None] = [None, None]
    if version == _OLDEST:
        rejection, *broker = _OLD_TAIL.unpack(block.take(_OLD_TAIL.size))
    else:
        *broker, record, rejection = _TAIL.unpack(block.take(_TAIL.size))
        for number in range(min(max(version - 4, 0), 2)):
            (reference,) = _REFERENCE.unpack(block.take(_REFERENCE.size))
            references[number] = None if reference == _NULL_64 else signed(reference)
    known = None if _NULL_32 in broker else (broker[0], broker[1])
    named = names(known, version)
    reason = _text(_var_data(cursor))
    return {
        "record_type": named.record_type(kind),
        "value_type": named.value_type(value_type),
        "intent": named.intent(value_type, intent),
        "rejection_type": None if rejection == _NULL_8 else named.rejection_type(rejection),
        "rejection_reason": reason or None,
        "request_id": None if request == _NULL_64 else signed(request),
        "request_stream_id": None if stream == _NULL_32 else stream,
        "operation_reference": references[0],
        "batch_operation_reference": references[1],
        "protocol_version": protocol,
        "broker_version": None if known is None else ".".join(map(str, broker)),
        "record_version": None if record in (None, 0, _NULL_16) else record,
        "authorization": _json("authorization", cursor) if version >= 4 else None,
        "agent": _json("agent", cursor) if version >= _NEWEST else None,
        "names_of": named.line,
    }


def _var_data(cursor: Cursor) -> bytes:
    (size,) = _LENGTH.unpack(cursor.take(_LENGTH.size))
    return cursor.take(size)


def _json(name: str, cursor: Cursor) -> str | None:
    data = _var_data(cursor)
    try:
        return to_json(data, DOCUMENTS) if data else None
    except Undecodable as fault:
        raise Undecodable(f"{name}: {fault}") from None


def _text(data: bytes) -> str:
    """Decode UTF-8 and replace invalid bytes, as Java does, to keep the rest of the text."""
    return data.decode("utf-8", "replace")
