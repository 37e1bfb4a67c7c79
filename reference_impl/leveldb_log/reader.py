"""The reader of LevelDB logs, described by spec/leveldb-log.md.

Upstream authority: google/leveldb ``db/log_reader.cc``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from reference_impl.answer import End, Event, Lost, ReasonCode, Record, Verdict
from reference_impl.leveldb_log.dialects import is_foreign
from reference_impl.leveldb_log.layout import (
    BLOCK_SIZE,
    FIRST,
    FULL,
    HEADER,
    HEADER_SIZE,
    LAST,
    MIDDLE,
    ZERO,
    all_zero,
    foreign_dialect,
    is_sound,
    masked_crc,
    read_block,
)

LEVELDB_NAME = re.compile(r"\d{6,}\.log|MANIFEST-\d{6,}")


@dataclass(slots=True)
class _OpenRecord:
    """A record with a FIRST fragment and no LAST fragment yet."""

    at: int
    end: int
    data: bytearray = field(default_factory=bytearray)


class Scan:
    """A pass over a log in the ``recover`` profile, in bounded memory (LDB-041)."""

    def __init__(self, log: BinaryIO) -> None:
        self.log = log
        self.size = 0
        self.open: _OpenRecord | None = None
        self.zeros_from: int | None = None
        self.torn: Lost | None = None
        self.first_damage: str | None = None
        self.in_step = True

    def events(self) -> Iterator[Event]:
        """Yield the records and lost ranges in order, then the end."""
        while block := read_block(self.log):
            base = self.size
            self.size += len(block)
            if base == 0 and foreign_dialect(block):
                yield End("refused", "foreign-dialect", None)  # LDB-043
                return
            for event in self._block(block, base):
                if isinstance(event, Lost) and not self.first_damage:
                    self.first_damage = event.reason
                yield event
        yield from self._end_of_log()

    def _block(self, block: bytes, base: int, pos: int = 0) -> Iterator[Event]:
        """Read a block's records from ``pos`` on. The block begins at ``base`` in the log."""
        if self.zeros_from is not None and not all_zero(block):
            yield from self._zeros_were_a_gap(base)
        view = memoryview(block)
        # If a block's last bytes are too few for a header, they are a trailer (LDB-004, LDB-005).
        while pos < len(block) and BLOCK_SIZE - pos >= HEADER_SIZE:
            at = base + pos
            if len(block) - pos < HEADER_SIZE:
                if all_zero(block[pos:]):
                    self._zero_fill(at)
                else:
                    self._torn(at, base + len(block), "torn-header")  # LDB-021
                return
            checksum, length, record_type = HEADER.unpack_from(block, pos)
            data_end = pos + HEADER_SIZE + length
            if data_end > BLOCK_SIZE:  # LDB-023, LDB-024
                yield from self._rest_of_block_lost(at, block, base, "bad-length")
                return
            if data_end > len(block):
                self._torn(at, base + len(block), "torn-payload")  # LDB-022
                return
            if record_type == ZERO and length == 0:
                if all_zero(block[pos:]):
                    self._zero_fill(at)  # LDB-025
                else:
                    yield from self._rest_of_block_lost(at, block, base, "zero-header")  # LDB-026
                return
            if masked_crc(view[pos + 6 : data_end]) != checksum:
                yield from self._rest_of_block_lost(at, block, base, "checksum-mismatch")  # LDB-028
                return
            data = view[pos + HEADER_SIZE : data_end]
            yield from self._fragment(record_type, data, at, base + data_end)
            pos = data_end

    def _fragment(self, record_type: int, data: memoryview, at: int, end: int) -> Iterator[Event]:
        """Process one physical record ``[at, end)`` whose checksum matches."""
        if record_type in (FULL, FIRST):
            # An empty FIRST before a FULL or FIRST loses nothing: old writers wrote it (LDB-033).
            if self.open and self.open.data:
                yield from self._open_record_lost("LDB-032")
            self.open = None
            if record_type == FULL:
                yield Record(at, end - at, bytes(data))  # LDB-009, LDB-011
            else:
                self.open = _OpenRecord(at, end, bytearray(data))
        elif record_type in (MIDDLE, LAST):
            if self.open is None:
                yield Lost(at, end, "orphan-fragment")  # LDB-031
                return
            self.open.data += data
            self.open.end = end
            if record_type == LAST:
                yield Record(self.open.at, end - self.open.at, bytes(self.open.data))  # LDB-010
                self.open = None
        else:
            requirement = "LDB-030" if record_type == ZERO else "LDB-029"
            yield Lost(at, end, ReasonCode("unknown-type", requirement))
            yield from self._open_record_lost()

    def _rest_of_block_lost(self, at: int, block: bytes, base: int, reason: str) -> Iterator[Event]:
        """Report the rest of a block as lost, because the length cannot be trusted (LDB-037)."""
        yield Lost(at, base + len(block), reason)
        yield from self._open_record_lost()  # LDB-034
        # Only the last block is short, so no later block boundary exists at which to resynchronise
        # (LDB-039).
        self.in_step = len(block) == BLOCK_SIZE

    def _open_record_lost(self, requirement: str = "LDB-034") -> Iterator[Lost]:
        if self.open is not None:
            yield Lost(self.open.at, self.open.end, ReasonCode("incomplete-record", requirement))
            self.open = None

    def _zero_fill(self, at: int) -> None:
        if self.zeros_from is None:
            self.zeros_from = at

    def _zeros_were_a_gap(self, at: int) -> Iterator[Lost]:
        """Report zeros as lost, because the log continues after them, at ``at`` (LDB-027)."""
        assert self.zeros_from is not None
        yield Lost(self.zeros_from, at, "zero-gap")
        self.zeros_from = None
        yield from self._open_record_lost()

    def _torn(self, at: int, end: int, reason: str) -> None:
        """Note an unfinished write, which includes the fragments of a record that is still open."""
        start = self.open.at if self.open else at
        self.open = None
        self.torn = Lost(start, end, reason, torn=True)

    def _end_of_log(self) -> Iterator[Event]:
        if self.open is not None:
            self._torn(self.open.at, self.open.end, "torn-record")  # LDB-035
        end: int | None = self.size
        if self.torn is not None:
            yield self.torn
            end = self.torn.start
        elif self.zeros_from is not None:
            end = self.zeros_from
        if not self.in_step:
            end = None
        # LDB-038
        verdict: Verdict = "damaged" if self.first_damage else "torn" if self.torn else "intact"
        reason = self.first_damage or (self.torn.reason if self.torn else None)
        yield End(verdict, reason, end)


