"""The writer of Zeebe journals, in every descriptor version. It rolls segments and appends.

Upstream authority: camunda/zeebe ``journal/file/SegmentWriter.java``,
``journal/file/SegmentedJournalWriter.java`` and ``journal/file/SegmentDescriptorWriter.java``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from crc32c import crc32c

from reference_impl.answer import NewRecord
from reference_impl.zeebe_journal.layout import (
    DATA_BLOCK,
    DESCRIPTOR_BLOCK,
    DESCRIPTOR_METADATA,
    FIRST_ID,
    JOURNAL_SCHEMA,
    LARGEST_INDEX,
    LARGEST_INT,
    METADATA_BLOCK,
    NO_ASQN,
    RECORD_DATA,
    RECORD_FRAME,
    RECORD_METADATA,
    RECORD_OVERHEAD,
    SBE_HEADER,
    SEAL,
    SEGMENT_DESCRIPTOR,
)
from reference_impl.zeebe_journal.reader import (
    Segment,
    Tail,
    can_name_files,
    journal_name,
    open_segment,
    read,
    segment_files,
    tail,
)
from reference_impl.zeebe_journal.segment import Descriptor, read_descriptor

# The keys are the version byte and the SBE version. The values are descriptor lengths in bytes.
DESCRIPTORS = {"1": 29, "2/1": 45, "2/2": 57}
NEWEST = "2/2"
DEFAULT_SEGMENT_SIZE = 1 << 20


def pack_descriptor(
    id: int,
    index: int,
    max_segment_size: int,
    seal: tuple[int, int] = (0, 0),
    version: str = NEWEST,
) -> bytes:
    """Encode a descriptor (ZBJ-048). ``seal`` holds the last index and the last position."""
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
    """Encode a record with its frame byte, in a version of the journal schema (ZBJ-015)."""
    block = DATA_BLOCK.pack(index, asqn)
    header = SBE_HEADER.pack(len(block), RECORD_DATA, JOURNAL_SCHEMA, data_version or version)
    data = header + block + len(payload).to_bytes(4, "little") + payload
    metadata = SBE_HEADER.pack(METADATA_BLOCK.size, RECORD_METADATA, JOURNAL_SCHEMA, version)
    checked = METADATA_BLOCK.pack(crc32c(data), len(data))
    return RECORD_FRAME + metadata + checked + data


class Writer:
    """Appends records to a journal directory, byte for byte as Zeebe does (ZBJ-048 to ZBJ-050).

    ``version`` is a key of :data:`DESCRIPTORS`. Call :meth:`start` or :meth:`resume` first.
    """

    def __init__(self, folder: Path, name: str, max_segment_size: int, version: str) -> None:
        self.folder = folder
        self.name = name
        self.max_segment_size = max_segment_size
        self.version = version
        self.schema = 2 if version == NEWEST else 1

    def start(self, id: int, index: int) -> None:
        """Begin a segment by creating its file at full size, with zeros after the descriptor."""
        self.id, self.index, self.size = id, index, self.max_segment_size
        descriptor = pack_descriptor(id, index, self.size, version=self.version)
        with self._file(id).open("wb") as log:
            log.truncate(self.size)
            log.write(descriptor)
        self.at = len(descriptor)

    def resume(self, segment: Segment, at: int, last_at: int | None, index: int) -> None:
        """Continue an existing segment after its last record, which begins at ``last_at``."""
        self.id, self.index, self.size = _number(segment.path), index, _full_size(segment)
        self.at, self.last_at = at, last_at
        _cut(segment, at)

    def append(self, payload: bytes, asqn: int = NO_ASQN) -> None:
        """Write one checked record, in a new segment if the current one is full (ZBJ-049)."""
        record = pack_record(self.index, asqn, payload, self.schema)
        if self.at + len(record) > self.size:
            self._roll()
            self.append(payload, asqn)
            return
        with self._file(self.id).open("r+b") as log:
            log.seek(self.at)
            log.write(record)  # zeros already follow (ZBJ-050)
        self.last_at = self.at
        self.at += len(record)
        self.index += 1

    def _roll(self) -> None:
        path = self._file(self.id)
        assert self.last_at is not None, "only a segment with records is full"
        with path.open("r+b") as log:
            _seal(log, _described(open_segment(path, None)), (self.index - 1, self.last_at))
        self.start(self.id + 1, self.index)
        following = self._file(self.id + 1)
        if self.id == LARGEST_INT:
            return  # A file with the next number would not be a segment (ZBJ-001).
        if os.path.lexists(following):
            return  # A file of that name exists, but is not a segment (ZBJ-049).
        with following.open("wb") as log:
            log.truncate(self.max_segment_size)  # ZBJ-014: prepared in advance

    def _file(self, id: int) -> Path:
        return self.folder / f"{self.name}-{id}.log"


def _described(segment: Segment) -> Descriptor:
    """Return a segment's descriptor, which must be readable."""
    assert isinstance(segment.descriptor, Descriptor)
    return segment.descriptor


