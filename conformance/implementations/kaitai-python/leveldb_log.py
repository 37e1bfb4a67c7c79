"""A LevelDB reader that uses the Python parser generated from ksy/leveldb_log.ksy.

The parser finds the physical records. This module checks them, joins fragments and determines the
verdict. It was written from spec/leveldb-log.md alone and shares no code with ``reference_impl``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crc32c import crc32c

from conformance.adapterkit import record
from conformance.kaitai.compile import compiled

LeveldbLog = compiled("leveldb_log").LeveldbLog
RecordType = LeveldbLog.RecordType
FRAGMENTS = set(RecordType) - {RecordType.zero}
BLOCK = 32768
HEADER = 7
SOMETHING = re.compile(rb"[^\0]")


@dataclass
class Fragment:
    """A valid physical record."""

    at: int
    to: int
    type: Any
    data: bytes


@dataclass
class Damage:
    """Bytes that cannot be read. If ``out_of_step`` is true, the rest of the block is lost."""

    at: int
    to: int
    reason: str
    out_of_step: bool = True


@dataclass
class Stop:
    """The end of the log at a torn physical record or at final zeros, which have no reason."""

    at: int
    reason: str | None


def masked_crc(data: bytes) -> int:
    """Return the checksum of ``data``, masked as in a header (LDB-006, LDB-007)."""
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def is_foreign(log: bytes) -> bool:
    """Return whether the first record has a header of RocksDB or Pebble (LDB-043)."""
    if len(log) < HEADER:
        return False
    checksum, length = int.from_bytes(log[:4], "little"), int.from_bytes(log[4:6], "little")
    sizes = {
        11: log[6] in (5, 6, 7, 8, 11, 131),
        19: log[6] in (9, 10, 11, 12),
        7: (log[6], length) in ((9, 4), (130, 24)) or (log[6] == 10 and length and length % 6 == 0),
    }
    ends = [header + length for header, can_be in sizes.items() if can_be]
    return any(end <= min(len(log), BLOCK) and masked_crc(log[6:end]) == checksum for end in ends)


def physical_records(log: bytes) -> Iterator[Fragment | Damage | Stop]:
    """Yield the content of the blocks in order, checked as in LDB-020."""
    written = len(log.rstrip(b"\0"))  # only zeros follow
    gap_ends = 0
    for number, block in enumerate(LeveldbLog.from_bytes(log).blocks):
        start = number * BLOCK
        stop = min(start + BLOCK, len(log))
        if start < gap_ends:
            continue
        for physical in block.records if block.has_records else ():
            at = start + physical.ofs_record
            to = at + HEADER + len(physical.data)
            if physical.is_crossing_block:
                yield Damage(at, stop, "bad-length")
                break
            if physical.is_truncated:
                yield Stop(at, "torn-payload")
                return
            if physical.is_zero:
                if at >= written:
                    yield Stop(at, None)
                    return
                # The gap ends where the block of the next byte other than 0 begins (LDB-027).
                gap_ends = SOMETHING.search(log, at).start() // BLOCK * BLOCK
                if gap_ends > at:
                    yield Damage(at, gap_ends, "zero-gap", out_of_step=False)
                else:
                    yield Damage(at, stop, "zero-header")
                break
            if masked_crc(physical.checksum_input) != physical.header.checksum:
                yield Damage(at, stop, "checksum-mismatch")
                break
            if physical.header.type not in FRAGMENTS:
                yield Damage(at, to, "unknown-type", out_of_step=False)
            else:
                yield Fragment(at, to, physical.header.type, physical.data)
        else:
            rest = stop - len(block.trailer)
            # If a header fits into the block but not into the file, it is torn. Otherwise, the rest
            # is a trailer.
            if rest < stop and rest + HEADER <= start + BLOCK:
                yield Stop(rest, "torn-header" if rest < written else None)
                return


def is_torn(lost: dict[str, Any]) -> bool:
    """Return whether a lost range is a torn tail, which is not damage."""
    return bool(lost["reason"].startswith("torn-"))


@dataclass
class Joiner:
    """Joins fragments into records and collects lost ranges."""

    records: list[dict[str, Any]] = field(default_factory=list)
    lost: list[dict[str, Any]] = field(default_factory=list)
    open: list[Fragment] = field(default_factory=list)

    def lose(self, at: int, to: int, reason: str) -> None:
        """Report ``[at, to)`` as lost."""
        self.lost.append({"from": at, "to": to, "reason": reason})

    def drop_open(self, reason: str) -> None:
        """Report the record that is being joined as lost."""
        if self.open:
            self.lose(self.open[0].at, self.open[-1].to, reason)
        self.open = []

    def take(self, fragment: Fragment) -> None:
        """Add a fragment (LDB-009 to LDB-012 and LDB-031 to LDB-033)."""
        starts = fragment.type in (RecordType.full, RecordType.first)
        if starts and any(part.data for part in self.open):
            self.drop_open("incomplete-record")
        elif not starts and not self.open:
            self.lose(fragment.at, fragment.to, "orphan-fragment")
            return
        if starts:
            self.open = []
        self.open.append(fragment)
        if fragment.type in (RecordType.full, RecordType.last):
            at = self.open[0].at
            payload = b"".join(part.data for part in self.open)
            self.records.append(record(payload, at, fragment.to - at))
            self.open = []

    def answer(self, log: bytes, strict: bool) -> dict[str, Any]:
        """Read the whole log or, if ``strict``, the log up to the first damage."""
        end: int | None = len(log)
        for piece in physical_records(log):
            if isinstance(piece, Fragment):
                self.take(piece)
            elif isinstance(piece, Damage):
                self.lose(piece.at, piece.to, piece.reason)
                self.drop_open("incomplete-record")
                if piece.out_of_step and piece.to == len(log) and len(log) % BLOCK:
                    end = None
            else:
                end = self.open[0].at if self.open else piece.at
                if piece.reason:
                    self.lose(end, len(log), piece.reason)
                    self.open = []
            if strict and self.lost and not is_torn(self.lost[0]):
                return self.stopped(log)
        if self.open:
            end = self.open[0].at
            self.drop_open("torn-record")
        damage = [lost["reason"] for lost in self.lost if not is_torn(lost)]
        torn = [lost["reason"] for lost in self.lost if is_torn(lost)]
        return {
            "verdict": "damaged" if damage else "torn" if torn else "intact",
            "reason": next(iter(damage + torn), None),
            "records": self.records,
            "lost": sorted(self.lost, key=lambda lost: lost["from"]),
            "end": end,
        }

    def stopped(self, log: bytes) -> dict[str, Any]:
        """Return the answer of the profile strict, which stops at the first damage (LDB-040)."""
        reason = self.lost[0]["reason"]
        start = min(lost["from"] for lost in self.lost)
        return {
            "verdict": "damaged",
            "reason": reason,
            "records": [record for record in self.records if record["at"] < start],
            "lost": [{"from": start, "to": len(log), "reason": reason}],
            "end": None,
        }


def read(path: Path, request: dict[str, Any]) -> dict[str, Any]:
    """Return the answer for one log."""
    log = path.read_bytes()
    if is_foreign(log):
        refused = {"verdict": "refused", "reason": "foreign-dialect"}
        return {**refused, "records": [], "lost": [], "end": None}
    return Joiner().answer(log, request["profile"] == "strict")
