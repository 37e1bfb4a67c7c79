"""The raft entry in a record of a Zeebe journal, by the executable specification's decoder."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from reference_impl.zeebe_journal import raft
from walproof.decode.fault import Undecodable
from walproof.decode.payloads import decoders_of
from walproof.quoted import quoted
from walproof.scan.model import Records

MEMBER = pa.struct([("type", pa.string()), ("updated", pa.int64()), ("member_id", pa.binary())])
TYPE = pa.struct(
    [
        ("term", pa.int64()),
        ("type", pa.string()),
        ("lowest_asqn", pa.int64()),
        ("highest_asqn", pa.int64()),
        ("application_data", pa.binary()),
        ("timestamp", pa.int64()),
        ("new_members", pa.list_(MEMBER)),
        ("old_members", pa.list_(MEMBER)),
    ]
)
_NUMBERS = ("lowest_asqn", "highest_asqn", "timestamp")


COLUMNS: frozenset[str] = frozenset()
NEEDS_PAYLOAD = True


def type_of(names: tuple[str, ...]) -> pa.DataType:
    """The struct, the same whatever ``names`` are."""
    return TYPE


def decoders(run: Records, names: tuple[str, ...]) -> Sequence[Callable[[], Mapping[str, Any]]]:
    """What decodes each payload of a run."""
    return decoders_of(run, decode)


def decode(payload: bytes) -> dict[str, Any]:
    """The entry. Raises ``Undecodable`` with the fault that the specification names (ZBJ-058)."""
    found = raft.decode(payload)
    if found.fault is not None or found.entry is None or found.term is None:
        raise Undecodable(str(found.fault))
    value: dict[str, Any] = {"term": _signed(found.term), "type": found.type}
    for name in _NUMBERS:
        if name in found.entry:
            value[name] = _signed(int(found.entry[name]))
    if found.type == "application":
        value["application_data"] = _application_data(payload)
    for name in ("new_members", "old_members"):
        if name in found.entry:
            value[name] = [_member(member) for member in found.entry[name]]
    return value


def _application_data(payload: bytes) -> bytes:
    """The data, of which an answer has no more than a digest when it is long.

    Each message has a header of eight bytes that begins with the length of its root block.
    """
    at = 8 + _number("<H", payload, 0)
    at += 8 + _number("<H", payload, at)
    return payload[at + 4 : at + 4 + _number("<I", payload, at)]


def _number(form: str, payload: bytes, at: int) -> int:
    (value,) = struct.unpack_from(form, payload, at)
    return int(value)


def _member(member: dict[str, Any]) -> dict[str, Any]:
    name = member["member_id"]
    raw = bytes.fromhex(name["hex"]) if isinstance(name, dict) else name.encode()
    return {"type": member["type"], "updated": int(member["updated"]), "member_id": raw}


def _signed(value: int) -> int:
    return value - 2**64 if value >= 2**63 else value


def phrase(value: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    """See :func:`walproof.decode.phrase`: index, term, and what kind of entry it is."""
    said = f"index {fields['index']}, term {value['term']}: {value['type']}"
    if value["application_data"] is not None:
        span = f"{value['lowest_asqn']}–{value['highest_asqn']}"
        said += f", records {span}, {len(value['application_data'])} bytes"
    if value["new_members"] is not None:
        members = ", ".join(quoted(one["member_id"]) for one in value["new_members"][:5])
        said += f" of {len(value['new_members'])} members: {members}"
    return said
