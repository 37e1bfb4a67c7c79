"""A journal reader that uses the Python parser generated from ksy/systemd_journal.ksy.

The parser reads the fields of the header and of one object. This package implements the walk, the
checks and the verdict. It was written from spec/systemd-journal.md alone and shares no code with
``reference_impl`` or the bulk scanner. It keeps the file in memory.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from conformance.adapterkit import record

from . import links as link_checks
from . import proofs, seals
from .counts import check as check_counts
from .faults import CHAIN, COUNTS, KEY, Fault, Found, Ranges
from .payloads import exported, shown
from .walk import DATA, DATA_TABLE, FIELD, FIELD_TABLE, TAG, Journal

_SIGNATURE = b"LPKSHHRH"


def read(path: Path, request: dict[str, Any]) -> dict[str, Any]:
    """Return the answer for one file."""
    context = request["context"]
    data = path.read_bytes()
    if data[:8] != _SIGNATURE[: len(data)]:
        return refused("not-a-journal")
    if len(data) < 208:
        return torn_header(data)
    if why := refusal(data):
        return refused(why)
    if len(data) < int.from_bytes(data[88:96], "little"):
        return torn_header(data)
    return Reading(walked(data, context.get("max_field_size", 64 << 20)), context).answer(
        request["profile"]
    )


def walked(data: bytes, limit: int) -> Journal:
    """Return a journal after its walk and the proofs of its fields (SDJ-105, SDJ-106)."""
    journal = Journal(data, limit)
    journal.walk()
    if journal.sound(DATA) or journal.sound(FIELD):
        proofs.prove(journal)
    elif proofs.has_wrong_flag(journal):
        journal = Journal(data, limit, is_keyed=not journal.is_keyed)
        journal.blame(Fault(KEY, "bad-header", 12, 16))
        journal.walk()
        proofs.prove(journal)
    elif file_id := proofs.right_file_id(journal):
        journal = Journal(data, limit, file_id=file_id)
        journal.blame(Fault(KEY, "bad-header", 24, 40))
        journal.walk()
        proofs.prove(journal)
    else:
        proofs.prove(journal, is_key_doubtful=journal.is_keyed)
    return journal


def refused(why: str) -> dict[str, Any]:
    """Return a refused answer without records."""
    return {"verdict": "refused", "reason": why, "records": [], "lost": [], "end": None}


def torn_header(data: bytes) -> dict[str, Any]:
    """Return the answer for a torn header (SDJ-050)."""
    lost = [{"from": 0, "to": len(data), "reason": "torn-header"}] if data else []
    return {"verdict": "torn", "reason": "torn-header", "records": [], "lost": lost, "end": 0}


def refusal(data: bytes) -> str | None:
    """Return the reason to refuse a file of at least 208 bytes (SDJ-004, SDJ-005, SDJ-007)."""
    compatible = int.from_bytes(data[8:12], "little")
    size = int.from_bytes(data[88:96], "little")
    if int.from_bytes(data[12:16], "little") & ~31:
        return "unsupported-flag"
    if data[16] > 2:
        return "unsupported-state"
    if size < 208 or size % 8 or (compatible & 1 and size < 240):
        return "bad-header-size"
    return None


class Reading:
    """A journal that is read in the caller's context."""

    def __init__(self, journal: Journal, context: dict[str, Any]) -> None:
        self.journal, self.context = journal, context
        self.links = link_checks.check(journal)
        seals.check(journal, context.get("key"))
        check_counts(journal, self.links)
        faults, others = journal.limited_faults()
        self.faults = list(faults)
        if others:
            low, high = min(item.start for item in others), max(item.stop for item in others)
            self.faults.append(Fault(COUNTS, "too-large", low, high))
        self.tear = self.torn_at()
        left_out = [] if self.links.is_chain_broken else self.links.left_out()
        self.unacknowledged = {
            item.at
            for item in left_out
            for fault in (Fault(CHAIN, "bad-chain", item.at, item.end),)
            if fault in faults and self.is_torn(fault)
        }

    # SDJ-052, SDJ-099, SDJ-100

    def torn_at(self) -> int | None:
        """Return the offset of the tear, if there is one."""
        journal = self.journal
        if journal.is_cut and journal.ended_early is not None:
            return journal.ended_early
        return self.links.last_entry if journal.is_online and self.faults else None

    def is_torn(self, fault: Fault) -> bool:
        """Return whether a fault is at the tear."""
        tear = self.tear
        if tear is None:
            return False
        if fault.code in ("bad-index", "bad-chain") and self.journal.is_online:
            tear = min(tear, self.links.last_entry, self.journal.header.tail_object_offset)
        if fault.is_late and (fault.code == "bad-header" or self.journal.is_online):
            return True
        return fault.start >= tear or any(at >= tear for at in fault.there)

    # The answer

    def lost(self) -> list[dict[str, Any]]:
        """Return the lost ranges in the order of detection, without overlaps."""
        torn = "torn-file" if self.journal.is_cut else "torn-append"
        ranges = Ranges()
        return [
            {"from": start, "to": stop, "reason": torn if self.is_torn(fault) else fault.code}
            for fault in self.faults
            for start, stop in ranges.add(fault.start, fault.stop)
        ]

    def answer(self, profile: str) -> dict[str, Any]:
        """Return records, lost ranges, verdict and end."""
        journal, lost = self.journal, self.lost()
        damage = [item for item in lost if not item["reason"].startswith("torn-")]
        records = [self.record(entry) for entry in self.links.entries if self.is_selected(entry)]
        if damage:
            verdict, reason = "damaged", damage[0]["reason"]
        elif self.tear is not None:
            verdict, reason = "torn", "torn-file" if journal.is_cut else "torn-append"
        else:
            verdict, reason = "intact", None
        if damage and profile == "strict":
            lowest = self.stop(min(item["from"] for item in damage))
            records = [item for item in records if item["at"] + item["size"] <= lowest]
            lost = [{"from": lowest, "to": journal.size, "reason": reason}]
        end = max((item.end for item in journal.objects.values()), default=journal.header_size)
        return {
            "verdict": verdict,
            "reason": reason,
            "records": records,
            "lost": sorted(lost, key=lambda item: item["from"]),
            "end": end if verdict == "intact" and self.may_go_on() else None,
        }

    def may_go_on(self) -> bool:
        """Return whether a writer may append to this file if it is intact (SDJ-055, SDJ-087)."""
        header, objects = self.journal.header, list(self.journal.objects.values())
        has_tables = {DATA_TABLE, FIELD_TABLE} <= {item.type for item in objects}
        if header.is_sealed and (not objects or objects[-1].type != TAG):
            return False
        return has_tables and not self.journal.data[16] and not header.compatible_flags & ~7

    def stop(self, lowest: int) -> int:
        """Return the offset at which ``strict`` stops: the damage or the first incomplete entry."""
        for entry in self.links.entries:
            if entry.at + entry.parsed.len_object > lowest:
                break
            is_whole = len(self.links.payloads(entry)) == len(entry.body.items)
            if entry.at in self.unacknowledged or not is_whole:
                return entry.at
        return lowest

    def record(self, entry: Found) -> dict[str, Any]:
        """Return a record (SDJ-042, SDJ-063)."""
        body, payloads = entry.body, self.links.payloads(entry)
        seqnum_id, boot_id = self.journal.header.seqnum_id.hex(), body.boot_id.hex()
        missing = len(body.items) - len(payloads)
        named = [payload for payload in payloads if not payload.startswith(b"_BOOT_ID=")]
        return {
            **record(exported(named), entry.at, entry.parsed.len_object),
            "seqnum": str(body.seqnum),
            "realtime": str(body.realtime),
            "monotonic": str(body.monotonic),
            "boot_id": boot_id,
            "cursor": f"s={seqnum_id};i={body.seqnum:x};b={boot_id};m={body.monotonic:x};"
            f"t={body.realtime:x};x={body.xor_hash:x}",
            "fields": [shown(payload) for payload in payloads],
            **({"missing": missing} if missing else {}),
        }

    def is_selected(self, entry: Found) -> bool:
        """Return whether the context selects an entry (SDJ-060, SDJ-061)."""
        context, body = self.context, entry.body
        if entry.at in self.unacknowledged:
            return False
        if body.seqnum < int(context.get("from_seqnum", 0)):
            return False
        if body.realtime < int(context.get("from_realtime", 0)):
            return False
        match = context.get("match", [])
        matches: dict[bytes, set[bytes]] = {}
        for text in [match] if isinstance(match, str) else match:
            matches.setdefault(text.encode().partition(b"=")[0], set()).add(text.encode())
        has = set(self.links.payloads(entry)) if matches else set()
        return all(has & values for values in matches.values())
