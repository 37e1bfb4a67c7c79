"""A RocksDB reader that uses the Python parser generated from ksy/rocksdb_wal.ksy.

The parser reads a physical record at a given offset. This module implements the dialects, the
survey, the checks, the decompression and the verdict. It was written from spec/rocksdb-wal.md alone
and shares no code with ``reference_impl``.
"""

from __future__ import annotations

import io
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import zstandard
from crc32c import crc32c
from kaitaistruct import KaitaiStream

from conformance.adapterkit import record
from conformance.kaitai.compile import compiled

Log = compiled("rocksdb_wal").RocksdbWal
BLOCK = 32768
NAMED = re.compile(r"([0-9]{6}|[1-9][0-9]{6,19})(?:-(?:[0-9]{3}|[1-9][0-9]{3,}))?\.log")
LOW_HALF = 0xFFFFFFFF
METADATA = {9: "compression", 10: "timestamps", 11: "timestamps", 130: "before", 131: "before"}
ROLES = {"legacy": 0, "recyclable": 4, "wal-sync": 8}
WINDOW = 128 << 20


@dataclass
class Parsed:
    """A physical record that the grammar has parsed, and whether it is valid (RDB-008)."""

    at: int
    to: int
    kind: int
    header: int
    data: bytes
    is_sound: bool
    is_crossing: bool
    is_header_cut: bool
    is_cut: bool
    number: int | None
    offset: int | None
    is_repaired: bool

    @property
    def dialect(self) -> str | None:
        """The only dialect that has this type, or None (RDB-006, RDB-012)."""
        if self.header == 19:
            return "wal-sync"
        if self.header == 11:
            return "recyclable"
        return "legacy" if self.kind in (1, 2, 3, 4, 10, 130) else None


def masked(covered: bytes) -> int:
    """Return the masked checksum (RDB-005)."""
    value = crc32c(covered)
    return ((value >> 15 | value << 17) + 0xA282EAD8) & LOW_HALF


def parse(log: bytes, at: int, is_sync: bool, own: int | None = None) -> Parsed | None:
    """Parse the physical record at an offset. Return None if fewer than seven bytes are left.

    ``own`` is the number of the log, if the number in the header may be damaged (RDB-062).
    """
    start = at // BLOCK * BLOCK
    block = log[start : start + BLOCK]
    if at - start + 7 > len(block):
        return None
    stream = KaitaiStream(io.BytesIO(block))
    stream.seek(at - start)
    found = Log.Record(at - start, is_sync, stream)
    header = found.header
    is_whole = not found.is_truncated
    covered = found.checksum_input if is_whole else b""
    is_sound = is_whole and masked(covered) == header.checksum
    number = header.log_number if header.len_header >= 11 else None
    is_repaired = False
    if is_whole and not is_sound and number is not None and own is not None:
        covered = covered[:1] + own.to_bytes(4, "little") + covered[5:]
        is_sound = is_repaired = masked(covered) == header.checksum
    return Parsed(
        at,
        at + header.len_full + header.len_data,
        header.type_code,
        header.len_full,
        found.data,
        is_sound,
        found.is_crossing_block,
        header.is_cut,
        found.is_truncated,
        own if is_repaired else number,
        header.ofs_synced if header.len_header == 19 else None,
        is_repaired,
    )


def parse_any(log: bytes, at: int, own: int | None = None) -> Parsed | None:
    """Parse a physical record of an unknown dialect: try a 19-byte header first (RDB-013)."""
    sync = parse(log, at, True, own)
    if sync is None or sync.is_sound:
        return sync
    other = parse(log, at, False, own)
    return other if other and other.is_sound else sync


def is_close(log: bytes, at: int, number: int | None) -> bool:
    """Return whether the log with this number was closed cleanly at an offset (RDB-026)."""
    found = parse(log, at, False)
    if found is None or found.header != 11 or found.is_cut or found.data:
        return False
    if any(log[at : at + 4]) or found.kind != 5:
        return False
    return number is None or found.number == (number + 1) & LOW_HALF


