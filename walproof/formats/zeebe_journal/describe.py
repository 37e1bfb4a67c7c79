"""Describe raft entries by their headers (ZBJ-054 to ZBJ-058)."""

from __future__ import annotations

from typing import Any

from reference_impl.answer import Record
from reference_impl.zeebe_journal.raft import decode
from walproof.describe import Description, NotDescribed, shorten

#: For each fault, a description of the valid content at its offset (ZBJ-058).
_EXPECTED = {
    "not-raft": "a RaftLogEntry (schema 8, template 1, at least 9 bytes)",
    "unknown-entry-type": "an entry type of 0, 1 or 2",
    "bad-entry-header": "the message of the entry type, or a group of members",
    "unknown-member-type": "a member type of 0 to 3",
    "truncated-entry": "the rest of the entry",
}
_SHOWN_MEMBERS = 5


def describe(record: Record) -> Description:
    """Describe a raft entry without its application data. Raises :class:`NotDescribed`."""
    decoded = decode(record.payload)
    if decoded.fault is not None or decoded.entry is None:
        raise NotDescribed(decoded.fault_at, _EXPECTED[str(decoded.fault)], str(decoded.fault))
    entry = {name: value for name, value in decoded.entry.items() if "application_data" not in name}
    text = f"{decoded.type} entry"
    if "lowest_asqn" in entry:
        lowest, highest = entry["lowest_asqn"], entry["highest_asqn"]
        text += (
            f" with asqn {lowest}" if lowest == highest else f" with asqns {lowest} to {highest}"
        )
    elif "new_members" in entry:
        text += f" with members {_names(entry['new_members'])}"
        text += f", before {_names(entry['old_members'])}" if entry["old_members"] else ""
    fields = {"term": str(decoded.term), "type": decoded.type, **entry}
    return Description(f"{text} (term {decoded.term})", fields)


def _names(members: list[dict[str, Any]]) -> str:
    ids = [member["member_id"] for member in members[:_SHOWN_MEMBERS]]
    shown = [shorten(each if isinstance(each, str) else f"0x{each['hex']}", 20) for each in ids]
    others = len(members) - len(shown)
    return ", ".join(shown) + (f" and {others} more" if others else "")
