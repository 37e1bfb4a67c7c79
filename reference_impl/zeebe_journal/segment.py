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

from reference_impl.answer import Lost, ReasonCode, Record
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
    SMALLEST_DATA,
)
from reference_impl.zeebe_journal.raft import decode

CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Descriptor:
    """The descriptor at the start of a segment file."""

    #: The index of the first record.
    index: int
    max_segment_size: int
    #: The length of the descriptor in bytes, which is also the offset of the first record.
    length: int
    #: The offset of the seal (last index and last position). None if this version has no seal
    #: fields.
    seal_at: int | None = None
    #: The index and offset of the last record, or None if the segment is not sealed.
    sealed: int | None = None
    last_position: int | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """The reason code for an unreadable descriptor."""

    reason: str


class _Short(Exception):
    """The file ends inside the descriptor."""


def read_descriptor(log: BinaryIO) -> Descriptor | Fault:
    """Read the descriptor at the start of a segment, leaving ``log`` at the first record."""
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
    """Read a descriptor with version byte 1, a fixed length and no checksum (ZBJ-006)."""
    _, template, schema, _ = SBE_HEADER.unpack(_exactly(log, SBE_HEADER.size))
    if (template, schema) != (SEGMENT_DESCRIPTOR, JOURNAL_SCHEMA):
        return Fault("bad-descriptor")
    _, index, max_size = DESCRIPTOR_BLOCK.unpack(_exactly(log, DESCRIPTOR_BLOCK.size))
    return Descriptor(index, max_size, log.tell())


def _second_descriptor(log: BinaryIO) -> Descriptor | Fault:
    """Read a descriptor with version byte 2 and any SBE version (ZBJ-006, ZBJ-010)."""
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
    if crc32c(header + block) != checksum:  # Compare all 64 bits (ZBJ-009).
        return Fault("descriptor-checksum")
    start = 1 + 2 * SBE_HEADER.size + metadata_length
    _, index, max_size = DESCRIPTOR_BLOCK.unpack_from(block)
    if version < 2 or block_length < DESCRIPTOR_BLOCK.size + SEAL.size:
        return Descriptor(index, max_size, start + block_length)
    last_index, last_position = SEAL.unpack_from(block, DESCRIPTOR_BLOCK.size)
    seal = (last_index, last_position) if last_index > 0 and last_position > 0 else ()  # ZBJ-013
    return Descriptor(index, max_size, start + block_length, start + DESCRIPTOR_BLOCK.size, *seal)


@dataclass(slots=True)
class Cursor:
    """The next index that a reader expects, and the highest asqn that it has read."""

    index: int
    asqn: int = NO_ASQN
    #: True if an earlier record, with a lower index, is lost (ZBJ-066).
    after_loss: bool = False


@dataclass(frozen=True, slots=True)
class Parsed:
    """A record that passed checks 3 to 9 of ZBJ-025."""

    at: int
    end: int
    checksum: int
    index: int
    asqn: int
    payload: bytes


