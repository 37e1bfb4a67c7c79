"""Decode the raft entry of a Zeebe journal record, and the Zeebe records in that entry."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

from reference_impl.zeebe_journal import raft
from walproof.decode.decoder import Row
from walproof.decode.fault import CUT, Undecodable
from walproof.decode.signed import signed
from walproof.formats.zeebe_journal.decoder import batch
from walproof.quantity import counted
from walproof.quoted import quoted
from walproof.schema import Struct

MEMBER: Struct = {"type": "string", "updated": "int64", "member_id": "binary"}
TYPE: Struct = {
    "term": "int64",
    "type": "string",
    "lowest_asqn": "int64",
    "highest_asqn": "int64",
    "application_data": "binary",
    "timestamp": "int64",
    "new_members": [MEMBER],
    "old_members": [MEMBER],
    "records": [batch.RECORD],
    # The reason why records of the entry are missing.
    "records_fault": "string",
}
_NUMBERS = ("lowest_asqn", "highest_asqn", "timestamp")


COLUMNS: frozenset[str] = frozenset()
NEEDS_PAYLOAD = True


def decode_row(row: Row) -> Mapping[str, Any]:
    """Decode the payload of a record. Raises ``Undecodable``."""
    return decode(row.payload, row.is_cut)


def decode(payload: bytes, is_cut: bool = False) -> dict[str, Any]:
    """Decode an entry. Raises ``Undecodable`` with the fault named in ZBJ-058.

    If ``is_cut`` is true, the payload is a truncated application entry.
    """
    if is_cut:
        payload = _as_if_whole(payload)
    entry = raft.decode(payload)
    if entry.fault is not None or entry.entry is None or entry.term is None:
        raise Undecodable(str(entry.fault))
    value: dict[str, Any] = {"term": signed(entry.term), "type": entry.type}
    for name in _NUMBERS:
        if name in entry.entry:
            value[name] = signed(int(entry.entry[name]))
    if entry.type == "application":
        data = _application_data(payload)
        value["application_data"] = None if is_cut else data
        value["records"], value["records_fault"] = _records(value, data, is_cut)
    for name in ("new_members", "old_members"):
        if name in entry.entry:
            value[name] = [_member(member) for member in entry.entry[name]]
    return value


def _application_data(payload: bytes) -> bytes:
    """Return the complete application data. An answer contains only a digest of long data."""
    at = _length_at(payload)
    return payload[at + 4 : at + 4 + _number("<I", payload, at)]


def _length_at(payload: bytes) -> int:
    """Return the offset of the length field in an application entry."""
    at = 8 + _number("<H", payload, 0)
    return at + 8 + _number("<H", payload, at)


def _as_if_whole(payload: bytes) -> bytes:
    """Return a truncated application entry with its length adjusted to the bytes that exist."""
    try:
        at = _length_at(payload)
        _number("<I", payload, at)
    except struct.error:
        raise Undecodable(CUT) from None
    return payload[:at] + struct.pack("<I", len(payload) - at - 4) + payload[at + 4 :]


def _records(
    value: Mapping[str, Any], data: bytes, is_cut: bool
) -> tuple[list[dict[str, Any]], str | None]:
    """Return the records of an application entry, and a fault if positions are missing or wrong."""
    records, fault = batch.decode(data, is_cut)
    if fault is None:
        positions = [record["position"] for record in records]
        low, high = value["lowest_asqn"], value["highest_asqn"]
        if len(positions) != high - low + 1 or positions != list(range(low, high + 1)):
            fault = f"the entry has records {low}–{high}, found {_span(positions)}"
    return records, fault


def _span(positions: Sequence[int]) -> str:
    if not positions:
        return "none"
    return f"{len(positions)}, from {positions[0]} to {positions[-1]}"


def _number(form: str, payload: bytes, at: int) -> int:
    (value,) = struct.unpack_from(form, payload, at)
    return int(value)


def _member(member: dict[str, Any]) -> dict[str, Any]:
    name = member["member_id"]
    raw = bytes.fromhex(name["hex"]) if isinstance(name, dict) else name.encode()
    return {"type": member["type"], "updated": int(member["updated"]), "member_id": raw}


def phrase(value: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    """Describe the first Zeebe record and count the rest. See :func:`walproof.decode.phrase`.

    The description of an entry without records contains its index, term and type.
    """
    if value["records"]:
        line = batch.phrase(value["records"][0], value["application_data"])
        more = value["highest_asqn"] - value["lowest_asqn"]
        line += f", and {counted(more, 'more record')}" if more > 0 else ""
        is_whole = value["records_fault"] is None or value["application_data"] is None
        return line if is_whole else f"{line}  ({value['records_fault']})"
    line = f"index {fields['index']}, term {value['term']}: {value['type']}"
    if value["application_data"] is not None:
        span = f"{value['lowest_asqn']}–{value['highest_asqn']}"
        line += f", records {span}, {quoted(value['application_data'])}"
        line += f"  ({value['records_fault']})"
    if value["new_members"] is not None:
        members = ", ".join(quoted(each["member_id"]) for each in value["new_members"][:5])
        line += f" of {len(value['new_members'])} members: {members}"
    return line
