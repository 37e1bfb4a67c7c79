"""Damage RocksDB and Pebble logs in a sweep."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from typing import Any

from conformance.contents import Contents
from reference_impl.answer import Answer, NewRecord, Record
from reference_impl.leveldb_log.dialects import COMPRESSION, RECYCLABLE_HEADER_SIZE
from reference_impl.leveldb_log.layout import BLOCK_SIZE
from reference_impl.rocksdb_wal.layout import (
    HEADER_SIZES,
    LEGACY,
    RECYCLABLE,
    WAL_SYNC,
    ZSTD,
    any_physical,
    clean_close,
    is_clean_close,
    last_record,
    pack,
)
from reference_impl.rocksdb_wal.reader import read_stream
from reference_impl.rocksdb_wal.writer import Writer
from reference_impl.zstd_frame import MAGIC
from walproof.formats.leveldb_log.sweep import block_end
from walproof.sweep.format_sweep import FormatSweep, LogState
from walproof.sweep.history_writer import HistoryWriter

_COMPRESSION_RECORD = pack(LEGACY, COMPRESSION, ZSTD.to_bytes(4, "little"))


class RocksDBSweep(FormatSweep):
    """In this format, fragments have checksums, and a log number or a trailer may end the log."""

    appends_exactly = True
    # The log ends at a record from another log, or at Pebble's trailer.
    may_end_anywhere = True

    def free(self, contents: Contents) -> list[tuple[str, str]]:
        """Leave open the size of compressed data, which depends on the compressor."""
        assert isinstance(contents, bytes)
        is_compressed = contents.startswith(_COMPRESSION_RECORD) or MAGIC in contents
        reason = "no two compressors give the same bytes"
        return [("placement", reason), ("preallocation", reason)] if is_compressed else []

    def stored_records(
        self, files: Mapping[str, bytes], records: Sequence[Record]
    ) -> Sequence[Record]:
        """Return also the records that are hidden by a different log number or a clean close."""
        data = files[""]
        stored = {record.at: record for record in records}
        for number in _numbers(data):
            for event in read_stream(io.BytesIO(data), number=number):
                if isinstance(event, Record):
                    stored.setdefault(event.at, event)
        return [stored[at] for at in sorted(stored)]

    def may_join(self, record: Record) -> bool:
        """Return True for several fragments: nothing in a header ties a fragment to its record."""
        headers = LEGACY
        if "log_number" in record.fields:
            headers = WAL_SYNC if "sync_offset" in record.fields else RECYCLABLE
        return record.size > HEADER_SIZES[headers] + len(record.payload)

    def may_refuse(self, before: Answer, contents: Contents) -> bool:
        """Return True after an unfinished write: the writer may begin a new file."""
        assert isinstance(contents, bytes)
        goes_on = before.end is not None and before.end < len(contents)
        return before.verdict == "torn" or goes_on

    def reach(self, control: LogState, file: str, start: int, end: float) -> tuple[int, float]:
        """Damage destroys the rest of the block, or of a log that does not provably continue."""
        last = block_end(end)
        is_compressed = MAGIC in control.files[file]
        goes_on = any(record.at >= last for record in control.records)
        # In a WAL-sync log, damage can be distinguished from a torn tail only by a later sync
        # offset.
        is_proven = goes_on and not any("sync_offset" in each.fields for each in control.records)
        return start, last if is_proven and not is_compressed else math.inf

    def tears_look_damaged(self, control: LogState, answer: Answer) -> bool:
        """Return True if no earlier record contains the log number: old bytes then look damaged.

        A torn payload also looks damaged if it contains a record with the log number (RDB-050).
        """
        before = control.earlier[0].records
        numbers = {r.fields["log_number"] for r in before if "log_number" in r.fields}
        data = control.files[""]
        return not numbers or any(
            last_record(data[base : base + BLOCK_SIZE], number) >= gap.start - base
            for gap in answer.lost
            for base in (gap.start // BLOCK_SIZE * BLOCK_SIZE,)
            for number in numbers
        )

    def write_history(self, log: HistoryWriter) -> None:
        """Write logs of each dialect, in new, recycled and preallocated files."""
        chance, log.name = log.chance, "000012.log"
        headers = chance.choice((LEGACY, RECYCLABLE, RECYCLABLE, WAL_SYNC, WAL_SYNC))
        form = {"headers": headers, "compression": "none"}
        if headers != WAL_SYNC and chance.random() < 0.2:
            form["compression"] = "zstd"
        below = _old_bytes(log, headers)
        writer, data, sync_offset = Writer(12, form), b"", 0
        payloads: list[bytes] = []
        for _ in range(chance.randrange(1, 8)):
            left = BLOCK_SIZE - writer.position % BLOCK_SIZE - 2 * writer.header_size
            fills = max(0, left - chance.randrange(-30, 30))
            fields: dict[str, Any] = {}
            if headers == WAL_SYNC:
                sync_offset = chance.choice((sync_offset, writer.position))
                fields["sync_offset"] = str(sync_offset)
            payload = log.payload((chance.choice((0, 5, 40, 300, 300, fills)),))
            if payload.startswith(MAGIC):  # the payload would look compressed
                continue
            payloads.append(payload)
            data += b"".join(writer.pieces([NewRecord(payload, fields)]))
            log.put(data + below[len(data) :], payloads)
        left = BLOCK_SIZE - len(data) % BLOCK_SIZE
        if headers != LEGACY and chance.random() < 0.2 and left >= RECYCLABLE_HEADER_SIZE:
            data += clean_close(12)
            log.put(data + below[len(data) :])


def _old_bytes(log: HistoryWriter, headers: str) -> bytes:
    """Write and return what a file contains before a log is written to it."""
    size = log.chance.randrange(3 * BLOCK_SIZE)
    kind = log.chance.choice(("new", "zeros", "recycled", "recycled"))
    data = bytes(size) if kind == "zeros" else b""
    if kind == "recycled" and headers != LEGACY:
        # Recycle only whole logs, because RocksDB and Pebble begin new files after a crash.
        writer = Writer(8, {"headers": headers})
        while len(data) < size:
            data += b"".join(writer.pieces([NewRecord(log.payload((5, 40, 300, 3000, 30_000)))]))
    log.put(data, [])
    return data


def _numbers(data: bytes) -> set[int]:
    """Return the log numbers in the headers of a log, including those after a clean close."""
    numbers = set()
    for base in range(0, len(data), BLOCK_SIZE):
        block, at = data[base : base + BLOCK_SIZE], 0
        while (record := any_physical(block, at)) or is_clean_close(block, at, None):
            at = record.end if record else at + RECYCLABLE_HEADER_SIZE
            if record and record.number is not None:
                numbers.add(record.number)
    return numbers


SWEEP = RocksDBSweep()
