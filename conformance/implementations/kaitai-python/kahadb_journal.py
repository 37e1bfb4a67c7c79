"""A KahaDB reader that uses the Python parser generated from ksy/kahadb_journal.ksy.

The parser parses the structure. This module implements the checks and the resynchronisation. It was
written from spec/kahadb-journal.md alone and shares no code with ``reference_impl``. It keeps
each file in memory and is not optimised.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import kahadb_commands
from kaitaistruct import BytesIO, KaitaiStream

from conformance.adapterkit import record
from conformance.kaitai.compile import compiled

KahadbJournal = compiled("kahadb_journal").KahadbJournal
EOF = b"-qMa4"
HEADER = bytes.fromhex("0000001c02") + b"WRITE BATCH"
# A torn header consists of the first one to fifteen bytes of a header. If it is shorter than an EOF
# record, the rest of an old EOF record may follow (KDB-030).
TORN_HEADERS = {HEADER[:n] for n in range(1, 16)} | {HEADER[:n] + EOF[n:] for n in range(1, 5)}
TORN_EOFS = {EOF[:n] for n in range(1, 5)}
LARGEST = 2147483614
NAME = re.compile(r"db-([+-]?[0-9]+)\.log")


@dataclass(frozen=True)
class Batch:
    """A parsed control record. The records of the batch are parsed only on demand."""

    ofs_batch: int
    control: Any
    io: KaitaiStream

    @property
    def parsed(self) -> Any:
        """Return the whole parsed batch."""
        self.io.seek(self.ofs_batch)
        return KahadbJournal.Batch(self.ofs_batch, self.io)


class DataFile:
    """One data file with its records and lost ranges."""

    def __init__(self, path: Path, name: str | None) -> None:
        self.data = path.read_bytes()
        self.size = len(self.data)
        self.name = name
        self.io = KaitaiStream(BytesIO(self.data))
        self.records: list[dict[str, Any]] = []
        self.lost: list[dict[str, Any]] = []
        self.end: int | None = 0
        self.unsettled = -1  # the largest unsettled offset (KDB-051)
        self.trails: dict[int, tuple[int, bool]] = {}
        # Caches the start and result of the last search for each value of ``or_proven``.
        self.searched = {True: (0, -1), False: (0, -1)}
        self.fill = self.size
        while self.fill:  # KDB-013
            if self.data[self.fill - 1] == 0:
                self.fill -= 1
            elif self.data.endswith(EOF, 0, self.fill):
                self.fill -= 5
            else:
                break

    @property
    def is_sibling(self) -> bool:
        """Return whether the file is of a sibling format (KDB-055)."""
        d = self.data
        hawt = d[:5] == HEADER[:5] and d[9:20] == b"WRITE BATCH"
        old = self.size >= 21 and d[4:9] == bytes.fromhex("0000001502")
        return d[:4] == b"J.IO" or hawt or old

    def batch(self, at: int) -> Batch | None:
        """Return the batch at an offset, or None if no control record fits there."""
        if at + 28 > self.size:
            return None
        self.io.seek(at)
        return Batch(at, KahadbJournal.ControlRecord(self.io), self.io)

    def is_fill(self, at: int) -> bool:
        """Return whether only preallocated space follows (KDB-013)."""
        rest = self.data[at : self.fill]
        if at < self.fill:
            return len(rest) < 5 and EOF.endswith(rest)
        return at >= self.size or self.data[at] == 0 or self.data.startswith(EOF, at)

    def is_marked(self, at: int) -> bool:
        """Return whether a header or an EOF record is at an offset (KDB-031)."""
        return self.data.startswith((HEADER, EOF), at)

    def in_step(self, at: int) -> bool:
        """Return whether an offset is in step (KDB-031)."""
        if at > self.size:
            return False
        marked = at < self.fill and self.is_marked(at)
        return marked or self.is_fill(at) or self.torn_piece(at) is not None

    def torn_piece(self, at: int) -> str | None:
        """Return the code if the content ends inside a header or EOF record (checks 3 and 4)."""
        written = self.data[at : max(at, self.fill)]
        if written in TORN_EOFS:
            return "torn-eof"
        return "torn-header" if written in TORN_HEADERS else None

    def claimed_end(self, batch: Any) -> int | None:
        """Return the end of a batch according to its size, or None for a bad size (KDB-035)."""
        if batch is None or not 0 <= batch.control.len_records <= LARGEST:
            return None
        return int(batch.ofs_batch) + 28 + int(batch.control.len_records)

    def sum_holds(self, batch: Any, end: int | None) -> bool:
        """Return whether the stored checksum matches the bytes up to ``end`` (KDB-007, KDB-008)."""
        if batch is None or end is None or end > self.size or batch.control.checksum <= 0:
            return False
        return zlib.adler32(self.data[batch.ofs_batch + 28 : end]) == batch.control.checksum

    def fills_exactly(self, batch: Any) -> bool:
        """Return whether the records of an unchecked batch fill the batch exactly (KDB-037)."""
        if batch.control.len_records == 0:
            return True
        if batch.control.len_records < 5:
            return False
        parsed = batch.parsed
        return not parsed.leftover and all(
            record.header.len_record >= 5
            and not record.is_truncated
            and not self.data.startswith(HEADER, record.ofs_record)
            for record in parsed.records
        )

    # KDB-030

    def fault(self, at: int) -> str | None:
        """Return the reason code of an invalid batch at an offset, or None for a valid batch."""
        batch = self.batch(at)
        if batch is None or not self.data.startswith(HEADER, at):
            return "bad-header"
        end, checksum = self.claimed_end(batch), batch.control.checksum
        if end is None or end > self.size:
            return "bad-size"
        if batch.control.len_records == 0 and checksum <= 1:
            return None if self.in_step(end) else "bad-size"
        if checksum > 0:
            return None if self.sum_holds(batch, end) else "checksum-mismatch"
        if not self.in_step(end) and self.covers(at, end):
            return "bad-size"
        return None if self.fills_exactly(batch) else "bad-record"

    def unfinished(self, end: int) -> bool:
        """Return whether fill begins before ``end`` and the byte at ``end`` is zero (KDB-042)."""
        return self.fill < end < self.size and self.data[end] == 0

    def torn_head(self, at: int) -> tuple[int, str] | None:
        """Return the end and the code of an unfinished record, or None (KDB-041, KDB-043)."""
        if code := self.torn_piece(at):
            return self.fill, code
        if self.data.startswith(HEADER, at) and at + 28 > self.size:
            return self.size, "torn-header"
        if not self.data.startswith(HEADER + bytes(4), at) or not self.unfinished(at + 28):
            return None
        batch = self.batch(at)
        return (at + 28, "torn-header") if batch and batch.control.checksum <= 0 else None

    # KDB-044 to KDB-047

    def trail(self, at: int) -> tuple[int, bool]:
        """Return where the records after ``at`` end or stop, and whether they end (KDB-045)."""
        at += 28
        if self.data.startswith(HEADER, at):
            return at, True
        passed: list[int] = []
        trail = self.trails.get(at)
        while trail is None:
            head = self.data[at : at + 5]
            size = int.from_bytes(head[:4], "big", signed=True)
            if len(head) < 5 or size < 5 or head[4] != 1:
                trail = at, False
                break
            passed.append(at)
            at += size
            trail = (at, True) if self.in_step(at) else self.trails.get(at)
        self.trails.update(dict.fromkeys(passed, trail))  # KDB-053
        return trail

    def chain(self, at: int, limit: int) -> int | None:
        """Return the end of the chain up to ``limit`` (KDB-045)."""
        end, ended = self.trail(at)
        if end == at + 28 == limit:  # a header at ``limit`` is not a chain
            return None
        return end if ended and end <= limit else None

    def search(self, at: int, limit: int, or_proven: bool = False) -> int | None:
        """Return the next plausible or proven batch that begins in ``[at, limit)`` (KDB-046)."""
        start, offset = self.searched[or_proven]
        if not start <= at <= offset:
            offset = at
            while (offset := self.data.find(HEADER, offset)) >= 0 and not (
                self.is_plausible(offset) or (or_proven and self.is_proven(offset))
            ):
                offset += 1
            offset = self.size if offset < 0 else offset
            self.searched[or_proven] = at, offset
        return offset if offset < min(limit, self.size) else None

    def covers(self, at: int, end: int) -> bool:
        """Return whether an unchecked batch covers a plausible batch (check 11).

        If it does, note the unsettled offsets of the batches inside (KDB-051).
        """
        inner: int | None = at + 28
        is_covering, largest = False, 0
        while (inner := self.search(inner, end)) is not None:
            inner_end = self.claimed_end(self.batch(inner))
            assert inner_end is not None
            is_covering |= inner_end > end or self.is_fill(inner_end)
            largest = max(largest, inner_end)
            inner += 1
        if is_covering:
            self.unsettle(largest - 1)
        return is_covering

    def is_plausible(self, at: int) -> bool:
        """Return whether the batch of a header is plausible (KDB-046)."""
        end = self.claimed_end(self.batch(at))
        if end is None or not self.in_step(end):
            return False
        return self.is_marked(end) or self.is_confirmed(at)

    def is_confirmed(self, at: int) -> bool:
        """Return whether the checksum or the records of a batch lead to its end (KDB-046)."""
        batch = self.batch(at)
        end = self.claimed_end(batch)
        if end is None or batch is None:
            return False
        if batch.control.checksum > 0:
            return self.sum_holds(batch, end)
        return end == at + 28 or self.chain(at, end) == end

    def is_proven(self, at: int) -> bool:
        """Return whether the batch of a header is proven (KDB-046)."""
        batch = self.batch(at)
        end = self.claimed_end(batch)
        return end != at + 28 and self.sum_holds(batch, end)

    def go_on(self, at: int, fault: str) -> tuple[int | None, int, str]:
        """Return the resume offset (or None), the end of the lost range, and its reason code."""
        batch = self.batch(at)
        end = self.claimed_end(batch)
        if fault == "bad-header":
            place = self.chain(at, self.size)  # A1
        elif end is not None and end <= self.size and self.in_step(end):
            return self.go_on_before(at, end, fault)
        else:
            place = self.chain(at, self.size)  # C1
            if place is not None and end is not None and not self.sum_holds(batch, place):
                if end > self.size and not self.is_marked(place):
                    place = None
                else:
                    self.unsettle(place)
        if place is None:  # A2, C2
            place = self.search(at + 1, self.size, or_proven=True)
            if place is not None:
                self.searched_past(at, place)
                self.unsettle(self.trail(at)[0])
        if place is None and fault != "bad-header" and end is not None and end > self.size:
            return None, self.size, "torn-batch"  # C3
        rest = self.fill if self.fill > at else self.size
        stop = rest if place is None else place
        if fault == "bad-header" and not any(self.data[at:stop]):
            fault = "zero-gap"  # KDB-040
        return place, stop, fault

    def go_on_before(self, at: int, end: int, fault: str) -> tuple[int | None, int, str]:
        """Apply lines B1 to B4 of the chapter to a batch that ends in step."""
        place = self.chain(at, end)
        if place is not None and place < end:
            proof = self.sum_holds(self.batch(at), place)
            if proof or self.is_marked(place):
                if not proof:
                    self.unsettle(place)
                return place, place, fault
        inner = self.search(at + 1, end)
        if inner is not None and not self.is_marked(end) and place != end:
            self.searched_past(at, inner)
            self.unsettle(self.trail(at)[0])
            return inner, inner, fault
        if self.unfinished(end):
            if inner is not None:
                self.unsettle(at)
            return None, end, "torn-batch"
        if inner is not None and place != end:
            self.unsettle(end)
        return end, end, fault

    # KDB-051

    def unsettle(self, offset: int) -> None:
        """Note an unsettled offset."""
        self.unsettled = max(self.unsettled, offset)

    def searched_past(self, at: int, place: int) -> None:
        """Note the unsettled offsets of a search that led from ``at`` to ``place``."""
        if self.is_plausible(place) and not self.is_confirmed(place):
            self.unsettle(self.claimed_end(self.batch(place)) or 0)
        self.unsettle_headers(at, place)

    def unsettle_headers(self, at: int, to: int) -> None:
        """Note the end of each batch, as its header in ``[at, to)`` states it, as unsettled."""
        while 0 <= (at := self.data.find(HEADER, at)) < to:
            self.unsettle(self.claimed_end(self.batch(at)) or 0)
            at += 1

    # Reading

    def lose(self, at: int, to: int, code: str) -> None:
        """Report ``[at, to)`` as lost."""
        location = {"file": self.name} if self.name else {}
        self.lost.append({**location, "from": at, "to": to, "reason": code})

    def take(self, batch: Any) -> None:
        """Add the records of a valid batch."""
        location = {"file": self.name} if self.name else {}
        end = self.claimed_end(batch)
        assert end is not None
        parsed = batch.parsed
        for stored in parsed.records if batch.control.len_records >= 5 else ():
            at, size = stored.ofs_record, stored.header.len_record
            if size < 5 or stored.is_truncated:
                self.lose(at, end, "bad-record")
                return
            if stored.header.type != KahadbJournal.RecordType.user:
                self.lose(at, at + size, "unknown-type")
                continue
            fields = {"type": 1, "batch": int(batch.ofs_batch)}
            command = kahadb_commands.fields(stored.payload)
            self.records.append(
                {**location, **record(stored.payload, at, size), **fields, **command}
            )
        if parsed.leftover:
            self.lose(end - len(parsed.leftover), end, "bad-record")

    def read(self) -> DataFile:
        """Read the whole file."""
        at = 0
        self.end = None
        while not self.is_fill(at):
            if self.data.startswith(EOF, at):
                if self.data.startswith(HEADER, at + 5):
                    place: int | None = at + 5
                elif (place := self.search(at + 5, self.size)) is not None:
                    self.searched_past(at, place)
                if place is None:
                    break
                self.lose(at, place, "early-eof")
                at = place
                continue
            if torn := self.torn_head(at):
                self.lose(at, *torn)
                break
            fault = self.fault(at)
            batch = self.batch(at)
            if fault == "bad-header" and self.sum_holds(batch, self.claimed_end(batch)):
                self.lose(at, at + 16, "bad-header" if any(self.data[at : at + 16]) else "zero-gap")
                fault = None  # KDB-034
            if fault is None:
                self.take(batch)
                end = self.claimed_end(batch)
                assert batch is not None and end is not None
                if batch.control.checksum <= 0 and not self.in_step(end):
                    self.unsettle_headers(at + 28, end)
                at = end
                continue
            place, stop, code = self.go_on(at, fault)
            self.lose(at, stop, code)
            if place is None:
                if code != "torn-batch":
                    return self
                break
            at = place
        if self.unsettled < at:
            self.end = at
        return self


def journal(path: Path) -> tuple[list[DataFile], list[DataFile]]:
    """Return the data files in order, and those with a repeated number (KDB-002 to KDB-004)."""
    if not path.is_dir():
        return [DataFile(path, None)], []
    numbers: dict[int, list[str]] = {}
    for file in path.iterdir():
        match = NAME.fullmatch(file.name)
        is_used = match and file.is_file() and file.stat().st_size
        if match and is_used and -(2**31) <= int(match[1]) < 2**31:
            numbers.setdefault(int(match[1]), []).append(file.name)
    chosen, doubles = [], []
    for number, names in sorted(numbers.items()):
        names.sort(key=lambda name: (len(name), name))
        plain = f"db-{number}.log"
        first = plain if plain in names else names[0]
        chosen.append(DataFile(path / first, first))
        doubles += [DataFile(path / name, name) for name in names if name != first]
    return chosen, doubles


def number(file: DataFile) -> int | None:
    """Return the number that the name of a data file contains."""
    match = NAME.fullmatch(file.name or "")
    return int(match[1]) if match else None


def read(path: Path, request: dict[str, Any]) -> dict[str, Any]:
    """Return the answer for one data file or directory."""
    files, doubles = journal(path)
    nothing = {"records": [], "lost": [], "end": None}
    if files and all(file.is_sibling for file in files):
        return {"verdict": "refused", "reason": "foreign-journal", **nothing}
    used = [file for file in files if file.fill]
    last = used[-1] if used else files[0] if files else None
    damage: list[str] = []
    torn: list[str] = []
    for file in files:
        if file.is_sibling:
            file.lose(0, file.size, "foreign-journal")
            file.end = None
        else:
            file.read()
        for gap in file.lost:
            is_torn = gap["reason"].startswith("torn-") and files.index(file) >= files.index(last)
            (torn if is_torn else damage).append(gap["reason"])
        if damage and request["profile"] == "strict":
            return strict(files, doubles, file, damage[0])
    for file in doubles:
        file.lose(0, file.size, "duplicate-id")
        damage.append("duplicate-id")
    if doubles and request["profile"] == "strict":
        first = doubles[0]
        first.records = []
        return strict([*files, *doubles], [], first, damage[0])
    end: Any = last.end if last else 0
    if end == 0 and last and any(number(file) == number(last) for file in doubles):
        end = None  # if this file were empty, readers would use its duplicate (KDB-051)
    if path.is_dir() and end is not None:
        end = {"file": last.name if last else "db-1.log", "at": end}
    return {
        "verdict": "damaged" if damage else "torn" if torn else "intact",
        "reason": next(iter(damage + torn), None),
        "records": [record for file in files for record in file.records],
        "lost": [gap for file in files + doubles for gap in file.lost],
        "end": end,
    }


def strict(
    files: list[DataFile], doubles: list[DataFile], damaged: DataFile, code: str
) -> dict[str, Any]:
    """Report everything from the first damage, which is in ``damaged``, as lost (KDB-052)."""
    number = files.index(damaged)
    start = next(gap["from"] for gap in damaged.lost if gap["reason"] == code)
    records = [record for file in files[:number] for record in file.records]
    records += [record for record in damaged.records if record["at"] < start]
    damaged.lost = []
    damaged.lose(start, damaged.size, code)
    for file in [*files[number + 1 :], *doubles]:
        file.lost = []
        file.lose(0, file.size, code)
    lost = [gap for file in [*files, *doubles] for gap in file.lost]
    return {"verdict": "damaged", "reason": code, "records": records, "lost": lost, "end": None}
