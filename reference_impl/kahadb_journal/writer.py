"""The writer of KahaDB journals, which can write as any release does and append."""

from __future__ import annotations

import os
import zlib
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from reference_impl.answer import End, NewRecord
from reference_impl.kahadb_journal.data_file import Scan
from reference_impl.kahadb_journal.layout import (
    CONTROL,
    CONTROL_SIZE,
    EOF_RECORD,
    HEADER,
    MAX_FILE_ID,
    RECORD,
    RECORD_HEAD,
    USER_RECORD,
    file_id,
)
from reference_impl.kahadb_journal.reader import FIRST_FILE, read
from reference_impl.kahadb_journal.source import Source

Context = Mapping[str, Any]

# ActiveMQ writes these bytes after each batch: ``record`` since 5.14, ``zeros`` in 5.12 and 5.13,
# and ``none`` before 5.12 (KDB-011, KDB-012).
EOF_BYTES = {"record": EOF_RECORD, "zeros": bytes(5), "none": b""}
PREALLOC_CHUNK = 1 << 20
HALF_MEBIBYTE = 1 << 19
MAX_FILE_LENGTH = 32 << 20
MAX_WRITE_BATCH = 4 << 20


def record(payload: bytes, record_type: int = USER_RECORD) -> bytes:
    """Encode a record (KDB-009)."""
    return RECORD.pack(RECORD_HEAD + len(payload), record_type) + payload


def batch(records: bytes, is_checked: bool = True) -> bytes:
    """Encode a batch, which is a control record and its records (KDB-005 to KDB-008)."""
    checksum = zlib.adler32(records) if is_checked else 0
    return CONTROL.pack(HEADER, len(records), checksum) + records


def preallocate(stream: BinaryIO, strategy: str, length: int) -> None:
    """Preallocate ``length`` bytes for a new data file with a strategy (KDB-014).

    Raises ``ValueError`` for an unknown strategy.
    """
    if strategy == "sparse":
        stream.write(EOF_RECORD)
        stream.seek(length - len(EOF_RECORD))
        stream.write(EOF_RECORD)
    elif strategy in ("kernel-copy", "zeros"):
        stream.write(EOF_RECORD)
        stream.truncate(length)
    elif strategy == "chunked-zeros":
        for start in range(0, length, PREALLOC_CHUNK):
            stream.seek(start)
            stream.write(EOF_RECORD)
        stream.truncate(length)
    elif strategy == "half-mebibyte-less":
        stream.truncate(max(HALF_MEBIBYTE, length - HALF_MEBIBYTE))
    elif strategy == "last-byte":
        stream.truncate(length)
    elif strategy != "none":
        raise ValueError(f"unknown preallocation {strategy!r}")


@dataclass(slots=True)
class _Planned:
    """A batch to write. If ``begins_file`` is true, it begins a new data file."""

    begins_file: bool
    records: bytearray = field(default_factory=bytearray)


