"""One segment of a Zeebe journal, described by spec/zeebe-journal.md.

Upstream authority: camunda/zeebe ``journal/file/SegmentDescriptorReader.java``,
``journal/file/SegmentWriter.java``, ``journal/record/JournalRecordReaderUtil.java`` and
``journal/record/SBESerializer.java``.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from crc32c import crc32c

from reference_impl.answer import Lost, Record
from reference_impl.zeebe_journal.layout import (
    DATA_BLOCK,
    DESCRIPTOR_BLOCK,
    DESCRIPTOR_METADATA,
    EOF_FRAME,
    JOURNAL_SCHEMA,
    METADATA_BLOCK,
    NEWEST_SCHEMA_VERSION,
    NO_ASQN,
    RECORD_DATA,
    RECORD_FRAME,
    RECORD_METADATA,
    SBE_HEADER,
    SEAL,
    SEGMENT_DESCRIPTOR,
)
from reference_impl.zeebe_journal.raft import decode

CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Descriptor:
    """The descriptor at the start of a segment file."""

    #: The index of the first record.
    index: int
    max_segment_size: int
    #: The offset of the first record in bytes.
    length: int
    #: The offset of the fields for the last index and the last position, or None in versions
    #: without these fields.
    seal_at: int | None = None
    #: The index of the last record if the segment is sealed, else None.
    sealed: int | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """A descriptor that cannot be read, with the reason code."""

    reason: str


class _Short(Exception):
    """The file ends inside the descriptor."""


def read_descriptor(log: BinaryIO) -> Descriptor | Fault:
    """Read the descriptor at the start of a segment; leave ``log`` at the first record."""
    try:
        version = _exactly(log, 1)
        if version == b"\1":
            return _first_descriptor(log)
        if version != b"\2":
            return Fault("unknown-version")  # ZBJ-011
        return _second_descriptor(log)
    except _Short:
        return Fault("torn-descriptor")  # ZBJ-040


def _first_descriptor(log: BinaryIO) -> Descriptor | Fault:
    """Read a descriptor with version byte 1, which has no checksum (ZBJ-006)."""
    block_length, template, schema, _ = SBE_HEADER.unpack(_exactly(log, SBE_HEADER.size))
    if (template, schema) != (SEGMENT_DESCRIPTOR, JOURNAL_SCHEMA):
        return Fault("bad-descriptor")
    if block_length < DESCRIPTOR_BLOCK.size:
        return Fault("bad-descriptor")
    _, index, max_size = DESCRIPTOR_BLOCK.unpack_from(_exactly(log, block_length))
    return Descriptor(index, max_size, 1 + SBE_HEADER.size + block_length)


def _second_descriptor(log: BinaryIO) -> Descriptor | Fault:
    """Read a descriptor with version byte 2 and any SBE version (ZBJ-007, ZBJ-008, ZBJ-010)."""
    metadata_length, template, schema, _ = SBE_HEADER.unpack(_exactly(log, SBE_HEADER.size))
    if (template, schema) != (DESCRIPTOR_METADATA, JOURNAL_SCHEMA) or metadata_length < 8:
        return Fault("bad-descriptor")
    checksum = int.from_bytes(_exactly(log, metadata_length)[:8], "little")
    header = _exactly(log, SBE_HEADER.size)
    block_length, template, schema, version = SBE_HEADER.unpack(header)
    if (template, schema) != (SEGMENT_DESCRIPTOR, JOURNAL_SCHEMA):
        return Fault("bad-descriptor")
    if block_length < DESCRIPTOR_BLOCK.size:
        return Fault("bad-descriptor")
    block = _exactly(log, block_length)
    if crc32c(header + block) != checksum:  # ZBJ-009: all 64 bits are compared
        return Fault("descriptor-checksum")
    start = 1 + 2 * SBE_HEADER.size + metadata_length
    _, index, max_size = DESCRIPTOR_BLOCK.unpack_from(block)
    if version < 2 or block_length < DESCRIPTOR_BLOCK.size + SEAL.size:
        return Descriptor(index, max_size, start + block_length)
    last_index, last_position = SEAL.unpack_from(block, DESCRIPTOR_BLOCK.size)
    sealed = last_index if last_index > 0 and last_position > 0 else None  # ZBJ-013
    return Descriptor(index, max_size, start + block_length, start + DESCRIPTOR_BLOCK.size, sealed)


@dataclass(slots=True)
class Cursor:
    """The position of a reader: the next index, and the last asqn."""

    index: int
    asqn: int = NO_ASQN


class SegmentScan:
    """A pass over the records of one segment."""

    def __init__(
        self, log: BinaryIO, size: int, descriptor: Descriptor, cursor: Cursor, file: str | None
    ) -> None:
        self.log = log
        self.size = size
        self.descriptor = descriptor
        self.cursor = cursor
        self.file = file
        #: After the pass, the offset after the last record.
        self.at = descriptor.length
        #: The reason code of the fault that ended the pass, or None.
        self.fault: str | None = None

    def events(self) -> Iterator[Record | Lost]:
        """Yield the records of the segment, with the checks of ZBJ-025.

        ``log`` is positioned at the first record.
        """
        while True:
            frame = self.log.read(1)
            if frame in (b"", EOF_FRAME):
                return  # ZBJ-016, ZBJ-021: the next bytes have no meaning (ZBJ-022)
            if frame != RECORD_FRAME:
                self.fault = "unknown-frame"  # ZBJ-016
                return
            body = self._body()
            if isinstance(body, str):
                self.fault = body
                return
            event = self._record(*body)
            if isinstance(event, str):
                self.fault = event
                return
            yield event
            self.at += event.size if isinstance(event, Record) else event.end - event.start

    def _body(self) -> tuple[int, int, bytes] | str:
        """Return size, checksum and verified data message of a record, or the code of its fault."""
        head = self.log.read(SBE_HEADER.size + METADATA_BLOCK.size)
        room = max(self.size, self.descriptor.max_segment_size)  # ZBJ-012
        if len(head) < SBE_HEADER.size + METADATA_BLOCK.size:
            return "torn-record" if self.size < room else "bad-length"  # ZBJ-027
        block_length, template, schema, _ = SBE_HEADER.unpack_from(head)
        if (template, schema) != (RECORD_METADATA, JOURNAL_SCHEMA):
            return "bad-header"  # ZBJ-026
        if block_length < METADATA_BLOCK.size:
            return "bad-header"
        checksum, length = METADATA_BLOCK.unpack_from(head, SBE_HEADER.size)
        start = self.at + 1 + SBE_HEADER.size + block_length
        if length < 0 or start + length > room:
            return "bad-length"  # ZBJ-027
        if start + length > self.size:
            return "torn-record"  # ZBJ-027
        data = self._verified(start, length, checksum)
        if data is None:
            return "checksum-mismatch"  # ZBJ-028
        return start + length - self.at, checksum, data

    def _verified(self, start: int, length: int, checksum: int) -> bytes | None:
        """Return the data message if its checksum matches, reading in chunks (ZBJ-046)."""
        self.log.seek(start)  # ZBJ-005: skip the fields of a newer version
        crc = 0
        for at in range(0, length, CHUNK):
            crc = crc32c(self.log.read(min(CHUNK, length - at)), crc)
        if crc != checksum:  # ZBJ-017: all 64 bits are compared
            return None
        self.log.seek(start)
        return self.log.read(length)

    def _record(self, size: int, checksum: int, data: bytes) -> Record | Lost | str:
        """Return the record in a data message with a valid checksum, or its fault."""
        fixed = SBE_HEADER.size + DATA_BLOCK.size
        if len(data) < fixed:
            return "data-header"
        block_length, template, schema, version = SBE_HEADER.unpack_from(data)
        if (template, schema) != (RECORD_DATA, JOURNAL_SCHEMA):
            return "data-header"  # ZBJ-029
        if block_length < DATA_BLOCK.size:
            return "data-header"
        index, asqn = DATA_BLOCK.unpack_from(data, SBE_HEADER.size)
        payload_at = SBE_HEADER.size + block_length + 4
        payload_end = payload_at + int.from_bytes(data[payload_at - 4 : payload_at], "little")
        if payload_end > len(data):
            return "data-length"  # ZBJ-018, ZBJ-030
        if payload_end < len(data) and version <= NEWEST_SCHEMA_VERSION:
            return "data-length"
        if index != self.cursor.index:
            return "index-mismatch"  # ZBJ-023, ZBJ-031
        self.cursor.index += 1
        if asqn != NO_ASQN and asqn <= self.cursor.asqn:
            return Lost(self.at, self.at + size, "asqn-order", file=self.file)  # ZBJ-032
        if asqn != NO_ASQN:
            self.cursor.asqn = asqn
        payload = data[payload_at:payload_end]
        fields = {"index": str(index), "asqn": str(asqn), "checksum": str(checksum)}
        return Record(self.at, size, payload, {**fields, **decode(payload).to_json()}, self.file)


def written_end(path: Path, start: int) -> int:
    """Return the offset after the last non-zero byte, at least ``start`` (ZBJ-034)."""
    last = start
    with path.open("rb") as log:
        for begin, end in _extents(log.fileno(), start):
            for at in range(begin, end, CHUNK):
                if length := len(os.pread(log.fileno(), CHUNK, at).rstrip(b"\0")):
                    last = at + length
    return last


def _extents(log: int, start: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of a file from ``start`` on that are not holes."""
    while True:
        try:
            begin = os.lseek(log, start, os.SEEK_DATA)
            end = os.lseek(log, begin, os.SEEK_HOLE)
        except (OSError, AttributeError) as error:
            # After the last data, or on a system that does not report holes.
            if getattr(error, "errno", None) != errno.ENXIO:
                yield start, os.fstat(log).st_size
            return
        yield begin, end
        start = end


def _exactly(log: BinaryIO, count: int) -> bytes:
    data = log.read(count)
    if len(data) < count:
        raise _Short
    return data
