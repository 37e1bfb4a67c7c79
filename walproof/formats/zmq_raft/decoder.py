"""Decode zmq-raft log entries (ZMR-030), updates of a state file, and snapshots.

Upstream authority: zmq-raft ``lib/common/log_entry.js``, ``lib/utils/id.js`` (request ids begin
with a timestamp) and ``lib/server/raft_persistence.js`` (the lists of peers).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from reference_impl.zmq_raft import message_pack
from walproof.decode.decoder import Row
from walproof.decode.fault import CUT, Undecodable
from walproof.quantity import moment
from walproof.quoted import quoted
from walproof.schema import Struct

PEERS = [{"id": "string", "url": "string"}]
TYPE: Struct = {
    # An entry is a state, config or checkpoint; other types are snapshot and update.
    "type": "string",
    # Null if the payload was truncated.
    "data": "binary",
    # The peers as JSON.
    "config": "string",
    "peers": PEERS,
    # The previous members, during a change of the members.
    "old_peers": PEERS,
    # Time in the request id, in milliseconds since 1970; null for entries of the server.
    "requested": "int64",
}
TYPES = ("state", "config", "checkpoint")
COLUMNS = frozenset({"entry_type", "index", "request_id", "term", "update"})
NEEDS_PAYLOAD = True
_CHECKPOINT = b"\xc0"


def decode_row(row: Row) -> Mapping[str, Any] | None:
    """Decode an entry, an update of a state file, or a snapshot. Raises ``Undecodable``."""
    fields, payload = row.fields, None if row.is_cut else row.payload
    if "entry_type" in fields:
        return decode(fields["entry_type"], payload, fields.get("request_id"))
    if "update" in fields or "index" not in fields:
        return _update(fields.get("update"))
    return _snapshot(fields, payload)


def decode(
    kind: int | None, payload: bytes | None, request_id: str | None = None
) -> dict[str, Any] | None:
    """Decode an entry; return None if the entry header was not read. Raises ``Undecodable``.

    ``payload`` is None if the entry is truncated. In the result, ``data`` is the application data
    of a ``state`` entry, and ``config`` is the list of peers as JSON.
    """
    if kind is None:
        return None
    if kind >= len(TYPES):
        raise Undecodable(f"unknown entry type {kind}")
    value: dict[str, Any] = {"type": TYPES[kind], "data": payload, "config": None}
    if request_id is not None and set(request_id) != {"0"}:
        value["requested"] = int(request_id[:8], 16) * 1000
    if TYPES[kind] == "config":
        value |= {"data": None, **_config(payload)}
    elif TYPES[kind] == "checkpoint" and payload == _CHECKPOINT:
        value["data"] = None
    return value


def _config(payload: bytes | None) -> dict[str, Any]:
    if payload is None:
        raise Undecodable(CUT)
    try:
        value, end = message_pack.decode(payload, most=message_pack.MOST_VALUES)
    except (ValueError, message_pack.Incomplete) as fault:
        raise Undecodable(f"config: invalid MessagePack: {fault or 'truncated'}") from None
    if value is message_pack.TOO_MANY:
        raise Undecodable(f"config: more than {message_pack.MOST_VALUES:,} values")
    if end != len(payload):
        raise Undecodable(f"config: {len(payload) - end} bytes after the MessagePack value")
    shown = message_pack.to_json(value)
    return {"config": json.dumps(shown, ensure_ascii=False, separators=(",", ":")), **_peers(shown)}


def _peers(config: Any) -> dict[str, Any]:
    """Return the members if the value has the layout that zmq-raft writes, else an empty dict."""
    if isinstance(config, dict) and set(config) == {"old", "new"}:
        new, old = _list(config["new"]), _list(config["old"])
        return {} if new is None or old is None else {"peers": new, "old_peers": old}
    peers = _list(config)
    return {} if peers is None else {"peers": peers}


def _list(peers: Any) -> list[dict[str, str]] | None:
    results = []
    for peer in peers if isinstance(peers, list) else [None]:
        if not (isinstance(peer, list) and list(map(type, peer)) == [str, str]):
            return None
        results.append({"id": peer[0], "url": peer[1]})
    return results


def _update(update: str | None) -> dict[str, Any]:
    """Decode an update of a state file.

    ``update`` is the update as JSON, or None if it has too many values (ZMR-106).
    """
    content = json.loads(update or "{}")
    peers = _peers(content["peers"]) if isinstance(content, dict) and "peers" in content else {}
    return {"type": "update", **peers}


def _snapshot(fields: Mapping[str, Any], payload: bytes | None) -> dict[str, Any] | None:
    # An entry without a header (context ``entries``) has only an index.
    return None if fields.get("term") is None else {"type": "snapshot", "data": payload}


def phrase(value: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    """Describe an entry by index, term, type and application data.

    See :func:`walproof.decode.phrase`.
    """
    if value["type"] == "update":
        return f"update {fields.get('update') or 'with too many values to show'}"
    line = f"index {fields['index']}, term {fields['term']}: {value['type']}"
    if value["data"] is not None:
        line += f" {quoted(value['data'])}"
    if value["old_peers"] is not None:
        line += f" {_names(value['old_peers'])} → {_names(value['peers'])}"
    elif value["peers"] is not None:
        line += f" {_names(value['peers'])}"
    elif value["config"] is not None:
        line += f" {value['config']}"
    if value["requested"] is not None:
        line += f", requested {moment(value['requested'] * 1000)}"
    return line


def _names(peers: Sequence[Mapping[str, str]]) -> str:
    shown = [f"{peer['id']} {peer['url']}" for peer in peers[:5]]
    return ", ".join(shown) + (f" and {len(peers) - 5} more" if len(peers) > 5 else "")
