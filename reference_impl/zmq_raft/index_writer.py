"""The writer of index files, byte for byte as zmq-raft's ``IndexFile`` does."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from itertools import takewhile
from typing import Any, BinaryIO

from reference_impl.answer import NewRecord
from reference_impl.zmq_raft.index_file import (
    ENTRY,
    HEADER,
    MAX_DATA,
    MAX_TERM,
    Layout,
    read_layout,
    spans,
)
from reference_impl.zmq_raft.layout import VERSION, chunk, context_meta, read_at

DEFAULT_CAPACITY = 0x4000
MAX_CAPACITY = 0x00FFFFFF


class Full(ValueError):
    """Raised if the file has no room for an entry, which must go into a new file."""


def empty(first: int, capacity: int, context: Mapping[str, Any]) -> bytes:
    """Return an index file without entries, which ends at a multiple of ``capacity`` (ZMR-014)."""
    if not 1 <= capacity <= MAX_CAPACITY:
        raise ValueError(f"capacity: expected 1 to {MAX_CAPACITY}, found {capacity}")
    if not 0 <= first <= 2**53 - 1 - capacity:
        raise ValueError(f"first_index: expected 0 to 2^53 - 1 - {capacity}, found {first}")
    rest = capacity - first % capacity
    header = HEADER.pack(b"RLOG", 16 + 4 * rest, VERSION, rest, first)
    return header + bytes(4 * rest) + context_meta(context) + chunk(b"ITMZ", b"")  # ZMR-021


class IndexWriter:
    """Appends to an index file, or rolls it back.

    ``file`` is open for reading and writing. The constructor rolls back an unfinished write. It
    raises ``ValueError`` if the file must not be appended to.
    """

    def __init__(self, file: BinaryIO, size: int) -> None:
        layout = read_layout(file, size, None)
        assert isinstance(layout, Layout) and layout.data is not None
        if layout.wrong is not None:
            raise ValueError("the index file must not be appended to (bad-header)")
        self.file = file
        self.first, self.data = layout.first, layout.data
        table = read_at(file, HEADER.size, 4 * layout.capacity)
        self.offsets = [*struct.unpack(f"<{layout.capacity}I", table)]
        self.count = len(layout.offsets)
        for span in spans(layout):
            if span.reason == "bad-offset":
                raise ValueError("the index file must not be appended to (bad-offset)")
            if span.torn is not None:
                self.truncate(self.first + span.torn)

    @property
    def next_index(self) -> int:
        """Return the index of the next entry to append."""
        return self.first + self.count

    def append(self, entry: bytes) -> None:
        """Write an entry after the last one, and commit it (ZMR-018).

        Raises :class:`Full`, and ``ValueError`` for an empty entry.
        """
        if not entry:
            raise ValueError("an entry must have at least one byte")  # ZMR-013
        start = self._end()
        if self.count == len(self.offsets) or start + len(entry) > MAX_DATA:
            raise Full(f"no room for an entry at {self.next_index}")
        self.file.seek(self.data + start)
        self.file.write(entry)
        following = self.count + 1
        # Do not slice the table, because that takes time for each free entry.
        left = map(self.offsets.__getitem__, range(following, len(self.offsets)))
        self._put(following, [0 for _ in takewhile(bool, left)])
        self._put(self.count, [start + len(entry)])
        self.count = following

    def last_term(self) -> int | None:
        """Return the last entry's term, or None if readers do not compare it (ZMR-050)."""
        start = self.offsets[self.count - 2] if self.count > 1 else 0
        head = read_at(self.file, self.data + start, min(self._end() - start, ENTRY.size))
        return comparable_term(head)

    def truncate(self, index: int) -> None:
        """Remove the entries from ``index`` on, but leave their bytes in the file (ZMR-019)."""
        number = index - self.first
        if not 0 <= number <= self.count:
            raise ValueError(f"index: expected {self.first} to {self.next_index}, found {index}")
        self._put(number, [0] * (self.count - number))
        self.count = number

    def _end(self) -> int:
        return self.offsets[self.count - 1] if self.count else 0

    def _put(self, number: int, offsets: list[int]) -> None:
        """Write offsets to the table, starting at entry ``number``."""
        self.offsets[number : number + len(offsets)] = offsets
        self.file.seek(HEADER.size + 4 * number)
        self.file.write(struct.pack(f"<{len(offsets)}I", *offsets))


def comparable_term(entry: bytes) -> int | None:
    """Return an entry's term, or None if readers do not compare it (ZMR-050)."""
    if len(entry) < ENTRY.size:
        return None
    term = _term(entry)
    return term if term <= MAX_TERM else None  # terms are unsigned


def check_entry(entry: bytes, before: int | None) -> None:
    """Raise ``ValueError`` if the term is below ``before``, the term of the previous entry."""
    term = _term(entry)
    if before is not None and term < before:
        raise ValueError(f"term: expected {before} or more, found {term}")  # ZMR-050


def _term(entry: bytes) -> int:
    return int.from_bytes(ENTRY.unpack_from(entry)[2], "little")


def entry_bytes(record: NewRecord, raw: bool) -> bytes:
    """Encode an entry (ZMR-030).

    Raises ``ValueError`` for fields out of range.
    """
    if raw:
        return record.payload
    fields = record.fields
    term, entry_type = int(fields.get("term", 1)), int(fields.get("entry_type", 0))
    request = bytes.fromhex(str(fields.get("request_id", "00" * 12)))
    if not 1 <= term <= MAX_TERM:
        raise ValueError(f"term: expected 1 to 2^53 - 1, found {term}")  # ZMR-013
    if not 0 <= entry_type <= 255:
        raise ValueError(f"entry_type: expected a byte, found {entry_type}")
    if len(request) != 12:
        raise ValueError(f"request_id: expected 12 bytes in hexadecimal, found {len(request)}")
    return ENTRY.pack(request, entry_type, term.to_bytes(7, "little")) + record.payload
