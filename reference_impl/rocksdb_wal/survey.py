"""The first pass over a log, to find its dialect, number, compression and proven length."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from reference_impl.leveldb_log.dialects import COMPRESSION, RECYCLABLE_HEADER_SIZE, log_number
from reference_impl.leveldb_log.layout import read_block
from reference_impl.rocksdb_wal.layout import (
    FIRST,
    FULL,
    LEGACY,
    NO_COMPRESSION,
    WAL_SYNC,
    ZSTD,
    Physical,
    any_physical,
    is_clean_close,
    is_well_formed,
)
from reference_impl.zstd_frame import MAGIC


@dataclass(slots=True)
class Survey:
    """The properties that a reader determines before it reads records (RDB-012 to RDB-017)."""

    number: int | None
    #: The log number is known from this offset on: the start of the block with the record that gave
    #: it, or the end of the trailer that gave it. The offset is 0 if the context or the file name
    #: gave it.
    number_from: int = 0
    #: The dialect, or None if no physical record determines it.
    dialect: str | None = None
    #: The compression, or None if no record has determined it yet.
    compression: int | None = None
    #: True if the log begins with a compression record.
    has_compression_record: bool = False
    #: All bytes before this offset are known to have been written.
    proven: int = 0
    #: The end of the last physical record that belongs to this log.
    last_own: int = 0
    #: The start of the last block that begins with a record of another log, or None.
    last_other: int | None = None

    @property
    def is_numbered(self) -> bool:
        """Return whether records carry log numbers, which tell logs apart (RDB-015)."""
        return self.dialect != LEGACY

    def is_other(self, record: Physical) -> bool:
        """Return whether a physical record has another log's number (RDB-015)."""
        return record.number is not None and record.number != self.number

    def number_at(self, at: int) -> int | None:
        """Return the log number if it is known at an offset, otherwise None (RDB-062)."""
        return self.number if at >= self.number_from else None

    def is_own(self, record: Physical) -> bool:
        """Return whether a physical record has this log's number and dialect."""
        return record.number == self.number and record.dialect == self.dialect

    def records(self, block: bytes, base: int, at: int = 0) -> Iterator[Physical]:
        """Yield a block's physical records, in any dialect, up to the first invalid one.

        ``base`` is the offset of the block in the log. Reading begins at position ``at`` of the
        block.
        """
        while (record := any_physical(block, at, self.number_at(base + at))) is not None:
            yield record
            at = record.end

    def look_at_start(self, block: bytes) -> None:
        """Set properties from what begins the log: a physical record or Pebble's trailer."""
        first = any_physical(block, 0, self.number)
        if first is not None and first.kind != COMPRESSION:
            if self.number is None or not self.is_other(first):
                self.compression = NO_COMPRESSION
        elif first is not None and is_well_formed(first):
            self.compression = int.from_bytes(first.data, "little")  # RDB-030
            self.has_compression_record = True
        elif self.number is None and is_clean_close(block, 0, None):
            self.number = (int.from_bytes(block[7:11], "little") - 1) & 0xFFFFFFFF  # RDB-014
            self.number_from = RECYCLABLE_HEADER_SIZE

    def add(self, record: Physical, base: int) -> None:
        """Update the properties from a valid physical record in the block at ``base``."""
        if self.number is None:
            self.number, self.number_from = record.number, base  # RDB-014
        if self.is_other(record):
            if record.at == 0:
                self.last_other = base
            return
        if self.dialect is None:
            self.dialect = record.dialect  # RDB-012
            if self.dialect == WAL_SYNC:
                self.compression = NO_COMPRESSION  # RDB-030
        if record.dialect != self.dialect:
            return
        if self.is_own(record):
            self.last_own = base + record.end
            if record.sync_offset is None:
                self.proven = self.last_own  # RDB-016
            else:
                self.proven = max(self.proven, record.sync_offset)  # RDB-017
        if self.compression is None and record.kind in (FULL, FIRST):
            is_frame = bytes(record.data[: len(MAGIC)]) == MAGIC
            self.compression = ZSTD if is_frame else NO_COMPRESSION  # RDB-032


def number_of(path: Path, context: Mapping[str, Any]) -> int | None:
    """Return the low half of the log number from the context or the file name (RDB-014)."""
    number = context.get("log_number")
    if number is None:
        number = log_number(path.name)
    return None if number is None else int(number) & 0xFFFFFFFF


def survey(log: BinaryIO, number: int | None, size: int | None = None) -> Survey:
    """Survey a log, or only its first ``size`` bytes.

    Leaves the stream at offset 0.
    """
    log.seek(0)
    found = survey_blocks(iter(lambda: read_block(log), b""), number, size)
    log.seek(0)
    return found


def survey_blocks(blocks: Iterable[bytes], number: int | None, size: int | None = None) -> Survey:
    """Survey a log that consists of these blocks, or only its first ``size`` bytes."""
    found = Survey(number)
    base = 0
    for whole in blocks:
        block = whole if size is None else whole[: size - base]
        if base == 0:
            found.look_at_start(block)
        for record in found.records(block, base):
            found.add(record, base)
        base += len(whole)
        if size is not None and base >= size:
            break
    return found
