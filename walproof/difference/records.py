"""The records of a log as they are compared."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from reference_impl.answer import End, Event, Lost, Record
from walproof.quoted import entry_text
from walproof.spool import Shelf
from walproof.summary.model import plain_text

_NUMBERS = (("index",), ("boot_id", "seqnum"))
"""Fields that number records, where records have them: two with one number are one record."""
_MOMENT = ("boot_id", "monotonic", "realtime")
"""Fields that stay the same in a copy with other numbers."""
_PLACE = frozenset({"cursor", "batch", "checksum", "missing", "state", "seqnum", "fields"})
"""Fields that say where a record stands, or repeat what others say."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One record: where it is, its number if its format has numbers, a digest of what it says.

    ``source`` is what counted the number, and ``moment`` the times of the record, where the format
    knows of copies with other numbers.
    """

    at: int
    file: str | None
    number: tuple[str, ...] | None
    digest: bytes
    text: str
    source: str | None = None
    moment: tuple[str, ...] | None = None


@dataclass(frozen=True)
class SeenLog:
    """The records of a log, in its order, and how it ended."""

    records: Sequence[Seen]
    lost_bytes: int
    end: End


def seen(events: Iterable[Event]) -> SeenLog:
    """The records of an answer. What raises is the reader."""
    records: Shelf[Seen] = Shelf()
    lost = 0
    end = End("refused", None, None)
    for event in events:
        if isinstance(event, Record):
            records.append(_seen(event))
        elif isinstance(event, Lost):
            lost += event.end - event.start
        else:
            end = event
    return SeenLog(records, lost, end)


def _seen(record: Record) -> Seen:
    fields = record.fields
    known = [names for names in _NUMBERS if all(fields.get(name) is not None for name in names)]
    number = tuple(str(fields[name]) for name in known[0]) if known else None
    said: Any = {name: value for name, value in fields.items() if name not in _PLACE}
    digest = hashlib.blake2b(record.payload, digest_size=16)
    digest.update(json.dumps(said, sort_keys=True).encode())
    moment = tuple(str(fields[name]) for name in _MOMENT) if "boot_id" in fields else None
    source = str(fields["cursor"]).partition(";")[0] if "cursor" in fields else None
    text = entry_text(fields["fields"]) if "fields" in fields else plain_text(record.payload[:256])
    return Seen(record.at, record.file, number, digest.digest(), text, source, moment)
