"""The verbs that only zmq-raft's logs need, and the book of their recipes."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance.contents import Contents, by_name, read_contents, write_contents
from conformance.recipes.recipe import Book, Log
from conformance.recipes.variation import Kept, vary
from reference_impl import formats
from reference_impl.answer import NewRecord
from reference_impl.zmq_raft.index_file import HEADER, path_of
from reference_impl.zmq_raft.index_writer import entry_bytes
from reference_impl.zmq_raft.layout import VERSION, chunk
from reference_impl.zmq_raft.message_pack import decode, encode, to_json

FORMAT = "zmq-raft"
REQUEST = "5bab9dc8aabbcc1234000001"
GOLDEN = {"created": "2018-09-26T14:59:36.817Z", "hostname": "golden"}
"""META of the files that real zmq-raft wrote with date and host name fixed."""

ONE = "log/00000/00/00/00000000000001.rlog"
FOUR = "log/00000/00/00/00000000000004.rlog"
EIGHT = "log/00000/00/00/00000000000008.rlog"
SIX, TWELVE = (f"log/{path_of(index)}" for index in (6, 12))
UNFINISHED = b"RLOG\x20\0\0\0\x01\0\0\0\x04\0\0\0"
"""The first 16 bytes of an index file."""

STATE, CONFIG, CHECKPOINT = 0, 1, 2


def entry(payload: bytes, term: int = 1, kind: int = STATE, **more: Any) -> NewRecord:
    """An entry to write; a checkpoint has no request."""
    request = "00" * 12 if kind == CHECKPOINT else REQUEST
    fields = {"term": str(term), "entry_type": kind, "request_id": request, **more}
    return NewRecord(payload, fields)


def checkpoint(term: int) -> NewRecord:
    """What a new leader writes first."""
    return entry(b"\xc0", term, CHECKPOINT)


def at(index: int, payload: bytes) -> NewRecord:
    """An entry without a header that belongs at this index."""
    return NewRecord(payload, {"index": str(index)})


def stored(record: NewRecord) -> bytes:
    """The bytes of an entry in an index file."""
    return entry_bytes(record, raw=False)


def without_room(first: int) -> bytes:
    """An index file of capacity zero."""
    header = HEADER.pack(b"RLOG", 16, VERSION, 0, first)
    return header + chunk(b"ITMZ", b"")


class ZmqRaftLog(Log):
    """A log of zmq-raft being built, of any of its kinds."""

    def __init__(self, control: Contents, payloads: Sequence[bytes]) -> None:
        super().__init__(control, payloads, FORMAT)
        self.records: list[NewRecord] = []

    def to_write(self) -> list[NewRecord]:
        """The records with their fields."""
        return self.records

    def index_file(
        self, *records: NewRecord | bytes, first: int = 1, capacity: int = 4, **context: Any
    ) -> None:
        """An index file with these entries; ``capacity`` is the configured one."""
        context = {"first_index": str(first), "capacity": capacity, **context}
        self.write(".rlog", records, context)

    def raw_index_file(
        self, *entries: bytes | NewRecord, first: int = 1, capacity: int = 4
    ) -> None:
        """An index file whose entries have no header."""
        self.index_file(*entries, first=first, capacity=capacity, entries="raw")

    def snapshot(self, payload: bytes, index: int, term: int) -> None:
        """A snapshot file."""
        self.write(".snap", [NewRecord(payload, {"index": str(index), "term": str(term)})], {})

    def state(self, *updates: Mapping[str, Any] | bytes, **context: Any) -> None:
        """A state file with these updates, given as maps or as MessagePack."""
        packed = [update if isinstance(update, bytes) else encode(update) for update in updates]
        self.write(".pers", packed, context)

    def state_bytes(self, *updates: bytes) -> None:
        """A state file of these bytes, whether or not zmq-raft would write them so."""
        self.suffix = ".pers"
        updates = tuple(map(vary, updates))
        self._put(b"".join(updates), updates)

    def directory(
        self,
        *records: NewRecord,
        capacity: int = 4,
        snapshot: tuple[bytes, int, int] | None = None,
        **more: Any,
    ) -> None:
        """A log directory; the entries follow the snapshot's index."""
        context: dict[str, Any] = {"capacity": capacity, **more}
        if snapshot is not None:
            payload, index, term = vary(snapshot[0]), *snapshot[1:]
            context["snapshot"] = {
                "index": str(index), "term": str(term), "payload": payload.hex(),
            }  # fmt: skip
        self.write("", records, context)
        if snapshot is not None:
            self.payloads.insert(0, payload)

    def add_index_file(self, first: int, *entries: bytes | NewRecord, capacity: int = 4) -> str:
        """Add an index file to a directory and return its name; bytes are entries of term 1."""
        other = ZmqRaftLog(b"", [])
        records = [entry(one) if isinstance(one, bytes) else one for one in entries]
        other.index_file(*records, first=first, capacity=capacity)
        name = f"log/{path_of(first)}"
        self.add_file(name, bytes(other.data), f"{len(entries)} entries from {first} on")
        return name

    def put_snapshot(self, payload: bytes, index: int, term: int = 1) -> None:
        """Another snapshot in a directory."""
        other = ZmqRaftLog(b"", [])
        other.snapshot(payload, index, term)
        self.files["snap"] = other.data
        self.did(f"replace snap by one at index {index}, term {term}")

    def write(
        self, suffix: str, records: Sequence[NewRecord | bytes], context: Mapping[str, Any]
    ) -> None:
        """What the writer makes of these records, under a name of this ending or under ``name``."""
        self._to_write(suffix, records, context)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / (self.name or f"log{suffix}")
            formats.named(FORMAT).write(path, self.records, self.context)
            self._put(read_contents(path), [record.payload for record in self.records])

    def refuse(self, suffix: str, *records: NewRecord | bytes, **context: Any) -> None:
        """A log with this ending, which a writer must refuse to write."""
        self._to_write(suffix, records, context)
        self.expect_refusal()

    def know(self, initial: Mapping[str, Any]) -> None:
        """The keys that the application knows, with their values before the first update."""
        self.context["initial"] = to_json(decode(vary(encode(initial)))[0])

    def _to_write(
        self, suffix: str, records: Sequence[NewRecord | bytes], context: Mapping[str, Any]
    ) -> None:
        self.suffix = suffix
        self.context = {**GOLDEN, **context}
        if "initial" in context:
            self.know(context["initial"])
        self.records = [_varied(r if isinstance(r, NewRecord) else NewRecord(r)) for r in records]

    def _put(self, contents: Contents, payloads: Sequence[bytes]) -> None:
        self.files = {name: bytearray(data) for name, data in by_name(contents).items()}
        self.payloads += payloads

    def go_on(self, *records: NewRecord, **context: Any) -> None:
        """Append with the writer, as part of building the log."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"log{self.suffix or ''}"
            write_contents(self.contents, path)
            new = list(map(_varied, records))
            formats.named(FORMAT).append(path, new, {**self.context, **context})
            self._put(read_contents(path), [record.payload for record in new])

    def rotate(self, update: Mapping[str, Any]) -> None:
        """Write the whole state into a new file, with this update."""
        packed = encode(update)
        self.go_on(NewRecord(packed, {"rotate": True}))
        self.records.append(NewRecord(vary(packed), {"rotate": True}))

    def add(self, *records: NewRecord) -> None:
        """Records that the implementation is asked to append."""
        self.to_append += map(_varied, records)


def with_bit_0_flipped(payload: bytes) -> Kept:
    """What a payload becomes if the lowest bit of its first byte changes."""
    return Kept(bytes([payload[0] ^ 1]) + payload[1:])


def _varied(record: NewRecord) -> NewRecord:
    return NewRecord(vary(record.payload), record.fields)


BOOK: Book[ZmqRaftLog] = Book(FORMAT)
