"""Select entries by matches, sequence number and time (SDJ-060, SDJ-061)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from reference_impl.systemd_journal.inspection import Inspection


def select(inspection: Inspection, context: Mapping[str, Any]) -> Iterator[int]:
    """Yield the entries that fit the context's ``match``, ``from_seqnum``, ``from_realtime``."""
    chosen = inspection.entries
    for name in ("seqnum", "realtime"):
        if f"from_{name}" in context:
            value = int(context[f"from_{name}"])
            chosen = [at for at in chosen if getattr(inspection.view.entry(at), name) >= value]
    matches = matches_of(context)
    for at in chosen:
        if all(not values.isdisjoint(fields_of(inspection, at)) for values in matches):
            yield at


def fields_of(inspection: Inspection, entry: int) -> Iterator[bytes]:
    """Yield an entry's valid fields as ``FIELD=value``."""
    for item in dict.fromkeys(inspection.items(entry)):
        yield inspection.view.payload(item)


def matches_of(context: Mapping[str, Any]) -> list[set[bytes]]:
    """Group ``match`` by field. An entry must have a value from every group (SDJ-060)."""
    given = context.get("match", ())
    texts = [given] if isinstance(given, str) else list(given)
    by_field: dict[str, set[bytes]] = {}
    for text in texts:
        by_field.setdefault(text.partition("=")[0], set()).add(
            text.encode("utf-8", "surrogateescape")
        )
    return list(by_field.values())
