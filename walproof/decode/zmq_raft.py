"""An entry of a zmq-raft log: what its type says of its data (ZMR-030)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from reference_impl.zmq_raft import message_pack
from walproof.decode.fault import Undecodable
from walproof.decode.payloads import known, whole_payloads
from walproof.quoted import quoted
from walproof.scan.model import Records

TYPE = pa.struct([("type", pa.string()), ("data", pa.binary()), ("config", pa.string())])
TYPES = ("state", "config", "checkpoint")
COLUMNS = frozenset({"entry_type", "update"})
NEEDS_PAYLOAD = True


def type_of(names: tuple[str, ...]) -> pa.DataType:
    """The struct, the same whatever ``names`` are."""
    return TYPE


def decoders(
    run: Records, names: tuple[str, ...]
) -> Sequence[Callable[[], Mapping[str, Any] | None]]:
    """What decodes each entry of a run."""
    pairs = zip(run.fields["entry_type"].to_pylist(), whole_payloads(run), strict=True)
    return [partial(decode, kind, payload) for kind, payload in pairs]


def decode(kind: int | None, payload: bytes | None) -> dict[str, Any] | None:
    """The entry; None where there is no entry: in a snapshot, or an update of a state file.

    ``data`` is that of the application, for type ``state``; ``config`` the peers as JSON. Raises
    ``Undecodable``.
    """
    if kind is None:
        return None
    if kind >= len(TYPES):
        raise Undecodable(f"unknown entry type {kind}")
    payload = known(payload)
    if TYPES[kind] != "config":
        data = payload if TYPES[kind] == "state" else None
        return {"type": TYPES[kind], "data": data, "config": None}
    try:
        value, end = message_pack.decode(payload)
    except (ValueError, message_pack.Incomplete) as fault:
        raise Undecodable(f"config: no MessagePack: {fault or 'it is cut'}") from None
    if end != len(payload):
        raise Undecodable(f"config: {len(payload) - end} bytes after the MessagePack value")
    shown = json.dumps(message_pack.to_json(value), ensure_ascii=False, separators=(",", ":"))
    return {"type": TYPES[kind], "data": None, "config": shown}


def phrase(value: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    """See :func:`walproof.decode.phrase`: index, term, type, and the application's data."""
    said = f"index {fields['index']}, term {fields['term']}: {value['type']}"
    if value["data"] is not None:
        said += f" {quoted(value['data'])}"
    return f"{said} {value['config']}" if value["config"] is not None else said
