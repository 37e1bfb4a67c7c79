"""Hostile journals of Zeebe."""

from __future__ import annotations

from collections.abc import Callable

from crc32c import crc32c

from reference_impl.zeebe_journal.layout import (
    DATA_BLOCK,
    DESCRIPTOR_BLOCK,
    JOURNAL_SCHEMA,
    METADATA_BLOCK,
    RECORD_DATA,
    RECORD_FRAME,
    RECORD_METADATA,
    SBE_HEADER,
    SEGMENT_DESCRIPTOR,
)

NAME = "journal-1.log"


def asqns_that_do_not_rise(size: int) -> bytes:
    """A lost range for each record, and no payloads."""
    return _of(size, lambda index: 1)


def empty_records(size: int) -> bytes:
    """Records without payloads."""
    return _of(size, lambda index: index)


def _of(size: int, asqn: Callable[[int], int]) -> bytes:
    """A segment of records without payloads; ``asqn`` gives that of an index."""
    head = SBE_HEADER.pack(DESCRIPTOR_BLOCK.size, SEGMENT_DESCRIPTOR, JOURNAL_SCHEMA, 1)
    made = bytearray(b"\1" + head + DESCRIPTOR_BLOCK.pack(1, 1, 2**31 - 1))
    index = 1
    while len(made) < size:
        data = SBE_HEADER.pack(DATA_BLOCK.size, RECORD_DATA, JOURNAL_SCHEMA, 1)
        data += DATA_BLOCK.pack(index, asqn(index)) + bytes(4)
        made += RECORD_FRAME
        made += SBE_HEADER.pack(METADATA_BLOCK.size, RECORD_METADATA, JOURNAL_SCHEMA, 1)
        made += METADATA_BLOCK.pack(crc32c(data), len(data)) + data
        index += 1
    return bytes(made)


LOGS = (asqns_that_do_not_rise, empty_records)