def _full_size(segment: Segment) -> int:
    """Return the full size of a segment even if its file was truncated (ZBJ-051)."""
    return max(segment.size, _described(segment).max_segment_size)


def _cut(segment: Segment, at: int) -> None:
    """Write zeros from ``at`` up to the full size, and remove the seal (ZBJ-051)."""
    with segment.path.open("r+b") as log:
        # Remove the seal before the records (ZBJ-013).
        _seal(log, _described(segment), (0, 0))
        log.truncate(at)
        log.truncate(_full_size(segment))


def _seal(log: BinaryIO, descriptor: Descriptor, seal: tuple[int, int]) -> None:
    """Set the last index, last position and checksum if the descriptor has these fields.

    ``log`` must be positioned at the start of the descriptor.
    """
    if descriptor.seal_at is None:
        return
    head = bytearray(log.read(descriptor.length))
    SEAL.pack_into(head, descriptor.seal_at, *seal)
    message = descriptor.seal_at - DESCRIPTOR_BLOCK.size - SBE_HEADER.size
    head[9:17] = crc32c(bytes(head[message:])).to_bytes(8, "little")
    log.seek(0)
    log.write(head)


@dataclass(frozen=True, slots=True)
class _Place:
    """The position at which a writer adds the next record, and what fits there."""

    #: The largest asqn so far.
    asqn: int
    #: The index of the next record.
    index: int
    #: The number of the segment.
    id: int
    #: The free space in the segment, in bytes.
    room: int
    #: The size of new segments in bytes, or None if new segments are not allowed.
    fresh: int | None
    #: The descriptor version of new segments.
    version: str = NEWEST
    #: True if the segment has no records.
    empty: bool = True


def _check(records: Sequence[NewRecord], place: _Place) -> range:
    """Check records before any is written, and return the numbers of new segments.

    Raises ``ValueError`` for an invalid asqn (ZBJ-053) or index (ZBJ-023), for a record that does
    not fit, and for a segment that cannot exist (ZBJ-049).
    """
    current = place.id
    for record in records:
        asqn = int(record.fields.get("asqn", NO_ASQN))
        if asqn != NO_ASQN and not place.asqn < asqn <= LARGEST_INDEX:
            raise ValueError(f"asqn: expected {place.asqn + 1} to {LARGEST_INDEX}, found {asqn}")
        if place.index > LARGEST_INDEX:
            raise ValueError(f"index out of range: {place.index}")
        if (index := int(record.fields.get("index", place.index))) != place.index:
            raise ValueError(f"index: expected {place.index}, found {index}; a journal has no gaps")
        size = RECORD_OVERHEAD + len(record.payload)
        while size > place.room:
            if place.empty or place.fresh is None:
                raise ValueError(f"a record of {size} bytes does not fit into its segment")
            id = place.id + 1
            room = _room(id, place.fresh, place.version)
            place = replace(place, id=id, room=room, empty=True)
        place = replace(
            place,
            asqn=max(asqn, place.asqn),
            index=place.index + 1,
            room=place.room - size,
            empty=False,
        )
    return range(current + 1, place.id + 1)


def _check_names(folder: Path, name: str, ids: range, removed: Sequence[Path]) -> None:
    """Raise ``ValueError`` if a new segment's name is already in use (ZBJ-049).

    Files in ``removed`` do not count, because they will be deleted first.
    """
    for id in ids:
        path = folder / f"{name}-{id}.log"
        if os.path.lexists(path) and path not in removed:
            raise ValueError(f"{path.name} already exists and is not a segment")


def _room(id: int, size: int, version: str) -> int:
    """Return the space for records in a new segment, or raise ``ValueError`` (ZBJ-049)."""
    room = size - DESCRIPTORS[version]
    if room <= 0 or max(id, size) > LARGEST_INT:
        raise ValueError(f"invalid segment: number {id}, {size} bytes")
    return room


def _begin(
    records: Sequence[NewRecord], size: int, version: str, first: int, one_file: bool
) -> range:
    """Check the records for a new journal, and return and raise like :func:`_check`."""
    if first < 1:
        raise ValueError(f"index: a journal cannot begin with {first}")
    room = _room(FIRST_ID, size, version)
    fresh = None if one_file else size
    later = _check(records, _Place(NO_ASQN, first, FIRST_ID, room, fresh, version))
    return range(FIRST_ID, later.stop)


def _usable(name: str) -> str:
    """Return the name, or raise ``ValueError`` if no file name can contain it (ZBJ-001)."""
    if not can_name_files(name):
        raise ValueError(f"name: {name!r} cannot name a segment file")
    return name


def _size(records: Sequence[NewRecord], context: Mapping[str, Any]) -> int:
    """Return the segment size for a new journal. The default has room for any of the records."""
    overhead = DESCRIPTORS[NEWEST] + RECORD_OVERHEAD
    needed = [overhead + len(record.payload) for record in records]
    return int(context.get("max_segment_size", max([DEFAULT_SEGMENT_SIZE, *needed])))


