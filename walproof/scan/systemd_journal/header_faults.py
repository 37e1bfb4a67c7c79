"""What a header says, held against what is in its file."""

from __future__ import annotations

from collections.abc import Iterator

from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.layout import HEADER_FIELDS, Header
from walproof.scan.systemd_journal import words
from walproof.scan.systemd_journal.faults import Numbers
from walproof.scan.systemd_journal.words import Found


def shape_faults(header: Header, size: int) -> Iterator[tuple[int, int, int, int]]:
    """What the header alone, and the size of the file, can tell (SDJ-008, SDJ-049)."""
    if any(header.reserved):
        at, width = HEADER_FIELDS["reserved"]
        yield at, at + width, words.BAD_HEADER, 0
    tail = header.tail_object_offset
    last = max(size, header.header_size + header.arena_size) - layout.OBJECT_SIZE
    if tail & 7 or (tail and not header.header_size <= tail <= last):
        yield _field("tail_object_offset")


def count_faults(
    header: Header,
    found: Found,
    counts: Numbers,
    chain: tuple[int, int, int] | None,
    ends: list[int],
) -> Iterator[tuple[int, int, int, int]]:
    """Counts, head and tail of a file in which nothing was lost (SDJ-049).

    ``chain``: slots that lead to an entry, the last array and its used slots; None if it is broken.
    ``ends``: the first and the last entry, or 0.
    """
    state = found.state
    if state[words.LAST] != header.tail_object_offset and state[words.CUT] < 0:
        yield _field("tail_object_offset")
    expected = {
        "n_objects": len(found.offsets),
        "n_entries": chain[0] if chain is not None else header.n_entries,
        "n_data": counts[words.DATA],
        "n_fields": counts[words.FIELD],
        "n_tags": counts[words.TAG],
        "n_entry_arrays": counts[words.ENTRY_ARRAY],
    }
    for name, number in expected.items():
        if header.has(name) and getattr(header, name) != number:
            yield _field(name)
    if not ends[0]:
        return
    first, last = (_entry(found, at) for at in ends)
    for name, right in (
        ("head_entry_seqnum", first[0]),
        ("head_entry_realtime", first[1]),
        ("tail_entry_seqnum", last[0]),
        ("tail_entry_realtime", last[1]),
    ):
        if getattr(header, name) != right:
            yield _field(name)
    if header.compatible_flags & layout.TAIL_ENTRY_BOOT_ID:
        if header.tail_entry_boot_id != last[3]:
            yield _field("tail_entry_boot_id")
        elif header.tail_entry_monotonic != last[2]:
            yield _field("tail_entry_monotonic")
    if header.has("tail_entry_offset") and header.tail_entry_offset != ends[1]:
        yield _field("tail_entry_offset")
    tail = (header.tail_entry_array_offset, header.tail_entry_array_n_entries)
    if chain is None or not header.has("tail_entry_array_n_entries"):
        return
    if tail != (chain[1] & 0xFFFFFFFF, chain[2]):
        yield _field("tail_entry_array_offset")


def _field(name: str) -> tuple[int, int, int, int]:
    at, size = HEADER_FIELDS[name]
    return at, at + size, words.OUTDATED, 0


def _entry(found: Found, at: int) -> tuple[int, int, int, bytes, int]:
    fixed: tuple[int, int, int, bytes, int] = layout.ENTRY_FIXED.unpack(
        found.data[at + 16 : at + 64].tobytes()
    )
    return fixed
