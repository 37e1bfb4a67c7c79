"""Walk over a whole journal file and check it (spec/systemd-journal.md, "Reading")."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from reference_impl.answer import Record
from reference_impl.systemd_journal import layout, seals
from reference_impl.systemd_journal.counts import check_counts, check_shape, header_fault
from reference_impl.systemd_journal.export_format import entry_body, field_to_json
from reference_impl.systemd_journal.layout import Header, parse_header
from reference_impl.systemd_journal.links import Links
from reference_impl.systemd_journal.objects import (
    MAX_FIELD_SIZE,
    Entry,
    Fault,
    Faults,
    HashFunction,
    View,
    hash_of,
)
from reference_impl.systemd_journal.sealing import VerificationKey
from reference_impl.systemd_journal.walk import Walk


def refusal(data: Any) -> str | None:
    """Return the reason code for refusing a file of at least 208 bytes, or None."""
    header = parse_header(data)
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
    """The result of walking over and checking a file that is not refused."""

    view: View
    walk: Walk
    links: Links
    faults: list[Fault]
    entries: list[int]
    sealed_until: int | None

    def items(self, at: int) -> Iterator[int]:
        """Yield the DATA that readers return for an entry, in stored order (SDJ-043, SDJ-092)."""
        for item in islice(self.view.items(at), self.links.given.get(at)):
            if self.walk.kind(item) == layout.DATA:
                yield item

    def is_missing_fields(self, at: int) -> bool:
        """Return whether some of an entry's fields cannot be returned (SDJ-043)."""
        return sum(1 for _ in self.items(at)) < self.view.n_items(at)

    def record(self, at: int) -> Record:
        """Return an entry's record, with its valid fields (SDJ-042, SDJ-043)."""
        entry, n_items = self.view.entry(at), self.view.n_items(at)
        payloads = [self.view.payload(item) for item in self.items(at)]
        fields: dict[str, Any] = {
            "seqnum": str(entry.seqnum),
            "realtime": str(entry.realtime),
            "monotonic": str(entry.monotonic),
            "boot_id": entry.boot_id.hex(),
            "cursor": cursor(self.view.header, entry),
            "fields": [field_to_json(payload) for payload in payloads],
        }
        if len(payloads) < n_items:
            fields["missing"] = n_items - len(payloads)
        return Record(at, self.view.object_size(at), entry_body(payloads), fields)


def cursor(header: Header, entry: Entry) -> str:
    """Return the cursor, which identifies an entry across files (SDJ-063)."""
    return (
        f"s={header.seqnum_id.hex()};i={entry.seqnum:x};b={entry.boot_id.hex()}"
        f";m={entry.monotonic:x};t={entry.realtime:x};x={entry.xor_hash:x}"
    )


def inspect(
    data: Any,
    context: Mapping[str, Any],
    progress: Callable[[int], None] = lambda at: None,
    hash_function: HashFunction = hash_of,
) -> Inspection:
    """Check a whole file, and list its faults in the order of detection (SDJ-040).

    The check passes over the file three times, and calls ``progress`` with the current offset.
    Raises :class:`~reference_impl.systemd_journal.sealing.BadKey` (SDJ-070).
    """
    header = parse_header(data)
    view = View(data, header, int(context.get("max_field_size", MAX_FIELD_SIZE)), hash_function)
    faults = Faults(view.size)
    faults.add(check_shape(header, view.size))
    walk = Walk(view)
    walk.run(progress)
    if (right := walk.right_key()) is not None:
        name, right_header = right
        faults.add([header_fault(name, "the hashes show another value", "SDJ-106")])
        view = View(data, right_header, view.max_field, hash_function)
        walk = Walk(view)
        walk.run(progress)
    walk.prove()
    faults.add(walk.faults)
    links = Links(view, walk)
    faults.add(links.main_chain())
    faults.add(links.unlinked())
    entries = list(walk.sound(layout.ENTRY))
    seqnum = 0
    for at in entries:
        progress(at)
        entry = view.entry(at)
        if entry.seqnum <= seqnum:  # SDJ-047
            text = f"sequence number {entry.seqnum} after {seqnum}"
            faults.add([Fault(at + 16, at + 24, "bad-order", "SDJ-047", text)])
        seqnum = entry.seqnum
        faults.add(links.entry(at))
        faults.add(links.boot_id(at))
    faults.add(links.tables())
    faults.add(links.fields())
    faults.add(links.data_arrays(progress))
    faults.add(list(links.impostors(faults)))
    sealed_until = None
    if header.sealed or walk.counts[layout.TAG]:
        key = VerificationKey.parse(str(context["key"])) if "key" in context else None
        checked = seals.Seals(view, walk, key)
        faults.add(checked.check())
        sealed_until = checked.sealed_until
    if not walk.lost_something:
        linked = [at for at in entries if at in links.linked or links.chain_broken]
        faults.add(check_counts(view, walk, links, linked))
    return Inspection(view, walk, links, faults.all(), entries, sealed_until)
