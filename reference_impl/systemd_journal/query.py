"""Finding entries without reading them all: matches, seeking, field values (SDJ-060, SDJ-061)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.inspection import Inspection
from reference_impl.systemd_journal.objects import View


def find_data(view: View, payload: bytes) -> int | None:
    """The DATA object of ``FIELD=value`` through the hash table, or None (SDJ-060)."""
    return _find(view, payload, layout.DATA)


def find_field(view: View, name: bytes) -> int | None:
    """The FIELD object of a name through the hash table, or None (SDJ-025)."""
    return _find(view, name, layout.FIELD)


def _find(view: View, payload: bytes, kind: int) -> int | None:
    header = view.header
    table, size = header.data_hash_table_offset, header.data_hash_table_size
    if kind == layout.FIELD:
        table, size = header.field_hash_table_offset, header.field_hash_table_size
    if size < 16 or table + size > view.size:
        return None
    wanted = view.hash(payload)
    at, last = view.number(table + wanted % (size // 16) * 16), 0
    while at > last:  # a chain only ever leads forward, so it ends
        framed = view.frame(at)
        if isinstance(framed, str) or framed[0] != kind:
            return None
        if view.number(at + 16) == wanted:
            if kind == layout.FIELD:
                stored = view.data[at + 40 : at + framed[2]]
            else:
                stored = b"" if view.content_fault(at, *framed) else view.payload(at)
            if stored == payload:
                return at
        last, at = at, view.number(at + 24)
    return None


def entries_of(view: View, data: int) -> Iterator[int]:
    """The entries that a DATA object lists, in order (SDJ-036)."""
    first, array, count = (view.number(data + at) for at in (40, 48, 56))
    last = 0
    if first:
        yield first
        last = first
    left = count - 1
    for at in view.chain(array):
        for slot in view.slots(at):
            if slot == 0 or left <= 0:
                return
            left -= 1
            if slot > last:
                yield slot
                last = slot


def values_of(view: View, name: bytes) -> Iterator[bytes]:
    """Every value of a field in this file, newest first (SDJ-025)."""
    field = find_field(view, name)
    at, last = (view.number(field + 32) if field else 0), view.size
    while at and at < last:
        framed = view.frame(at)
        if isinstance(framed, str) or framed[0] != layout.DATA:
            return
        if view.content_fault(at, *framed) is None:
            yield view.payload(at).partition(b"=")[2]
        last, at = at, view.number(at + 32)


def main_chain(view: View) -> Iterator[tuple[int, Sequence[int]]]:
    """The arrays of the main chain, each with its used slots."""
    for array in view.chain(view.header.entry_array_offset):
        slots = view.slots(array)
        used = bisect_left(slots, True, key=lambda slot: slot == 0)
        yield array, slots[:used]


def seek(view: View, field: str, value: int) -> int | None:
    """The first entry whose ``seqnum`` or ``realtime`` is not below a value (SDJ-061).

    Whole arrays are skipped by looking at their last entry, then one array is searched by
    bisection: the cost grows with the logarithm of the number of entries.
    """

    def not_below(at: int) -> bool:
        return bool(getattr(view.entry(at), field) >= value)

    for _, slots in main_chain(view):
        if slots and not_below(slots[-1]):
            return slots[bisect_left(slots, True, key=not_below)]
    return None


def select(found: Inspection, context: Mapping[str, Any]) -> Iterator[int]:
    """The entries that fit ``match``, ``from_seqnum`` and ``from_realtime`` of a context.

    A sound file is searched through its indexes, a damaged one entry by entry; the answer is the
    same.
    """
    view = found.view
    chosen = found.entries
    for name in ("seqnum", "realtime"):
        if f"from_{name}" not in context:
            continue
        value = int(context[f"from_{name}"])
        if found.faults or name == "realtime":  # realtime may run backwards: no order to rely on
            chosen = [at for at in chosen if getattr(view.entry(at), name) >= value]
        else:
            start = seek(view, name, value)
            chosen = chosen[bisect_left(chosen, start) :] if start is not None else []
    matches = matches_of(context)
    if not matches:
        yield from chosen
        return
    if found.faults:
        for at in chosen:
            items = (i for i in view.items(at) if found.walk.kind(i) == layout.DATA)
            has = {view.payload(item) for item in items}
            if all(has & values for values in matches):
                yield at
        return
    allowed = set(chosen)
    for values in matches:
        listed: set[int] = set()
        for wanted in values:
            data = find_data(view, wanted)
            listed.update(entries_of(view, data) if data else ())
        allowed &= listed
    yield from sorted(allowed)


def matches_of(context: Mapping[str, Any]) -> list[set[bytes]]:
    """The values of ``match``, by field: an entry must have one value of each field (SDJ-060)."""
    given = context.get("match", ())
    texts = [given] if isinstance(given, str) else list(given)
    by_field: dict[str, set[bytes]] = {}
    for text in texts:
        by_field.setdefault(text.partition("=")[0], set()).add(text.encode())
    return list(by_field.values())


def names(found: Inspection) -> Iterator[bytes]:
    """The names of all fields of a file, in file order (SDJ-014)."""
    for at in found.walk.sound(layout.FIELD):
        yield bytes(found.view.data[at + 40 : at + found.view.object_size(at)])


def values(found: Inspection, name: bytes) -> Iterator[bytes]:
    """Every value of a field, newest first: by its list, or from all DATA of a damaged file."""
    if not found.faults:
        yield from values_of(found.view, name)
        return
    prefix = name + b"="
    for at in reversed(list(found.walk.sound(layout.DATA))):
        payload = found.view.payload(at)
        if payload.startswith(prefix):
            yield payload[len(prefix) :]
