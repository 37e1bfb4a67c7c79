"""Writing a RocksDB write-ahead log, and appending to one: spec/rocksdb-wal.md says the same.

Upstream: facebook/rocksdb ``db/log_writer.cc``, cockroachdb/pebble ``record/log_writer.go``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from reference_impl.answer import End, NewRecord
from reference_impl.leveldb_log.dialects import (
    COMPRESSION,
    PREDECESSOR,
    RECYCLABLE_HEADER_SIZE,
    RECYCLABLE_PREDECESSOR,
    RECYCLABLE_TIMESTAMP_SIZES,
    TIMESTAMP_SIZES,
    header_size,
)
from reference_impl.leveldb_log.layout import BLOCK_SIZE
from reference_impl.rocksdb_wal.compression import compress
from reference_impl.rocksdb_wal.layout import (
    FIRST,
    FULL,
    HEADER_SIZES,
    LAST,
    LEGACY,
    MIDDLE,
    PREDECESSOR_INFO,
    RECYCLABLE,
    TIMESTAMP_SIZE,
    WAL_SYNC,
    ZSTD,
    clean_close,
    pack,
)
from reference_impl.rocksdb_wal.reader import read_stream
from reference_impl.rocksdb_wal.survey import number_of, survey


def write(path: Path, records: Sequence[NewRecord], context: Mapping[str, Any]) -> None:
    """Make a new log at a path that does not exist yet (RDB-020 to RDB-026).

    Raises ``OSError``, and ``ValueError`` for a context or a field that the dialect does not have.
    """
    writer = Writer(_number(path, context), context)
    writer.check(records)
    with path.open("xb") as log:
        writer.write(log, records)


def append(path: Path, records: Sequence[NewRecord], context: Mapping[str, Any]) -> None:
    """Recover a log file and continue it, in its own dialect (RDB-027 to RDB-029).

    An unfinished write, zeros, Pebble's trailer and the bytes of an older log are cut off first. If
    there are no records, the log stays unchanged. Raises ``OSError``, and ``ValueError`` if the log
    must not be appended to.
    """
    with path.open("r+b") as log:
        number = number_of(path, context)
        last = deque(read_stream(log, "recover", number, context), maxlen=1).pop()
        assert isinstance(last, End)
        if last.end is None:
            raise ValueError(f"the log must not be appended to ({last.reason}): start a new file")
        if not records:
            return
        context = {**context, **_form(log, number)}
        writer = Writer(_number(path, context), context, last.end)
        writer.check(records)
        log.seek(last.end)
        log.truncate()
        writer.write(log, records)


def copied(path: Path, context: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the context that writes a log of the same dialect and number."""
    with path.open("rb") as log:
        return {**context, **_form(log, number_of(path, context))}


def _form(log: BinaryIO, number: int | None) -> dict[str, Any]:
    """The properties that determine how a log is written: dialect, compression and number."""
    found = survey(log, number)
    form = {"headers": found.dialect, "log_number": found.number}
    if found.compression is not None:
        form["compression"] = "zstd" if found.compression == ZSTD else "none"
    return {name: value for name, value in form.items() if value is not None}


def _number(path: Path, context: Mapping[str, Any]) -> int:
    """The number of a log to write: from the context or its name, else 1 (RDB-014)."""
    number = number_of(path, context)
    return 1 if number is None else number


