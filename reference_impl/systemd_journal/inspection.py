"""The journal file reader: spec/systemd-journal.md, "Reading", says the same in prose."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from reference_impl.answer import End, Event, Lost, Record, Verdict
from reference_impl.systemd_journal import layout, seals
from reference_impl.systemd_journal.counts import check_counts, check_shape
from reference_impl.systemd_journal.export_format import entry_body, field_to_json
from reference_impl.systemd_journal.layout import HEADER_FIELDS, Header, parse_header
from reference_impl.systemd_journal.links import Links
from reference_impl.systemd_journal.objects import MAX_FIELD_SIZE, Entry, Fault, View
from reference_impl.systemd_journal.sealing import BadKey, VerificationKey
from reference_impl.systemd_journal.walk import Walk

TORN = ("torn-header", "torn-file", "torn-append")


def refusal(data: Any) -> str | None:
    """Why a file of at least 208 bytes must not be read at all, if it must not."""
    header = parse_header(data[: layout.HEADER_FULL])
    if header.signature != layout.SIGNATURE:
        return "not-a-journal"  # SDJ-001
    if header.incompatible_flags & ~layout.INCOMPATIBLE_KNOWN:
        return "unsupported-flag"  # SDJ-005
    if header.state > layout.ARCHIVED:
        return "unsupported-state"  # SDJ-007
    if header.header_size < layout.HEADER_MIN or header.header_size & 7:
        return "bad-header-size"  # SDJ-004
    if header.sealed and not header.has("n_entry_arrays"):
        return "bad-header-size"  # SDJ-004
    return None


@dataclass(frozen=True)
class Inspection:
    """Everything that was found in a file that is not refused."""

    view: View
    walk: Walk
    links: Links
    faults: list[Fault]
    entries: list[int]
    sealed_until: int | None

    def records(self) -> Iterator[Record]:
        """The entries that a reader releases, in file order (SDJ-042)."""
        for at in self.entries:
            yield self.record(at)

    def record(self, at: int) -> Record:
        """One entry, with those of its fields that are sound (SDJ-042, SDJ-043)."""
        view, header = self.view, self.view.header
        entry = view.entry(at)
        items = view.items(at)
        payloads = [view.payload(item) for item in items if self.walk.kind(item) == layout.DATA]
        fields: dict[str, Any] = {
            "seqnum": str(entry.seqnum),
            "realtime": str(entry.realtime),
            "monotonic": str(entry.monotonic),
            "boot_id": entry.boot_id.hex(),
            "cursor": cursor(header, entry),
            "fields": [field_to_json(payload) for payload in payloads],
        }
        if len(payloads) < len(items):
            fields["missing"] = len(items) - len(payloads)
        return Record(at, view.object_size(at), entry_body(payloads), fields)


def cursor(header: Header, entry: Entry) -> str:
    """The text that names an entry across files (SDJ-063)."""
    return (
        f"s={header.seqnum_id.hex()};i={entry.seqnum:x};b={entry.boot_id.hex()}"
        f";m={entry.monotonic:x};t={entry.realtime:x};x={entry.xor_hash:x}"
    )


def inspect(data: Any, context: Mapping[str, Any]) -> Inspection:
    """Walk and check a whole file; faults are in the order in which they are met (SDJ-040)."""
    header = parse_header(data[: layout.HEADER_FULL])
    view = View(data, header, int(context.get("max_field_size", MAX_FIELD_SIZE)))
    faults = list(check_shape(header, view.size))
    walk = Walk(view)
    walk.run()
    faults += walk.faults
    links = Links(view, walk)
    faults += links.main_chain()
    faults += links.unlinked()
    entries, first, last = [], None, None
    seqnum = 0
    for at in walk.sound(layout.ENTRY):
        entry = view.entry(at)
        entries.append(at)
        if entry.seqnum <= seqnum:  # SDJ-047
            text = f"sequence number {entry.seqnum} behind {seqnum}"
            faults.append(Fault(at + 16, at + 24, "bad-order", "SDJ-047", text))
        seqnum = entry.seqnum
        faults += links.entry(at)
        if at in links.linked or links.chain_broken:
            first = first or entry
            last = (at, entry)
    faults += links.tables()
    faults += links.fields()
    faults += links.data_arrays()
    faults += list(links.impostors(faults))
    sealed_until = None
    if header.sealed or walk.counts[layout.TAG]:
        key = None
        if context.get("key"):
            try:
                key = VerificationKey.parse(str(context["key"]))
            except BadKey:
                raise ValueError("the context has no verification key that can be read") from None
        checked = seals.Seals(view, walk, key)
        faults += checked.check()
        sealed_until = checked.sealed_until
    if not walk.lost_something:
        faults += check_counts(header, walk, links, first, last)
    return Inspection(view, walk, links, faults, entries, sealed_until)


def read(data: Any, profile: str, context: Mapping[str, Any]) -> Iterator[Event]:
    """The answer to the bytes of one journal file. ``data`` is bytes or a mapped file."""
    size = len(data)
    if size < layout.HEADER_MIN:
        if bytes(data[:8]) != layout.SIGNATURE[:size] and size:
            yield End("refused", "not-a-journal", None)
            return
        yield from _torn_header(size)  # SDJ-050
        return
    if (reason := refusal(data)) is not None:
        yield End("refused", reason, None)
        return
    if parse_header(data[: layout.HEADER_FULL]).header_size > size:
        yield from _torn_header(size)
        return
    found = inspect(data, context)
    torn_from = tail_of_crash(found)
    lost = disjoint(found, torn_from)
    unlinked = {
        f.start for f in found.faults if f.rule == "SDJ-046" and _is_torn(found, f, torn_from)
    }
    damage = [gap for gap in lost if not gap.torn]
    verdict: Verdict = (
        "damaged" if damage else "torn" if lost or torn_from is not None else "intact"
    )
    reason = first_reason(found, torn_from)
    wanted = selection(found, context)
    if profile == "strict" and damage:
        start = damage[0].start
        for record in found.records():
            if record.at + record.size > start:
                break
            if "missing" not in record.fields and record.at in wanted:
                yield record
        yield Lost(start, size, str(reason))  # SDJ-056
        yield End("damaged", reason, None)
        return
    for at in found.entries:
        if at not in unlinked and at in wanted:
            yield found.record(at)
    yield from lost
    yield End(verdict, reason, found.walk.end if verdict == "intact" else None)  # SDJ-055


def _torn_header(size: int) -> Iterator[Event]:
    if size:
        yield Lost(0, size, "torn-header", torn=True)
    yield End("torn", "torn-header", 0)


def tail_of_crash(found: Inspection) -> int | None:
    """From where on faults are those of a crash or a cut; None if there was neither.

    A file that is shorter than its header says was cut (SDJ-051). In a file that is ONLINE,
    whatever lies at or behind the last whole entry may be an unfinished append (SDJ-052).
    """
    header, walk = found.view.header, found.walk
    if walk.cut is not None and header.header_size + header.arena_size > found.view.size:
        return walk.cut
    if header.state == layout.ONLINE and found.faults:
        last = found.entries[-1] if found.entries else header.header_size
        return min(last, walk.cut) if walk.cut is not None else last
    return None


def _is_torn(found: Inspection, fault: Fault, torn_from: int | None) -> bool:
    if torn_from is None:
        return False
    if fault.reason in ("bad-index", "bad-chain"):
        # Pages are written, and copied, in any order: older links do not know what came since.
        torn_from = min(torn_from, found.links.grown_from)
    # Header fields are written last, so a crash may leave any of them behind the objects.
    return max(fault.start, fault.target) >= torn_from or fault.reason == "bad-header"


def _torn_reason(found: Inspection) -> str:
    header = found.view.header
    cut = header.header_size + header.arena_size > found.view.size
    return "torn-file" if cut else "torn-append"


def first_reason(found: Inspection, torn_from: int | None) -> str | None:
    """The code of the first damage met, else that of the torn tail (SDJ-054)."""
    for fault in found.faults:
        if not _is_torn(found, fault, torn_from):
            return fault.reason
    return _torn_reason(found) if torn_from is not None else None


def disjoint(found: Inspection, torn_from: int | None) -> list[Lost]:
    """The faults as ranges in file order; of two that overlap the first met keeps its bytes."""
    taken: list[tuple[int, int]] = []
    lost: list[Lost] = []
    starts: list[int] = []
    for fault in found.faults:
        place = bisect_right(starts, fault.start)
        start, end = fault.start, min(fault.end, found.view.size)
        if place:
            start = max(start, taken[place - 1][1])
        if place < len(taken):
            end = min(end, taken[place][0])
        if start >= end:
            continue
        starts.insert(place, start)
        taken.insert(place, (start, end))
        torn = _is_torn(found, fault, torn_from)
        reason = _torn_reason(found) if torn else fault.reason
        lost.append(Lost(start, end, reason, torn=torn))
    return sorted(lost, key=lambda gap: gap.start)


class _Everything:
    def __contains__(self, at: object) -> bool:
        return True


def selection(found: Inspection, context: Mapping[str, Any]) -> Any:
    """The entries that the context asks for: ``match``, ``from_seqnum``, ``from_realtime``."""
    from reference_impl.systemd_journal import query

    if not {"match", "from_seqnum", "from_realtime"} & context.keys():
        return _Everything()
    return set(query.select(found, context))


__all__ = ["HEADER_FIELDS", "cursor", "inspect", "read", "refusal"]