def write(path: Path, records: Sequence[NewRecord], context: Mapping[str, Any]) -> None:
    """Create a journal directory, or a single segment if the path ends in ``.log``.

    ``context`` may have ``max_segment_size``, ``descriptor`` (``1``, ``2/1``, ``2/2``) and
    ``name``. Records may have an ``asqn`` and an ``index``. Raises ``ValueError`` before any
    change.
    """
    size = _size(records, context)
    version = str(context.get("descriptor", NEWEST))
    if version not in DESCRIPTORS:
        raise ValueError(f"descriptor: expected one of {', '.join(DESCRIPTORS)}")
    first = int(records[0].fields.get("index", 1)) if records else 1
    one_file = path.suffix == ".log"
    _begin(records, size, version, first, one_file)
    if one_file:
        descriptor = pack_descriptor(FIRST_ID, first, size, version=version)
        packed = b"".join(_packed(records, first, 2 if version == NEWEST else 1))
        with path.open("xb") as log:
            log.write(descriptor + packed)
            log.truncate(size)
        return
    name = _usable(str(context.get("name", "journal")))
    path.mkdir()
    writer = Writer(path, name, size, version)
    writer.start(FIRST_ID, first)
    for record in records:
        writer.append(record.payload, int(record.fields.get("asqn", NO_ASQN)))


def _number(path: Path) -> int:
    return int(path.stem.rsplit("-", 1)[1])


def _packed(records: Sequence[NewRecord], first: int, schema: int) -> Iterator[bytes]:
    for index, record in enumerate(records, first):
        asqn = int(record.fields.get("asqn", NO_ASQN))
        yield pack_record(index, asqn, record.payload, schema)


def append(path: Path, records: Sequence[NewRecord], context: Mapping[str, Any]) -> None:
    """Recover a journal and append to it without losing an acknowledged record (ZBJ-051).

    Raises ``ValueError`` before any change if the log must not be appended to (ZBJ-051) or cannot
    hold the records.
    """
    log_tail = tail(read(path, "recover", context))
    at, file = log_tail.end.end, log_tail.end.file
    if at is None:
        why = log_tail.end.reason
        raise ValueError(f"the log must not be appended to ({why}): start a new journal")
    if not records:
        return
    if not path.is_dir():
        _append_to_file(path, records, log_tail, at)
        return
    name = journal_name(path, context)
    assert name is not None, "of several journals no one has an end"
    paths = segment_files(path).get(_usable(name), [])
    segment = next((open_segment(each, file) for each in paths if each.name == file), None)
    if segment is None or not isinstance(segment.descriptor, Descriptor):
        # No segment can be continued, so begin with segment 1 and index 1.
        segment, index, removed = None, 1, paths
        size = _size(records, context)
        ids = _begin(records, size, NEWEST, index, one_file=False)
    else:
        index, id = segment.descriptor.index + log_tail.count, _number(segment.path)
        full = _full_size(segment)
        size = int(context.get("max_segment_size", full))
        place = _Place(log_tail.asqn, index, id, full - at, size, empty=not log_tail.count)
        ids = _check(records, place)
        removed = paths[paths.index(segment.path) + 1 :]
    _check_names(path, name, ids, removed)
    for each in removed:
        each.unlink()
    writer = Writer(path, name, size, NEWEST)
    if segment is None:
        writer.start(FIRST_ID, index)
    else:
        writer.resume(segment, at, log_tail.last_at, index)
    for record in records:
        writer.append(record.payload, int(record.fields.get("asqn", NO_ASQN)))


def _append_to_file(path: Path, records: Sequence[NewRecord], log_tail: Tail, at: int) -> None:
    """Append to a lone segment, to which no new segment can be added."""
    segment = open_segment(path, None)
    if not isinstance(segment.descriptor, Descriptor):
        raise ValueError("the segment has no descriptor: start a new journal")
    index, room = segment.descriptor.index + log_tail.count, _full_size(segment) - at
    _check(records, _Place(log_tail.asqn, index, FIRST_ID, room, None))
    _cut(segment, at)
    with path.open("r+b") as log:
        log.seek(at)
        log.writelines(_packed(records, index, 2))


def copied(path: Path, context: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the context for copying a log, without the flushed index.

    For a directory, the context has the name, the segment size and the descriptor version.
    """
    given = {name: value for name, value in context.items() if name != "last_flushed_index"}
    name = journal_name(path, context) if path.is_dir() else None
    segments = segment_files(path).get(name, []) if name is not None else []
    if not segments:
        return given
    settings: dict[str, Any] = {
        "name": name,
        "max_segment_size": max(file.stat().st_size for file in segments),
    }
    for file in segments:
        with file.open("rb") as log:
            descriptor = read_descriptor(log)
        if isinstance(descriptor, Descriptor):
            for version, length in DESCRIPTORS.items():
                if length == descriptor.length:
                    settings["descriptor"] = version
    return {**settings, **given}
