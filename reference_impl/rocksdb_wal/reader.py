"""The reader of RocksDB write-ahead logs, described by spec/rocksdb-wal.md.

Upstream: facebook/rocksdb ``db/log_reader.cc``, cockroachdb/pebble ``record/record.go``.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO

from reference_impl.answer import End, Event, Lost, ReasonCode, Record, Verdict
from reference_impl.leveldb_log.dialects import (
    COMPRESSION,
    PREDECESSOR,
    RECYCLABLE_PREDECESSOR,
    header_size,
    is_foreign,
)
from reference_impl.leveldb_log.layout import (
    BLOCK_SIZE,
    HEADER,
    HEADER_SIZE,
    all_zero,
    read_block,
)
from reference_impl.rocksdb_wal.compression import Decompressor
from reference_impl.rocksdb_wal.layout import (
    FIRST,
    FULL,
    HEADER_SIZES,
    IGNORABLE,
    LAST,
    LEGACY,
    NO_COMPRESSION,
    PREDECESSOR_INFO,
    PREDECESSOR_NAMES,
    TIMESTAMP_SIZE,
    WAL_SYNC,
    ZERO,
    ZSTD,
    Physical,
    any_physical,
    is_clean_close,
    is_well_formed,
    last_record,
    physical,
)
from reference_impl.rocksdb_wal.survey import Survey, number_of, survey
from reference_impl.zstd_frame import MAX_RECORD_SIZE, BadCompression, TooLarge

#: Each metadata record type has its own requirement. RDB-033 covers the types not listed.
_REQUIREMENTS = {
    COMPRESSION: "RDB-030",
    PREDECESSOR: "RDB-034",
    RECYCLABLE_PREDECESSOR: "RDB-034",
}


@dataclass(slots=True)
class OpenRecord:
    """A record whose FIRST fragment has been read and whose LAST fragment has not."""

    at: int
    end: int
    #: The fields that the header of the FIRST fragment states.
    fields: dict[str, Any]
    #: The content of the fragments read so far.
    data: bytearray = field(default_factory=bytearray)
    #: One lost range for each fragment header with a damaged log number (RDB-062).
    bad_numbers: list[Lost] = field(default_factory=list)


class Scan:
    """A pass over a log in the ``recover`` profile, in bounded memory (RDB-060)."""

    def __init__(self, found: Survey, max_record_size: int = MAX_RECORD_SIZE) -> None:
        self.found = found
        self.header_size = HEADER_SIZES[found.dialect or LEGACY]
        #: The number of bytes read so far.
        self.size = 0
        self.open: OpenRecord | None = None
        self.announced: dict[str, Any] = {}
        self.timestamp_sizes: set[int] = set()
        self.zeros_from: int | None = None
        self.torn: Lost | None = None
        self.first_damage: str | None = None
        self.end: int | None = None
        self.has_ended = False
        self.tail_from: int | None = None
        self.tail_to: int | None = None
        self.tail_code: str
        #: The offset of the last damage. The log would end there if the proven offset were lower.
        self.last_fault: int | None = None
        self.in_step = True
        self.decompressor = Decompressor(max_record_size)

    def events(self, log: BinaryIO) -> Iterator[Event]:
        """Yield the records and lost ranges of a log from its start, then the end."""
        while not self.is_refused and (block := read_block(log)):
            yield from self.next_block(block)
        yield from self.end_of_log(lambda size: survey(log, self.found.number_at(0), size))

    @property
    def is_refused(self) -> bool:
        """Return whether the log uses an unsupported compression (RDB-031)."""
        return self.found.compression not in (None, NO_COMPRESSION, ZSTD)

    def next_block(self, block: bytes) -> Iterator[Event]:
        """Read the next block, and yield the records and lost ranges that it completes."""
        base = self.size
        self.size += len(block)
        for event in self._block(block, base):
            if isinstance(event, Lost) and not self.first_damage:
                self.first_damage = event.reason
            yield event

    def _block(self, block: bytes, base: int) -> Iterator[Event]:
        """Yield the records and lost ranges of the block at offset ``base`` of the log."""
        if self.zeros_from is not None:
            if all_zero(block):
                return
            yield from self._zeros_were_a_gap(block, base)
        if self.has_ended:
            self._look_for_other_log(block, base)
        pos = 0
        while not self.has_ended and pos < len(block):
            at, left = base + pos, BLOCK_SIZE - pos
            number = self.found.number_at(at)
            if self._is_clean_close(block, pos):
                pos = yield from self._other_log(at, block, base)
                continue
            if left < self.header_size:
                return  # the trailer (RDB-004)
            if len(block) - pos < HEADER_SIZE:
                self._cut(at, block, pos, "torn-header")
                return
            _, length, kind = HEADER.unpack_from(block, pos)
            data_from = pos + header_size(kind, self._is_sync(block, pos, number))
            if data_from + length > BLOCK_SIZE:
                yield from self._rest_lost(at, block, base, "bad-length")  # RDB-043
                return
            if data_from > len(block):
                self._cut(at, block, pos, "torn-header")
                return
            if data_from + length > len(block):
                self._cut(at, block, pos, "torn-payload")
                return
            if kind == ZERO and length == 0:
                if all_zero(block[pos:]):
                    self.zeros_from = at
                else:
                    yield from self._rest_lost(at, block, base, "zero-header")  # RDB-045
                return
            record = self._sound(block, pos, number)
            if record is None:
                yield from self._rest_lost(at, block, base, "checksum-mismatch")  # RDB-044
                return
            if self.found.is_numbered and self.found.is_other(record):
                pos = yield from self._other_log(at, block, base)
                continue
            yield from self._physical(record, block, base)
            pos = record.end

    def _is_sync(self, block: bytes, pos: int, number: int | None) -> bool:
        """Return whether types 9 to 12 have a 19-byte header here (RDB-006, RDB-013)."""
        if self.found.dialect is None:
            return physical(block, pos, False, number) is None
        return self.found.dialect == WAL_SYNC

    def _sound(self, block: bytes, pos: int, number: int | None) -> Physical | None:
        if self.found.dialect is None:
            return any_physical(block, pos, number)
        return physical(block, pos, self.found.dialect == WAL_SYNC, number)

    def _is_clean_close(self, block: bytes, pos: int) -> bool:
        """Return whether Pebble's trailer for a closed log is at this position (RDB-026)."""
        number = self.found.number
        return (
            number is not None
            and self.found.dialect != LEGACY
            and is_clean_close(block, pos, number)
        )

    def _physical(self, record: Physical, block: bytes, base: int) -> Iterator[Event]:
        """Process a valid physical record that belongs to this log."""
        at, end, dialect = base + record.at, base + record.end, self.found.dialect
        if record.is_fragment and record.dialect == dialect:
            yield from self._fragment(record, at, end)
        elif record.is_metadata and record.dialect in (None, dialect):
            yield from self._metadata(record, block, base)
        elif record.kind & IGNORABLE and not record.is_metadata and dialect == LEGACY:
            yield from self._interrupt_open_record()  # RDB-011
        else:
            yield from self._lose(at, end, block, base, "unknown-type")  # RDB-047

    def _fragment(self, record: Physical, at: int, end: int) -> Iterator[Event]:
        if record.kind in (FULL, FIRST):
            yield from self._interrupt_open_record()  # RDB-049
            fields: dict[str, Any] = {}
            if record.number is not None:
                fields["log_number"] = record.number
            if record.sync_offset is not None:
                fields["sync_offset"] = str(record.sync_offset)
            self.open = OpenRecord(at, end, fields, bytearray(record.data))
        elif self.open is None:
            yield Lost(at, end, "orphan-fragment")  # RDB-048
            return
        else:
            self.open.data += record.data
            self.open.end = end
        if record.has_bad_number:
            self.open.bad_numbers.append(_bad_number(record, at))
        if record.kind in (FULL, LAST):
            whole = self._whole(self.open)
            if isinstance(whole, Record):
                yield from self.open.bad_numbers
            yield whole
            self.open = None

    def _whole(self, done: OpenRecord) -> Event:
        """Return a complete record, or a lost range if its data cannot be decompressed."""
        payload = bytes(done.data)
        if self.found.compression == ZSTD:
            try:
                payload = self.decompressor.decompress(payload, done.end)
            except BadCompression:
                return Lost(done.at, done.end, "bad-compression")  # RDB-036
            except TooLarge as error:
                return Lost(done.at, done.end, ReasonCode("too-large", str(error)))
        fields = dict(done.fields)  # This copy keeps the order of the register.
        for name in ("timestamp_sizes", "predecessor"):
            if name in self.announced:
                fields[name] = self.announced[name]
        self.announced = {}
        return Record(done.at, done.end - done.at, payload, fields)

    def _metadata(self, record: Physical, block: bytes, base: int) -> Iterator[Event]:
        """Process a record of metadata about the log (RDB-030 to RDB-034)."""
        at = base + record.at
        if is_well_formed(record) and self._apply(record, at):
            yield from self._interrupt_open_record()
            if record.has_bad_number:
                yield _bad_number(record, at)
        else:
            code = ReasonCode("bad-metadata", _REQUIREMENTS.get(record.kind, "RDB-033"))
            yield from self._lose(at, base + record.end, block, base, code)

    def _apply(self, record: Physical, at: int) -> bool:
        """Store metadata for the next record, or return False if it is not allowed here."""
        if record.kind == COMPRESSION:
            return at == 0
        if record.kind in (PREDECESSOR, RECYCLABLE_PREDECESSOR):
            values = map(str, PREDECESSOR_INFO.unpack(record.data))
            self.announced["predecessor"] = dict(zip(PREDECESSOR_NAMES, values, strict=True))
            return True
        sizes = dict(TIMESTAMP_SIZE.iter_unpack(record.data))
        is_repeated = len(sizes) * TIMESTAMP_SIZE.size < len(record.data)
        if is_repeated or 0 in sizes.values() or sizes.keys() & self.timestamp_sizes:
            return False
        self.timestamp_sizes.update(sizes)  # `|=` with a view copies the set
        announced = self.announced.setdefault("timestamp_sizes", {})
        announced |= {str(family): size for family, size in sizes.items()}
        return True

    def _rest_lost(self, at: int, block: bytes, base: int, reason: str) -> Iterator[Event]:
        """Report the rest of a block as lost, because the length cannot be trusted."""
        yield from self._lose(at, base + len(block), block, base, reason)
        # A short block ends the log, so no later block boundary exists at which to resynchronise.
        self.in_step = self.has_ended or len(block) == BLOCK_SIZE

    def _lose(self, at: int, end: int, block: bytes, base: int, reason: str) -> Iterator[Lost]:
        """Report damage, or end the log if an unfinished write explains the bytes (RDB-050)."""
        if self._may_end_at(at, block, base):
            self._end_at(at)
            self._tail(at, "RDB-050")
        else:
            self.last_fault = at
            yield Lost(at, end, reason)
            yield from self._open_record_lost()

    def _may_end_at(self, at: int, block: bytes, base: int) -> bool:
        """Return whether invalid bytes at ``at`` may be the end of the log instead of damage.

        ``base`` is the offset of ``block`` in the log.
        """
        found = self.found
        if not found.is_numbered or at < found.proven:
            return False
        if found.dialect is None:
            return found.last_other is not None
        if found.dialect == WAL_SYNC:
            return True
        assert found.number is not None
        return at < base or last_record(block, found.number) < at - base

    def _other_log(self, at: int, block: bytes, base: int) -> Generator[Event, None, int]:
        """End the log at another log's record or at Pebble's trailer, if possible (RDB-025).

        Returns the position in the block at which the reader continues (RDB-046).
        """
        if at >= self.found.proven:
            self._end_at(at)
            if self.found.last_own > at:
                self._tail(at, "RDB-025")
            return len(block)
        pos = at - base
        records = self.found.records(block, base, pos)
        # These bytes may be both a clean close and a record of this log, so skip that record.
        following = next((r.at for r in records if r.at > pos and self.found.is_own(r)), None)
        if following is None:
            yield from self._rest_lost(at, block, base, "other-log")
            return len(block)
        yield from self._lose(at, base + following, block, base, "other-log")
        return following

    def _tail(self, at: int, requirement: str) -> None:
        """Begin a torn tail at the open record's FIRST fragment or, without one, at ``at``."""
        self.tail_from = self.open.at if self.open else at
        self.tail_code = ReasonCode("torn-tail", requirement)

    def _end_at(self, at: int) -> None:
        self.has_ended = True
        self.end = at

    def _look_for_other_log(self, block: bytes, base: int) -> None:
        """Note the first block that begins with a record of another log (RDB-050)."""
        first = any_physical(block, 0, self.found.number_at(base))
        if self.tail_to is None and first is not None and self.found.is_other(first):
            self.tail_to = base

    def _interrupt_open_record(self) -> Iterator[Lost]:
        """Give up the open record, which is a loss only if it has data (RDB-049)."""
        if self.open and self.open.data:
            yield from self._open_record_lost("RDB-049")
        self.open = None

    def _open_record_lost(self, requirement: str = "RDB-051") -> Iterator[Lost]:
        if self.open is not None:
            yield Lost(self.open.at, self.open.end, ReasonCode("incomplete-record", requirement))
            self.open = None

    def _zeros_were_a_gap(self, block: bytes, base: int) -> Iterator[Event]:
        """Report zeros as lost, because the log continues after them, at ``base``."""
        assert self.zeros_from is not None
        start, self.zeros_from = self.zeros_from, None
        first = self._sound(block, 0, self.found.number_at(base))
        is_moved = (
            first is not None
            and first.is_metadata
            and first.dialect is not None
            and first.dialect == self.found.dialect
            and not self.found.is_other(first)
            and base - start < first.end
        )
        # RocksDB does not split a metadata record, but moves it to the next block (RDB-063).
        if not is_moved:
            yield from self._lose(start, base, block, base, "zero-gap")

    def _cut(self, at: int, block: bytes, pos: int, reason: str) -> None:
        """End the log inside a physical record, or note that zeros begin here."""
        if all_zero(block[pos:]):
            self.zeros_from = at
            return
        start = self.open.at if self.open else at
        self.open = None
        self.torn = Lost(start, self.size, reason, torn=True)
        self._end_at(start)

    def end_of_log(self, survey_start: Callable[[int], Survey]) -> Iterator[Event]:
        """Yield the lost range of an unfinished write, if there is one, then the end.

        ``survey_start`` surveys only the given number of bytes from the start of the log.
        """
        if self.is_refused:
            yield End("refused", "unsupported-compression", None)
            return
        end = self.size
        if self.zeros_from is not None:
            end = self.zeros_from
        elif self.end is not None:
            end = self.end
        if self.tail_from is not None:
            tail_to = self.size if self.tail_to is None else self.tail_to
            self.torn = Lost(self.tail_from, tail_to, self.tail_code, torn=True)
        elif self.open is not None:
            self.torn = Lost(self.open.at, self.open.end, "torn-record", torn=True)  # RDB-042
        if self.torn is not None:
            yield self.torn
            end = self.torn.start
        is_safe = self.in_step and not self._depends_on_bytes_from(end, survey_start)  # RDB-056
        verdict: Verdict = "damaged" if self.first_damage else "torn" if self.torn else "intact"
        reason = self.first_damage or (self.torn.reason if self.torn else None)
        yield End(verdict, reason, end if is_safe else None)

    def _depends_on_bytes_from(self, end: int, survey_start: Callable[[int], Survey]) -> bool:
        """Return whether only bytes from ``end`` on make an earlier fault count as damage."""
        if self.found.dialect != WAL_SYNC or self.last_fault is None:
            return False
        return survey_start(end).proven <= self.last_fault


