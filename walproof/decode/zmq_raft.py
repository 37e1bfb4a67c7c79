"""An entry of a zmq-raft log: what its type says of its data (ZMR-030)."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

from reference_impl.zmq_raft import message_pack
from walproof.decode.fault import Undecodable

TYPE = pa.struct([("type", pa.string()), ("data", pa.binary()), ("config", pa.string())])
TYPES = ("state", "config", "checkpoint")


def decode(kind: int | None, payload: bytes | None) -> dict[str, Any] | None:
    """The entry; None for what is none: a snapshot, an update of a state file.

    ``data`` is that of the application, for type ``state``; ``config`` the peers as JSON. Raises
    ``Undecodable``.
    """
    if kind is None:
        return None
    if kind >= len(TYPES):
        raise Undecodable(f"unknown entry type {kind}")
    if payload is None:
        raise Undecodable("the payload was cut (option maxPayloadBytes)")
    if TYPES[kind] != "config":
        data = payload if TYPES[kind] == "state" else None
        return {"type": TYPES[kind], "data": data, "config": None}
    try:
        value, end = message_pack.decode(payload)
    except (ValueError, message_pack.Incomplete) as fault:
        raise Undecodable(f"config: no MessagePack: {fault or 'it is cut'}") from None
    if end != len(payload):
        raise Undecodable(f"config: {len(payload) - end} bytes behind the MessagePack value")
    shown = json.dumps(message_pack.to_json(value), ensure_ascii=False, separators=(",", ":"))
    return {"type": TYPES[kind], "data": None, "config": shown}
