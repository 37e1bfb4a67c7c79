"""The log directory: writing, as zmq-raft's ``FileLog`` does."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reference_impl.zmq_raft import directory, index_file
from reference_impl.zmq_raft.index_file import ENTRY, path_of
from reference_impl.zmq_raft.index_writer import (
    DEFAULT_CAPACITY,
    Full,
    IndexWriter,
    check_entry,
    comparable_term,
    empty,
)
from reference_impl.zmq_raft.layout import Refusal, read_at


class DirectoryWriter:
    """Appends entries to a log directory, and rolls it back.

    Opening recovers it: empty index files at its end are deleted, an unfinished write at its end
    is rolled back. Raises ``ValueError`` if nothing can be appended.
    """

    def __init__(self, root: Path, context: Mapping[str, Any]) -> None:
        self.context = context
        self.parts = directory.folders(root, context)
        reader = self._read()
        self.first_index = max(reader.covered, 0) + 1
        if reader.next is None and not reader.files and reader.is_full:
            reader.next = self.first_index
        if reader.next is None or (reader.end.at is None and not reader.is_full):
            raise ValueError("the log must not be appended to: start a new one")
        self.next_index = reader.next
        self.is_raw = context.get("entries") == "raw"
        self.snapshot_term = reader.term
        spare = {self.parts.name(path) for path in reader.spare}
        unusable = [*reader.spare]  # ZMR-095
        if reader.end.at == 0 and reader.end.file not in spare:
            unusable.append(reader.files[0])  # ZMR-044: the only file, and it was never finished
        self.files = [path for path in reader.files if path not in unusable]
        self.capacity = self._configured_capacity()
        for path in unusable:
            path.unlink()
        if not self.files or reader.end.file in spare:
            self._create(self.next_index)
            self.capacity = self._configured_capacity()
        self.term = self._term_before()

    def append(self, index: int, entry: bytes) -> None:
        """Write one entry; an index below the next one rolls the log back first."""
        if not self.first_index <= index <= self.next_index:
            raise ValueError(
                f"index: expected {self.first_index} to {self.next_index}, found {index}"
            )
        if index < self.next_index:
            self._truncate(index)
        if not self.is_raw:
            check_entry(entry, self.term)
        try:
            self._append(entry)
        except Full:
            self._create(index)  # ZMR-098
            self._append(entry)
        self.next_index = index + 1
        self.term = comparable_term(entry)

    def _read(self) -> directory.Reader:
        """The current log: where it ends, and which index comes next."""
        reader = directory.Reader(self.parts, self.context.get("entries") == "raw")
        deque(reader.snapshot(), maxlen=0)
        deque(reader.entries(), maxlen=0)
        return reader

    def _append(self, entry: bytes) -> None:
        with self.files[-1].open("r+b") as file:
            writer = IndexWriter(file, self.files[-1].stat().st_size)
            if writer.next_index != self.next_index:
                raise Full(f"the file ends at {writer.next_index}")
            writer.append(entry)

    def _term_before(self) -> int | None:
        """The term of the entry directly before the next one, if a reader compares it (ZMR-050)."""
        for path in reversed(self.files):
            layout = self._layout(path)
            if layout is None:
                return None
            if layout.offsets:
                number = self.next_index - 1 - layout.first
                spans = (one for one in index_file.spans(layout) if one.reason is None)
                found = next((one for one in spans if one.last == number), None)
                return None if found is None else self._term(path, layout, found)
        return self.snapshot_term if self.next_index == self.first_index else None

    def _term(self, path: Path, layout: index_file.Layout, span: index_file.Span) -> int | None:
        assert layout.data is not None
        with path.open("rb") as file:
            head = read_at(file, layout.data + span.start, min(span.end - span.start, ENTRY.size))
        return comparable_term(head)

    def _truncate(self, index: int) -> None:
        """Roll back: a file that begins with the index is deleted, unless the log begins there.

        What counts is its name, also if it is lost as a whole (ZMR-098).
        """
        while len(self.files) > 1:
            first = directory.first_index(self.files[-1])
            if first < index or first == index == self.first_index:
                break
            self.files.pop().unlink()
        last = self.files[-1]
        if self._layout(last) is None:
            raise ValueError(f"index {index} is in a file that is lost: {last.name}")
        with last.open("r+b") as file:
            IndexWriter(file, last.stat().st_size).truncate(index)
        self.next_index = index
        self.term = self._term_before()

    def _create(self, first: int) -> None:
        path = self.parts.log / path_of(first)
        if path.exists():
            raise ValueError(f"{path.name} has no room: expected a capacity above 0")
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            file.write(empty(first, self.capacity, self.context))
        self.files.append(path)

    def _configured_capacity(self) -> int:
        """For the first file the context's; for others that of the first, rounded up (ZMR-098)."""
        for path in self.files:
            layout = self._layout(path)
            if isinstance(layout, index_file.Layout):
                return 1 << max(layout.capacity - 1, 0).bit_length()
        capacity = int(self.context.get("capacity", DEFAULT_CAPACITY))
        if capacity.bit_count() != 1:
            raise ValueError(f"capacity: expected a power of two, found {capacity}")
        return capacity

    def _layout(self, path: Path) -> index_file.Layout | None:
        """The layout of an index file, if it is not lost as a whole."""
        first = directory.first_index(path)
        if path != self.parts.log / path_of(first):
            return None  # ZMR-091
        try:
            with path.open("rb") as file:
                layout = index_file.read_layout(file, path.stat().st_size, first)
        except Refusal:
            return None
        return layout if isinstance(layout, index_file.Layout) else None
