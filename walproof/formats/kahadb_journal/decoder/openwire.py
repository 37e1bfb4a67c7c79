"""Decode OpenWire objects as stored on disk: a size, a type and the fields.

The OpenWire version is not stored. The decoder tries the layouts from the newest to the oldest, and
uses the first layout that consumes all bytes.

Upstream authority: apache/activemq c3580e7 (6.x) ``openwire/v1`` to ``v12``, ``…Marshaller.java``;
``openwire/OpenWireFormat.java``; ``command/CommandTypes.java``; ``KahaDBStore.java`` (loose
encoding without a cache).
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

from walproof.decode.fault import Undecodable
from walproof.formats.kahadb_journal.decoder import body
from walproof.formats.kahadb_journal.decoder.java_data import JavaData
from walproof.schema import Struct

MESSAGE: Struct = {
    "type": "string",
    "openwire": "int64",
    "message_id": "string",
    "destination": "string",
    "original_destination": "string",
    "reply_to": "string",
    "timestamp": "int64",
    "expiration": "int64",
    "priority": "int64",
    "persistent": "bool",
    "correlation_id": "string",
    "jms_type": "string",
    "group_id": "string",
    "group_sequence": "int64",
    "user_id": "string",
    "redelivery_counter": "int64",
    "properties": ("string", "string"),
    "compressed": "bool",
    "text": "string",
    "bytes": "binary",
    "values": "string",
    "blob_url": "string",
    "not_decoded": "string",
}
ACKNOWLEDGEMENT: Struct = {
    "type": "string",
    "openwire": "int64",
    "destination": "string",
    "consumer_id": "string",
    "first_message_id": "string",
    "last_message_id": "string",
    "messages": "int64",
    "poison_cause": "string",
    "not_decoded": "string",
}
SUBSCRIPTION: Struct = {
    "openwire": "int64",
    "client_id": "string",
    "subscription": "string",
    "destination": "string",
    "subscribed_destination": "string",
    "selector": "string",
    "no_local": "bool",
    "not_decoded": "string",
}

_MESSAGES = {
    23: "message",
    24: "bytes",
    25: "map",
    26: "object",
    27: "stream",
    28: "text",
    29: "blob",
}
_CONNECTION, _PRODUCER = 120, 123
_DESTINATIONS = {100: "queue", 101: "topic", 102: "temp-queue", 103: "temp-topic"}
_ACK_TYPES = (
    "delivered",
    "poison",
    "standard",
    "redelivered",
    "individual",
    "unmatched",
    "expired",
)
Found = dict[str, Any]
_Layout = Callable[["_Source", int, int], Found]


def message(data: bytes) -> Found:
    """Decode a message to the fields in :data:`MESSAGE`.

    Times are in milliseconds since 1970. ``not_decoded`` lists the missing fields, and ``openwire``
    is the oldest OpenWire version that has this layout.
    """
    try:
        kind, fields = _whole(data, _MESSAGES, (10, 3, 2, 1), _message)
    except Undecodable as fault:
        return {"not_decoded": str(fault)}
    fields["type"] = _MESSAGES[kind]
    held, marshalled = fields.pop("content"), fields.pop("marshalled_properties")
    faults = []
    try:
        fields["properties"] = body.properties(marshalled)
    except Undecodable as fault:
        faults.append(f"properties: {fault}")
    try:
        fields |= body.content(_MESSAGES[kind], held, fields["compressed"])
    except Undecodable as fault:
        faults.append(f"content: {fault}")
    fields["not_decoded"] = "; ".join(faults) or None
    return fields


def acknowledgement(data: bytes) -> Found:
    """Decode a message acknowledgement to its fields in :data:`ACKNOWLEDGEMENT`."""
    return _fields(data, 22, (10, 7, 1), _acknowledgement)


def subscription(data: bytes) -> Found:
    """Decode a durable subscription to its fields in :data:`SUBSCRIPTION`."""
    return _fields(data, 55, (11, 3, 1), _subscription)


def _fields(data: bytes, kind: int, versions: tuple[int, ...], layout: _Layout) -> Found:
    try:
        return _whole(data, (kind,), versions, layout)[1]
    except Undecodable as fault:
        return {"not_decoded": str(fault)}


def _whole(
    data: bytes, kinds: Container[int], versions: tuple[int, ...], layout: _Layout
) -> tuple[int, Found]:
    """Return the type and the fields of an object, by the first layout that consumes all bytes."""
    head = JavaData(data)
    size, kind = head.number("i"), head.number("b")
    if size != len(data) - 4:
        raise Undecodable(f"expected {size} bytes, found {len(data) - 4}")
    if kind not in kinds:
        raise Undecodable(f"unexpected OpenWire type {kind}")
    fault = ""
    for version in versions:
        source = _Source(data[5:])
        try:
            fields = layout(source, version, kind)
            if not source.left:
                return kind, fields | {"openwire": version}
            reason = f"{source.left} bytes left after the fields"
        except Undecodable as error:
            reason = str(error)
        fault = fault or reason
    raise Undecodable(f"no OpenWire layout from {versions[-1]} to 12 matches ({fault})")


class _Source(JavaData):
    """A reader for the fields of an object and its nested objects."""

    def text(self) -> str | None:
        """Read a nullable string."""
        result: str | None = self.optional(self.utf)
        return result

    def optional_octets(self) -> bytes | None:
        """Read nullable bytes."""
        result: bytes | None = self.optional(self.octets)
        return result

    def object(self, version: int, only: int | None = None) -> str | None:
        """Read a nested object as text; None for null. ``only`` is the required type, if any."""
        result: str | None = self.optional(lambda: self._object(version, only))
        return result

    def objects(self, version: int) -> None:
        """Skip a nullable array of objects."""
        if self.boolean():
            for _ in range(self.number("h")):
                self.object(version)

    def _object(self, version: int, only: int | None) -> str:
        kind = self.number("b")
        if only is not None and kind != only:
            raise Undecodable(f"expected an object of type {only}, found type {kind}")
        if kind in _DESTINATIONS:
            return f"{_DESTINATIONS[kind]}://{self.text()}"
        if kind == 110:
            return self._message_id(version)
        if kind == 111:
            value = self.number("q")
            return f"TX:{self.object(version, only=_CONNECTION)}:{value}"
        if kind == 112:
            number = self.number("i")
            parts = [(self.optional_octets() or b"").hex() for _ in ("global", "branch")]
            return f"XID:{number}:{':'.join(parts)}"
        if kind in (_CONNECTION, 124):
            return str(self.text())
        if kind in (121, 122, _PRODUCER):
            return self._numbered(kind)
        raise Undecodable(f"unexpected nested object of type {kind}")

    def _message_id(self, version: int) -> str:
        shown = self.text() if version >= 10 else None
        producer = self.object(version, only=_PRODUCER)
        producer_sequence, _ = self.number("q"), self.number("q")
        if shown is None:
            return f"{producer}:{producer_sequence}"
        return shown if shown.startswith("ID:") else f"ID:{shown}"

    def _numbered(self, kind: int) -> str:
        """Read a session, consumer or producer id as ``CONNECTION:SESSION:NUMBER``."""
        connection = self.text()
        first = self.number("q")
        if kind == 121:
            return f"{connection}:{first}"
        second = self.number("q")
        session, number = (second, first) if kind == _PRODUCER else (first, second)
        return f"{connection}:{session}:{number}"


def _message(source: _Source, version: int, kind: int) -> Found:
    _command(source)
    source.object(version)  # producer (also part of the message id)
    fields: Found = {"destination": source.object(version)}
    source.object(version)  # transaction
    fields["original_destination"] = source.object(version)
    fields["message_id"] = source.object(version)
    source.object(version)  # original transaction
    fields["group_id"] = source.text()
    fields["group_sequence"] = source.number("i")
    fields["correlation_id"] = source.text()
    fields["persistent"] = source.boolean()
    fields["expiration"] = source.number("q")
    fields["priority"] = source.number("b")
    fields["reply_to"] = source.object(version)
    fields["timestamp"] = source.number("q")
    fields["jms_type"] = source.text()
    fields["content"] = source.optional_octets()
    fields["marshalled_properties"] = source.optional_octets()
    source.object(version)  # content of an advisory message
    source.object(version)  # target consumer
    fields["compressed"] = source.boolean()
    fields["redelivery_counter"] = source.number("i")
    source.objects(version)  # broker path
    source.number("q")  # arrival time
    fields["user_id"] = source.text()
    source.boolean()  # received by a network bridge
    if version >= 2:
        source.boolean()  # droppable
    if version >= 3:
        source.objects(version)  # cluster
        source.number("q")  # time of arrival at the broker
        source.number("q")  # time of departure from the broker
    if version >= 10:
        source.boolean()  # first message of its group for a consumer
    if _MESSAGES[kind] == "blob":
        fields["blob_url"] = source.text()
        source.text()  # MIME type
        source.boolean()  # deleted by the broker
    return fields


def _acknowledgement(source: _Source, version: int, kind: int) -> Found:
    _command(source)
    fields: Found = {"destination": source.object(version)}
    source.object(version)  # transaction
    fields["consumer_id"] = source.object(version)
    number = source.number("b")
    fields["type"] = _ACK_TYPES[number] if 0 <= number < len(_ACK_TYPES) else str(number)
    fields["first_message_id"] = source.object(version)
    fields["last_message_id"] = source.object(version)
    fields["messages"] = source.number("i")
    if version >= 7 and source.boolean():
        fields["poison_cause"] = ": ".join(str(source.text()) for _ in ("class", "words"))
    return fields


def _subscription(source: _Source, version: int, kind: int) -> Found:
    fields: Found = {"client_id": source.text(), "destination": source.object(version)}
    fields["selector"] = source.text()
    fields["subscription"] = source.text()
    if version >= 3:
        fields["subscribed_destination"] = source.object(version)
    if version >= 11:
        fields["no_local"] = source.boolean()
    return fields


def _command(source: _Source) -> None:
    """Read the header common to all commands: the number and the response-required flag."""
    source.number("i")
    source.boolean()
