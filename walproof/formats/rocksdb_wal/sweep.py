"""Damage RocksDB and Pebble logs in a sweep."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from conformance.contents import Contents
from conformance.kaitai.field_map import Field
from reference_impl.answer import Answer, NewRecord, Record
from reference_impl.leveldb_log.dialects import COMPRESSION, RECYCLABLE_HEADER_SIZE, header_size
from reference_impl.leveldb_log.layout import BLOCK_SIZE, HEADER_SIZE, masked_crc
from reference_impl.rocksdb_wal.compression import MAGIC
from reference_impl.rocksdb_wal.layout import (
    HEADER_SIZES,
    LEGACY,
    RECYCLABLE,
    WAL_SYNC,
    ZSTD,
    any_physical,
    is_clean_close,
    pack,
)
from reference_impl.rocksdb_wal.reader import read_stream
from walproof.sweep.format_sweep import Edit, FormatSweep, Seal, Task, how_many

_COMPRESSION_RECORD = pack(LEGACY, COMPRESSION, ZSTD.to_bytes(4, "little"))


def _seal(data: bytes, unit: Field, fields: Sequence[Field]) -> Edit:
    at = unit.start
    is_sync = any(field.path == f"{unit.path}.header.ofs_synced" for field in fields)
    end = at + header_size(data[at + 6], is_sync) + int.from_bytes(data[at + 4 : at + 6], "little")
    return (at, at + 4, masked_crc(data[at + 6 : end]).to_bytes(4, "little"))


class RocksDBSweep(FormatSweep):
    """See :class:`FormatSweep`."""

    appends_exactly = True
    # A record of another log ends the log, and so does Pebble's trailer.
    may_end_anywhere = True
    of_the_log = ("log_number", "headers", "compression")
    seals = (Seal("blocks[].records[]", _seal),)

    def free(self, contents: Contents) -> list[tuple[str, str]]:
        """See :class:`FormatSweep`. The size of compressed data depends on the compressor."""
        assert isinstance(contents, bytes)
        is_compressed = contents.startswith(_COMPRESSION_RECORD) or MAGIC in contents
        reason = "no two compressors give the same bytes"
        return [("placement", reason), ("preallocation", reason)] if is_compressed else []

    def stored_records(
        self, files: Mapping[str, bytes], records: Sequence[Record]
    ) -> Sequence[Record]:
        """See :class:`FormatSweep`. A different log number or a clean close hides records."""
        data = files[""]
        stored = {record.at: record for record in records}
        for number in _numbers(data):
            for event in read_stream(io.BytesIO(data), number=number):
                if isinstance(event, Record):
                    stored.setdefault(event.at, event)
        return [stored[at] for at in sorted(stored)]

    def may_join(self, record: Record) -> bool:
        """See :class:`FormatSweep`. Each fragment has its own header."""
        headers = LEGACY
        if "log_number" in record.fields:
            headers = WAL_SYNC if "sync_offset" in record.fields else RECYCLABLE
        return record.size > HEADER_SIZES[headers] + len(record.payload)

    def determines(self, context: Mapping[str, Any]) -> bool:
        """See :class:`FormatSweep`. No two compressors give the same bytes."""
        return str(context.get("compression", "none")) == "none"

    def new_records(self, chance: Random, task: Task) -> list[NewRecord]:
        """See :class:`FormatSweep`. Some records end near a block boundary, or follow metadata."""
        headers = str(task.context.get("headers", RECYCLABLE))
        size = HEADER_SIZES.get(headers, HEADER_SIZE)
        made = []
        at = task.size if task.appends else 0
        for _ in range(how_many(chance)):
            payload = self.payload(chance, task)
            if chance.random() < 0.4:
                left = BLOCK_SIZE - at % BLOCK_SIZE - size
                edge = left + chance.choice((0, 0, 0, 1, 2)) * (BLOCK_SIZE - size)
                length = max(0, edge - chance.randrange(-9, 28))
                payload = bytes([chance.randrange(256)]) * length
            at += size + len(payload)
            made.append(NewRecord(payload, _fields(chance, headers)))
        return made

    def may_refuse(self, before: Answer, contents: Contents) -> bool:
        """See :class:`FormatSweep`. A writer may begin a new file after an unfinished write."""
        assert isinstance(contents, bytes)
        goes_on = before.end is not None and before.end < len(contents)
        return before.verdict == "torn" or goes_on


def _numbers(data: bytes) -> set[int]:
    """Return the log numbers in the headers of a log's blocks, also those after a clean close."""
    numbers = set()
    for base in range(0, len(data), BLOCK_SIZE):
        block, at = data[base : base + BLOCK_SIZE], 0
        while (record := any_physical(block, at)) or is_clean_close(block, at, None):
            at = record.end if record else at + RECYCLABLE_HEADER_SIZE
            if record and record.number is not None:
                numbers.add(record.number)
    return numbers


def _fields(chance: Random, headers: str) -> dict[str, Any]:
    if chance.random() < 0.8:
        return {}
    if (headers == WAL_SYNC) == (chance.random() < 0.9):
        return {"sync_offset": str(chance.choice((0, 44, 32768, 2**40)))}
    if chance.random() < 0.5:
        return {"timestamp_sizes": {str(chance.randrange(4)): 8}}
    return {"predecessor": {"log_number": "11", "size": "137", "last_sequence": "6"}}


SWEEP = RocksDBSweep()
