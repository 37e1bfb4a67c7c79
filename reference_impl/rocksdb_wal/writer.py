"""The writer of RocksDB write-ahead logs, described by spec/rocksdb-wal.md.

Upstream: facebook/rocksdb ``db/log_writer.cc``, cockroachdb/pebble ``record/log_writer.go``.
"""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from reference_impl.answer import End, NewRecord
from reference_impl.leveldb_log.dialects import (
    COMPRESSION,
    PREDECESSOR,
    RECYCLABLE_HEADER_SIZE,
    RECYCLABLE_PREDECESSOR,
    RECYCLABLE_TIMESTAMP_SIZES,
    TIMESTAMP_SIZES,
)
from reference_impl.leveldb_log.layout import BLOCK_SIZE
from reference_impl.rocksdb_wal.compression import Decompressor, compress
from reference_impl.rocksdb_wal.layout import (
    FIRST,
    FULL,
    HEADER_SIZES,
    LAST,
    LEGACY,
    MIDDLE,
    PREDECESSOR_INFO,
    PREDECESSOR_NAMES,
    RECYCLABLE,
    SYNC_OFFSET,
    TIMESTAMP_SIZE,
    WAL_SYNC,
    ZSTD,
    clean_close,
    pack,
)
from reference_impl.rocksdb_wal.reader import Scan
from reference_impl.rocksdb_wal.survey import Survey, number_of, survey
from reference_impl.zstd_frame import MAGIC, MAX_RECORD_SIZE


def write(path: Path, records: Sequence[NewRecord], context: Mapping[str, Any]) -> None:
    """Create a log at a path that does not exist yet (RDB-020 to RDB-026).

    Raises ``OSError``, and ``ValueError`` if the context or a record is invalid for the dialect.
    """
    writer = Writer(_number(path, context), context)
    writer.check(records)
    data = b"".join(writer.pieces(records))
    with path.open("xb") as log:
        log.write(data)


def append(path: Path, records: Sequence[NewRecord], context: Mapping[str, Any]) -> None:
    """Recover a log file and append to it in its own dialect (RDB-027 to RDB-029).

    If there are no records, the log is not changed. Raises ``OSError``, and ``ValueError`` if the
    log must not be appended to.
    """
    with path.open("r+b") as log:
        found = survey(log, number_of(path, context))
        scan = Scan(found, context.get("max_record_size", MAX_RECORD_SIZE))
        last = deque(scan.events(log), maxlen=1).pop()
        assert isinstance(last, End)
        if last.end is None:
            raise ValueError(f"the log must not be appended to ({last.reason}): start a new file")
        if not records:
            return
        context = {**context, **_form(found)}
        kept = survey(log, found.number, last.end)
        _check_form(kept, context, last.end, records[0])
        number = _number(path, context)
        writer = Writer(number, context, last.end, scan.timestamp_sizes, scan.decompressor)
        writer.check(records)
        data = b"".join(writer.pieces(records))
        log.seek(last.end)
        log.truncate()
        log.write(data)


