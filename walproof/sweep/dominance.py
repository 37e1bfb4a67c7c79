"""Find true records that a program returns but the executable specification does not."""

from __future__ import annotations

import fnmatch
import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from conformance.answer_text import payload_key
from reference_impl.answer import Answer, Record
from reference_impl.register import registers
from walproof.sweep.controls import Control
from walproof.sweep.enumeration import LogDamage

#: A finding has this effect if a true record is missing.
DOMINANCE = "dominance"

#: These fields do not identify a record. The payload is compared as a digest, and damage before a
#: record may change its position.
_NOT_IDENTIFYING = frozenset({"payload", "file", "at", "size"})

Json = Mapping[str, Any]


def true_records(records: Sequence[Record]) -> list[Json]:
    """Return the records of an undamaged control in the form in which a reader reports them."""
    return [record.to_json() for record in records]


def unambiguous(true: Sequence[Json], change: LogDamage, older: Sequence[Control]) -> list[Json]:
    """Return the true records of a damaged log.

    If the damage copied bytes from an older log, the older log's records do not count, because a
    reader may have found them in the copied bytes.
    """
    copied = _copied_logs(change)
    imported = {
        payload_key(record)
        for log in older
        if log.id in copied
        for record in true_records(log.stored_records)
    }
    return [record for record in true if payload_key(record) not in imported]


def _copied_logs(change: LogDamage) -> set[str]:
    return {
        part["copy"]
        for operation in change.operations
        if isinstance(operation.get("bytes"), list)
        for part in operation["bytes"]
        if isinstance(part, Mapping) and "copy" in part
    }


def missing_records(
    format: str,
    true: Sequence[Json],
    expected: Sequence[Json],
    actual: Sequence[Json],
    reports: Collection[str],
) -> list[Json]:
    """Return the true records in the ``actual`` answer that the ``expected`` answer lacks.

    Two records are equal if their payloads are equal and all other fields that the program reports
    are equal. Fields that the true record does not have are ignored. A record counts as often as in
    the undamaged log.
    """
    settled = {name for name, field in registers()[format].fields.items() if field.is_settled}
    of_true = {name for record in true for name in record}
    names = sorted((of_true & settled & set(reports)) - _NOT_IDENTIFYING)

    def key(record: Json) -> tuple[str, str]:
        fields = {name: record.get(name) for name in names}
        return payload_key(record), json.dumps(fields, sort_keys=True)

    counts = [Counter(map(key, records)) for records in (true, actual, expected)]
    left = (counts[0] & counts[1]) - counts[2]
    return list(_take(true, left, key)) if left else []


def reason_for(record: Json, expected: Answer) -> str:
    """Return the reason code for a missing record: that of its lost range, else that of the log.

    If there is no reason code, return ``intact``.
    """
    end = record["at"] + record["size"]
    for gap in expected.lost:
        if gap.file == record.get("file") and gap.start < end and record["at"] < gap.end:
            return gap.reason
    return expected.reason or expected.verdict


def exception_for(format: str, reader: str, reason: str, change: LogDamage) -> str | None:
    """Return the requirement of the exception for this reader, reason and damage, if any."""
    damages = [f"{each.family} {each.field}" for each in change.halves or (change,)]
    for entry in registers()[format].unproven:
        is_listed = reader in entry.readers and (not entry.reasons or reason in entry.reasons)
        if is_listed and fnmatch.filter(damages, entry.damage):
            return entry.requirement
    return None


def _take(records: Sequence[Json], left: Counter[Any], key: Any) -> Iterator[Json]:
    for record in records:
        if left[key(record)] > 0:
            left[key(record)] -= 1
            yield record
