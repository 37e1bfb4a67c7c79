"""LevelDB logs with records that cross the end of a sector or of a block."""

from __future__ import annotations

from lab.crash.format_crash import FormatCrash, random_records
from reference_impl.answer import NewRecord


def records(count: int) -> list[NewRecord]:
    """Return records. The second record has two fragments and ends in the second block."""
    result = random_records(count)
    return [*result[:1], NewRecord(b"b" * 33_000), *result[2:]]


CRASH = FormatCrash("000003.log", records)
