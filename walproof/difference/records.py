"""Read the records of a log for a comparison."""

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

#: Fields that number records; two records with the same number correspond.
_NUMBER_FIELDS = (("index",), ("boot_id", "seqnum"))
#: Fields that stay the same in a copy with other numbers.
_MOMENT_FIELDS = ("boot_id", "monotonic", "realtime")
#: Fields that depend on the position of a record or on records before it, or repeat other fields.
_POSITION_FIELDS = frozenset(
    {"cursor", "batch", "checksum", "missing", "state", "seqnum", "fields", "frame", "after_loss"}
)


@dataclass(frozen=True, slots=True)
class ComparedRecord:
    """A record: its position, its number if the format has one, and a digest of its content."""

    at: int
    file: str | None
    number: tuple[str, ...] | None
    digest: bytes
    text: str
    #: Source of the number, or None if all copies of a record have the same number.
    source: str | None = None
    #: Times of the record, or None if all copies of a record have the same number.
    moment: tuple[str, ...] | None = None


@dataclass(frozen=True)
class ComparedLog:
    """The records of a log in order, the number of lost bytes, and the end."""

    records: Sequence[ComparedRecord]
    lost_bytes: int
    end: End


def compared_log(events: Iterable[Event]) -> ComparedLog:
    """Return the records of an answer. Errors of the reader are raised."""
    records: Shelf[ComparedRecord] = Shelf()
    lost = 0
    end = End("refused", None, None)
    for event in events:
        if isinstance(event, Record):
            records.append(_compared_record(event))
        elif isinstance(event, Lost):
            lost += event.end - event.start
        else:
            end = event
    return ComparedLog(records, lost, end)


def _compared_record(record: Record) -> ComparedRecord:
    fields = record.fields
    complete = [
        names for names in _NUMBER_FIELDS if all(fields.get(name) is not None for name in names)
    ]
    number = tuple(str(fields[name]) for name in complete[0]) if complete else None
    content: Any = {name: value for name, value in fields.items() if name not in _POSITION_FIELDS}
    digest = hashlib.blake2b(record.payload, digest_size=16)
    digest.update(json.dumps(content, sort_keys=True).encode())
    moment = tuple(str(fields[name]) for name in _MOMENT_FIELDS) if "boot_id" in fields else None
    source = str(fields["cursor"]).partition(";")[0] if "cursor" in fields else None
    text = entry_text(fields["fields"]) if "fields" in fields else plain_text(record.payload[:256])
    return ComparedRecord(record.at, record.file, number, digest.digest(), text, source, moment)
