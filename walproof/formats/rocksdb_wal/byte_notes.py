"""Notes on the fields of a log of RocksDB or Pebble (spec/rocksdb-wal.md)."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.kaitai.field_map import Field
from reference_impl.leveldb_log.dialects import CLEAN_CLOSE, SYNC_HEADER_SIZE, header_size
from reference_impl.leveldb_log.layout import BLOCK_SIZE
from reference_impl.rocksdb_wal.layout import HEADER_SIZES, IGNORABLE
from walproof.formats.leveldb_log.byte_notes import TYPES, LevelDBNotes, Physical, physical
from walproof.inspection.log_bytes import LogBytes
from walproof.inspection.note import NOTHING, Note

_METADATA = {
    9: "compression type",
    10: "timestamp sizes",
    11: "timestamp sizes",
    130: "preceding log",
    131: "preceding log",
}


class RocksDBNotes(LevelDBNotes):
    """Notes on the fields of each physical record, regardless of other records.

    For the record types 9 to 12, the checksum determines the header size.
    """

    header_sizes = tuple(HEADER_SIZES.values())
    offsets: Mapping[str, int] = {**LevelDBNotes.offsets, "log_number": 7, "ofs_synced": 11}

    def unit(self, field: Field, log: LogBytes) -> Note | None:
        """See the base class. A trailer may be as long as a header of another dialect."""
        note = super().unit(field, log)
        is_trailer = note is not None and _is_in_trailer(self, field.start, log)
        return Note("trailer, skipped") if is_trailer else note

    def value(self, field: Field, log: LogBytes) -> Note:
        """See the base class."""
        return NOTHING if _is_in_trailer(self, field.start, log) else super().value(field, log)

    def name_of(self, record: Physical, log: LogBytes) -> str | None:
        """See the base class."""
        kind = record.type
        if record.header_size == SYNC_HEADER_SIZE:
            return TYPES[kind - 8]
        if kind in _METADATA:
            return _METADATA[kind]
        return TYPES.get(kind if kind <= 4 else kind - 4, "ignorable" if kind & IGNORABLE else None)

    def physical(self, log: LogBytes, start: int) -> Physical:
        """See the base class (RDB-013)."""
        kind = log[start + 6 : start + 7].ljust(1, b"\0")[0]
        synced = physical(log, start, header_size(kind, is_sync=True))
        if synced.header_size != SYNC_HEADER_SIZE:
            return synced
        other = physical(log, start, header_size(kind, is_sync=False))
        return other if other.computed(log) == other.checksum else synced

    def is_close(self, record: Physical, log: LogBytes) -> bool:
        """See the base class (RDB-026)."""
        return log[record.start : record.start + len(CLEAN_CLOSE)] == CLEAN_CLOSE


def _is_in_trailer(notes: RocksDBNotes, at: int, log: LogBytes) -> bool:
    """Return whether an offset is in the trailer of a block (RDB-004).

    A trailer is shorter than the header of the first record in the block.
    """
    left = BLOCK_SIZE - at % BLOCK_SIZE
    if left >= SYNC_HEADER_SIZE:
        return False
    first = notes.physical(log, at + left - BLOCK_SIZE)
    return left < first.header_size and first.computed(log) == first.checksum


NOTES = RocksDBNotes()
