"""Compare the header with the file's size and objects (SDJ-049, SDJ-097)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.layout import HEADER_FIELDS, Header
from reference_impl.systemd_journal.links import Links
from reference_impl.systemd_journal.objects import Fault, View
from reference_impl.systemd_journal.walk import Walk


def header_fault(name: str, text: str, rule: str = "SDJ-049") -> Fault:
    """Return the fault for an invalid header field."""
    at, size = HEADER_FIELDS[name]
    return Fault(at, at + size, "bad-header", rule, f"{name}: {text}")


def check_shape(header: Header, size: int) -> Iterator[Fault]:
    """Yield faults that the header and the file size show before objects are read."""
    if any(header.reserved):
        yield header_fault("reserved", "not zero", "SDJ-008")
    tail = header.tail_object_offset
    end = max(size, header.header_size + header.arena_size)  # it may be truncated (SDJ-051)
    if tail & 7 or (tail and not header.header_size <= tail <= end - layout.OBJECT_SIZE):
        yield header_fault("tail_object_offset", f"no object can begin at {tail}", "SDJ-097")


def check_counts(view: View, walk: Walk, links: Links, linked: Sequence[int]) -> Iterator[Fault]:
    """Yield faults in the header's counts, head and tail fields, if no object was lost.

    ``linked`` contains the entries in the main chain, or all entries if the main chain is broken.
    """
    header = view.header
    if (tail_object := header.tail_object_offset) != walk.last:
        text = f"the last object is at {walk.last}, not {tail_object}"
        yield header_fault("tail_object_offset", text)
    counts = {
        "n_objects": walk.counts.total(),
        "n_entries": links.n_linked,
        "n_data": walk.counts[layout.DATA],
        "n_fields": walk.counts[layout.FIELD],
        "n_tags": walk.counts[layout.TAG],
        "n_entry_arrays": walk.counts[layout.ENTRY_ARRAY],
    }
    if links.chain_broken:
        del counts["n_entries"]
    for name, actual in counts.items():
        stored = getattr(header, name)
        if header.has(name) and stored != actual:
            yield header_fault(name, f"expected {actual}, found {stored}")
    if not linked:
        return
    first, entry = view.entry(linked[0]), view.entry(linked[-1])
    if header.head_entry_seqnum != first.seqnum:
        yield header_fault("head_entry_seqnum", f"the first entry has {first.seqnum}")
    if header.head_entry_realtime != first.realtime:
        yield header_fault("head_entry_realtime", f"the first entry has {first.realtime}")
    if header.tail_entry_seqnum != entry.seqnum:
        yield header_fault("tail_entry_seqnum", f"the last entry has {entry.seqnum}")
    if header.tail_entry_realtime != entry.realtime:
        yield header_fault("tail_entry_realtime", f"the last entry has {entry.realtime}")
    if header.compatible_flags & layout.TAIL_ENTRY_BOOT_ID:
        if header.tail_entry_boot_id != entry.boot_id:
            yield header_fault("tail_entry_boot_id", f"the last entry has {entry.boot_id.hex()}")
        elif header.tail_entry_monotonic != entry.monotonic:
            yield header_fault("tail_entry_monotonic", f"the last entry has {entry.monotonic}")
    if header.has("tail_entry_offset") and header.tail_entry_offset != linked[-1]:
        yield header_fault("tail_entry_offset", f"the last entry is at {linked[-1]}")
    if links.chain_broken or not header.has("tail_entry_array_n_entries"):
        return
    tail = (header.tail_entry_array_offset, header.tail_entry_array_n_entries)
    array, used = links.last_array
    # This field has 32 bits even if offsets have 64 (SDJ-003), so compare only the low 32 bits.
    if tail != (array & 0xFFFFFFFF, used):
        yield header_fault("tail_entry_array_offset", f"the last array is at {array}, {used} used")
