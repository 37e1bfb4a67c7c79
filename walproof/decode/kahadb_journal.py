"""The command in a record of KahaDB: its number, and the protobuf message that follows.

Upstream authority: apache/activemq ``activemq-kahadb-store/src/main/proto/journal-data.proto``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from reference_impl.kahadb_journal.layout import command
from walproof.decode.fault import Cursor, Undecodable, text
from walproof.decode.payloads import decoders_of
from walproof.quoted import quoted
from walproof.scan.model import Records

TYPE = pa.struct(
    [
        ("command", pa.int32()),
        ("name", pa.string()),
        ("destination_type", pa.string()),
        ("destination", pa.string()),
        ("message_id", pa.string()),
        ("subscription", pa.string()),
        ("data", pa.binary()),
        ("body", pa.binary()),
    ]
)
DESTINATION_TYPES = ("queue", "topic", "temp_queue", "temp_topic")
# Command → what its fields are, by their numbers.
_FIELDS: Mapping[int, Mapping[int, str]] = {
    0: {1: "data"},  # trace
    1: {2: "destination", 3: "message_id", 4: "data"},  # add a message
    2: {2: "destination", 3: "message_id", 4: "data", 5: "subscription"},  # remove it
    6: {1: "destination"},  # remove a destination
    7: {1: "destination", 2: "subscription", 4: "data"},  # subscription
    10: {1: "added"},  # update a message: a whole command 1
}


COLUMNS: frozenset[str] = frozenset()
NEEDS_PAYLOAD = True


def type_of(names: tuple[str, ...]) -> pa.DataType:
    """The struct, the same whatever ``names`` are."""
    return TYPE


def decoders(run: Records, names: tuple[str, ...]) -> Sequence[Callable[[], Mapping[str, Any]]]:
    """What decodes each payload of a run."""
    return decoders_of(run, decode)


def decode(payload: bytes) -> dict[str, Any]:
    """The command, and what the common ones say. Raises ``Undecodable``.

    ``data`` is the message (add), its acknowledgement (remove) or the subscription's description;
    ``body`` is the whole protobuf message.
    """
    known = command(payload)
    if not known:
        raise Undecodable("no command of the broker")
    cursor = Cursor(payload)
    cursor.take(1)
    body = cursor.sized()
    number = int(known["command"])
    fields = _fields(number, body)
    return {"command": number, "name": known["command_name"], "body": body, **fields}


def _fields(number: int, body: bytes) -> dict[str, Any]:
    found: dict[str, Any] = {}
    names = _FIELDS.get(number, {})
    for field, value in _messages(body):
        name = names.get(field)
        if name == "added":
            found |= _fields(1, value)
        elif name == "destination":
            found |= _destination(value)
        elif name == "data":
            found[name] = value
        elif name is not None:
            found[name] = text(value)
    return found


def _destination(body: bytes) -> dict[str, Any]:
    found: dict[str, Any] = {"destination_type": DESTINATION_TYPES[0]}
    cursor = Cursor(body)
    while cursor.left:
        field, value = _field(cursor)
        if field == 1 and isinstance(value, int):
            is_known = value < len(DESTINATION_TYPES)
            found["destination_type"] = DESTINATION_TYPES[value] if is_known else str(value)
        elif field == 2 and isinstance(value, bytes):
            found["destination"] = text(value)
    return found


def _messages(body: bytes) -> list[tuple[int, bytes]]:
    """The fields that are bytes."""
    cursor, found = Cursor(body), []
    while cursor.left:
        field, value = _field(cursor)
        if isinstance(value, bytes):
            found.append((field, value))
    return found


def _field(cursor: Cursor) -> tuple[int, int | bytes]:
    """One field of a protobuf message: its number and value."""
    at, key = cursor.at, cursor.varint()
    kind = key & 7
    if kind == 0:
        return key >> 3, cursor.varint()
    if kind == 2:
        return key >> 3, cursor.sized()
    if kind in (1, 5):
        return key >> 3, int.from_bytes(cursor.take(8 if kind == 1 else 4), "little")
    raise Undecodable(f"at {at}: no field of a protobuf message")


def phrase(value: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    """See :func:`walproof.decode.phrase`: the command, the destination, the message's id."""
    said = [value["name"].removeprefix("KAHA_").removesuffix("_COMMAND").lower().replace("_", " ")]
    if value["destination"] is not None:
        said.append(f"{value['destination_type']}://{value['destination']}")
    if value["subscription"]:
        said.append(f"subscription {value['subscription']}")
    if value["message_id"]:
        said.append(value["message_id"])
    if value["data"] is not None and value["name"] != "KAHA_TRACE_COMMAND":
        said.append(f"{len(value['data'])} bytes")
    elif value["data"] is not None:
        said.append(quoted(value["data"]))
    return "  ".join(said)
