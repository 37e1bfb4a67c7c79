"""The writer of log directories, which follows zmq-raft's ``FileLog``."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from reference_impl.answer import Lost, NewRecord, Record
from reference_impl.zmq_raft import directory, index_file
from reference_impl.zmq_raft.index_writer import (
    DEFAULT_CAPACITY,
    Full,
    IndexWriter,
    check_entry,
    comparable_term,
    empty,
    entry_bytes,
)
from reference_impl.zmq_raft.snapshot import snapshot_bytes


class DirectoryWriter:
    """Appends entries to a log directory, or rolls it back.

    The constructor recovers the directory. It raises ``ValueError`` if nothing can be appended.
    """

    def __init__(self, root: Path, context: Mapping[str, Any]) -> None:
        self.context = context
        self.is_raw = context.get("entries") == "raw"
        self.reader = reader = directory.Reader(directory.folders(root, context), self.is_raw)
        for _ in chain(reader.snapshot(), reader.entries()):
            pass
        if reader.end.at is None and not reader.may_follow:
            raise ValueError("the log must not be appended to: start a new one")
        snapshot = reader.parts.snapshot
        if snapshot is not None and not snapshot.exists():
            snapshot.write_bytes(snapshot_bytes(0, 0, b"", context))  # ZMR-098
        self.first_index = max(reader.covered, 0) + 1
        self.next_index = self.first_index if reader.next is None else reader.next
        self.files = [path for path in reader.files if path not in reader.removable]
        for path in reader.removable:
            path.unlink()
        if not self.files or root / str(reader.end.file) in reader.removable:
            self._create(self.next_index)
        self.term = self._roll_back(self.next_index)

    def append(self, record: NewRecord) -> None:
        """Write an entry at its ``index``, after rolling the log back if it has this index."""
        index = int(record.fields.get("index", self.next_index))
        if not self.first_index <= index <= self.next_index:
            raise ValueError(
                f"index: expected {self.first_index} to {self.next_index}, found {index}"
            )
        if index < self.next_index:
            # Delete files that begin with this or a later index. Always keep the first file of the
            # log.
            lowest = max(index, self.first_index + 1)
            while self.files[1:] and directory.first_index(self.files[-1]) >= lowest:
                self.files.pop().unlink()
            self.term = self._roll_back(index)
        entry = entry_bytes(record, self.is_raw)
        if not self.is_raw:
            check_entry(entry, self.term)
        try:
            self._append(entry)
        except Full:
            self._create(index)  # ZMR-098
            self._append(entry)
        self.next_index = index + 1
        self.term = comparable_term(entry)

    def _append(self, entry: bytes) -> None:
        path = self.files[-1]
        with path.open("r+b") as file:
            IndexWriter(file, path.stat().st_size).append(entry)

    def _roll_back(self, index: int) -> int | None:
        """Remove the entry at ``index`` and all later entries from the last file.

        Returns the term that the next entry must not be below, or None (ZMR-050).
        """
        path = self.files[-1]
        with path.open("r+b") as file:
            layout = self.reader.layout(path, file)
            if isinstance(layout, Lost):
                raise ValueError(f"index: {index} would follow a file that is lost ({path.name})")
            IndexWriter(file, layout.size).truncate(index)
        if index == self.first_index:
            return self.reader.term
        for path in reversed(self.files):
            with path.open("rb") as file:
                layout = self.reader.layout(path, file)
                if isinstance(layout, Lost):
                    return None
                for event in index_file.entries(file, layout, raw=False, after=index - 2):
                    return int(event.fields["term"]) if isinstance(event, Record) else None
        return None

    def _create(self, first: int) -> None:
        path = self.reader.parts.log / index_file.path_of(first)
        if path.exists():
            raise ValueError(f"{path.name} has no room: expected a capacity above 0")
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            file.write(empty(first, self._configured_capacity(), self.context))
        self.files.append(path)

    def _configured_capacity(self) -> int:
        """Return the first readable file's capacity, rounded up, or the context's (ZMR-098)."""
        for path in self.files:
            with path.open("rb") as file:
                layout = self.reader.layout(path, file)
            if not isinstance(layout, Lost):
                return 1 << max(layout.capacity - 1, 0).bit_length()
        capacity = int(self.context.get("capacity", DEFAULT_CAPACITY))
        if capacity.bit_count() != 1:
            raise ValueError(f"capacity: expected a power of two, found {capacity}")
        return capacity
