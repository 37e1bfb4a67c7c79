"""Hostile journals of KahaDB."""

from __future__ import annotations

import zlib

from reference_impl.kahadb_journal.layout import (
    CONTROL,
    HEADER,
    RECORD,
    RECORD_HEAD,
    USER_RECORD,
)

NAME = "db-1.log"
UNKNOWN = 9


def _of(kind: int, size: int) -> bytes:
    """A batch of records without data, all of one type."""
    records = RECORD.pack(RECORD_HEAD, kind) * (size // RECORD_HEAD)
    return CONTROL.pack(HEADER, len(records), zlib.adler32(records)) + records


def unknown_types(size: int) -> bytes:
    """A lost range for each five bytes."""
    return _of(UNKNOWN, size)


def empty_records(size: int) -> bytes:
    """A record for each five bytes."""
    return _of(USER_RECORD, size)


def headers_that_claim_all(size: int) -> bytes:
    """Control records one after the other, each of which claims the rest of the file."""
    count = size // CONTROL.size
    return b"".join(
        CONTROL.pack(HEADER, CONTROL.size * (count - number), 1 + number) for number in range(count)
    )


LOGS = (unknown_types, empty_records, headers_that_claim_all)
