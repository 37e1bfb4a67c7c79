"""The bulk scanner of systemd journals; ``reference_impl.systemd_journal`` is authoritative.

An entry refers to fields anywhere in the file, and only a walk over all objects can verify them.
Therefore each part inspects the whole file, which takes a fraction of the time for the columns, and
then yields the entries and lost ranges in its bytes, for any damage. Consecutive parts in the same
process share the inspection.

Kernels do most of the work: walk, hashes, links, lists, columns. Python code decompresses payloads
and checks the header. The reference reader handles these cases:

* seals, if the context has their key;
* the index look-up of ``match`` in an intact file;
* files whose FIELD objects have a ``=`` in their names;
* files with compressed fields and more than 65,535 names.

Memory: the file as it was read; at most 64 bytes per object (256 MB for a file of a gigabyte); and
a run of records. An entry whose fields exceed a gibibyte has null for ``fields`` and an empty
payload, and is marked as truncated.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference_impl.answer import End, Lost
from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.inspection import refusal
from reference_impl.systemd_journal.layout import Header
from reference_impl.systemd_journal.loading import load
from reference_impl.systemd_journal.objects import View
from walproof.formats.systemd_journal.scanner import constants, entry_kernels
from walproof.formats.systemd_journal.scanner.batches import runs
from walproof.formats.systemd_journal.scanner.inspection import Inspection, Unusual, inspect
from walproof.scan.log import Log, Source
from walproof.scan.model import WHOLE, Event, Part, Wanted
from walproof.scan.reference import ReferenceScanner

#: Maximum parts of a file, because each part repeats the inspection.
MAX_PARTS = 16
_MAX_ARRAYS = 256
_SELECTIONS = frozenset({"match", "from_seqnum", "from_realtime"})

#: The inspection shared by the parts of a plan, by plan.
_shared: dict[bytes, Any] = {}


def plan(log: Log, target_bytes: int) -> Sequence[Part]:
    """Divide a log into parts of about ``target_bytes`` with equal numbers of entries.

    Only the header and a few slots of entry arrays are read. Raises ``OSError``.
    """
    source = log.open()
    try:
        count = min(-(-source.size // max(target_bytes, 1)), MAX_PARTS)
        head = source.read(0, layout.HEADER_FULL)
        if count < 2 or len(head) < layout.HEADER_MIN or refusal(head) is not None:
            return [WHOLE]
        bounds = _bounds(source, layout.parse_header(head), count)
    finally:
        source.close()
    locations = sorted({0, *(place for place in bounds if 0 < place < source.size)})
    plan = os.urandom(8)  # all parts of a plan use the file as read by the first of them
    return [
        Part(start, end, state=plan)
        for start, end in pairwise([*locations, None])
        if start is not None
    ]


def scan(log: Log, wanted: Wanted, part: Part = WHOLE) -> Iterator[Event]:
    """Yield the events of a part: records, lost ranges and, for ``WHOLE``, the end. ``OSError``."""
    try:
        inspection = _shared_inspection(part, log)
    except Unusual:
        # Events of the whole file belong to its first part.
        for event in (
            ReferenceScanner("systemd-journal").scan(log, wanted) if not part.start else ()
        ):
            if part == WHOLE or not isinstance(event, End):
                yield event
        return
    if isinstance(inspection, Inspection):
        numbers = _entries_of_part(part, inspection)
        if _SELECTIONS & log.context.keys():
            numbers = _select(inspection, numbers, log.context)
        yield from runs(inspection, numbers, wanted)
        lost, end = inspection.lost(), inspection.end()
    else:
        lost, end = inspection
    for gap in lost:
        if part.start <= gap.start and (part.end is None or gap.start < part.end):
            yield gap
    if part == WHOLE:
        yield end


def _inspection(log: Log) -> Inspection | tuple[list[Lost], End]:
    """Return the inspection of a file; without a valid header, only lost ranges and an end."""
    raw = load(log.local())
    if len(raw) >= layout.HEADER_MIN:
        if (reason := refusal(raw)) is not None:
            return [], End("refused", reason, None)
        header = layout.parse_header(raw[: layout.HEADER_FULL])
        if header.header_size <= len(raw):
            return inspect(raw, header, log.context)
    elif raw and raw[:8] != layout.SIGNATURE[: len(raw)]:
        return [], End("refused", "not-a-journal", None)
    lost = [Lost(0, len(raw), "torn-header", torn=True)] if raw else []  # SDJ-050
    return lost, End("torn", "torn-header", 0)


def _shared_inspection(part: Part, log: Log) -> Any:
    """Inspect the file once for all consecutive parts of a plan."""
    if part.state is None:
        return _inspection(log)
    if part.state not in _shared:
        inspection = _inspection(log)
        _shared.clear()
        _shared[part.state] = inspection
    inspection = _shared[part.state]
    if part.end is None:
        _shared.clear()
    return inspection


def _entries_of_part(part: Part, inspection: Inspection) -> NDArray[np.int64]:
    """Return the numbers of the entries of a part."""
    numbers = inspection.released()
    if part == WHOLE:
        return numbers
    locations = inspection.objects.offsets[numbers]
    chosen = locations >= part.start
    if part.end is not None:
        chosen &= locations < part.end
    inside: NDArray[np.int64] = numbers[chosen]
    return inside


def _bounds(source: Source, header: Header, count: int) -> list[int]:
    """Return the offsets at which parts begin. Any offsets are correct: these are hints."""
    arrays = list(_arrays(source, header))
    total = min(sum(slots for _, slots in arrays), header.n_entries)
    bounds = []
    for part in range(1, count):
        ordinal = total * part // count
        for at, slots in arrays:
            if ordinal < slots:
                place = at + 24 + ordinal * header.slot_size
                bounds.append(int.from_bytes(source.read(place, header.slot_size), "little"))
                break
            ordinal -= slots
    return bounds if any(bounds) else [source.size * part // count for part in range(1, count)]


def _arrays(source: Source, header: Header) -> Iterator[tuple[int, int]]:
    """Return offset and slots of the valid arrays at the start of the main chain."""
    at = header.entry_array_offset
    for _ in range(_MAX_ARRAYS):
        head = source.read(at, 24) if 0 < at < source.size else b""
        if len(head) < 24 or head[0] != layout.ENTRY_ARRAY:
            return
        size = int.from_bytes(head[8:16], "little")
        if not 24 < size <= source.size - at:
            return
        yield at, (size - 24) // header.slot_size
        following = int.from_bytes(head[16:24], "little")
        if following <= at:
            return
        at = following


def _select(
    inspection: Inspection, numbers: NDArray[np.int64], context: Mapping[str, Any]
) -> NDArray[np.int64]:
    """Return the numbers of the selected entries (SDJ-060, SDJ-061).

    In an intact file, the hash tables lead to the matching entries. In a damaged file, or without a
    hash table, each entry is examined.
    """
    objects = inspection.objects
    for name, place in (("from_seqnum", 16), ("from_realtime", 24)):
        if name in context:
            stored = np.empty(8 * len(numbers), np.uint8)
            entry_kernels.numbers_at(objects, numbers, place, stored)
            value = min(max(int(context[name]), 0), 1 << 64)
            values = stored.view(np.uint64)
            numbers = numbers[values >= np.uint64(value)] if value < 1 << 64 else numbers[:0]
    matches = _matches(context)
    if not matches:
        return numbers
    if not len(inspection.faults) and inspection.view.header.data_hash_table_size:
        for payloads in matches:
            listed: set[int] = set()
            for payload in payloads:
                data = _find_data(inspection.view, payload)
                listed.update(_entries_of(inspection.view, data) if data else ())
            at = np.fromiter(listed, np.int64, len(listed))
            numbers = numbers[np.isin(objects.offsets[numbers], at)]
        return numbers
    for payloads in matches:
        wanted, chosen = np.zeros(len(objects.offsets), np.uint8), np.zeros(len(numbers), np.uint8)
        for number in objects.of_kind(constants.DATA).tolist():
            wanted[number] = inspection.payload(number) in payloads
        entry_kernels.having(objects, numbers, inspection.given, wanted, chosen)
        numbers = numbers[chosen.view(np.bool_)]
    return numbers


def _matches(context: Mapping[str, Any]) -> list[set[bytes]]:
    """Return the values of ``match`` by field; an entry must have a value for each (SDJ-060)."""
    matches = context.get("match", ())
    by_field: dict[str, set[bytes]] = {}
    for text in [matches] if isinstance(matches, str) else matches:
        by_field.setdefault(text.partition("=")[0], set()).add(
            text.encode("utf-8", "surrogateescape")
        )
    return list(by_field.values())


def _find_data(view: View, payload: bytes) -> int | None:
    """Return the DATA object of ``FIELD=value``, or None. Requires a table with valid chains."""
    table, size = view.header.data_hash_table_offset, view.header.data_hash_table_size
    wanted = view.hash(payload)
    at = view.number(table + wanted % (size // 16) * 16)
    while at:
        if view.number(at + 16) == wanted and view.payload(at) == payload:
            return at
        at = view.number(at + 24)
    return None


def _entries_of(view: View, data: int) -> Iterator[int]:
    """Return the entries in the list of a DATA object, in order. Requires a valid list."""
    first, array, count = (view.number(data + at) for at in (40, 48, 56))
    if first:
        yield first
    left = count - 1
    for at in view.chain(array):
        for slot in islice(view.slots(at), max(left, 0)):
            yield slot
            left -= 1