@dataclass
class Survey:
    """The properties of a log that the survey finds."""

    number: int | None
    known_from: int = -1
    dialect: str | None = None
    proven: int = 0
    others: list[int] = field(default_factory=list)
    mine: list[Parsed] = field(default_factory=list)
    compression: int | None = None

    def belongs(self, found: Parsed) -> bool:
        """Return whether a physical record has the number of this log or no number."""
        return found.number is None or found.number == self.number

    def own(self, at: int) -> int | None:
        """Return the number of the log, if it is known without the record at ``at`` (RDB-062)."""
        return self.number if at > self.known_from else None

    def proven_by(self, records: list[Parsed]) -> int:
        """Return the offset up to which records prove that it was written (RDB-016, RDB-017)."""
        if self.dialect == "wal-sync":
            return max((one.offset or 0 for one in records), default=0)
        if self.dialect == "recyclable":
            return max((one.to for one in records), default=0)
        return 0


def surveyed(log: bytes, known: Survey) -> Iterator[Parsed]:
    """Yield the physical records of each block before the first one that is not valid.

    If the log's number is unknown, the first record with a number determines it (RDB-014).
    """
    for start in range(0, len(log), BLOCK):
        found = parse_any(log, start, known.own(start))
        while found is not None and found.is_sound:
            if known.number is None and found.number is not None:
                known.number, known.known_from = found.number, found.at
            yield found
            if found.to >= min(start + BLOCK, len(log)):
                break
            found = parse_any(log, found.to, known.own(found.to))


def look_through(log: bytes, number: int | None) -> Survey:
    """Survey a log (RDB-012 to RDB-017), including its compression (RDB-030 and RDB-032)."""
    known = Survey(number)
    first = parse_any(log, 0, number)
    if first is not None and not first.is_sound and number is None and is_close(log, 0, None):
        known.number = (int.from_bytes(log[7:11], "little") - 1) & LOW_HALF
        known.known_from = 0
    records = list(surveyed(log, known))
    known.others = [one.at for one in records if one.at % BLOCK == 0 and not known.belongs(one)]
    mine = [one for one in records if known.belongs(one)]
    known.dialect = next((one.dialect for one in mine if one.dialect), None)
    mine = [one for one in mine if one.dialect == known.dialect]
    known.mine = mine
    known.proven = known.proven_by(mine)
    if known.dialect == "wal-sync":
        known.compression = 0
    elif first is not None and first.is_sound and known.belongs(first):
        if first.kind != 9:
            known.compression = 0
        elif len(first.data) == 4:
            known.compression = int.from_bytes(first.data, "little")
    if known.compression is None and known.dialect:
        roles = (ROLES[known.dialect] + 1, ROLES[known.dialect] + 2)
        data = next((one.data for one in mine if one.kind in roles), b"")
        known.compression = 7 if data[:4] == b"\x28\xb5\x2f\xfd" else 0
    return known


@dataclass
class Open:
    """A record whose FIRST fragment has been read, but not its LAST fragment."""

    at: int
    to: int
    data: bytearray
    fields: dict[str, Any]
    repaired: list[Parsed] = field(default_factory=list)


