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
# Python decodes a byte of a file name that is not UTF-8 to a surrogate.
SEGMENT = re.compile(r"([^\ud800-\udfff]+)-([1-9]\d{0,9})\.log")
ALWAYS_DAMAGE = ("data-header", "data-length", "index-mismatch")
REFUSED = ("unknown-version", "bad-descriptor")


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
        has_seal = bool(about and self.data[0] == 2 and about.has_seal)
        sealed = has_seal and about.last_index > 0 and about.last_position > 0
        self.seal = about.last_index if sealed else None

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
        return ({"file": self.file} if self.file else {}) | {
            "from": at,
            "to": end,
            "reason": reason,
        }

    def record_fault(self, parsed: Any, index: int) -> str | None:
        """Perform the checks 2 to 10 of ZBJ-025."""
        at, size = parsed.ofs_record, len(self.data)
        room = max(size, self.max_size)
        if parsed.frame != 1:
            return "unknown-frame"
        if parsed.len_available < 21:
            return "torn-record" if size < room else "bad-length"
        header = parsed.peeked
        if (header.template_id, header.schema_id) != (1, 7) or header.len_block < 12:
            return "bad-header"
        (length,) = struct.unpack_from("<i", self.data, at + 17)
        end = at + 9 + header.len_block + length
        if length < 0 or end > room:
            return "bad-length"
        if end > size:
            return "torn-record"
        if crc32c(parsed.checksum_input) != parsed.metadata.checksum:
            return "checksum-mismatch"
        data = parsed.checksum_input
        if len(data) < 24:
            return "data-header"
        block, template, schema, version = struct.unpack_from("<HHHH", data)
        if (template, schema) != (2, 7) or block < 16:
            return "data-header"
        room = len(data) - (8 + block + 4)
        if room < 0 or parsed.data.len_entry > room:
            return "data-length"
        if parsed.data.len_entry < room and version <= 2:
            return "data-length"
        return None if parsed.data.index == index else "index-mismatch"


class Recovery:
    """Reads a journal segment by segment and collects losses (ZBJ-035 to ZBJ-044)."""

    def __init__(self, flushed: int | None) -> None:
        self.flushed = flushed
        self.expected: int | None = None
        self.asqn = -1
        self.records: list[dict[str, Any]] = []
        self.lost: list[tuple[dict[str, Any], bool]] = []
        self.end: tuple[int, str | None] | None = (0, None)
        self.over = False
        self.damage = False
        self.open_end: tuple[Segment, int] | None = None

    def promised(self) -> bool:
        """Return whether the expected index was acknowledged."""
        expected = 1 if self.expected is None else self.expected
        return self.flushed is not None and self.flushed >= expected

    def stop(self, segment: Segment, at: int, reason: str, damage: bool = False) -> None:
        """End the log at a fault."""
        self.over = True
        self.damage = damage or self.promised()
        self.lost.append((segment.lost(at, reason), self.damage))
        if self.damage:
            self.end = None

    def take(self, segment: Segment, following: Segment | None) -> None:
        """Process the next segment."""
        if self.over:
            if not segment.prepared:
                self.lost.append((segment.lost(0, "segment-gap"), self.damage))
        elif segment.prepared:
            if following and not following.prepared:
                self.turn_away(segment, "zero-segment")
        elif segment.fault:
            self.turn_away(segment, segment.fault)
        elif self.expected is not None and segment.index != self.expected:
            later = segment.index > self.expected
            self.turn_away(segment, "segment-gap" if later else "segment-overlap")
        else:
            self.expected = segment.index
            self.scan(segment, following)

    def turn_away(self, segment: Segment, reason: str) -> None:
        """Report a fault at offset 0 and the bytes after the presumed end of the log (ZBJ-060)."""
        hidden = (
            [self.open_end[0].lost(self.open_end[1], "missing-records")] if self.open_end else []
        )
        self.lost += [(gap, self.promised()) for gap in hidden if gap["from"] < gap["to"]]
        self.stop(segment, 0, reason)

    def scan(self, segment: Segment, following: Segment | None) -> None:
        """Read the records of one segment, and determine whether the log continues after them."""
        at, fault = segment.top.descriptor.len, None
        for parsed in segment.top.records if segment.top.has_records else ():
            fault = segment.record_fault(parsed, self.expected)
            if fault:
                break
            size = parsed.ofs_next - at
            self.add_record(segment, parsed, at, size)
            at += size
        self.end = (at, segment.file)
        next_index = following.index if following else None
        expected, seal = self.expected, segment.seal
        self.open_end = None
        if fault is None and seal is not None and seal >= expected and next_index != expected:
            fault = "missing-records"
        if fault is None:
            if seal is None or seal + 1 != expected:
                self.open_end = (segment, at)
            return
        resumes = [expected, *([seal + 1] if seal is not None and seal >= expected else [])]
        resumed = next_index is not None and next_index in resumes
        certain = resumed or len(resumes) > 1 or fault in ALWAYS_DAMAGE
        self.stop(segment, at, fault, certain)
        if resumed:
            self.expected, self.over = next_index, False

    def add_record(self, segment: Segment, parsed: Any, at: int, size: int) -> None:
        """Add a record that passed the checks 2 to 10."""
        self.expected += 1
        asqn = parsed.data.asqn
        location = {"file": segment.file} if segment.file else {}
        if asqn != -1 and asqn <= self.asqn:
            self.lost.append(
                ({**location, "from": at, "to": at + size, "reason": "asqn-order"}, True)
            )
            return
        self.asqn = max(self.asqn, asqn)
        payload = parsed.data._raw_entry
        fields = {
            "index": str(parsed.data.index),
            "asqn": str(asqn),
            "checksum": str(parsed.metadata.checksum),
            **zeebe_raft.fields(payload),
        }
        self.records.append({**location, **record(payload, at, size), **fields})

    def answer(self, segments: list[Segment]) -> dict[str, Any]:
        """Return the answer in the profile recover."""
        for number, segment in enumerate(segments):
            if number == 0 and segment.fault in REFUSED:
                return refused(segment.fault)
            if number == 0:
                self.end = (0, segment.file)
            following = segments[number + 1] if number + 1 < len(segments) else None
            self.take(segment, following)
        if not self.over and self.promised():
            assert self.end is not None
            at, file = self.end
            last = next((segment for segment in segments if segment.file == file), None)
            gap = {"from": at, "to": at, "reason": "missing-records"}
            self.lost.append((last.lost(at, "missing-records") if last else gap, True))
            self.end = None
        damage = [gap["reason"] for gap, damaged in self.lost if damaged]
        torn = [gap["reason"] for gap, damaged in self.lost if not damaged]
        at, file = self.end or (None, None)
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


def flushed_index(path: Path, name: str, context: dict[str, Any]) -> int | None:
    """Return the flushed index, from the context or from the ``.meta`` file."""
    given = context.get("last_flushed_index")
    if given == "meta":
        file = path / f"{name}.meta"
        is_there = name and "/" not in name and "\0" not in name and file.is_file()
        given = flushed_in_meta(file.read_bytes()[:256]) if is_there else None
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
    recovery = Recovery(flushed_index(path, name or "", context))
    answer = recovery.answer(segments)
    return recovery.strict(answer, segments) if request["profile"] == "strict" else answer
