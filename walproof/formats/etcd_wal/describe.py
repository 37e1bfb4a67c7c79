"""Describe entries, the requests in entries, states and snapshot markers (ETW-010)."""

from __future__ import annotations

from typing import Any

from reference_impl.answer import Record
from reference_impl.etcd_wal.layout import fields
from walproof.describe import Description, NotDescribed, bytes_to_json, shorten
from walproof.quantity import counted
from walproof.quoted import quoted

#: For each record type, a field that a record has if and only if its payload is valid.
_LAST_FIELD = {"state": "vote", "snapshot": "index", "entry": "entry_type"}
#: ``etcdserverpb.InternalRaftRequest`` contains these requests, by field number.
_REQUESTS = {
    3: "range", 4: "put", 5: "delete", 6: "transaction", 7: "compaction", 8: "lease grant",
    9: "lease revoke", 10: "alarm", 11: "lease checkpoint", 1000: "enable auth",
    1011: "disable auth", 1012: "authenticate", 1100: "add user", 1101: "delete user",
    1300: "set cluster version", 1301: "set member attributes", 1302: "set downgrade",
}  # fmt: skip
#: A put and a delete request contain these fields, by field number.
_PUT, _DELETE = {1: "key", 2: "value", 3: "lease"}, {1: "key", 2: "range_end"}
_CHANGES = ("add", "remove", "update", "add learner")
_SHOWN_CHARACTERS = 60


def describe(record: Record) -> Description:
    """Describe a record. Raises :class:`NotDescribed` for a payload that is not valid."""
    found = record.fields
    kind = found.get("record_type")
    if kind == "metadata":
        ids = _values(record.payload, {1: "node_id", 2: "cluster_id"})
        text = ", ".join(f"{name.replace('_', ' ')} {value:x}" for name, value in ids.items())
        return Description(
            f"metadata: {text or quoted(record.payload)}", {"type": "metadata", **ids}
        )
    if _LAST_FIELD.get(str(kind)) not in found:
        raise NotDescribed(0, f"a valid {kind or 'record of etcd'}", quoted(record.payload))
    if kind == "state":
        text = f"term {found['term']}, vote {int(found['vote']):x}, commit {found['commit']}"
        return Description(f"state: {text}", {"type": "state"})
    position = f"(index {found['index']}, term {found['term']})"
    if kind == "snapshot":
        return Description(f"snapshot {position}", {"type": "snapshot"})
    data = _values(record.payload, {4: "data"}).get("data", b"")
    more, text = _entry(str(found["entry_type"]), data)
    return Description(f"entry {position}: {text}", {"type": "entry", **more})


def _entry(kind: str, data: bytes) -> tuple[dict[str, Any], str]:
    """Return the fields of an entry's data, and a text that describes them."""
    if not data:
        return {}, "no data"
    change = _values(data, {2: "change", 3: "node_id"})
    if kind == "conf-change" and "node_id" in change:
        name = _CHANGES[change.get("change", 0) & 3]
        return {"request": name, **change}, f"{name} member {change.get('node_id', 0):x}"
    requests = [(number, value) for number, value in _fields(data) if number in _REQUESTS]
    if kind != "normal" or len(requests) != 1:
        return {"data": bytes_to_json(data)}, f"{kind}, {counted(len(data), 'byte')}"
    number, body = requests[0]
    name = _REQUESTS[number]
    known = {4: _PUT, 5: _DELETE}.get(number, {})
    values = _values(body, known) if isinstance(body, bytes) else {}
    shown = " ".join(
        shorten(quoted(value), _SHOWN_CHARACTERS)
        for value in (values.get("key"), values.get("range_end"), values.get("value"))
        if value is not None
    )
    more = {k: bytes_to_json(v) if isinstance(v, bytes) else v for k, v in values.items()}
    return {"request": name, **more}, f"{name} {shown}".strip()


def _fields(data: bytes) -> list[tuple[int, Any]]:
    """Return the field numbers and values of a protobuf message, or nothing if it is invalid."""
    try:
        found = list(fields(data, 0, len(data)))
    except ValueError:
        return []
    return [(n, data[slice(*value)] if wire == 2 else value) for n, wire, value in found]


def _values(data: bytes, names: dict[int, str]) -> dict[str, Any]:
    return {names[number]: value for number, value in _fields(data) if number in names}