def copied(path: Path, context: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the context for writing a log with the same dialect, compression and number."""
    with path.open("rb") as log:
        return {**context, **_form(survey(log, number_of(path, context)))}


def _form(found: Survey) -> dict[str, Any]:
    """Return the context keys that set a log's dialect, compression and number."""
    form = {"headers": found.dialect, "log_number": found.number}
    if found.dialect is not None or found.has_compression_record:
        form["compression"] = "zstd" if found.compression == ZSTD else "none"
    return {name: value for name, value in form.items() if value is not None}


def _check_form(found: Survey, context: Mapping[str, Any], end: int, first: NewRecord) -> None:
    """Raise ``ValueError`` if a reader would misinterpret the appended records (RDB-058)."""
    if end == 0:
        return
    if found.dialect is None and context.get("headers") == WAL_SYNC:
        raise ValueError("headers: wal-sync in a log that begins without them")
    if context.get("compression") == "zstd" and found.compression != ZSTD:
        raise ValueError("compression: zstd in a log that begins without a compression record")
    if found.compression is None and first.payload.startswith(MAGIC):
        raise ValueError("the record would look compressed (RDB-032)")


def _number(path: Path, context: Mapping[str, Any]) -> int:
    """Return the log number from the context or the file name, otherwise 1 (RDB-014)."""
    number = number_of(path, context)
    return 1 if number is None else number


class Writer:
    """Writes a log's records as RocksDB or Pebble does, starting at a position."""

    def __init__(
        self,
        number: int,
        context: Mapping[str, Any],
        position: int = 0,
        families: Collection[int] = (),
        decompressor: Decompressor | None = None,
    ) -> None:
        self.number = number
        #: The log already states the timestamp sizes of these column families.
        self.families = set(families)
        limit = context.get("max_record_size", MAX_RECORD_SIZE)
        #: The decompressor that the reader used. Its counts continue with the new records.
        self.decompressor = decompressor or Decompressor(limit)
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
        """Raise ``ValueError`` if a record has a forbidden field or value (RDB-033, RDB-057)."""
        is_sync = self.dialect == WAL_SYNC
        absent = {"timestamp_sizes", "predecessor"} if is_sync else {"sync_offset"}
        for record in records:
            if wrong := absent & record.fields.keys():
                raise ValueError(f"{min(wrong)}: the headers {self.dialect} have none")
            for name, packed in _PACKERS.items():
                try:
                    if name in record.fields:
                        packed(record.fields[name])
                except (AttributeError, KeyError, TypeError, struct.error) as error:
                    raise ValueError(f"{name}: {record.fields[name]}: {error}") from None
            for family, size in record.fields.get("timestamp_sizes", {}).items():
                if size == 0:
                    raise ValueError(f"timestamp_sizes: column family {family}: a size of 0")
                if int(family) in self.families:
                    raise ValueError(f"timestamp_sizes: the log has column family {family}")
                self.families.add(int(family))

    def pieces(self, records: Sequence[NewRecord]) -> Iterator[bytes]:
        """Yield the bytes for new records. Raises ``ValueError`` if a record is too large."""
        if self.position == 0 and self.is_compressed:
            yield self._moved(pack(LEGACY, COMPRESSION, ZSTD.to_bytes(4, "little")))  # RDB-030
        for record in records:
            yield from self._metadata(record.fields)
            yield from self._record(record)
            if self.is_compressed:
                self.decompressor.admit(len(record.payload), self.position)  # RDB-058
        if self.is_closed:
            yield from self._fill(RECYCLABLE_HEADER_SIZE)
            yield self._moved(clean_close(self.number))  # RDB-026

    def _record(self, record: NewRecord) -> Iterator[bytes]:
        """Yield the fragments of one record (RDB-021 to RDB-023)."""
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
        """Yield the chunks of a record's data, each with whether it is the last (RDB-036)."""
        data, size = payload, max(1, len(payload))
        if self.is_compressed:
            data, size = compress(payload), BLOCK_SIZE - self.header_size
        for at in range(0, max(1, len(data)), size):
            yield data[at : at + size], at + size >= len(data)

    def _metadata(self, fields: Mapping[str, Any]) -> Iterator[bytes]:
        is_legacy = self.dialect == LEGACY
        if predecessor := fields.get("predecessor"):
            data = _pack_predecessor(predecessor)
            yield from self._described(PREDECESSOR if is_legacy else RECYCLABLE_PREDECESSOR, data)
        data = _pack_timestamp_sizes(fields.get("timestamp_sizes", {}))
        kind = TIMESTAMP_SIZES if is_legacy else RECYCLABLE_TIMESTAMP_SIZES
        room = (BLOCK_SIZE - self.header_size) // TIMESTAMP_SIZE.size * TIMESTAMP_SIZE.size
        for at in range(0, len(data), room):
            yield from self._described(kind, data[at : at + room])

    def _described(self, kind: int, data: bytes) -> Iterator[bytes]:
        """Yield a metadata record, which must not be split across blocks (RDB-024)."""
        yield from self._fill(self.header_size + len(data))
        yield self._moved(pack(self.dialect, kind, data, self.number))

    def _left(self) -> int:
        return BLOCK_SIZE - self.position % BLOCK_SIZE

    def _fill(self, needed: int) -> Iterator[bytes]:
        """Fill the block with zeros if fewer than ``needed`` bytes are left in it."""
        if (left := self._left()) < needed:
            yield self._moved(bytes(left))

    def _moved(self, data: bytes) -> bytes:
        self.position += len(data)
        return data


def _pack_timestamp_sizes(sizes: Mapping[str, int]) -> bytes:
    return b"".join(TIMESTAMP_SIZE.pack(int(family), size) for family, size in sizes.items())


def _pack_predecessor(predecessor: Mapping[str, str]) -> bytes:
    return PREDECESSOR_INFO.pack(*(int(predecessor[name]) for name in PREDECESSOR_NAMES))


def _pack_sync_offset(offset: str) -> bytes:
    return SYNC_OFFSET.pack(int(offset))


_PACKERS: Mapping[str, Callable[[Any], bytes]] = {
    "predecessor": _pack_predecessor,
    "sync_offset": _pack_sync_offset,
    "timestamp_sizes": _pack_timestamp_sizes,
}
"""Encode a record's additional fields. Raise ``struct.error`` for values out of range."""
