"""The writer of etcd's write-ahead log, and appending to an existing log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from crc32c import crc32c

from reference_impl.answer import InvalidRecord, NewRecord
from reference_impl.etcd_wal.layout import (
    CRC,
    ENTRY,
    METADATA,
    SNAPSHOT,
    STATE,
    TYPES,
    frame,
    payload_numbers,
    record,
    segment_name,
    segments,
    sequence,
)
from reference_impl.etcd_wal.reader import Journal

Context = Mapping[str, Any]
_KINDS = {name: kind for kind, name in TYPES.items()}


def records_to_write(
    records: Sequence[NewRecord], metadata: bytes | None = None
) -> list[tuple[int, bytes]]:
    """Return the type and payload of each record (ETW-070).

    ``metadata`` is the log's existing metadata. Raises :class:`InvalidRecord`.
    """
    found = []
    for number, new in enumerate(records):
        name = str(new.fields.get("record_type", "entry"))
        kind = _KINDS.get(name)
        if kind is None:
            why = f"type: expected one of {', '.join(_KINDS)}, found {name!r}"
            raise InvalidRecord(number, why)
        if payload_numbers(kind, new.payload) is None:
            raise InvalidRecord(number, f"the payload is not a valid {name}")
        if kind == METADATA:
            if metadata not in (None, new.payload):
                raise InvalidRecord(number, "the metadata differs from that of the log")
            metadata = new.payload
        found.append((kind, new.payload))
    return found


class Writer:
    """Writes frames to the files of a log (ETW-070 to ETW-073)."""

    def __init__(self, path: Path, context: Context) -> None:
        self.path = path
        self.is_folder = bool(context.get("folder", False))
        self.segment_size = int(context.get("segment_size", 0))
        self.number = self.index = self.crc = 0
        self.metadata: bytes | None = None
        self.state: bytes | None = None
        #: The length in bytes with which the current file was preallocated.
        self.allocated = self.segment_size
        self.file = path / segment_name(0, 0) if self.is_folder else path

    def begin(self) -> None:
        """Begin a file by writing its head (ETW-009)."""
        #: The content of the current file, and the number of its bytes that are already written.
        self.content = bytearray()
        self.flushed = 0
        self._put(CRC, None)
        if self.metadata is not None:
            self._put(METADATA, self.metadata)
        if self.state is not None:
            self._put(STATE, self.state)
        #: The length of the file at its last sync (ETW-071).
        self.synced = len(self.content)

    def resume(self, journal: Journal) -> None:
        """Continue a log at its end (ETW-073)."""
        name = journal.names[-1]
        self.file = journal.file(name)
        data = self.file.read_bytes()
        assert journal.end is not None
        self.content = bytearray(data[: journal.end])
        is_clean = not any(data[journal.end :])
        self.allocated = len(data) if is_clean else 0
        self.number = sequence(name) or 0 if name else 0
        self.index, self.crc = journal.index, journal.crc
        self.metadata = journal.metadata
        self.synced = self.flushed = journal.end

    def write(self, records: Sequence[tuple[int, bytes]]) -> None:
        """Write records Save by Save, and begin new files where needed (ETW-071)."""
        has_entry = False
        for number, (kind, payload) in enumerate(records):
            is_last = number + 1 == len(records)
            following = ENTRY if is_last else records[number + 1][0]
            must_sync = self._remember(kind, payload) or has_entry
            self._put(kind, payload)
            has_entry = kind == ENTRY
            if has_entry and not is_last and following in (ENTRY, STATE):
                continue  # A Save consists of entries and at most one state after them.
            is_save = kind in (ENTRY, STATE)
            if is_save and self.is_folder and 0 < self.segment_size <= self.synced:
                self._cut()
            elif must_sync:
                self.synced = len(self.content)
        self.flush()

    def _remember(self, kind: int, payload: bytes) -> bool:
        """Note what the heads of later files repeat, and return whether to sync (ETW-071)."""
        numbers = payload_numbers(kind, payload) or {}
        if kind == METADATA:
            self.metadata = payload
        elif kind == ENTRY:
            self.index = numbers["index"]
        elif kind == SNAPSHOT:
            self.index = max(self.index, numbers["index"])
        else:
            before = payload_numbers(STATE, self.state or b"") or {"term": 0, "vote": 0}
            self.state = payload
            return any(before[name] != numbers[name] for name in ("term", "vote"))
        return True

    def _put(self, kind: int, payload: bytes | None) -> None:
        if payload is not None:
            self.crc = crc32c(payload, self.crc)
        self.content += frame(record(kind, self.crc, payload or None))

    def _cut(self) -> None:
        """Finish the file without preallocated space, and begin the next one (ETW-071)."""
        self.allocated = 0
        self.flush()
        self.number += 1
        self.file = self.path / segment_name(self.number, self.index + 1)
        self.allocated = self.segment_size
        self.begin()

    def flush(self) -> None:
        """Write the new content of the current file."""
        with self.file.open("r+b" if self.flushed else "xb") as stream:
            stream.seek(self.flushed)
            stream.write(self.content[self.flushed :])
            stream.truncate(max(len(self.content), self.allocated))


def write(path: Path, records: Sequence[NewRecord], context: Context) -> None:
    """Create a log with a :class:`Writer`. Raises ``ValueError`` for an invalid record."""
    to_write = records_to_write(records)
    writer = Writer(path, context)
    if writer.is_folder:
        path.mkdir()
    writer.begin()
    writer.write(to_write)


def copied(path: Path, context: Context) -> Context:
    """Return the context for copying a log, which states whether the log is a folder."""
    return {"folder": path.is_dir(), **context}


def append(path: Path, records: Sequence[NewRecord], context: Context) -> None:
    """Append to a log that is intact or torn (ETW-073).

    Raises ``ValueError`` before any change if the log is damaged or a record is invalid.
    """
    if path.is_dir() and not segments(path):
        raise ValueError("the folder has no segments")
    journal = Journal(path)
    if journal.damage:
        raise ValueError(f"the log must not be appended to ({journal.damage}): start a new log")
    to_write = records_to_write(records, journal.metadata)
    if not to_write:
        return
    writer = Writer(path, {**context, "folder": path.is_dir()})
    writer.resume(journal)
    writer.write(to_write)