class Writer:
    """Writes batches to the data files of a log.

    The context may have ``folder``, ``checksum``, ``eof``, ``preallocation``, ``max_file_length``
    and ``write_batch_size``. Unless ``folder`` is true, ``path`` is the only data file.
    """

    length: int
    _is_used: bool  # True if this writer has created the file or written to it.

    def __init__(self, path: Path, context: Context) -> None:
        self.path = path
        self.rotates = bool(context.get("folder", False))
        self.is_checked = bool(context.get("checksum", True))
        self.eof = EOF_BYTES[context.get("eof", "record")]
        self.preallocation = str(context.get("preallocation", "none"))
        self.max_file_length = int(context.get("max_file_length", MAX_FILE_LENGTH))
        self.max_batch = int(context.get("write_batch_size", MAX_WRITE_BATCH))
        self.file = path / FIRST_FILE if self.rotates else path

    def create(self) -> None:
        """Create a data file with preallocated space."""
        with self.file.open("xb") as stream:
            preallocate(stream, self.preallocation, self.max_file_length)
        if self.rotates and self.preallocation == "kernel-copy":
            with (self.path / "db-log.template").open("wb") as template:
                preallocate(template, "kernel-copy", self.max_file_length)
        self.length, self._is_used = 0, True

    def resume(self, file: Path, at: int) -> None:
        """Continue a file after its last valid batch, and discard any later data (KDB-023)."""
        self.file, self.length, self._is_used = file, at, False
        with file.open("r+b") as stream:
            if not Scan(Source(stream)).is_fill(at):
                stream.truncate(at)

    def plan(self, records: Sequence[NewRecord], length: int) -> list[_Planned]:
        """Group consecutive records with the same ``batch``, within the limits of KDB-022.

        ``length`` is the end of the last batch in the file.
        """
        planned: list[_Planned] = []
        previous = None
        for new in records:
            data = record(new.payload)
            number = new.fields.get("batch")
            is_offered = number is not None and number == previous
            previous = number
            if not is_offered or not self._fits(length, len(planned[-1].records), len(data)):
                if planned:
                    length += CONTROL_SIZE + len(planned[-1].records)
                # The control record does not count towards the length (KDB-021).
                is_full = self.rotates and length + len(data) >= self.max_file_length
                length = 0 if is_full else length
                planned.append(_Planned(is_full))
            planned[-1].records += data
        return planned

    def _fits(self, length: int, pending: int, more: int) -> bool:
        """Return whether a batch at offset ``length`` has room for ``more`` bytes (KDB-022)."""
        size = CONTROL_SIZE + pending + more
        return size < self.max_batch and (not self.rotates or length + size <= self.max_file_length)

    def write(self, planned: Sequence[_Planned]) -> None:
        """Write batches, and begin new files where planned."""
        for batch in planned:
            if batch.begins_file:
                if self.preallocation == "half-mebibyte-less" and self._is_used:
                    with self.file.open("r+b") as stream:
                        stream.truncate(self.length)
                self.begin_next_file()
            self._put(bytes(batch.records))

    def highest(self) -> int:
        """Return the highest id that any directory entry has in its name (KDB-024)."""
        ids = [file_id(path.name) for path in self.path.iterdir()]
        return max((number for number in ids if number is not None), default=0)

    def begin_next_file(self) -> None:
        """Create a data file whose id is one above the highest in the directory (KDB-024)."""
        self.file = self.path / f"db-{self.highest() + 1}.log"
        self.create()

    def _put(self, records: bytes) -> None:
        """Write a control record, its records and the end marker in one call (KDB-020)."""
        data = batch(records, self.is_checked)
        with self.file.open("r+b") as stream:
            stream.seek(self.length)
            stream.write(data + self.eof)
        self.length += len(data)
        self._is_used = True


def write(path: Path, records: Sequence[NewRecord], context: Context) -> None:
    """Create a log with a :class:`Writer`."""
    writer = Writer(path, context)
    if writer.rotates:
        path.mkdir()
    writer.create()
    writer.write(writer.plan(records, 0))


def copied(path: Path, context: Context) -> Context:
    """Return the context for copying a log, which states whether the log is a folder."""
    return {"folder": path.is_dir(), **context}


def append(path: Path, records: Sequence[NewRecord], context: Context) -> None:
    """Recover a log and append to it without losing a record (KDB-023 to KDB-025).

    Raises ``ValueError`` before any change if the log must not be appended to or a new file's id
    would be too large.
    """
    last = deque(read(path, "recover", {}), maxlen=1).pop()
    assert isinstance(last, End)
    if last.verdict == "refused" or (last.end is None and not path.is_dir()):
        raise ValueError(f"the log must not be appended to ({last.reason}): start a new file")
    if not records:
        return
    writer = Writer(path, {**context, "folder": path.is_dir()})
    file = path / last.file if last.file else path
    is_there = file.is_file()
    # If no append is possible at an offset, ``file`` is the directory itself.
    is_new_number = not is_there and os.path.lexists(file)
    at = last.end or 0
    planned = writer.plan(records, at)
    files = is_new_number + sum(batch.begins_file for batch in planned)
    if files and writer.highest() + files > MAX_FILE_ID:
        raise ValueError(f"no data file can have a number above {MAX_FILE_ID}")
    if is_new_number:
        writer.begin_next_file()
    elif is_there:
        writer.resume(file, at)
    else:
        writer.create()
    writer.write(planned)
