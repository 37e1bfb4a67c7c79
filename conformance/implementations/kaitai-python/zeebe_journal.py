"""A Zeebe reader that uses the Python parser generated from ksy/zeebe_segment.ksy.

The parser finds the descriptor and the records. This module implements the checks and the recovery
of a journal. It was written from spec/zeebe-journal.md alone and shares no code with
``reference_impl``.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import zeebe_raft
from crc32c import crc32c

from conformance.adapterkit import record
from conformance.kaitai.compile import compiled

ZeebeSegment = compiled("zeebe_segment").ZeebeSegment
ZeebeMeta = compiled("zeebe_meta").ZeebeMeta
# Python represents bytes of a file name that are not UTF-8 as surrogates.
SEGMENT = re.compile(r"([^\ud800-\udfff]+)-([1-9]\d{0,9})\.log")
ALWAYS_DAMAGE = ("data-header", "data-length", "index-mismatch")
REFUSED = ("unknown-version", "bad-descriptor")


#: The results of checks 7 to 9 of ZBJ-025.
BAD_DATA = {"checksum-mismatch", "data-header", "data-length"}


class Segment:
    """A parsed segment file with the fault of its descriptor."""

    def __init__(self, path: Path, file: str | None) -> None:
        self.file = file
        self.data = path.read_bytes()
        self.used = len(self.data.rstrip(b"\0"))
        self.top = ZeebeSegment.from_bytes(self.data)
        self.prepared = self.used == 0
        self.fault = None if self.prepared else self._descriptor_fault()
        self.sound = not self.prepared and self.fault is None
        about = self.top.descriptor.segment if self.sound else None
        self.index = about.index if about else None
        self.max_size = about.max_segment_size if about else 0
        # A segment without a readable descriptor has no seal, and its maximum size is the file size
        # (ZBJ-040).
        self.has_seal = bool(about and self.data[0] == 2 and about.has_seal)
        sealed = self.has_seal and about.last_index > 0 and about.last_position > 0
        self.seal = about.last_index if sealed else None
        self.seal_at = about.last_position if sealed else None
        # The bytes of invalid data messages that were tried (ZBJ-064).
        self.tried = 0

    def _descriptor_fault(self) -> str | None:
        """Return the reason code of an invalid descriptor (ZBJ-005 to ZBJ-011, ZBJ-040)."""
        size, version = len(self.data), self.data[0]
        if version not in (1, 2):
            return "unknown-version"
        at = 1
        messages = ((3, 20),) if version == 1 else ((4, 8), (3, 20))
        for template, least in messages:
            if at + 8 > size:
                return "torn-descriptor"
            block, actual, schema, _ = struct.unpack_from("<HHHH", self.data, at)
            if version == 1:
                block = least  # ZBJ-006
            if (actual, schema) != (template, 7) or block < least:
                return "bad-descriptor"
            at += 8 + block
            if at > size:
                return "torn-descriptor"
        descriptor = self.top.descriptor
        assert descriptor.is_whole and descriptor.len == at
        if version == 2 and crc32c(descriptor.checksum_input) != descriptor.metadata.checksum:
            return "descriptor-checksum"
        return None

    def lost(self, at: int, reason: str) -> dict[str, Any]:
        """Return a lost range (ZBJ-034)."""
        cut = reason in ("torn-record", "torn-descriptor")
        end = max(at, len(self.data) if cut else self.used)
        return self.gap(at, end, reason)

    def gap(self, start: int, to: int, reason: str) -> dict[str, Any]:
        """Return a lost range with the given ends."""
        location = {"file": self.file} if self.file else {}
        return location | {"from": start, "to": to, "reason": reason}

    def parse(self, at: int) -> Any:
        """Parse the record at an offset."""
        self.top._io.seek(at)
        return ZeebeSegment.Record(at, self.top._io, self.top, self.top)

    def fault_at(self, at: int) -> str | None:
        """Run checks 1 to 9 of ZBJ-025. Check 1 has an empty reason code."""
        if at >= len(self.data) or self.data[at] == 0:
            return ""
        return "unknown-frame" if self.data[at] != 1 else self.content_fault(self.parse(at))

    def content_fault(self, parsed: Any) -> str | None:
        """Run checks 3 to 9 of ZBJ-025."""
        at, size = parsed.ofs_record, len(self.data)
        room = max(size, self.max_size)
        if parsed.len_available < 21:
            return "torn-record" if size < room else "bad-length"
        header = parsed.peeked
        if (header.template_id, header.schema_id) != (1, 7) or header.len_block < 12:
            return "bad-header"
        (length,) = struct.unpack_from("<i", self.data, at + 17)
        end = at + 9 + header.len_block + length
        if length < 28 or end > room:
            return "bad-length"
        if end > size:
            return "torn-record"
        if crc32c(parsed.checksum_input) != parsed.metadata.checksum:
            return "checksum-mismatch"
        data = parsed.checksum_input
        block, template, schema, version = struct.unpack_from("<HHHH", data)
        if (template, schema) != (2, 7) or block < 16:
            return "data-header"
        room = len(data) - (8 + block + 4)
        if room < 0 or parsed.data.len_entry > room:
            return "data-length"
        if parsed.data.len_entry < room and version <= 2:
            return "data-length"
        return None

    def end_of(self, at: int) -> int | None:
        """Return the end of a faulty record, as its two lengths state it (ZBJ-064)."""
        if at + 49 > len(self.data):
            return None
        (length,) = struct.unpack_from("<I", self.data, at + 17)
        (payload,) = struct.unpack_from("<I", self.data, at + 45)
        if length < 28:
            return None
        ends = {at + 21 + length, at + 49 + payload}
        if len(ends) == 2:
            ends = {end for end in ends if self.may_begin(end)}
        return ends.pop() if len(ends) == 1 else None

    def may_begin(self, at: int) -> bool:
        """Return whether a record may begin at an offset (ZBJ-064)."""
        size = len(self.data)
        if at < size:
            return self.data[at] in (0, 1)
        return at <= max(size, self.max_size)

    def chain_at(self, at: int) -> tuple[list[int], int]:
        """Return the offsets of a chain that begins with a whole record, and its end (ZBJ-065)."""
        offsets = [at]
        parsed = self.parse(at)
        while True:
            at, index = parsed.ofs_next, parsed.data.index
            if self.fault_at(at) is not None:
                return offsets, at
            parsed = self.parse(at)
            if parsed.data.index != index + 1:
                return offsets, at
            offsets.append(at)

    def chains(self, start: int) -> Iterator[list[int]]:
        """Yield the offsets of each chain from an offset on.

        Raise OverflowError if too many bytes are in invalid data messages (ZBJ-065).
        """
        at, wrong = start, 0
        while True:
            # The metadata of a record begins with its template and schema ids, 3 bytes after the
            # start of the record.
            at = self.data.find(b"\1\0\7\0", at + 3) - 3
            if at < 0:
                return
            fault = self.fault_at(at)
            if fault is None:
                chain, at = self.chain_at(at)
                yield chain
                continue
            if fault in BAD_DATA:
                wrong += len(self.parse(at).checksum_input)
                if wrong > len(self.data):
                    raise OverflowError
            at += 1

    def wrong_bytes(self, at: int) -> int:
        """Return the length of a record's data message if it fails checks 7 to 9, otherwise 0."""
        if at >= len(self.data):
            return 0
        parsed = self.parse(at)
        return len(parsed.checksum_input) if self.content_fault(parsed) in BAD_DATA else 0


