"""Find Zeebe journals in a disk image: segments by their descriptor, and single records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from crc32c import crc32c

from reference_impl.answer import Record
from reference_impl.zeebe_journal.layout import (
    DATA_BLOCK,
    JOURNAL_SCHEMA,
    METADATA_BLOCK,
    NEWEST_SCHEMA_VERSION,
    RECORD_DATA,
    SBE_HEADER,
)
from reference_impl.zeebe_journal.segment import (
    Cursor,
    Descriptor,
    Fault,
    SegmentScan,
    read_descriptor,
)
from walproof.carve import base
from walproof.carve.model import Certainty, Find, Loose, Pattern

RECORD, FIRST_DESCRIPTOR, SECOND_DESCRIPTOR = range(3)
SCHEMA = JOURNAL_SCHEMA.to_bytes(2, "little")
LARGEST_DESCRIPTOR = 1 << 12
LONGEST = 1 << 30
CHUNK = 1 << 20


class Carver(base.Carver):
    """See :class:`walproof.carve.base.Carver`."""

    # Blocks may be longer in a newer version of the schema. The patterns match up to 255 bytes.
    patterns: Sequence[Pattern] = (
        Pattern(b"\1\0\0\1\0" + SCHEMA, b"\xff\0\xff\xff\xff\xff\xff"),
        Pattern(b"\1\x14\0\3\0" + SCHEMA),
        Pattern(b"\2\0\0\4\0" + SCHEMA, b"\xff\0\xff\xff\xff\xff\xff"),
    )
    # The headers and blocks of both messages. In a newer version, each block may have 255 bytes.
    head_size = 1 + 2 * SBE_HEADER.size + 2 * 255 + 4

    def find(self, at: int, pattern: int) -> Find | None:
        """See :class:`walproof.carve.base.Carver`."""
        return self._loose(at) if pattern == RECORD else self._segment(at)

    def records(self, at: int, end: int) -> Iterator[Loose]:
        """See :class:`walproof.carve.base.Carver`."""
        while at < end:
            index = self._index(at) if self._end(at) else None
            if index is None:
                following = self.image.find(SCHEMA, at + 6, end)
                if following is None:
                    return
                at = following - 5
                continue
            start = at
            with self.image.stream(at, end) as stream:
                descriptor = Descriptor(index, end - at, 0)
                scan = SegmentScan(stream, end - at, descriptor, Cursor(index), None)  # type: ignore[arg-type]
                for event in scan.events():
                    if isinstance(event, Record):
                        yield Loose(start + event.at, event.size, event.payload, event.fields)
                at = start + max(scan.at, 1)

    def claims(self, head: bytes, position: int) -> int | None:
        """See :class:`walproof.carve.base.Carver`. The lengths in both messages must agree."""
        if len(head) < 1 + SBE_HEADER.size + METADATA_BLOCK.size or head[0] != 1:
            return None
        block, template, schema, _ = SBE_HEADER.unpack_from(head, 1)
        if (template, schema) != (1, JOURNAL_SCHEMA) or not METADATA_BLOCK.size <= block < 256:
            return None
        checksum, length = METADATA_BLOCK.unpack_from(head, 1 + SBE_HEADER.size)
        fixed = SBE_HEADER.size + DATA_BLOCK.size + 4
        if not 0 <= checksum <= 0xFFFFFFFF or not fixed <= length <= LONGEST:
            return None
        start = 1 + SBE_HEADER.size + block
        if len(head) < start + SBE_HEADER.size:
            return None
        block, template, schema, version = SBE_HEADER.unpack_from(head, start)
        if (template, schema) != (RECORD_DATA, JOURNAL_SCHEMA) or block < DATA_BLOCK.size:
            return None
        place = start + SBE_HEADER.size + block
        if len(head) < place + 4:
            return None
        spare = start + length - place - 4 - int.from_bytes(head[place : place + 4], "little")
        if spare < 0 or (spare and version <= NEWEST_SCHEMA_VERSION):
            return None
        size: int = start + length
        return size

    def holds(self, record: bytes) -> bool:
        """See :class:`walproof.carve.base.Carver`."""
        start = 1 + SBE_HEADER.size + int.from_bytes(record[1:3], "little")
        checksum, _ = METADATA_BLOCK.unpack_from(record, 1 + SBE_HEADER.size)
        return bool(crc32c(record[start:]) == checksum)

    def _segment(self, at: int) -> Find | None:
        if at % self.align:
            return None
        with self.image.stream(at, at + LARGEST_DESCRIPTOR) as stream:
            descriptor = read_descriptor(stream)  # type: ignore[arg-type]
        if isinstance(descriptor, Fault) or descriptor.index < 1:
            return None
        is_checked = self.image.read(at, 1) == b"\2"
        start = at + descriptor.length
        end = self._chain(start, descriptor.index)
        certainty: Certainty = "checksum" if is_checked or end > start else "structure"
        if end < self.image.size and self.image.read(end, 1) == b"\0":
            end += 1  # the frame that marks the end of the records
        return Find(at, end, "log", certainty)

    def _loose(self, at: int) -> Find | None:
        index = self._index(at)
        if index is None or self._end(at) is None:
            return None
        return Find(at, self._chain(at, index), "loose", "checksum")

    def _chain(self, at: int, index: int) -> int:
        """Return the end of the consecutive records that begin at an offset."""
        while (end := self._end(at)) is not None and self._index(at) == index:
            at, index = end, index + 1
        return at

    def _index(self, at: int) -> int | None:
        """Return the index of the record at an offset without checking its checksum."""
        head = self.image.read(at, 3)
        if len(head) < 3 or head[0] != 1:
            return None
        data = at + 1 + SBE_HEADER.size + int.from_bytes(head[1:], "little")
        block = self.image.read(data + SBE_HEADER.size, DATA_BLOCK.size)
        if len(block) < DATA_BLOCK.size:
            return None
        index: int
        index, _ = DATA_BLOCK.unpack(block)
        return index

    def _end(self, at: int) -> int | None:
        """Return the end of the record at an offset if its checksum matches."""
        size = self.claims(self.image.read(at, self.head_size), 0)
        if size is None or at + size > self.image.size or not self.image.work.allows(size):
            return None
        head = self.image.read(at, 1 + SBE_HEADER.size + METADATA_BLOCK.size)
        checksum, _ = METADATA_BLOCK.unpack_from(head, 1 + SBE_HEADER.size)
        start = at + 1 + SBE_HEADER.size + int.from_bytes(head[1:3], "little")
        crc = 0
        for place in range(start, at + size, CHUNK):
            crc = crc32c(self.image.read(place, min(CHUNK, at + size - place)), crc)
        if crc != checksum:
            self.image.work.spend(size)
            return None
        return at + size
