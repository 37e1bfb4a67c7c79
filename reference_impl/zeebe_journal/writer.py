"""The writer of Zeebe journals: every descriptor version, segments that roll, appending.

Upstream authority: camunda/zeebe ``journal/file/SegmentWriter.java``,
``journal/file/SegmentedJournalWriter.java`` and ``journal/file/SegmentDescriptorWriter.java``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from crc32c import crc32c

from reference_impl.answer import NewRecord
from reference_impl.zeebe_journal.layout import (
    DATA_BLOCK,
    DESCRIPTOR_BLOCK,
    DESCRIPTOR_METADATA,
    JOURNAL_SCHEMA,
    METADATA_BLOCK,
    NO_ASQN,
    RECORD_DATA,
    RECORD_FRAME,
    RECORD_METADATA,
    SBE_HEADER,
    SEAL,
    SEGMENT_DESCRIPTOR,
)
from reference_impl.zeebe_journal.reader import (
    Segment,
    journal_name,
    last_record,
    open_segment,
    read,
    segment_files,
)
from reference_impl.zeebe_journal.segment import (
    Descriptor,
)

DESCRIPTORS = {"1": 29, "2/1": 45, "2/2": 57}
"""The descriptors by version byte and SBE version, and their lengths in bytes."""
NEWEST = "2/2"
RECORD_OVERHEAD = 49
DEFAULT_SEGMENT_SIZE = 1 << 20


def pack_descriptor(
    id: int,
    index: int,
    max_segment_size: int,
    seal: tuple[int, int] = (0, 0),
    version: str = NEWEST,
) -> bytes:
    """A descriptor (ZBJ-048). ``seal`` is the last index and the last position."""
    sbe = 2 if version == "2/2" else 1
    block = DESCRIPTOR_BLOCK.pack(id, index, max_segment_size)
    if sbe == 2:
        block += SEAL.pack(*seal)
    header = SBE_HEADER.pack(len(block), SEGMENT_DESCRIPTOR, JOURNAL_SCHEMA, sbe)
    if version == "1":
        return b"\x01" + header + block
    metadata = SBE_HEADER.pack(8, DESCRIPTOR_METADATA, JOURNAL_SCHEMA, sbe)
    checksum = crc32c(header + block).to_bytes(8, "little")
    return b"\x02" + metadata + checksum + header + block


def pack_record(
    index: int, asqn: int, payload: bytes, version: int = 2, data_version: int | None = None
) -> bytes:
    """A record, from its frame byte on (ZBJ-015). ``version`` is that of the journal schema."""
    block = DATA_BLOCK.pack(index, asqn)
    header = SBE_HEADER.pack(len(block), RECORD_DATA, JOURNAL_SCHEMA, data_version or version)
    data = header + block + len(payload).to_bytes(4, "little") + payload
    metadata = SBE_HEADER.pack(METADATA_BLOCK.size, RECORD_METADATA, JOURNAL_SCHEMA, version)
    checked = METADATA_BLOCK.pack(crc32c(data), len(data))
    return bytes([RECORD_FRAME]) + metadata + checked + data


class Writer:
    """Appends records to a journal folder, byte for byte as Zeebe does (ZBJ-048 to ZBJ-050).

    ``version`` names a descriptor of :data:`DESCRIPTORS`; only the newest has room for a seal.
    Call :meth:`start` or :meth:`resume` first.
    """

    def __init__(self, folder: Path, name: str, max_segment_size: int, version: str) -> None:
        if version not in DESCRIPTORS:
            raise ValueError(f"descriptor: expected one of {', '.join(DESCRIPTORS)}")
        self.folder = folder
        self.name = name
        self.max_segment_size = max_segment_size
        self.version = version
        self.schema = 2 if version == NEWEST else 1
        self.index = 1
        self.asqn = NO_ASQN

    def start(self, id: int, index: int) -> None:
        """Begin a segment: a file of its full size, all zeros after the descriptor."""
        self.id, self.index, self.first_index = id, index, index
        self.size = self.max_segment_size
        descriptor = pack_descriptor(id, index, self.size, version=self.version)
        with self._file(id).open("wb") as log:
            log.truncate(self.size)
            log.write(descriptor)
        self.at = len(descriptor)
        self.last_at = 0

    def resume(self, segment: Segment, at: int, last_at: int, index: int, asqn: int) -> None:
        """Go on in an existing segment, after its last record."""
        descriptor = segment.descriptor
        assert isinstance(descriptor, Descriptor)
        self.id = int(segment.path.stem.rsplit("-", 1)[1])
        self.first_index, self.index, self.asqn = descriptor.index, index, asqn
        self.size = max(segment.size, descriptor.max_segment_size)
        self.at, self.last_at = at, last_at
        self.version = {29: "1", 45: "2/1"}.get(descriptor.length, NEWEST)
        with self._file(self.id).open("r+b") as log:
            if self.version == NEWEST:
                # Remove the seal, if there is one, before anything is cut off (ZBJ-013).
                _describe(log, segment, descriptor, (0, 0))
            log.truncate(at)
            log.truncate(self.size)
        if self.max_segment_size <= DESCRIPTORS[NEWEST]:
            self.max_segment_size = descriptor.max_segment_size

    def append(self, payload: bytes, asqn: int = NO_ASQN) -> None:
        """Write one record, in a new segment if the current one has no room (ZBJ-049).

        Raises ``ValueError`` for an asqn that is not above the last one (ZBJ-053), and for a
        record that no segment can hold.
        """
        if asqn != NO_ASQN and asqn <= self.asqn:
            raise ValueError(f"asqn {asqn} is not above {self.asqn}")
        record = pack_record(self.index, asqn, payload, self.schema)
        if self.at + len(record) > self.size:
            if self.index == self.first_index:
                raise ValueError(f"a record of {len(record)} bytes does not fit into a segment")
            self._roll()
            self.append(payload, asqn)
            return
        with self._file(self.id).open("r+b") as log:
            if self.at + len(record) < self.size:
                log.seek(self.at + len(record))
                log.write(b"\0")  # ZBJ-050
            log.seek(self.at)
            log.write(record)
        self.last_at = self.at
        self.at += len(record)
        self.index += 1
        self.asqn = asqn if asqn != NO_ASQN else self.asqn

    def _roll(self) -> None:
        if self.version == NEWEST:
            path = self._file(self.id)
            segment = open_segment(path, None)
            assert isinstance(segment.descriptor, Descriptor)
            with path.open("r+b") as log:
                _describe(log, segment, segment.descriptor, (self.index - 1, self.last_at))
        self.version = NEWEST if self.schema == 2 else self.version
        self.start(self.id + 1, self.index)
        with self._file(self.id + 1).open("wb") as log:
            log.truncate(self.max_segment_size)  # ZBJ-014: prepared ahead

    def _file(self, id: int) -> Path:
        return self.folder / f"{self.name}-{id}.log"


def _describe(
    log: BinaryIO, segment: Segment, descriptor: Descriptor, seal: tuple[int, int]
) -> None:
    log.seek(0)
    log.write(pack_descriptor(descriptor.id, descriptor.index, descriptor.max_segment_size, seal))


def write(path: Path, records: Sequence[NewRecord], context: Mapping[str, Any]) -> None:
    """Make a new journal folder, or a single segment if the path ends in ``.log``.

    ``context``: ``max_segment_size``, ``descriptor`` (``1``, ``2/1``, ``2/2``), ``name``. Records
    may have an ``asqn`` and an ``index``. The index of the first record begins the journal, as
    after compaction. Raises ``ValueError`` for an index that leaves a gap, and as
    :meth:`Writer.append`.
    """
    needed = (
        DESCRIPTORS[NEWEST] + RECORD_OVERHEAD + max((len(r.payload) for r in records), default=0)
    )
    size = int(context.get("max_segment_size", max(DEFAULT_SEGMENT_SIZE, needed)))
    version = str(context.get("descriptor", NEWEST))
    first = _first_index(records)
    if path.suffix == ".log":
        descriptor = pack_descriptor(1, first, size, version=version)
        packed = b"".join(_packed(records, first, 1 if version != NEWEST else 2))
        if len(descriptor) + len(packed) > size:
            raise ValueError(f"the records do not fit into one segment of {size} bytes")
        with path.open("xb") as log:
            log.write(descriptor + packed)
            log.truncate(size)
        return
    path.mkdir()
    writer = Writer(path, str(context.get("name", "journal")), size, version)
    writer.start(1, first)
    for record in records:
        writer.append(record.payload, int(record.fields.get("asqn", NO_ASQN)))


def _first_index(records: Sequence[NewRecord]) -> int:
    """The index at which the journal begins. Raises ``ValueError`` if later ones leave a gap."""
    first = int(records[0].fields.get("index", 1)) if records else 1
    for index, record in enumerate(records, first):
        if (found := int(record.fields.get("index", index))) != index:
            raise ValueError(f"index: expected {index}, found {found}; a journal has no gaps")
    return first


def _packed(records: Sequence[NewRecord], first: int, schema: int) -> Iterator[bytes]:
    last = NO_ASQN
    for index, record in enumerate(records, first):
        asqn = int(record.fields.get("asqn", NO_ASQN))
        if asqn != NO_ASQN and asqn <= last:
            raise ValueError(f"asqn {asqn} is not above {last}")
        last = max(last, asqn)
        yield pack_record(index, asqn, record.payload, schema)


def append(path: Path, records: Sequence[NewRecord], context: Mapping[str, Any]) -> None:
    """Recover a journal and append to it, losing nothing that was acknowledged (ZBJ-051).

    Everything after ``end`` is cut off, and later segments are removed. A single segment does not
    roll. Raises ``ValueError`` if the log must not be appended to (ZBJ-052).
    """
    last, asqn, end = last_record(read(path, "recover", context))
    if end.end is None:
        raise ValueError(f"the log must not be appended to ({end.reason}): start a new journal")
    several = path.is_dir()
    name = (journal_name(path, context) or "journal") if several else path.stem.rsplit("-", 1)[0]
    paths = segment_files(path, name).get(name, []) if several else [path]
    size = int(context.get("max_segment_size", 0))
    if not several:
        _append_to_file(
            path, records, int(last.fields["index"]) + 1 if last else None, asqn, end.end
        )
        return
    kept = next((n for n, p in enumerate(paths) if p.name == end.file), -1)
    segment = open_segment(paths[kept], paths[kept].name) if kept >= 0 else None
    writer = Writer(path, name, size, NEWEST)
    for later in paths[kept + 1 :]:
        later.unlink()
    if segment is None or not isinstance(segment.descriptor, Descriptor) or end.end == 0:
        if segment is not None:
            segment.path.unlink()
        writer.max_segment_size = size or DEFAULT_SEGMENT_SIZE
        writer.start(1, 1)
    else:
        here = last is not None and last.file == end.file
        index = int(last.fields["index"]) + 1 if last and here else segment.descriptor.index
        last_at = last.at if last and here else 0
        writer.resume(segment, end.end, last_at, index, asqn)
    for record in records:
        writer.append(record.payload, int(record.fields.get("asqn", NO_ASQN)))


def copied(path: Path, context: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a copy of a log must be told: not the flushed index, which need not have survived."""
    return {name: value for name, value in context.items() if name != "last_flushed_index"}


def _append_to_file(
    path: Path, records: Sequence[NewRecord], index: int | None, asqn: int, end: int
) -> None:
    segment = open_segment(path, None)
    descriptor = segment.descriptor
    if not isinstance(descriptor, Descriptor):
        raise ValueError("the segment has no descriptor: start a new journal")
    index = descriptor.index if index is None else index
    packed = b""
    for record in records:
        number = int(record.fields.get("asqn", NO_ASQN))
        if number != NO_ASQN and number <= asqn:
            raise ValueError(f"asqn {number} is not above {asqn}")
        asqn = max(asqn, number)
        packed += pack_record(index, number, record.payload)
        index += 1
    size = max(segment.size, descriptor.max_segment_size)
    if end + len(packed) > size:
        raise ValueError(f"the segment of {size} bytes is full: append to the journal folder")
    with path.open("r+b") as log:
        log.truncate(end)
        log.seek(end)
        log.write(packed)
        log.truncate(size)