class Reader:
    """Reads one log in order."""

    def __init__(self, log: bytes, known: Survey, limit: int) -> None:
        self.log = log
        self.known = known
        self.limit = limit
        self.spent = 0
        self.records: list[dict[str, Any]] = []
        self.lost: list[tuple[int, int, str]] = []
        self.first: str | None = None
        self.strict_from = 0
        self.open: Open | None = None
        self.said: dict[str, Any] = {}
        self.families: set[int] = set()
        self.stopped: int | None = None
        self.gave_up = False
        self.last_fault = -1
        self.mine_at = [one.at for one in known.mine]
        self.last_whole: dict[int, int] = {}
        self.written = len(log.rstrip(b"\0"))

    # Reactions to a fault

    def is_end(self, at: int) -> bool:
        """Return whether the log may have ended at an offset (RDB-050)."""
        known = self.known
        if known.dialect == "legacy" or at < known.proven:
            return False
        if known.dialect == "recyclable":
            return self.last_own(at // BLOCK * BLOCK) <= at
        return known.dialect == "wal-sync" or any(other > at for other in known.others)

    def last_own(self, start: int) -> int:
        """Return where the last whole fragment in a block begins, or -1 (recyclable logs only).

        The fragment counts at any offset, but only if its own checksum is correct (RDB-050).
        """
        if start not in self.last_whole:
            assert self.known.number is not None
            own = re.escape(self.known.number.to_bytes(4, "little"))
            block = self.log[start : start + BLOCK]
            types = [one.start() for one in re.finditer(b"(?s)(?=[\5-\10]" + own + b")", block)]
            self.last_whole = {start: -1}
            for at in (start + one - 6 for one in reversed(types) if one >= 6):
                found = parse(self.log, at, False)
                if found is not None and found.is_sound:
                    self.last_whole = {start: at}
                    break
        return self.last_whole[start]

    def fault(self, at: int, to: int, reason: str) -> bool:
        """Report damage or the end of the log, and return whether the log has ended."""
        if self.is_end(at):
            self.end_at(at)
            return True
        self.lose(at, to, reason)
        return False

    def lose(self, at: int, to: int, reason: str) -> None:
        """Report damage that cutting a WAL-sync log may expose, and lose the open record."""
        self.last_fault = at
        self.damage(at, to, reason)
        if self.open:
            self.drop_open()

    def end_at(self, at: int) -> None:
        """Report a torn tail that begins at an offset or at the open record (RDB-050)."""
        start = self.open.at if self.open else at
        stop = min((one for one in self.known.others if one > at), default=len(self.log))
        self.open = None
        self.tear(start, stop, "torn-tail")

    def damage(self, at: int, to: int, reason: str) -> None:
        """Report a damaged range with its reason code."""
        if self.first is None:
            self.first = reason
            self.strict_from = min(at, self.open.at) if self.open else at
        self.lost.append((at, to, reason))

    def tear(self, at: int, to: int, reason: str) -> None:
        """Report a torn tail, which ends the log."""
        self.lost.append((at, to, reason))
        self.stopped = at

    def drop_open(self) -> None:
        """Report the open record as lost."""
        assert self.open is not None
        self.damage(self.open.at, self.open.to, "incomplete-record")
        self.open = None

    def interrupt(self) -> None:
        """End the open record, and report it as lost if it has data (RDB-049)."""
        if self.open and self.open.data:
            self.drop_open()
        self.open = None

    # The methods below run the checks of RDB-040 in order.

    def read(self) -> None:
        """Read the physical records in order (RDB-040)."""
        at, size = 0, len(self.log)
        while at < size and self.stopped is None:
            at = self.step(at)
        if self.open and self.lost_torn() is None:
            self.tear(self.open.at, self.open.to, "torn-record")

    def step(self, at: int) -> int:
        """Check one offset at which a physical record could start, and return the next offset."""
        known, log = self.known, self.log
        boundary = (at // BLOCK + 1) * BLOCK
        rest = min(boundary, len(log))
        width = {None: 7, "legacy": 7, "recyclable": 11, "wal-sync": 19}[known.dialect]
        if (
            known.dialect != "legacy"
            and known.number is not None
            and is_close(log, at, known.number)
        ):
            return self.other_log(at, rest, boundary)
        if boundary - at < width:
            return boundary
        found = self.parsed(at)
        if found is None or (found.is_cut and not found.is_crossing):
            return self.cut(at, found)
        if found.is_crossing:
            return self.rest_of_block(at, rest, boundary, "bad-length")
        if found.kind == 0 and found.to == at + 7:
            return self.zeros(at, rest, boundary)
        if not found.is_sound:
            return self.rest_of_block(at, rest, boundary, "checksum-mismatch")
        if known.dialect != "legacy" and not known.belongs(found):
            return self.other_log(at, rest, boundary)
        self.take(found)
        return found.to

    def parsed(self, at: int) -> Parsed | None:
        """Parse the physical record at an offset with the headers of the dialect."""
        if self.known.dialect is None:
            return parse_any(self.log, at, self.known.own(at))
        return parse(self.log, at, self.known.dialect == "wal-sync", self.known.own(at))

    def cut(self, at: int, found: Parsed | None) -> int:
        """Handle the end of the log inside a physical record (RDB-019 and RDB-041)."""
        if at >= self.written:
            self.stopped = at
            return at
        start = self.open.at if self.open else at
        self.open = None
        is_header = found is None or found.is_header_cut
        self.tear(start, len(self.log), "torn-header" if is_header else "torn-payload")
        return at

    def rest_of_block(self, at: int, rest: int, boundary: int, reason: str) -> int:
        """Report the rest of a block as lost, and return the next offset."""
        if not self.fault(at, rest, reason):
            self.gave_up = rest < boundary
        return boundary

    def other_log(self, at: int, rest: int, boundary: int) -> int:
        """Handle a record of another log or a clean close (RDB-025, RDB-026 and RDB-046)."""
        mine, index = self.mine_at, bisect_right(self.mine_at, at)
        if at < self.known.proven:
            goes_on = mine[index] if index < len(mine) and mine[index] < boundary else boundary
            self.gave_up = rest < boundary == goes_on
            self.lose(at, min(rest, goes_on), "other-log")
            return goes_on
        if self.known.dialect == "wal-sync" and index < len(mine):
            self.end_at(at)
        else:
            self.stopped = at
        return boundary

    def zeros(self, at: int, rest: int, boundary: int) -> int:
        """Handle a header of zeros (RDB-019, RDB-045 and RDB-063)."""
        if at >= self.written:
            self.stopped = at
            return boundary
        something = re.compile(rb"[^\0]").search(self.log, at)
        assert something is not None
        goes_on = something.start() // BLOCK * BLOCK
        if something.start() < boundary:
            return self.rest_of_block(at, rest, boundary, "zero-header")
        after = self.parsed(goes_on)
        moved = {"legacy": (10, 130), "recyclable": (11, 131)}.get(self.known.dialect or "", ())
        is_said = (
            after is not None
            and after.is_sound
            and after.kind in moved
            and self.known.belongs(after)
            and goes_on - at < after.to - after.at
        )
        if not is_said:
            self.fault(at, goes_on, "zero-gap")
        return goes_on

    # Sound physical records.

    def take(self, found: Parsed) -> None:
        """Run checks 9 to 12 of RDB-040 on a valid physical record."""
        role = found.kind - ROLES[found.dialect] if found.dialect else 0
        is_metadata = found.kind in METADATA and found.header != 19
        if found.dialect == self.known.dialect and 1 <= role <= 4 and not is_metadata:
            self.fragment(found, role)
        elif is_metadata and found.dialect in (None, self.known.dialect):
            if self.describes(found):
                self.interrupt()  # The earlier fault (RDB-062).
                if found.is_repaired:
                    self.bad_number(found)
            else:
                self.fault(found.at, found.to, "bad-metadata")
        elif found.kind >= 128 and not is_metadata and self.known.dialect == "legacy":
            self.interrupt()
        else:
            self.fault(found.at, found.to, "unknown-type")

    def fragment(self, found: Parsed, role: int) -> None:
        """Add a fragment to the open record (RDB-010, RDB-048 and RDB-049)."""
        if role in (1, 2):
            self.interrupt()
            fields: dict[str, Any] = {}
            if found.number is not None:
                fields["log_number"] = found.number
            if found.offset is not None:
                fields["sync_offset"] = str(found.offset)
            self.open = Open(found.at, found.to, bytearray(), fields)
        elif self.open is None:
            self.damage(found.at, found.to, "orphan-fragment")
            return
        self.open.data += found.data
        self.open.to = found.to
        if found.is_repaired:
            self.open.repaired.append(found)
        if role in (1, 4):
            self.release(self.open)
            self.open = None

    def bad_number(self, found: Parsed) -> None:
        """Report the header of a physical record that is whole except for its number (RDB-062)."""
        self.damage(found.at, found.at + found.header, "bad-number")

    def release(self, done: Open) -> None:
        """Add a whole record, after decompression."""
        payload = bytes(done.data)
        if self.known.compression == 7 and payload:
            stated = stated_size(payload)
            if stated is None:
                self.damage(done.at, done.to, "bad-compression")
                return
            if stated > self.limit or self.spent + stated > 1024 * done.to + 4 * self.limit:
                self.damage(done.at, done.to, "too-large")
                return
            self.spent += stated
            plain = decompressed(payload, stated)
            if plain is None:
                self.damage(done.at, done.to, "bad-compression")
                return
            payload = plain
        for found in done.repaired:
            self.bad_number(found)
        fields = {**done.fields, **self.said}
        self.said = {}
        self.records.append(record(payload, done.at, done.to - done.at) | fields)

    def describes(self, found: Parsed) -> bool:
        """Store metadata, and return whether they are valid (RDB-030, RDB-033, RDB-034)."""
        data = found.data
        match METADATA[found.kind]:
            case "compression":
                return found.at == 0 and len(data) == 4
            case "before":
                if len(data) != 24:
                    return False
                names = ("log_number", "size", "last_sequence")
                numbers = (int.from_bytes(data[at : at + 8], "little") for at in (0, 8, 16))
                self.said["predecessor"] = {
                    name: str(number) for name, number in zip(names, numbers, strict=True)
                }
                return True
        if not data or len(data) % 6:
            return False
        pairs = [
            (
                int.from_bytes(data[at : at + 4], "little"),
                int.from_bytes(data[at + 4 : at + 6], "little"),
            )
            for at in range(0, len(data), 6)
        ]
        families = [family for family, _ in pairs]
        if len(set(families)) < len(families) or self.families & set(families):
            return False
        if not all(size for _, size in pairs):
            return False
        self.families |= set(families)
        sizes = self.said.setdefault("timestamp_sizes", {})
        sizes |= {str(family): size for family, size in pairs}
        return True

    # The answer.

    def lost_torn(self) -> tuple[int, int, str] | None:
        """Return the torn tail, if there is one."""
        return next((one for one in self.lost if one[2].startswith("torn-")), None)

    def answer(self) -> dict[str, Any]:
        """Return the answer in the profile ``recover`` (RDB-054 and RDB-056)."""
        torn = self.lost_torn()
        end: int | None = len(self.log) if self.stopped is None else self.stopped
        if (self.gave_up and not torn) or self.is_exposed(end):
            end = None
        return {
            "verdict": "damaged" if self.first else "torn" if torn else "intact",
            "reason": self.first or (torn[2] if torn else None),
            "records": self.records,
            "lost": [
                {"from": at, "to": to, "reason": reason} for at, to, reason in sorted(self.lost)
            ],
            "end": end,
        }

    def is_exposed(self, end: int) -> bool:
        """Return whether damage is unproven after cutting a WAL-sync log at ``end`` (RDB-056)."""
        known = self.known
        if known.dialect != "wal-sync" or self.last_fault < 0:
            return False
        return known.proven_by([one for one in known.mine if one.to <= end]) <= self.last_fault

    def strict_answer(self) -> dict[str, Any]:
        """Return the answer in the profile ``strict`` (RDB-055)."""
        answer = self.answer()
        if self.first is None:
            return answer
        start = self.strict_from
        return {
            "verdict": "damaged",
            "reason": self.first,
            "records": [one for one in self.records if one["at"] + one["size"] <= start],
            "lost": [{"from": start, "to": len(self.log), "reason": self.first}],
            "end": None,
        }


def stated_size(data: bytes) -> int | None:
    """Return the content size of a frame, or None if RDB-036 does not allow the frame."""
    if data[:4] != b"\x28\xb5\x2f\xfd":
        return None
    try:
        about = zstandard.get_frame_parameters(data)
    except zstandard.ZstdError:
        return None
    # If the frame does not state its content size, the library returns the largest number.
    is_stated = data[4] & 0xE0 and about.content_size > 0
    return (
        about.content_size
        if is_stated and not about.dict_id and about.window_size <= WINDOW
        else None
    )


def are_blocks_allowed(data: bytes) -> bool:
    """Return whether a frame allows the size of each of its blocks (RDB-036, RFC 8878)."""
    largest = min(128 << 10, zstandard.get_frame_parameters(data).window_size)
    at = zstandard.frame_header_size(data)
    while at + 3 <= len(data):
        word = int.from_bytes(data[at : at + 3], "little")
        if word >> 3 > largest or (word & 6 == 4 and word >> 3 == 0):
            return False
        if word & 1:
            return True
        at += 4 if word & 6 == 2 else 3 + (word >> 3)
    return False


def decompressed(data: bytes, size: int) -> bytes | None:
    """Return the content of one whole frame, or None if the frame is invalid."""
    if not are_blocks_allowed(data):
        return None
    decoder = zstandard.ZstdDecompressor(max_window_size=WINDOW).decompressobj()
    plain = bytearray()
    try:
        for at in range(0, len(data), 1024):
            if decoder.eof:
                return None
            plain += decoder.decompress(data[at : at + 1024])
            if len(plain) > size:
                return None
    except zstandard.ZstdError:
        return None
    is_whole = decoder.eof and not decoder.unused_data and len(plain) == size
    return bytes(plain) if is_whole else None


def read(path: Path, request: dict[str, Any]) -> dict[str, Any]:
    """Return the answer for one log."""
    log = path.read_bytes()
    context = request.get("context") or {}
    number = context.get("log_number")
    if number is None and (named := NAMED.fullmatch(path.name)) and int(named[1]) < 1 << 64:
        number = int(named[1])
    known = look_through(log, None if number is None else number & LOW_HALF)
    if known.compression not in (None, 0, 7):
        refused = {"verdict": "refused", "reason": "unsupported-compression"}
        return {**refused, "records": [], "lost": [], "end": None}
    reader = Reader(log, known, context.get("max_record_size", 1 << 26))
    reader.read()
    return reader.strict_answer() if request["profile"] == "strict" else reader.answer()
