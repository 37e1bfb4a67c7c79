"""The log class of the zmq-raft recipes, and the book that collects them."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance.contents import Contents, by_name, read_contents, write_contents
from conformance.recipes.recipe import Book, Log
from reference_impl import formats
from reference_impl.answer import NewRecord
from reference_impl.zmq_raft.index_file import HEADER, path_of
from reference_impl.zmq_raft.index_writer import entry_bytes
from reference_impl.zmq_raft.layout import VERSION, chunk
from reference_impl.zmq_raft.message_pack import decode, encode, to_json

FORMAT = "zmq-raft"
REQUEST = "5bab9dc8aabbcc1234000001"
#: The time and the host name in META of the files that the real zmq-raft wrote.
GOLDEN = {"created": "2018-09-26T14:59:36.817Z", "hostname": "golden"}

ONE = "log/00000/00/00/00000000000001.rlog"
FOUR = "log/00000/00/00/00000000000004.rlog"
EIGHT = "log/00000/00/00/00000000000008.rlog"
SIX, TWELVE = (f"log/{path_of(index)}" for index in (6, 12))
#: The first 16 bytes of an index file.
UNFINISHED = b"RLOG\x20\0\0\0\x01\0\0\0\x04\0\0\0"

STATE, CONFIG, CHECKPOINT = 0, 1, 2


def entry(payload: bytes, term: int = 1, kind: int = STATE, **more: Any) -> NewRecord:
    """Return an entry to write. Unlike other entries, a checkpoint has no request id."""
    request = "00" * 12 if kind == CHECKPOINT else REQUEST
    fields = {"term": str(term), "entry_type": kind, "request_id": request, **more}
    return NewRecord(payload, fields)


def checkpoint(term: int) -> NewRecord:
    """Return the first entry that a new leader writes."""
    return entry(b"\xc0", term, CHECKPOINT)


def at(index: int, payload: bytes) -> NewRecord:
    """Return a raw entry to write at this index."""
    return NewRecord(payload, {"index": str(index)})


def stored(record: NewRecord) -> bytes:
    """Return the bytes of an entry in an index file."""
    return entry_bytes(record, raw=False)


def without_room(first: int) -> bytes:
    """Return an index file of capacity zero."""
    header = HEADER.pack(b"RLOG", 16, VERSION, 0, first)
    return header + chunk(b"ITMZ", b"")


class ZmqRaftLog(Log):
    """A zmq-raft log of any kind, under construction."""

    def __init__(self, control: Contents, payloads: Sequence[bytes]) -> None:
        super().__init__(control, payloads, FORMAT)
        self.records: list[NewRecord] = []

    def to_write(self) -> list[NewRecord]:
        """Return the records to write, with their fields."""
        return self.records

    def index_file(
        self, *records: NewRecord | bytes, first: int = 1, capacity: int = 4, **context: Any
    ) -> None:
        """Write an index file with these entries. ``capacity`` is the configured capacity."""
        context = {"first_index": str(first), "capacity": capacity, **context}
        self.write(".rlog", records, context)

    def raw_index_file(
        self, *entries: bytes | NewRecord, first: int = 1, capacity: int = 4
    ) -> None:
        """Write an index file with raw entries."""
        self.index_file(*entries, first=first, capacity=capacity, entries="raw")

    def snapshot(self, payload: bytes, index: int, term: int) -> None:
        """Write a snapshot file."""
        self.write(".snap", [NewRecord(payload, {"index": str(index), "term": str(term)})], {})

    def state(self, *updates: Mapping[str, Any] | bytes, **context: Any) -> None:
        """Write a state file with these updates, given as maps or as MessagePack."""
        packed = [update if isinstance(update, bytes) else encode(update) for update in updates]
        self.write(".pers", packed, context)

    def state_bytes(self, *updates: bytes) -> None:
        """Create a state file from these bytes, even if zmq-raft would not write them."""
        self.suffix = ".pers"
        self._put(b"".join(updates), updates)

    def directory(
        self,
        *records: NewRecord,
        capacity: int = 4,
        snapshot: tuple[bytes, int, int] | None = None,
        **more: Any,
    ) -> None:
        """Write a log directory. The first entry follows the snapshot's index."""
        context: dict[str, Any] = {"capacity": capacity, **more}
        if snapshot is not None:
            payload, index, term = snapshot
            context["snapshot"] = {
                "index": str(index), "term": str(term), "payload": payload.hex(),
            }  # fmt: skip
        self.write("", records, context)
        if snapshot is not None:
            self.payloads.insert(0, payload)

    def add_index_file(self, first: int, *entries: bytes | NewRecord, capacity: int = 4) -> str:
        """Add an index file to a directory and return its name. Bytes become entries of term 1."""
        other = ZmqRaftLog(b"", [])
        records = [entry(one) if isinstance(one, bytes) else one for one in entries]
        other.index_file(*records, first=first, capacity=capacity)
        name = f"log/{path_of(first)}"
        self.add_file(name, bytes(other.data))
        return name

    def put_snapshot(self, payload: bytes, index: int, term: int = 1) -> None:
        """Replace the snapshot of a directory."""
        other = ZmqRaftLog(b"", [])
        other.snapshot(payload, index, term)
        self.files["snap"] = other.data

    def write(
        self, suffix: str, records: Sequence[NewRecord | bytes], context: Mapping[str, Any]
    ) -> None:
        """Write these records to a log with this extension, or under ``self.name`` if it is set."""
        self._to_write(suffix, records, context)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / (self.name or f"log{suffix}")
            formats.named(FORMAT).write(path, self.records, self.context)
            self._put(read_contents(path), [record.payload for record in self.records])

    def refuse(self, suffix: str, *records: NewRecord | bytes, **context: Any) -> None:
        """Expect a writer to refuse these records for a log with this extension."""
        self._to_write(suffix, records, context)
        self.expect_refusal()

    def know(self, initial: Mapping[str, Any]) -> None:
        """Set the keys that the application knows, with their values before the first update."""
        self.context["initial"] = to_json(decode(encode(initial))[0])

    def _to_write(
        self, suffix: str, records: Sequence[NewRecord | bytes], context: Mapping[str, Any]
    ) -> None:
        self.suffix = suffix
        self.context = {**GOLDEN, **context}
        if "initial" in context:
            self.know(context["initial"])
        self.records = [r if isinstance(r, NewRecord) else NewRecord(r) for r in records]

    def _put(self, contents: Contents, payloads: Sequence[bytes]) -> None:
        self.files = {name: bytearray(data) for name, data in by_name(contents).items()}
        self.payloads += payloads

    def go_on(self, *records: NewRecord, **context: Any) -> None:
        """Append records with the reference writer, as part of building the log."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"log{self.suffix or ''}"
            write_contents(self.contents, path)
            formats.named(FORMAT).append(path, records, {**self.context, **context})
            self._put(read_contents(path), [record.payload for record in records])

    def rotate(self, update: Mapping[str, Any]) -> None:
        """Write the whole state, with this update, into a new file."""
        packed = encode(update)
        self.go_on(NewRecord(packed, {"rotate": True}))
        self.records.append(NewRecord(packed, {"rotate": True}))

    def add(self, *records: NewRecord) -> None:
        """Add records that the implementation must append."""
        self.to_append += records


def with_bit_0_flipped(payload: bytes) -> bytes:
    """Return a payload with the lowest bit of its first byte flipped."""
    return bytes([payload[0] ^ 1]) + payload[1:]


BOOK: Book[ZmqRaftLog] = Book(FORMAT, ZmqRaftLog, "")
APPENDING = BOOK.group("appending")
CHUNKS = BOOK.group("chunks")
DIRECTORY = BOOK.group("directory")
ENTRIES_GROUP = BOOK.group("entries")
HEADER_GROUP = BOOK.group("header")
INDEX_FILE = BOOK.group("index-file")
LIMITS = BOOK.group("limits")
OFFSETS = BOOK.group("offsets")
SNAPSHOT = BOOK.group("snapshot")
STATE_GROUP = BOOK.group("state")
TORN_TAIL = BOOK.group("torn-tail")
UNDETECTED = BOOK.group("undetected")
WRITING = BOOK.group("writing")