def read(path: Path, profile: str, context: Mapping[str, Any]) -> Iterator[Event]:
    """Read a log file like :func:`read_stream`. ``context`` is ignored. Raises ``OSError``."""
    with path.open("rb") as log:
        yield from read_stream(log, profile)


def recognise(path: Path) -> bool:
    """Return whether a file is a LevelDB log, by its first blocks and name. Raises ``OSError``."""
    if path.is_dir():
        return False
    with path.open("rb") as log:
        return looks_like(log.read(4 * BLOCK_SIZE), path.name)


def read_stream(log: BinaryIO, profile: str = "recover") -> Iterator[Event]:
    """Read a log from its start, and yield its records and lost ranges, then the end.

    ``log`` is a binary stream at offset 0, for example a pipe. Raises ``OSError``, and
    ``ValueError`` for an unknown profile.
    """
    if profile not in ("recover", "strict"):
        raise ValueError(f"unknown profile {profile!r}: expected 'recover' or 'strict'")
    scan = Scan(log)
    events = scan.events()
    return events if profile == "recover" else _stop_at_first_damage(scan, events)


def _stop_at_first_damage(scan: Scan, events: Iterator[Event]) -> Iterator[Event]:
    """Report the log from the first damage on as one lost range, for ``strict`` (LDB-040)."""
    for event in events:
        if isinstance(event, Lost) and not event.torn:
            start = min(event.start, scan.open.at) if scan.open else event.start
            size = scan.size
            while block := read_block(scan.log):
                size += len(block)
            yield Lost(start, size, event.reason)
            yield End("damaged", event.reason, None)
            return
        yield event


def looks_like(head: bytes, name: str) -> bool:
    """Return whether a file is a LevelDB log, given its first bytes and its name (LDB-001).

    A log of another dialect is never a LevelDB log. Any other file is one if its name is one that
    LevelDB uses, or if ``head`` contains a physical record with a valid checksum. If the bytes are
    inconclusive, the extension ``.log`` decides.
    """
    if is_foreign(head, name):
        return False
    if LEVELDB_NAME.fullmatch(name):
        return True
    for base in range(0, len(head), BLOCK_SIZE):
        if _has_record(head[base : base + BLOCK_SIZE]):
            return True
    says_nothing = len(head) < HEADER_SIZE or all_zero(head) or _is_plausible(head)
    # The ``.log`` files of KahaDB have names like db-1.log.
    return says_nothing and name.endswith(".log") and not name.startswith("db-")


def _is_plausible(head: bytes) -> bool:
    """Return whether the first header fits its block.

    Text never passes, because its seventh byte would have to be a control character.
    """
    _, length, record_type = HEADER.unpack_from(head)
    return bool(FULL <= record_type <= LAST and HEADER_SIZE + length <= BLOCK_SIZE)


def _has_record(block: bytes) -> bool:
    pos = 0
    while len(block) - pos >= HEADER_SIZE:
        if is_sound(block, pos):
            return True
        pos += HEADER_SIZE + HEADER.unpack_from(block, pos)[1]
    return False
