"""What a flipped bit did to the records of a log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

from conformance.unseen import EFFECTS
from reference_impl.answer import End, Event, Lost, Record

GONE, CHANGED, INVENTED, ORDER, FIELDS = EFFECTS
"""The gravest first: a flip counts as one of them."""


def records_of(events: Iterable[Event]) -> list[Record] | None:
    """The records of an `intact` log; None for any other, known from the first lost range on."""
    records = []
    for event in events:
        if type(event) is Record:
            records.append(event)
        elif type(event) is Lost or (type(event) is End and event.verdict != "intact"):
            return None
    return records


def effect(owed: Sequence[Record], found: Sequence[Record]) -> str | None:
    """What became of the records: the gravest effect; of ``fields`` also which (``fields: term``).

    None if all are as they were. A record with its payload at its place is the same one; then one
    with that payload elsewhere; of those that are left, two at the same place are one that changed.
    """
    if list(owed) == list(found):
        return None
    both = Counter(map(_key, owed)) & Counter(map(_key, found))
    missing, new = _without(owed, both, _key), _without(found, both, _key)
    moved = Counter(map(_payload, missing)) & Counter(map(_payload, new))
    missing, new = _without(missing, moved, _payload), _without(new, moved, _payload)
    if Counter(map(_place, missing)) - Counter(map(_place, new)):
        return GONE
    if missing:
        return CHANGED
    if new:
        return INVENTED
    if any(one.payload != other.payload for one, other in zip(owed, found, strict=True)):
        return ORDER
    changed = {name for one, other in zip(owed, found, strict=True) for name in _differ(one, other)}
    return f"{FIELDS}: {', '.join(sorted(changed))}"


_Key = Callable[[Record], Hashable]


def _without(records: Sequence[Record], others: Counter[Hashable], key: _Key) -> list[Record]:
    """The records that are left when so many of each key are taken away."""
    left = Counter(others)
    kept = []
    for record in records:
        if left[key(record)] > 0:
            left[key(record)] -= 1
        else:
            kept.append(record)
    return kept


def _place(record: Record) -> Hashable:
    return record.file, record.at


def _payload(record: Record) -> Hashable:
    return record.payload


def _key(record: Record) -> Hashable:
    return record.file, record.at, record.payload


def _differ(one: Record, other: Record) -> Iterator[str]:
    for name in ("at", "size", "file"):
        if getattr(one, name) != getattr(other, name):
            yield name
    for name in one.fields.keys() | other.fields.keys():
        if one.fields.get(name) != other.fields.get(name):
            yield name