class Writer:
    """Writes the records of one log as RocksDB or Pebble does, from an offset on."""

    def __init__(self, number: int, context: Mapping[str, Any], position: int = 0) -> None:
        self.number = number
        self.dialect = context.get("headers", RECYCLABLE)
        self.is_compressed = context.get("compression", "none") == "zstd"
        self.is_closed = bool(context.get("closed", False))
        self.position = position
        self.header_size = HEADER_SIZES[self.dialect]
        if self.is_compressed and self.dialect == WAL_SYNC:  # RDB-057
            raise ValueError("compression: expected none with the headers wal-sync, found zstd")
        if self.is_closed and self.dialect == LEGACY:
            raise ValueError("closed: expected false with the headers legacy, found true")

    def check(self, records: Sequence[NewRecord]) -> None:
        """Raise ``ValueError`` for a field that the dialect does not have (RDB-057)."""
        is_sync = self.dialect == WAL_SYNC
        absent = {"timestamp_sizes", "predecessor"} if is_sync else {"sync_offset"}
        for record in records:
            if wrong := absent & record.fields.keys():
                raise ValueError(f"{min(wrong)}: the headers {self.dialect} have none")

    def write(self, log: BinaryIO, records: Sequence[NewRecord]) -> None:
        """Write records to a stream that is at the writer's position."""
        for piece in self._pieces(records):
            log.write(piece)

    def _pieces(self, records: Sequence[NewRecord]) -> Iterator[bytes]:
        if self.position == 0 and self.is_compressed:
            yield self._moved(pack(LEGACY, COMPRESSION, ZSTD.to_bytes(4, "little")))  # RDB-030
        for record in records:
            yield from self._metadata(record.fields)
            yield from self._record(record)
        if self.is_closed:
            yield from self._fill(RECYCLABLE_HEADER_SIZE)
            yield self._moved(clean_close(self.number))  # RDB-026

    def _record(self, record: NewRecord) -> Iterator[bytes]:
        """One record as fragments (RDB-021 to RDB-023)."""
        begin, sync_offset = True, None
        for chunk, is_last in self._chunks(record.payload):
            rest = memoryview(chunk)
            while True:
                yield from self._fill(self.header_size)
                if sync_offset is None:
                    sync_offset = int(record.fields.get("sync_offset", self.position))
                data = rest[: self._left() - self.header_size]
                rest = rest[len(data) :]
                ends = is_last and not rest
                kind = (FULL if ends else FIRST) if begin else (LAST if ends else MIDDLE)
                yield self._moved(pack(self.dialect, kind, bytes(data), self.number, sync_offset))
                if self.dialect == WAL_SYNC:
                    yield from self._fill(self.header_size)  # RDB-023
                begin = False
                if not rest:
                    break

    def _chunks(self, payload: bytes) -> Iterator[tuple[bytes, bool]]:
        """The data of a record, and whether it is the last of it (RDB-036)."""
        data, size = payload, max(1, len(payload))
        if self.is_compressed:
            data, size = compress(payload), BLOCK_SIZE - self.header_size
        for at in range(0, max(1, len(data)), size):
            yield data[at : at + size], at + size >= len(data)

    def _metadata(self, fields: Mapping[str, Any]) -> Iterator[bytes]:
        is_legacy = self.dialect == LEGACY
        if predecessor := fields.get("predecessor"):
            names = ("log_number", "size", "last_sequence")
            data = PREDECESSOR_INFO.pack(*(int(predecessor[name]) for name in names))
            yield from self._described(PREDECESSOR if is_legacy else RECYCLABLE_PREDECESSOR, data)
        if sizes := fields.get("timestamp_sizes"):
            data = b"".join(TIMESTAMP_SIZE.pack(int(one), size) for one, size in sizes.items())
            kind = TIMESTAMP_SIZES if is_legacy else RECYCLABLE_TIMESTAMP_SIZES
            yield from self._described(kind, data)

    def _described(self, kind: int, data: bytes) -> Iterator[bytes]:
        """A metadata record, which lies within one block (RDB-024)."""
        yield from self._fill(header_size(kind, is_sync=False) + len(data))
        yield self._moved(pack(self.dialect, kind, data, self.number))

    def _left(self) -> int:
        return BLOCK_SIZE - self.position % BLOCK_SIZE

    def _fill(self, needed: int) -> Iterator[bytes]:
        """Fill the block with zeros if fewer than ``needed`` bytes of it are left."""
        if (left := self._left()) < needed:
            yield self._moved(bytes(left))

    def _moved(self, data: bytes) -> bytes:
        self.position += len(data)
        return data
