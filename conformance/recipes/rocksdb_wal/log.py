"""Logs of RocksDB and Pebble for the recipes, and the book of the recipes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conformance.contents import Contents
from conformance.recipes.leveldb_log.log import numbered
from conformance.recipes.recipe import Book, Log
from reference_impl.answer import NewRecord
from reference_impl.leveldb_log.dialects import RECYCLABLE_HEADER_SIZE
from reference_impl.leveldb_log.layout import BLOCK_SIZE
from reference_impl.rocksdb_wal.layout import HEADER_SIZES, clean_close, pack
from reference_impl.rocksdb_wal.writer import Writer

FULL, FIRST, MIDDLE, LAST = 1, 2, 3, 4
#: Table rows use these names for the types of legacy, recyclable (``R_``) and WAL-sync records
#: (``S_``).
TYPES_BY_NAME = {
    f"{prefix}{name}": first + number
    for prefix, first in (("", 1), ("R_", 5), ("S_", 9))
    for number, name in enumerate(("FULL", "FIRST", "MIDDLE", "LAST"))
}
NUMBER = 12
OLDER = 8
OLDER_TEXT = b"what an older record had"
LEGACY, RECYCLABLE, WAL_SYNC = "legacy", "recyclable", "wal-sync"


class RocksLog(Log):
    """A log of RocksDB or Pebble being built."""

    def __init__(self, control: Contents, payloads: Sequence[bytes]) -> None:
        super().__init__(control, payloads, "rocksdb-wal")
        self.new_records: list[NewRecord] = []
        # Real systems always know the number of a log, because the file name contains the number.
        self.context["log_number"] = NUMBER

    def write(
        self,
        *payloads: bytes,
        headers: str = RECYCLABLE,
        number: int = NUMBER,
        compression: str = "none",
        **fields: Any,
    ) -> None:
        """Write records to the end of the log, each with these fields."""
        records = [NewRecord(payload, fields) for payload in payloads]
        context = {"headers": headers, "compression": compression}
        self.data += written(records, context, number, len(self.data))
        self.payloads += [record.payload for record in records]
        self.new_records += records

    def written(self, *payloads: bytes, **context: Any) -> None:
        """Write the log as a writer does with these records and this context."""
        self.number_is_unknown()
        self.context |= context
        number = context.get("log_number", 1)
        self.new_records = [NewRecord(payload) for payload in payloads]
        self.data += written(self.new_records, context, number)
        self.payloads += [record.payload for record in self.new_records]

    def to_write(self) -> list[NewRecord]:
        """Return the records of the log with their fields."""
        return self.new_records

    def number_is_unknown(self) -> None:
        """Remove the log number from the context, so that it must come from the log or the file
        name."""
        del self.context["log_number"]

    def is_called(self, name: str) -> None:
        """Set the file name of the log, and remove the log number from the context."""
        self.name = name
        self.number_is_unknown()

    def fill_block_but(self, left: int, headers: str = RECYCLABLE) -> None:
        """Write one record that leaves ``left`` bytes of the current block."""
        used = len(self.data) % BLOCK_SIZE
        self.write(numbered(BLOCK_SIZE - used - HEADER_SIZES[headers] - left), headers=headers)

    def recycle(self, blocks: int) -> None:
        """Write the log over an older log. The older log continues where this log ends.

        The older log fills all of its ``blocks`` except the last block, which has one short record.
        """
        while len(self.data) < (blocks - 1) * BLOCK_SIZE:
            left = BLOCK_SIZE - len(self.data) % BLOCK_SIZE
            self.data += recyclable(FULL, numbered(left - RECYCLABLE_HEADER_SIZE), OLDER)
        self.data += recyclable(FULL, OLDER_TEXT, OLDER)

    def out_of_step(self, at: int) -> None:
        """Overwrite the bytes at this offset with text, as if they were inside an older record."""
        self.overwrite(at, OLDER_TEXT)

    def fill_block(self) -> None:
        """Add zeros to the end of the block."""
        self.extend(bytes(-len(self.data) % BLOCK_SIZE))

    def close(self, number: int = NUMBER) -> None:
        """Close the log as Pebble does."""
        self.data += clean_close(number)

    def retype(self, path: str, kind: int | str) -> None:
        """Change the type of a physical record to another type with the same header, and fix the
        checksum."""
        self.set(f"{path}.header.type", TYPES_BY_NAME[kind] if isinstance(kind, str) else kind)
        self.reseal(path)


BOOK: Book[RocksLog] = Book("rocksdb-wal", RocksLog, ".log")
APPENDING = BOOK.group("appending")
CHECKSUM = BOOK.group("checksum")
CLEAN_CLOSE = BOOK.group("clean-close")
COMPRESSION = BOOK.group("compression")
FRAGMENTS = BOOK.group("fragments")
LAYOUT = BOOK.group("layout")
LENGTHS = BOOK.group("lengths")
LIMITS = BOOK.group("limits")
LOG_NUMBER = BOOK.group("log-number")
METADATA = BOOK.group("metadata")
REAL_LOGS = BOOK.group("real-logs")
RESYNC = BOOK.group("resync")
TORN_TAIL = BOOK.group("torn-tail")
TYPES = BOOK.group("types")
WRITING = BOOK.group("writing")
ZEROS = BOOK.group("zeros")


def written(
    records: Sequence[NewRecord], context: dict[str, Any], number: int = NUMBER, position: int = 0
) -> bytes:
    """Return the bytes that a writer writes at an offset of a log."""
    return b"".join(Writer(number, context, position).pieces(records))


def recyclable(kind: int, data: bytes, number: int = NUMBER) -> bytes:
    """Return one physical record with an 11-byte header."""
    return pack(RECYCLABLE, kind, data, number)


def flipped(record: bytes) -> bytes:
    """Return a physical record with one bit of its last byte flipped."""
    return record[:-1] + bytes([record[-1] ^ 1])


def legacy(kind: int, data: bytes) -> bytes:
    """Return one physical record with a 7-byte header."""
    return pack(LEGACY, kind, data)


def wal_sync(kind: int, data: bytes, sync_offset: int, number: int = NUMBER) -> bytes:
    """Return one physical record with a 19-byte header."""
    return pack(WAL_SYNC, kind, data, number, sync_offset)


__all__ = ["BLOCK_SIZE", "BOOK", "RocksLog", "numbered"]