class Recovery:
    """Reads a journal segment by segment and collects losses (ZBJ-035 to ZBJ-066)."""

    def __init__(self, flushed: int | None) -> None:
        self.flushed = flushed
        self.segments: list[Segment] = []
        self.expected: int | None = None
        self.asqn = -1
        self.records: list[dict[str, Any]] = []
        self.lost: list[tuple[dict[str, Any], bool]] = []
        self.after_loss = False
        self.missing: int | None = None  # the highest index that is known to be missing
        # True if no segment was scanned after the last fault. ``damage`` is true if that fault is
        # damage.
        self.over = False
        self.damage = False
        # True if a fault at offset 0 follows the last scanned segment.
        self.front = False
        # The last scanned segment, the offset where its records end, and whether a fault ended it.
        self.last: Segment | None = None
        self.last_end = 0
        self.last_fault = False
        # True if a record of the last scanned segment was found after a fault.
        self.found = False
        # True if the bytes after the end of the last scanned segment are listed (ZBJ-060).
        self.listed = False

    def next_index(self) -> int:
        """Return e."""
        return 1 if self.expected is None else self.expected

    def promised(self) -> bool:
        """Return whether record e was acknowledged."""
        return self.flushed is not None and self.flushed >= self.next_index()

    def is_damage(self, number: int) -> bool:
        """Return whether a fault in a segment is damage (ZBJ-035)."""
        return self.promised() or any(
            segment.sound and (self.expected is None or segment.index >= self.expected)
            for segment in self.segments[number + 1 :]
        )

    def following(self, number: int) -> int | None:
        """Return the index of the next segment, if it can be read."""
        later = self.segments[number + 1 : number + 2]
        return later[0].index if later and later[0].sound else None

    def known(self, number: int) -> tuple[str, int] | None:
        """Return how the known record of a segment was determined, and its index (ZBJ-062)."""
        segment = self.segments[number]

        def above(index: int) -> bool:
            return not segment.sound or index > segment.index

        if segment.seal is not None:
            return "seal", segment.seal
        following = self.following(number)
        if following is not None and above(following):
            return "next", following - 1
        if any(later.sound and above(later.index) for later in self.segments[number + 1 :]):
            return None
        return None if self.flushed is None else ("flushed", self.flushed)

    def take(self, number: int) -> None:
        """Process the next segment."""
        segment = self.segments[number]
        if segment.prepared:
            later = self.segments[number + 1 : number + 2]
            if later and not later[0].prepared:
                self.turn_away(number, "zero-segment")
        elif segment.fault:
            self.without_descriptor(number)
        elif self.expected is not None and segment.index < self.expected:
            gone = self.missing is not None and self.missing >= segment.index
            self.turn_away(number, "segment-overlap", gone)
        else:
            if self.expected is not None and segment.index > self.expected:
                self.gap_before(segment)
            if self.expected is not None or self.front:
                self.jump(segment.index)
            self.scan(number, segment.top.descriptor.len, segment.index)

    def gap_before(self, segment: Segment) -> None:
        """List the records that are missing before a segment (ZBJ-039)."""
        if self.front:
            return
        if self.last and self.last_fault:
            seal = self.last.seal
            if seal is None or segment.index <= seal + 1:
                return
        self.incomplete(True)
        self.lost.append((segment.gap(0, 0, "segment-gap"), True))

    def incomplete(self, damage: bool) -> None:
        """List the bytes after the presumed end of the last segment scanned (ZBJ-060)."""
        if self.last is None or self.last_fault or self.listed:
            return
        gap = self.last.lost(self.last_end, "missing-records")
        if gap["from"] < gap["to"] and self.last.seal != self.next_index() - 1:
            self.lost.append((gap, damage))
            self.listed = True

    def turn_away(self, number: int, reason: str, damage: bool = False) -> None:
        """Report a fault at offset 0 of a segment that has no records."""
        self.damage = damage or self.is_damage(number)
        self.incomplete(self.damage)
        self.lost.append((self.segments[number].lost(0, reason), self.damage))
        self.front = self.over = True

    def without_descriptor(self, number: int) -> None:
        """Look for records in a segment with an unreadable descriptor (ZBJ-040)."""
        segment, known = self.segments[number], self.known(number)
        assert segment.fault
        first = None
        if known and (self.expected is None or known[1] >= self.expected):
            for at in (29, 45, 57):
                if segment.fault_at(at) is None:
                    index = segment.parse(at).data.index
                    if index == self.expected or (self.expected is None and index <= known[1]):
                        first = at, index
                        self.jump(index)
                        break
            else:
                first = self.chain(segment, 0, known)
                if first:
                    if first[1] != self.expected:  # ZBJ-060
                        self.incomplete(True)
                    self.jump(first[1])
        if first is None:
            self.turn_away(number, segment.fault)
            return
        self.lost.append((segment.gap(0, first[0], segment.fault), True))
        self.scan(number, *first, found=True)

    def jump(self, index: int) -> None:
        """Note the missing records before a record or a segment (ZBJ-066).

        Before the first descriptor, e is 1.
        """
        if index > self.next_index():
            self.after_loss = True
            self.missing = max(self.missing or index - 1, index - 1)

    def chain(self, segment: Segment, at: int, known: tuple[str, int]) -> tuple[int, int] | None:
        """Return the offset and index of the record that begins the proven chain (ZBJ-065)."""
        kind, target = known
        parsed = segment.parse(at)
        if segment.content_fault(parsed) is None:
            chain, _ = segment.chain_at(at)
            first = parsed.data.index
            holds = self.next_index() <= first <= target < first + len(chain)
            if holds and self.asqn_fits(parsed):
                return at, first
        if len(segment.data) < segment.max_size:
            return None
        holding = []  # chains that contain the known record
        below = above = None  # nearest indexes in the other chains
        try:
            for chain in segment.chains(at):
                first = segment.parse(chain[0]).data.index
                last = first + len(chain) - 1
                if last < target:
                    below = last if below is None else max(below, last)
                elif first > target:
                    above = first if above is None else min(above, first)
                else:
                    holding.append((chain, first, last))
        except OverflowError:
            return None
        if len(holding) != 1:
            return None
        chain, first, last = holding[0]
        if first < self.next_index():
            return None
        if (below is not None and below >= first) or (above is not None and above <= last):
            return None
        if kind == "seal":
            is_right = chain[target - first] == segment.seal_at
        else:
            is_right = len(chain) > 1 and (kind == "flushed" or last == target)
        return (chain[0], first) if is_right else None

    def neighbour(self, segment: Segment, at: int, known: int) -> tuple[int, int] | None:
        """Return the offset and index of the record to which a faulty record leads (ZBJ-064)."""
        for index in range(self.next_index(), known + 1):
            segment.tried += segment.wrong_bytes(at)
            end = segment.end_of(at)
            if end is None or segment.tried > 8 * len(segment.data):
                return None
            if segment.fault_at(end) is None:
                found = segment.parse(end).data.index
                if found in (index, index + 1):
                    return end, found
            at = end
        return None

    def scan(self, number: int, at: int, index: int, found: bool = False) -> None:
        """Read the records of one segment."""
        segment = self.segments[number]
        self.expected, self.last, self.found = index, segment, found
        self.front = self.over = self.listed = False
        if found and segment.data[at] != 1:  # the first record may have any frame (ZBJ-065)
            parsed = segment.parse(at)
            self.add_record(segment, parsed)
            at = parsed.ofs_next
        while True:
            fault = segment.fault_at(at)
            if fault is None:
                parsed = segment.parse(at)
                fault = self.index_fault(number, parsed)
                if fault is None:
                    self.add_record(segment, parsed)
                    at = parsed.ofs_next
                    continue
            following = self.resume(number, at, fault)
            if following is None:
                break
            at, self.found = following, True
        self.close(number, at, fault)

    def index_fault(self, number: int, parsed: Any) -> str | None:
        """Run check 10 of ZBJ-025 (ZBJ-031)."""
        segment, index = self.segments[number], parsed.data.index
        later = (after.index for after in self.segments[number + 1 :] if after.sound)
        limit = next(later, None)
        if index != self.expected:
            return "index-mismatch"
        if limit is None or index < limit:
            return None
        if segment.sound and limit <= segment.index:
            return None
        return None if segment.seal is not None and limit <= segment.seal else "index-mismatch"

    def resume(self, number: int, at: int, fault: str) -> int | None:
        """Return where a reader continues after a fault or a frame of 0, or None (ZBJ-062)."""
        segment = self.segments[number]
        if at >= len(segment.data):
            return None
        parsed = segment.parse(at)
        first = self.proven(number, parsed, fault)
        if first is None:
            return None
        same = first[0] == at and parsed.frame != 1
        if same and first[1] == self.expected:
            gap = segment.gap(at, at + 1, "unknown-frame")
        else:
            gap = segment.gap(at, first[0], fault or "missing-records")
        self.lost.append((gap, True))
        self.jump(first[1])
        self.expected = first[1]
        if same:
            self.add_record(segment, parsed)
            return int(parsed.ofs_next)
        return first[0]

    def proven(self, number: int, parsed: Any, fault: str) -> tuple[int, int] | None:
        """Return the offset and index of the next proven record (ZBJ-062)."""
        segment, known, at = self.segments[number], self.known(number), parsed.ofs_record
        same = self.same_place(number, parsed)
        # A wrong frame other than 0 is accepted, whatever the known record is (ZBJ-063).
        if same and fault:
            return same
        if known is None or self.next_index() > known[1]:
            return None
        if not fault:
            if not segment.has_seal or self.following(number) == self.expected:
                return None
            if known[0] == "flushed":
                return self.chain(segment, at, known)
        return same or self.neighbour(segment, at, known[1]) or self.chain(segment, at, known)

    def same_place(self, number: int, parsed: Any) -> tuple[int, int] | None:
        """Return the offset and index of a record in which only the frame is wrong (ZBJ-063)."""
        if parsed.frame == 1 or self.segments[number].content_fault(parsed) is not None:
            return None
        if self.index_fault(number, parsed) is not None or not self.asqn_fits(parsed):
            return None
        return parsed.ofs_record, parsed.data.index

    def asqn_fits(self, parsed: Any) -> bool:
        """Run check 11 of ZBJ-025 (ZBJ-024)."""
        return bool(parsed.data.asqn == -1 or parsed.data.asqn > self.asqn)

    def close(self, number: int, at: int, fault: str) -> None:
        """End a segment, and report the fault at its end."""
        segment = self.segments[number]
        self.last_end = at
        short = segment.seal is not None and segment.seal >= self.next_index()
        if short:
            self.missing = max(self.missing or segment.seal, segment.seal)
        if not fault and short and self.following(number) != self.expected:
            fault = "missing-records"
        self.last_fault = bool(fault)
        if fault:
            self.over = True
            self.damage = short or fault in ALWAYS_DAMAGE or self.is_damage(number)
            self.lost.append((segment.lost(at, fault), self.damage))

    def add_record(self, segment: Segment, parsed: Any) -> None:
        """Add a record that passed checks 2 to 10."""
        assert self.expected is not None
        self.expected += 1
        at, size = parsed.ofs_record, parsed.ofs_next - parsed.ofs_record
        asqn = parsed.data.asqn
        location = {"file": segment.file} if segment.file else {}
        if not self.asqn_fits(parsed):  # ZBJ-032
            self.lost.append((segment.gap(at, at + size, "asqn-order"), True))
        self.asqn = max(self.asqn, asqn)
        payload = parsed.data._raw_entry
        fields = {
            "index": str(parsed.data.index),
            "asqn": str(asqn),
            "checksum": str(parsed.metadata.checksum),
            **zeebe_raft.fields(payload),
        }
        if self.after_loss:
            fields["after_loss"] = True
        self.records.append({**location, **record(payload, at, size), **fields})

    def missing_at_end(self) -> None:
        """List the acknowledged records that are missing at the end (ZBJ-041)."""
        gap: dict[str, Any] = {"from": 0, "to": 0, "reason": "missing-records"}
        if self.last:
            gap = self.last.lost(self.last_end, "missing-records")
        elif self.segments:
            gap = self.segments[0].gap(0, 0, "missing-records")
        self.lost.append((gap, True))
        self.over = self.damage = True

    def end(self) -> tuple[int, str | None] | None:
        """Return the end of the log (ZBJ-044)."""
        if (self.over and self.damage) or self.found:
            return None
        if self.last:
            return self.last_end, self.last.file
        return 0, self.segments[0].file if self.segments else None

    def answer(self, segments: list[Segment]) -> dict[str, Any]:
        """Return the answer in the profile recover."""
        if (  # ZBJ-011
            segments
            and segments[0].fault in REFUSED
            and not any(segment.sound for segment in segments)
        ):
            return refused(segments[0].fault)
        self.segments = segments
        for number in range(len(segments)):
            self.take(number)
        if not self.over and self.promised():
            self.missing_at_end()
        end = self.end()
        damage = [gap["reason"] for gap, damaged in self.lost if damaged]
        torn = [gap["reason"] for gap, damaged in self.lost if not damaged]
        at, file = end or (None, None)
        return {
            "verdict": "damaged" if damage else "torn" if torn else "intact",
            "reason": next(iter(damage + torn), None),
            "records": self.records,
            "lost": [gap for gap, _ in self.lost],
            "end": {"file": file, "at": at} if file else at,
        }

    def strict(self, answer: dict[str, Any], segments: list[Segment]) -> dict[str, Any]:
        """Return the answer in the profile strict (ZBJ-045)."""
        first = next((gap for gap, damaged in self.lost if damaged), None)
        if first is None:
            return answer
        names = [segment.file for segment in segments]
        number = names.index(first.get("file")) if names else 0
        lost = []
        for index, segment in enumerate(segments[number:]):
            start = first["from"] if index == 0 else 0
            to = max(start, len(segment.data))
            gap = {"from": start, "to": to, "reason": first["reason"]}
            lost.append(({"file": segment.file} if segment.file else {}) | gap)
        records = [
            record
            for record in answer["records"]
            if names.index(record.get("file")) < number
            or (record.get("file") == first.get("file") and record["at"] < first["from"])
        ]
        return answer | {"records": records, "lost": lost or [first], "end": None}