def _bad_number(record: Physical, at: int) -> Lost:
    """Return the lost range for a header with a damaged log number (RDB-062)."""
    return Lost(at, at + record.end - record.at - len(record.data), "bad-number")


def read(path: Path, profile: str, context: Mapping[str, Any]) -> Iterator[Event]:
    """Read a log file, and yield its records and lost ranges, then the end.

    ``context`` may have ``log_number`` and ``max_record_size`` (in bytes). Raises ``OSError``.
    """
    with path.open("rb") as log:
        yield from read_stream(log, profile, number_of(path, context), context)


def read_stream(
    log: BinaryIO,
    profile: str = "recover",
    number: int | None = None,
    context: Mapping[str, Any] = MappingProxyType({}),
) -> Iterator[Event]:
    """Read a log from its start, and yield its records and lost ranges, then the end.

    ``log`` is a seekable binary stream. ``number`` is the low half of the log number, or None.
    Raises ``OSError``, and ``ValueError`` for an unknown profile.
    """
    if profile not in ("recover", "strict"):
        raise ValueError(f"unknown profile {profile!r}: expected 'recover' or 'strict'")
    limit = context.get("max_record_size", MAX_RECORD_SIZE)
    scan = Scan(survey(log, number), limit)
    return scan.events(log) if profile == "recover" else _stop_at_first_damage(scan, log)


def _stop_at_first_damage(scan: Scan, log: BinaryIO) -> Iterator[Event]:
    """Report the log from the first damage on as one lost range, for ``strict`` (RDB-055)."""
    for event in scan.events(log):
        if isinstance(event, Lost) and not event.torn:
            start = min(event.start, scan.open.at) if scan.open else event.start
            size = scan.size
            while block := read_block(log):
                size += len(block)
            yield Lost(start, size, event.reason)
            yield End("damaged", event.reason, None)
            return
        yield event


def recognise(path: Path) -> bool:
    """Return whether a file's first blocks and name are those of a RocksDB or Pebble log.

    Raises ``OSError``.
    """
    if path.is_dir():
        return False
    with path.open("rb") as log:
        return is_foreign(log.read(4 * BLOCK_SIZE), path.name)
