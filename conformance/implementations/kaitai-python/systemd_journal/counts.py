"""Compare counts, head fields and tail fields of the header with the objects (SDJ-049)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from .faults import COUNTS, Fault
from .links import Links
from .walk import ARRAY, DATA, FIELD, TAG, Journal

# The offset and size of each header field that is checked.
_PLACES = {
    "tail_entry_boot_id": (56, 16),
    "tail_object_offset": (136, 8),
    "n_objects": (144, 8),
    "n_entries": (152, 8),
    "tail_entry_seqnum": (160, 8),
    "head_entry_seqnum": (168, 8),
    "head_entry_realtime": (184, 8),
    "tail_entry_realtime": (192, 8),
    "tail_entry_monotonic": (200, 8),
    "n_data": (208, 8),
    "n_fields": (216, 8),
    "n_tags": (224, 8),
    "n_entry_arrays": (232, 8),
    "tail_entry_array_offset": (256, 4),
    "tail_entry_offset": (264, 8),
}


def check(journal: Journal, links: Links) -> None:
    """Report each field of the header that differs from the objects, unless an object was lost."""
    for name, right in expected(journal, links) if journal.is_whole() else ():
        stored = getattr(journal.header, name, None)
        if stored is not None and stored != right:
            start, size = _PLACES[name]
            journal.blame(Fault(COUNTS, "bad-header", start, start + size, is_late=True))


def expected(journal: Journal, links: Links) -> Iterator[tuple[str, int | bytes | None]]:
    """Yield field names with their expected values."""
    header, types = journal.header, Counter(item.type for item in journal.objects.values())
    yield "tail_object_offset", max(journal.objects, default=0)
    yield "n_objects", len(journal.objects)
    if not links.is_chain_broken:
        yield "n_entries", links.used_slots
    yield "n_data", types[DATA]
    yield "n_fields", types[FIELD]
    yield "n_tags", types[TAG]
    yield "n_entry_arrays", types[ARRAY]
    entries = links.entries
    if not links.is_chain_broken:
        entries = [entry for entry in entries if entry.at in links.linked]
    if not entries:
        return
    head, tail = entries[0], entries[-1]
    yield "head_entry_seqnum", head.body.seqnum
    yield "head_entry_realtime", head.body.realtime
    yield "tail_entry_seqnum", tail.body.seqnum
    yield "tail_entry_realtime", tail.body.realtime
    if header.compatible_flags & 2:
        yield "tail_entry_boot_id", tail.body.boot_id
        if header.tail_entry_boot_id == tail.body.boot_id:
            yield "tail_entry_monotonic", tail.body.monotonic
    yield "tail_entry_offset", tail.at
    if links.is_chain_broken or not hasattr(header, "tail_entry_array_n_entries"):
        return
    array, used = links.last_array
    tails = header.tail_entry_array_offset, header.tail_entry_array_n_entries
    yield "tail_entry_array_offset", tails[0] if tails == (array & 0xFFFFFFFF, used) else None