def refused(reason: str) -> dict[str, Any]:
    """Return a refused answer."""
    return {"verdict": "refused", "reason": reason, "records": [], "lost": [], "end": None}


def flushed_index(
    path: Path, name: str, context: dict[str, Any], one: Segment | None
) -> int | None:
    """Return F, from the context or from the ``.meta`` file (ZBJ-035, ZBJ-059).

    ``one`` is the only segment of a log that is one file.
    """
    given = context.get("last_flushed_index", "meta")
    if given == "meta":
        if one and not one.has_seal:
            return None
        file = (path.parent if one else path) / f"{name}.meta"
        is_there = name and "/" not in name and "\0" not in name and file.is_file()
        given = flushed_in_meta(file.read_bytes()[:256]) if is_there else None
        if given is not None and one and one.seal is not None:
            given = min(given, one.seal)
    return None if given is None or int(given) < 0 else int(given)


def flushed_in_meta(data: bytes) -> int | None:
    """Return the flushed index of a ``.meta`` file, or None without a valid index (ZBJ-059)."""
    parsed = ZeebeMeta.from_bytes(data)
    if not parsed.is_meta or parsed.version != 1 or parsed.header.len_block < 16:
        return None
    vote = 9 + parsed.header.len_block
    if len(data) < vote + 4 or len(data) - vote - 4 < struct.unpack_from("<I", data, vote)[0]:
        return None
    flushed = parsed.meta.last_flushed_index
    return None if flushed >= 2**63 else int(flushed)


