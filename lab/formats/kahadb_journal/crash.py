"""KahaDB journals with one record per batch. The files are short, so the writer starts new ones."""

from __future__ import annotations

from lab.crash.format_crash import FormatCrash, random_records
from reference_impl.answer import NewRecord


def records(count: int) -> list[NewRecord]:
    """Return records in batches of one record."""
    result = random_records(count)
    return [NewRecord(each.payload, {"batch": number}) for number, each in enumerate(result)]


CRASH = FormatCrash("journal", records, {"folder": True, "max_file_length": 16384})
