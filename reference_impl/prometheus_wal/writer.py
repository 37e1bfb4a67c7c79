"""The writer of the Prometheus write-ahead log, and appending to an existing log.

Upstream authority: prometheus/prometheus ``tsdb/wlog/wlog.go``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reference_impl.answer import End, NewRecord, Record
from reference_impl.prometheus_wal.compression import encode
from reference_impl.prometheus_wal.layout import (
    FIRST,
    FLAGS,
    FULL,
    HEADER_SIZE,
    LAST,
    MAX_DATA_SIZE,
    MIDDLE,
    NONE,
    PAGE_SIZE,
    frame,
    number_of,
    segment_name,
    segments,
)
from reference_impl.prometheus_wal.reader import Journal, read
from reference_impl.zstd_frame import MAX_RECORD_SIZE

Context = Mapping[str, Any]
#: The default size of a segment in bytes.
SEGMENT_SIZE = 1 << 27


class Writer:
    """Writes records to one segment, or to several in a folder (PRW-070 to PRW-072).

    Raises ``ValueError`` for a segment size that is not a multiple of the page size.
    """

    def __init__(self, path: Path, context: Context, number: int | None) -> None:
        self.path = path
        #: The number of the first new segment, or None if the log is a single segment.
        self.number = number
        size = int(context.get("segment_size", SEGMENT_SIZE))
        if size % PAGE_SIZE:
            raise ValueError(f"segment_size: expected a multiple of {PAGE_SIZE}, found {size}")
        self.pages = size // PAGE_SIZE
        self.flags = FLAGS[context.get("compression", "none")]
        #: The current segment, followed by the full segments before it.
        self.segment = bytearray()
        self.full: list[bytes] = []

    def files(self, records: Sequence[NewRecord]) -> dict[Path, bytes]:
        """Add the records, and return the content of each new segment by its path.

        Raises ``ValueError`` if the name of a new segment is in use or too large (PRW-073).
        """
        for new in records:
            self.add(new.payload)
        if self.number is None:
            return {self.path: bytes(self.segment)}
        files = {
            self.path / segment_name(number): data
            for number, data in enumerate([*self.full, bytes(self.segment)], self.number)
        }
        for path in files:
            if number_of(path.name) is None or path.exists():
                raise ValueError(f"{path}: the name of the next segment is in use, or too large")
        return files

    def add(self, payload: bytes) -> None:
        """Add a record to the current segment, or to the next one."""
        data, flags = payload, NONE
        if self.flags != NONE and len(payload) <= MAX_RECORD_SIZE:  # PRW-072
            packed = encode(payload, self.flags)
            if len(packed) < len(payload):
                data, flags = packed, self.flags
        if self.number is not None and len(data) > self._left():  # PRW-071
            self._pad(PAGE_SIZE)
            self.full.append(bytes(self.segment))
            self.segment.clear()
        kind, at = FULL, 0
        while True:
            self._pad(HEADER_SIZE)
            part = data[at : at + PAGE_SIZE - len(self.segment) % PAGE_SIZE - HEADER_SIZE]
            at += len(part)
            if at < len(data):
                kind = FIRST if kind == FULL else MIDDLE
            elif kind != FULL:
                kind = LAST
            self.segment += frame(kind, flags, part)
            if at == len(data):
                break
        self._pad(HEADER_SIZE)

    def _left(self) -> int:
        """Return the room for a record in the segment, in bytes, as Prometheus computes it."""
        pages, used = divmod(len(self.segment), PAGE_SIZE)
        return MAX_DATA_SIZE - used + MAX_DATA_SIZE * (self.pages - pages - 1)

    def _pad(self, size: int) -> None:
        """Fill the page with zeros if fewer bytes than ``size`` are left in it."""
        left = -len(self.segment) % PAGE_SIZE
        if left < size:
            self.segment += bytes(left)


def write(path: Path, records: Sequence[NewRecord], context: Context) -> None:
    """Create a log with a :class:`Writer`."""
    is_folder = bool(context.get("folder", False))
    files = Writer(path, context, 0 if is_folder else None).files(records)
    if is_folder:
        path.mkdir()
    _save(files)


def _save(files: Mapping[Path, bytes]) -> None:
    for path, data in files.items():
        path.write_bytes(data)


def copied(path: Path, context: Context) -> Context:
    """Return the context for copying a log, with its form and first compression."""
    records = (event for event in read(path, "recover", context) if isinstance(event, Record))
    names = (str(record.fields["compression"]) for record in records)
    compression = next((name for name in names if name != "none"), "none")
    return {"folder": path.is_dir(), "compression": compression, **context}


def append(path: Path, records: Sequence[NewRecord], context: Context) -> None:
    """Append to a log that is intact or torn (PRW-073).

    Raises ``ValueError`` before any change if the log must not be appended to.
    """
    *_, end = read(path, "recover", context)
    assert isinstance(end, End)
    if end.end is None:
        raise ValueError(f"the log must not be appended to ({end.reason}): start a new log")
    writer = Writer(path, context, segments(path)[-1][0] + 1 if path.is_dir() else None)
    if not records:
        return
    last = Journal(path).file(end.file)
    if writer.number is None:
        writer.segment += last.read_bytes()[: end.end]
    files = writer.files(records)
    if end.verdict == "torn":
        with last.open("r+b") as segment:
            segment.truncate(end.end)
    _save(files)