def names_in(path: Path) -> Iterator[tuple[str, int, Path]]:
    """Yield the journal name, number and path of each file that can be a segment."""
    for file in path.iterdir():
        match = SEGMENT.fullmatch(file.name)
        if match and file.is_file() and int(match[2]) < 2**31:
            yield match[1], int(match[2]), file


def read(path: Path, request: dict[str, Any]) -> dict[str, Any]:
    """Return the answer for one segment or directory."""
    context = request["context"]
    name = context.get("name")
    if path.is_dir():
        listed = list(names_in(path))
        names = sorted({journal for journal, _, _ in listed})
        if len(names) > 1 and name is None:
            names = [candidate for candidate in names if (path / f"{candidate}.meta").is_file()]
            if len(names) != 1:
                return refused("ambiguous-journal")
        if name is None:
            name = next(iter(names), "journal")
        files = sorted((number, file) for journal, number, file in listed if journal == name)
        segments = [Segment(file, file.name) for _, file in files]
    else:
        segments = [Segment(path, None)]
        match = SEGMENT.fullmatch(path.name)
        name = match[1] if match and int(match[2]) < 2**31 else ""
    one = None if path.is_dir() else segments[0]
    recovery = Recovery(flushed_index(path, name or "", context, one))
    answer = recovery.answer(segments)
    return recovery.strict(answer, segments) if request["profile"] == "strict" else answer
