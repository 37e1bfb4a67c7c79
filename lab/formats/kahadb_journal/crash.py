"""Journals of KahaDB with short data files, so that new ones are begun; a batch for each record."""

from __future__ import annotations

from lab.crash.format_crash import FormatCrash, random_records
from reference_impl.answer import NewRecord


def records(count: int) -> list[NewRecord]:
    """Each record is a batch of its own."""
    found = random_records(count)
    return [NewRecord(one.payload, {"batch": number}) for number, one in enumerate(found)]


CRASH = FormatCrash("journal", records, {"folder": True, "max_file_length": 16384})
