"""Writing a journal byte for byte as KahaDB of any era does, and appending to one."""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
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

Context = Mapping[str, Any]

EOF_BYTES = {"record": EOF_RECORD, "zeros": bytes(5), "none": b""}
"""What follows each batch: since 5.14, in 5.12 and 5.13, and before (KDB-011, KDB-012)."""
PREALLOC_CHUNK = 1 << 20
HALF_MEBIBYTE = 1 << 19
MAX_FILE_LENGTH = 32 << 20
MAX_WRITE_BATCH = 4 << 20


def record(payload: bytes, kind: int = USER_RECORD) -> bytes:
    """One record (KDB-009)."""
    return RECORD.pack(RECORD_HEAD + len(payload), kind) + payload


def batch(records: bytes, is_checked: bool = True) -> bytes:
    """A control record and its records (KDB-005 to KDB-008)."""
    checksum = zlib.adler32(records) if is_checked else 0
    return CONTROL.pack(HEADER, len(records), checksum) + records


def preallocate(stream: BinaryIO, strategy: str, length: int) -> None:
    """Fill a new data file of ``length`` bytes with what a strategy leaves in it (KDB-014).

    ``half-mebibyte-less`` is the strategy up to 5.11, ``last-byte`` that of 5.12 and 5.13.
    """
    if strategy == "sparse":
        stream.write(EOF_RECORD)
        stream.truncate(length)
        stream.seek(length - len(EOF_RECORD))
        stream.write(EOF_RECORD)
    elif strategy in ("kernel-copy", "zeros"):
        stream.write(EOF_RECORD)
        stream.truncate(length)
    elif strategy == "chunked-zeros":
        for start in range(0, length, PREALLOC_CHUNK):
            stream.seek(start)
            stream.write(EOF_RECORD[: length - start])
        stream.truncate(length)
    elif strategy == "half-mebibyte-less":
        stream.truncate(max(0, length - HALF_MEBIBYTE))
    elif strategy == "last-byte":
        stream.truncate(length)
    elif strategy != "none":
        raise ValueError(f"unknown preallocation {strategy!r}")


class Writer:
    """Writes batches into the data files of a log.

    The context says how: ``folder`` (several files, with rotation; otherwise ``path`` is the one
    data file), ``checksum``, ``eof``, ``preallocation``, ``max_file_length``, ``write_batch_size``.
    """

    def __init__(self, path: Path, context: Context) -> None:
        self.path = path
        self.rotates = bool(context.get("folder", False))
        self.is_checked = bool(context.get("checksum", True))
        self.eof = EOF_BYTES[context.get("eof", "record")]
        self.preallocation = str(context.get("preallocation", "none"))
        self.max_file_length = int(context.get("max_file_length", MAX_FILE_LENGTH))
        self.max_batch = int(context.get("write_batch_size", MAX_WRITE_BATCH))
        self.file = path / FIRST_FILE if self.rotates else path
        self.length = 0

    def create(self) -> None:
        """A new data file, preallocated."""
        with self.file.open("xb") as stream:
            preallocate(stream, self.preallocation, self.max_file_length)
        if self.rotates and self.preallocation == "kernel-copy":
            with (self.path / "db-log.template").open("wb") as template:
                preallocate(template, "kernel-copy", self.max_file_length)
        self.length = 0

    def resume(self, file: Path, at: int) -> None:
        """Go on in a file after its last sound batch.

        Preallocated space is overwritten. Anything else there is cut off: after the next EOF record
        it would be taken for batches, or for bytes that were lost (KDB-023).
        """
        self.file, self.length = file, at
        with file.open("r+b") as stream:
            if not Scan(stream).is_fill(at):
                stream.truncate(at)

    def write(self, records: Sequence[NewRecord]) -> None:
        """Write records in batches: neighbours with the same ``batch`` form one."""
        for group in _groups(records):
            pending = bytearray()
            for one in group:
                data = record(one.payload)
                if pending and not self._fits(len(pending), len(data)):
                    self._put(bytes(pending))
                    pending.clear()
                if not pending:
                    self._rotate_for(len(data))
                pending += data
            self._put(bytes(pending))

    def _fits(self, pending: int, more: int) -> bool:
        """KDB-022: how much a batch that was begun may still take."""
        size = CONTROL_SIZE + pending + more
        return size < self.max_batch and (
            not self.rotates or self.length + size <= self.max_file_length
        )

    def _rotate_for(self, size: int) -> None:
        """KDB-021: the control record is not counted."""
        if not self.rotates or self.length + size < self.max_file_length:
            return
        if self.preallocation == "half-mebibyte-less":
            with self.file.open("r+b") as stream:
                stream.truncate(self.length)
        self.begin_next_file()

    def begin_next_file(self) -> None:
        """A new file with an id above all others (KDB-024).

        Raises ``ValueError`` if there is no such id.
        """
        ids = [file_id(path.name) for path in self.path.iterdir()]
        number = max((number for number in ids if number is not None), default=0) + 1
        if number > MAX_FILE_ID:
            raise ValueError(f"no data file can have a number above {MAX_FILE_ID}")
        self.file = self.path / f"db-{number}.log"
        self.create()

    def _put(self, records: bytes) -> None:
        """One write for the control record, the records and the end marker (KDB-020)."""
        data = batch(records, self.is_checked)
        with self.file.open("r+b") as stream:
            stream.seek(self.length)
            stream.write(data + self.eof)
        self.length += len(data)


def write(path: Path, records: Sequence[NewRecord], context: Context) -> None:
    """Make a new log: see :class:`Writer`."""
    writer = Writer(path, context)
    if writer.rotates:
        path.mkdir()
    writer.create()
    writer.write(records)


def append(path: Path, records: Sequence[NewRecord], context: Context) -> None:
    """Recover a log and append to it, losing nothing (KDB-023 to KDB-025).

    In a folder without a safe place, a new file is begun. A log of one file without a safe place
    raises ``ValueError``.
    """
    last = deque(read(path, "recover", {}), maxlen=1).pop()
    assert isinstance(last, End)
    if last.verdict == "refused" or (last.end is None and not path.is_dir()):
        raise ValueError(f"the log must not be appended to ({last.reason}): start a new file")
    writer = Writer(path, {**context, "folder": path.is_dir()})
    file = path / last.file if last.file else path
    if last.end is None:
        writer.begin_next_file()
    elif not file.exists():
        writer.create()
    else:
        writer.resume(file, last.end)
    writer.write(records)


def _groups(records: Sequence[NewRecord]) -> Iterator[list[NewRecord]]:
    group: list[NewRecord] = []
    for one in records:
        number = one.fields.get("batch")
        if group and (number is None or number != group[-1].fields.get("batch")):
            yield group
            group = []
        group.append(one)
    if group:
        yield group
