"""Decode KahaDB records: a command number, a protobuf message, and the object stored in it.

Upstream authority: apache/activemq ``activemq-kahadb-store/…/kahadb/MessageDatabase.java``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from reference_impl.kahadb_journal.layout import COMMANDS as NAMES
from reference_impl.kahadb_journal.layout import command
from walproof.decode.decoder import Row
from walproof.decode.fault import CUT, Cursor, Undecodable
from walproof.formats.kahadb_journal.decoder import openwire
from walproof.formats.kahadb_journal.decoder.commands import COMMANDS
from walproof.formats.kahadb_journal.decoder.protobuf import NOT_READ, read
from walproof.quantity import counted, moment
from walproof.quoted import MAX_CHARACTERS, quoted
from walproof.schema import Struct

TRANSACTION: Struct = {
    "connection_id": "string",
    "transaction_id": "int64",
    "format_id": "int64",
    "branch_qualifier": "binary",
    "global_transaction_id": "binary",
    "previous_file": "int64",
    "previous_offset": "int64",
}
TYPE: Struct = {
    "command": "int32",
    "name": "string",
    "destination_type": "string",
    "destination": "string",
    "message_id": "string",
    "subscription": "string",
    "transaction": TRANSACTION,
    "fields": ("string", "string"),
    "message": openwire.MESSAGE,
    "acknowledgement": openwire.ACKNOWLEDGEMENT,
    "subscription_info": openwire.SUBSCRIPTION,
    "data": "binary",
    "body": "binary",
}
DESTINATION_TYPES = ("queue", "topic", "temp-queue", "temp-topic")
# For each command with an OpenWire object in its data: the name and the decoder of the object.
_OBJECTS: Mapping[int, tuple[str, Callable[[bytes], dict[str, Any]]]] = {
    1: ("message", openwire.message),
    2: ("acknowledgement", openwire.acknowledgement),
    7: ("subscription_info", openwire.subscription),
    10: ("message", openwire.message),
    11: ("message", openwire.message),
}
_TRACE, _REMOVE, _SUBSCRIBE, _UPDATE = 0, 2, 7, 10
_VERBS = {_UPDATE: "updates ", 11: "schedules "}
_COLUMNS = ("destination", "message_id", "subscription", "transaction", "data")


COLUMNS: frozenset[str] = frozenset()
NEEDS_PAYLOAD = True


def decode_row(row: Row) -> Mapping[str, Any]:
    """Decode the payload of a record. Raises ``Undecodable``."""
    return decode(row.payload, row.is_cut)


def _cut(payload: bytes) -> dict[str, Any]:
    """Decode a command with a truncated message. Raises ``Undecodable``."""
    number = payload[0] if payload else len(NAMES)
    if number >= len(NAMES) or _OBJECTS.get(number, ("",))[0] != "message" or number == _UPDATE:
        raise Undecodable(CUT)
    cursor = Cursor(payload)
    cursor.take(1)
    cursor.varint()
    fields = read(cursor.take(cursor.left), COMMANDS[number], is_cut=True)
    name, size = fields.pop(NOT_READ, (None, 0))
    if name != "data":
        raise Undecodable(CUT)
    text = f"not decoded after {len(payload):,} bytes: the message of {size:,} bytes"
    value = _value(number, fields)
    return {"command": number, "name": NAMES[number], **value, "message": {"not_decoded": text}}


def decode(payload: bytes, is_cut: bool = False) -> dict[str, Any]:
    """Decode a command and the object that it contains. Raises ``Undecodable``.

    In the result, ``body`` is the whole protobuf message, and ``data`` is the object in it.
    ``fields`` lists the values that have no column. If ``is_cut`` is true, the payload is
    truncated.
    """
    if is_cut:
        return _cut(payload)
    known = command(payload)
    if not known:
        raise Undecodable("unknown broker command")
    cursor = Cursor(payload)
    cursor.take(1)
    body = cursor.sized()
    number = int(known["command"])
    fields = read(body, COMMANDS[number])
    fields = fields.get("message", {}) if number == _UPDATE else fields
    return {
        "command": number,
        "name": known["command_name"],
        "body": body,
        **_value(number, fields),
    }


def _value(number: int, fields: dict[str, Any]) -> dict[str, Any]:
    value: dict[str, Any] = {name: fields.pop(name) for name in _COLUMNS if name in fields}
    if "destination" in value:
        value |= _destination(value["destination"])
    if "transaction" in value:
        value["transaction"] = _transaction(value["transaction"])
    if number in _OBJECTS and "data" in value:
        name, read_object = _OBJECTS[number]
        value[name] = read_object(value["data"])
    value["fields"] = [(name, _shown(inner)) for name, inner in fields.items()]
    return value


def _destination(fields: Mapping[str, Any]) -> dict[str, Any]:
    kind = fields.get("type", 0)
    is_known = 0 <= kind < len(DESTINATION_TYPES)
    return {
        "destination_type": DESTINATION_TYPES[kind] if is_known else str(kind),
        "destination": fields.get("name"),
    }


def _transaction(fields: Mapping[str, Any]) -> dict[str, Any]:
    previous = fields.get("previous", {})
    return {
        **fields.get("local", {}),
        **fields.get("xa", {}),
        "previous_file": previous.get("log_id"),
        "previous_offset": previous.get("offset"),
    }


def _shown(value: str | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def phrase(value: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    """Describe a command in one line; of a message, its destination, content and time.

    See :func:`walproof.decode.phrase`.
    """
    place, info = _place(value), value["subscription_info"]
    if value["message"] is not None:
        line = _message(value, place)
    elif value["command"] == _REMOVE:
        line = f"removes {value['message_id']} from {place}"
        line += f", subscription {value['subscription']}" if value["subscription"] else ""
    elif value["command"] == _SUBSCRIBE and value["data"] is None:
        line = f"unsubscribes {value['subscription']} from {place}"
    elif info is not None:
        line = f"subscribes {value['subscription']} to {place}"
        line += f", selector {_in_quotes(info['selector'])}" if info["selector"] else ""
    else:
        line = _other(value, place)
    return line + _in_transaction(value["transaction"])


def _other(value: Mapping[str, Any], place: str) -> str:
    line = value["name"].removeprefix("KAHA_").removesuffix("_COMMAND").lower().replace("_", " ")
    line += f" {place}" if place else ""
    line += "".join(f", {name.replace('_', ' ')} {inner}" for name, inner in value["fields"])
    if value["data"] is None:
        return str(line)
    if value["command"] == _TRACE:
        return f"{line} {quoted(value['data'])}"
    return (
        f"{line} ({counted(len(value['data']), 'byte')} of a serialised Java object, not decoded)"
    )


def _place(value: Mapping[str, Any]) -> str:
    if value["destination"] is None:
        return ""
    return f"{value['destination_type']}://{value['destination']}"


def _message(value: Mapping[str, Any], place: str) -> str:
    message = value["message"]
    place = place or message["destination"] or ""
    name = value["message_id"] or message["message_id"]
    line = f"{_VERBS.get(value['command'], '')}message {name} to {place}"
    if message["text"] is not None:
        line += f", text {_in_quotes(message['text'])}"
    elif message["bytes"] is not None:
        line += f", bytes {quoted(message['bytes'])}"
    elif message["values"] is not None:
        line += f", {message['type']} {_in_quotes(message['values'], '')}"
    elif message["type"] is not None:
        line += f", {message['type']}"
    if message["timestamp"]:
        line += f", {moment(message['timestamp'] * 1000)}"
    return f"{line} ({message['not_decoded']})" if message["not_decoded"] else line


def _in_quotes(text: str, mark: str = '"') -> str:
    """Return the start of a text in quotes; the caller escapes unprintable characters."""
    return (
        f"{mark}{text[:MAX_CHARACTERS]}…{mark}"
        if len(text) > MAX_CHARACTERS
        else f"{mark}{text}{mark}"
    )


def _in_transaction(transaction: Mapping[str, Any] | None) -> str:
    if transaction is None:
        return ""
    if transaction["format_id"] is None:
        return f", transaction {transaction['connection_id']}:{transaction['transaction_id']}"
    name = (transaction["global_transaction_id"] or b"").hex()
    return f", XA transaction 0x{name}"
