"""Notes on the fields of a LevelDB log (spec/leveldb-log.md)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from conformance.kaitai.field_map import Field
from reference_impl.leveldb_log.layout import (
    BLOCK_SIZE,
    HEADER,
    HEADER_SIZE,
    ZERO,
    masked_crc,
)
from walproof.inspection.log_bytes import LogBytes
from walproof.inspection.note import NOTHING, Note

_RECORD = re.compile(r"blocks\[\d+\]\.records\[\d+\]")
TYPES = {1: "FULL", 2: "FIRST", 3: "MIDDLE", 4: "LAST"}


@dataclass(frozen=True)
class Physical:
    """A physical record at ``start`` with a header of ``header_size`` bytes.

    ``data_end`` is the end of the data according to the length field.
    """

    start: int
    header_size: int
    checksum: int
    length: int
    type: int
    data_end: int
    size_of_log: int

    @property
    def block_end(self) -> int:
        """Return the end of the block in which the record begins."""
        return (self.start // BLOCK_SIZE + 1) * BLOCK_SIZE

    @property
    def crosses_block(self) -> bool:
        """Return whether the record crosses a block boundary (LDB-023, LDB-024)."""
        return self.data_end > self.block_end

    @property
    def is_cut(self) -> bool:
        """Return whether the file ends inside the record (LDB-022)."""
        return not self.crosses_block and self.data_end > self.size_of_log

    @property
    def is_zero(self) -> bool:
        """Return whether the record is zero-fill (LDB-025 to LDB-027)."""
        return self.type == ZERO and self.length == 0

    def computed(self, log: LogBytes) -> int | None:
        """Return the computed checksum; None if the record crosses its block or is cut."""
        if self.data_end > min(self.block_end, self.size_of_log):
            return None
        return masked_crc(log[self.start + 6 : self.data_end])


class LevelDBNotes:
    """Notes on the fields of each physical record (LDB-020).

    Physical records that a reader skips after damage get notes too.
    """

    header_sizes: tuple[int, ...] = (HEADER_SIZE,)
    #: Offset of each field in a header.
    offsets: Mapping[str, int] = {"checksum": 0, "len_data": 4, "type": 6}

    def name_of(self, record: Physical, log: LogBytes) -> str | None:
        """Return the name of the record's type; None if the dialect does not define the type."""
        return TYPES.get(record.type)

    def physical(self, log: LogBytes, start: int) -> Physical:
        """Return the physical record at an offset, with the header of its dialect."""
        return physical(log, start, HEADER_SIZE)

    def is_close(self, record: Physical, log: LogBytes) -> bool:
        """Return whether a record is the trailer of a closed log."""
        return False

    def unit(self, field: Field, log: LogBytes) -> Note | None:
        """Return the type (``FULL``, ``FIRST`` …) and the fault of a physical record as a note."""
        if not _RECORD.fullmatch(field.path):
            return None
        record = self.physical(log, field.start)
        name = self.name_of(record, log)
        shown = name or f"type {record.type}"
        if self.is_close(record, log):
            return Note("clean close")
        if record.crosses_block:
            return Note(f"{shown}, length crosses the block", False)
        if record.is_cut:
            return Note(f"{shown}, cut short", False)
        if record.is_zero:
            return Note("zero header")
        if record.computed(log) != record.checksum:
            return Note(f"{shown}, checksum does not hold", False)
        return Note(shown, None if name else False)

    def value(self, field: Field, log: LogBytes) -> Note:
        """Check a checksum, length or type; describe zero-fill and trailers."""
        outer, _, name = field.path.rpartition(".")
        if name == "zero_fill":
            data = log[field.start : field.end]
            return Note("zeros") if not any(data) else Note("not only zeros", False)
        if name == "trailer":
            return _trailer(field, log, min(self.header_sizes))
        if not outer.endswith(".header"):
            return NOTHING
        record = self.physical(log, field.start - self.offsets[name])
        if self.is_close(record, log):
            return NOTHING
        if name == "checksum":
            return _checksum(record, log)
        if name == "len_data" and record.crosses_block:
            return Note(f"crosses block end {record.block_end}", False)
        if name == "len_data" and record.is_cut:
            return Note(f"{record.data_end - log.size} bytes missing", False)
        if name == "type" and self.name_of(record, log) is None and not record.is_zero:
            return Note("unknown type", False)
        return NOTHING


def physical(log: LogBytes, start: int, header_size: int) -> Physical:
    """Return the physical record at an offset with a header of this size."""
    header = log[start : start + HEADER_SIZE].ljust(HEADER_SIZE, b"\0")
    checksum, length, kind = HEADER.unpack(header)
    end = start + header_size + length
    return Physical(start, header_size, checksum, length, kind, end, log.size)


def _checksum(record: Physical, log: LogBytes) -> Note:
    value = f"0x{record.checksum:08x}"
    if record.is_zero:
        return Note("", None, value)
    computed = record.computed(log)
    if computed is None:
        return Note("unchecked", None, value)
    if computed == record.checksum:
        return Note("holds", True, value)
    return Note(f"≠ 0x{computed:08x}", False, value)


def _trailer(field: Field, log: LogBytes, header_size: int) -> Note:
    data = log[field.start : field.end]
    if not data:
        return NOTHING
    if not any(data):
        return Note("zeros")
    if BLOCK_SIZE - field.start % BLOCK_SIZE >= header_size and field.end % BLOCK_SIZE:
        return Note("start of a header", False)  # LDB-021: the log ends inside a header
    return Note("not zeros, skipped all the same")  # LDB-005


NOTES = LevelDBNotes()
