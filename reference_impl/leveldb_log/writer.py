"""The writer of LevelDB logs, described by spec/leveldb-log.md.

Upstream authority: google/leveldb ``db/log_writer.cc``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from reference_impl.answer import End, NewRecord
from reference_impl.leveldb_log.layout import (
    BLOCK_SIZE,
    FIRST,
    FULL,
    HEADER,
    HEADER_SIZE,
    LAST,
    MIDDLE,
    masked_crc,
)
from reference_impl.leveldb_log.reader import read_stream


def write(path: Path, records: Sequence[NewRecord], context: Mapping[str, Any]) -> None:
    """Create a log at a path that does not exist yet. Ignores ``context``. Raises ``OSError``."""
    with path.open("xb") as log:
        writer = Writer(log)
        for record in records:
            writer.append(record.payload)


def append(path: Path, records: Sequence[NewRecord], context: Mapping[str, Any]) -> None:
    """Recover a log file and append to it like :func:`append_stream`. Raises ``OSError``."""
    with path.open("r+b") as log:
        append_stream(log, (record.payload for record in records))


class Writer:
    """Appends records to a log, byte for byte as LevelDB's ``log::Writer`` does (LDB-013)."""

    def __init__(self, log: BinaryIO, length: int = 0) -> None:
        #: The log, positioned at the next byte to write.
        self.log = log
        #: The offset of the next byte to write (LDB-015).
        self.position = length

    def append(self, payload: bytes) -> None:
        """Write one record as fragments. Each fragment except the last fills its block."""
        rest = memoryview(payload)
        begin = True
        while True:
            left = BLOCK_SIZE - self.position % BLOCK_SIZE
            if left < HEADER_SIZE:
                self._write(bytes(left))  # LDB-014
                left = BLOCK_SIZE
            data = rest[: left - HEADER_SIZE]  # A fragment may be empty (LDB-012).
            rest = rest[len(data) :]
            record_type = (FULL if begin else LAST) if not rest else (FIRST if begin else MIDDLE)
            covered = bytes([record_type]) + bytes(data)
            self._write(HEADER.pack(masked_crc(covered), len(data), record_type) + bytes(data))
            begin = False
            if not rest:
                return

    def _write(self, data: bytes) -> None:
        self.log.write(data)
        self.position += len(data)


def append_stream(log: BinaryIO, payloads: Iterable[bytes]) -> None:
    """Recover a log and append to it without losing a record (LDB-016, LDB-017, LDB-018).

    ``log`` is open for reading and writing. If there are no payloads, the log is not changed.
    Raises ``ValueError`` if the log must not be appended to.
    """
    log.seek(0)
    last = deque(read_stream(log), maxlen=1).pop()
    assert isinstance(last, End)
    if last.end is None:
        raise ValueError(f"the log must not be appended to ({last.reason}): start a new file")
    log.seek(last.end)
    writer = Writer(log, last.end)
    for number, payload in enumerate(payloads):
        if not number:
            log.truncate(last.end)
        writer.append(payload)
