"""Describe entries (ZMR-030), updates of a state file (ZMR-071), and snapshots (ZMR-061)."""

from __future__ import annotations

from typing import Any

from conformance.text import json_text
from reference_impl.answer import Record
from reference_impl.zmq_raft.message_pack import (
    MOST_VALUES,
    TOO_MANY,
    Incomplete,
    Map,
    decode,
    to_json,
)
from walproof.describe import Description, NotDescribed, bytes_to_json, shorten
from walproof.quantity import counted
from walproof.quoted import quoted

_TYPES = ("state", "config", "checkpoint")  # ZMR-030
_CHECKPOINT = b"\xc0"
_SHOWN_CHARACTERS = 120


def describe(record: Record) -> Description | None:
    """Describe an entry, an update or a snapshot.

    Return None for an entry without a header (ZMR-032). Raises :class:`NotDescribed`.
    """
    payload, fields = record.payload, record.fields
    if "index" not in fields:
        return _of_value("update", payload, is_update=True)
    if "term" not in fields:
        return None
    position = f" (index {fields['index']}, term {fields['term']})"
    if "entry_type" not in fields:
        return _of_data(f"snapshot{position}", "snapshot", payload)
    number = fields["entry_type"]
    if number >= len(_TYPES):
        raise NotDescribed(0, "the data of an entry of type 0, 1 or 2", f"type {number}")
    name = _TYPES[number]
    if name == "state":
        return _of_data(f"state entry{position}", name, payload)
    if name == "config":
        return _of_value(name, payload, f" entry{position}")
    if payload != _CHECKPOINT:
        raise NotDescribed(0, "the byte c0", quoted(payload))
    return Description(f"checkpoint entry{position}", {"type": name})


def _of_data(head: str, name: str, data: bytes) -> Description:
    return Description(f"{head}: {quoted(data)}", {"type": name, "data": bytes_to_json(data)})


def _of_value(
    name: str, payload: bytes, position: str = "", is_update: bool = False
) -> Description:
    """Describe peers or an update. Both are a single MessagePack value (ZMR-030, ZMR-072)."""
    fields: dict[str, Any] = {"type": name}
    value = _decoded(payload, is_update)
    if value is TOO_MANY:  # ZMR-106
        return Description(f"{name}{position}: more than {MOST_VALUES:,} values", fields)
    fields["value"] = to_json(value)
    shown = shorten(json_text(fields["value"]), _SHOWN_CHARACTERS)
    return Description(f"{name}{position}: {shown}", fields)


def _decoded(payload: bytes, is_update: bool) -> Any:
    expected = "a map with text as keys" if is_update else "a MessagePack value"
    try:
        value, end = decode(payload, has_text_keys=is_update, most=MOST_VALUES)
    except Incomplete:
        raise NotDescribed(len(payload), f"the rest of {expected}", "the end") from None
    except ValueError as fault:
        raise NotDescribed(0, expected, str(fault)) from None
    if end != len(payload):
        raise NotDescribed(end, "the end", counted(len(payload) - end, "byte"))
    if is_update and not (value is TOO_MANY or isinstance(value, Map)):
        raise NotDescribed(0, expected, f"the byte {payload[0]:02x}")
    return value