class SegmentScan:
    """A pass over the records of one segment. Indexes must be below ``limit``, if given."""

    def __init__(
        self,
        log: BinaryIO,
        size: int,
        descriptor: Descriptor,
        cursor: Cursor,
        file: str | None,
        limit: int | None = None,
    ) -> None:
        self.log = log
        self.size = size
        self.descriptor = descriptor
        self.cursor = cursor
        self.file = file
        self.limit = limit
        #: During the pass, the offset of the next record. After the pass, the end of the last
        #: record.
        self.at = descriptor.length
        #: The full size of the segment in bytes, even if the file is shorter (ZBJ-025).
        self.room = max(size, descriptor.max_segment_size)
        #: The reason code of the fault that ended the pass. None if there was no fault.
        self.fault: str | None = None
        #: The frame byte of the record at this offset is not checked (ZBJ-063). None if all are
        #: checked.
        self.any_frame_at: int | None = None
        #: If the last data message failed its checks, its length, which counts towards the limits
        #: of ZBJ-064 and ZBJ-065. Otherwise 0.
        self.wrong_bytes = 0

    def events(self) -> Iterator[Record | Lost]:
        """Yield the segment's records from ``at`` on, with the checks of ZBJ-025."""
        while True:
            self.log.seek(self.at)
            frame = self.log.read(1)
            if self.at != self.any_frame_at:
                if frame in (b"", EOF_FRAME):
                    # The segment ends here (ZBJ-016, ZBJ-020). The next bytes have no meaning
                    # (ZBJ-022).
                    return
                if frame != RECORD_FRAME:
                    self.fault = ReasonCode("unknown-frame", "ZBJ-016")
                    return
            record = self.parse(self.at)
            if isinstance(record, str):
                self.fault = record
                return
            if not self.is_next(record):
                is_late = record.index == self.cursor.index
                self.fault = ReasonCode("index-mismatch", "ZBJ-031" if is_late else "ZBJ-025")
                return
            if not self.is_in_order(record):  # ZBJ-032
                yield Lost(record.at, record.end, "asqn-order", file=self.file)
            yield self._event(record)
            self.at = record.end

    def may_end_before(self, at: int) -> bool:
        """Return whether a record may end here, before another record, the end or a cut."""
        self.log.seek(at)
        return at <= self.room and self.log.read(1) in (b"", EOF_FRAME, RECORD_FRAME)

    def is_next(self, record: Parsed) -> bool:
        """Return whether a record has the expected index and it is below the limit (ZBJ-031)."""
        is_below = self.limit is None or record.index < self.limit
        return record.index == self.cursor.index and is_below

    def is_in_order(self, record: Parsed) -> bool:
        """Return whether a record has no asqn, or one above all earlier ones (ZBJ-024)."""
        return record.asqn == NO_ASQN or record.asqn > self.cursor.asqn

    def _event(self, record: Parsed) -> Record:
        self.cursor.index += 1
        self.cursor.asqn = max(self.cursor.asqn, record.asqn)
        fields = {
            "index": str(record.index),
            "asqn": str(record.asqn),
            "checksum": str(record.checksum),
            **decode(record.payload).to_json(),
            **({"after_loss": True} if self.cursor.after_loss else {}),
        }
        return Record(record.at, record.end - record.at, record.payload, fields, self.file)

    def parse(self, at: int) -> Parsed | str:
        """Return the record at an offset, whatever its frame byte, or its reason code."""
        self.wrong_bytes = 0
        self.log.seek(at + 1)
        head = self.log.read(SBE_HEADER.size + METADATA_BLOCK.size)
        if len(head) < SBE_HEADER.size + METADATA_BLOCK.size:
            return "torn-record" if self.size < self.room else "bad-length"  # ZBJ-025
        block_length, template, schema, _ = SBE_HEADER.unpack_from(head)
        if (template, schema) != (RECORD_METADATA, JOURNAL_SCHEMA):
            return "bad-header"  # ZBJ-025
        if block_length < METADATA_BLOCK.size:
            return "bad-header"
        checksum, length = METADATA_BLOCK.unpack_from(head, SBE_HEADER.size)
        start = at + 1 + SBE_HEADER.size + block_length
        if length < SMALLEST_DATA or start + length > self.room:
            return "bad-length"  # ZBJ-025
        if start + length > self.size:
            return "torn-record"  # ZBJ-025
        data = self._verified(start, length, checksum)
        if data is None:
            result: Parsed | str = "checksum-mismatch"  # ZBJ-025
        else:
            result = self._data(at, start + length, checksum, data)
        if isinstance(result, str):
            self.wrong_bytes = length
        return result

    def _verified(self, start: int, length: int, checksum: int) -> bytes | None:
        """Check a data message in chunks, and return it if its checksum matches (ZBJ-046)."""
        self.log.seek(start)  # This skips fields that newer versions add (ZBJ-005).
        crc = 0
        for at in range(0, length, CHUNK):
            crc = crc32c(self.log.read(min(CHUNK, length - at)), crc)
        if crc != checksum:  # Compare all 64 bits (ZBJ-017).
            return None
        self.log.seek(start)
        return self.log.read(length)

    def _data(self, at: int, end: int, checksum: int, data: bytes) -> Parsed | str:
        """Return the record in a data message with a valid checksum, or its reason code."""
        block_length, template, schema, version = SBE_HEADER.unpack_from(data)
        if (template, schema) != (RECORD_DATA, JOURNAL_SCHEMA):
            return "data-header"  # ZBJ-025
        if block_length < DATA_BLOCK.size:
            return "data-header"
        index, asqn = DATA_BLOCK.unpack_from(data, SBE_HEADER.size)
        payload_at = SBE_HEADER.size + block_length + 4
        payload_end = payload_at + int.from_bytes(data[payload_at - 4 : payload_at], "little")
        if payload_end > len(data):
            return "data-length"  # ZBJ-018, ZBJ-025
        if payload_end < len(data) and version <= NEWEST_SCHEMA_VERSION:
            return "data-length"
        return Parsed(at, end, checksum, index, asqn, data[payload_at:payload_end])


def written_end(path: Path, start: int) -> int:
    """Return the offset after the last non-zero byte, or ``start`` if it is greater (ZBJ-034)."""
    last = start
    with path.open("rb") as log:
        for begin, end in extents(log.fileno(), start):
            for at in range(begin, end, CHUNK):
                if length := len(os.pread(log.fileno(), CHUNK, at).rstrip(b"\0")):
                    last = at + length
    return last


def extents(log: int, start: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of a file from ``start`` on that are not holes.

    The position of the file does not change, because a buffered reader may rely on it.
    """
    while True:
        position = os.lseek(log, 0, os.SEEK_CUR)
        try:
            begin = os.lseek(log, start, os.SEEK_DATA)
            end = os.lseek(log, begin, os.SEEK_HOLE)
        except (OSError, AttributeError) as error:
            # ENXIO means that no data is left. After other errors, the holes of the file are
            # unknown.
            if getattr(error, "errno", None) != errno.ENXIO:
                yield start, os.fstat(log).st_size
            return
        finally:
            os.lseek(log, position, os.SEEK_SET)
        yield begin, end
        start = end


def _exactly(log: BinaryIO, count: int) -> bytes:
    data = log.read(count)
    if len(data) < count:
        raise _Short
    return data
