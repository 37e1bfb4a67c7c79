"""The verbs that only Zeebe journals need, and the book of their recipes."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from crc32c import crc32c

from conformance.contents import Contents
from conformance.recipes.recipe import Book, Log, Recipe
from conformance.recipes.variation import current, vary
from reference_impl.answer import NewRecord
from reference_impl.zeebe_journal.layout import (
    SBE_HEADER,
)
from reference_impl.zeebe_journal.raft import Member, encode_application, encode_initial
from reference_impl.zeebe_journal.writer import NEWEST, pack_descriptor, pack_record, write

Entry = tuple[bytes, int]
"""A payload and its asqn."""

SEGMENT_SIZE = 512
SMALL = 270
"""Room for two records of the usual entries in each segment."""


class ZeebeLog(Log):
    """A Zeebe journal being built: one segment, or a folder of them."""

    def __init__(self, control: Contents, payloads: Sequence[bytes]) -> None:
        super().__init__(control, payloads, "zeebe-journal")
        self.written: list[NewRecord] = []
        # Opening a journal waits for the disk, and the real one runs on a virtual machine.
        self.wall_ms = 10_000

    def varied(self, payload: bytes) -> bytes:
        """A payload as the log has it: in fresh variants, of other letters and another term."""
        return vary_entry(payload)

    def to_write(self) -> list[NewRecord]:
        """The records of the log with their asqn."""
        return self.written

    def segment(self, *entries: Entry, size: int = SEGMENT_SIZE, version: str = NEWEST) -> None:
        """One segment with these records."""
        self.data = bytearray(segment(entries, size, version))
        self.payloads = [vary_entry(payload) for payload, _ in entries]

    def journal(self, *entries: Entry, size: int = SMALL, version: str = NEWEST) -> None:
        """A folder with as many segments of ``size`` bytes as the records need."""
        self.written = [NewRecord(vary_entry(one), {"asqn": str(asqn)}) for one, asqn in entries]
        context = {"max_segment_size": size, "descriptor": version}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "journal"
            write(path, self.written, context)
            self.files = {f.name: bytearray(f.read_bytes()) for f in sorted(path.iterdir())}
        self.payloads = [record.payload for record in self.written]

    def flushed(self, index: int | str | None) -> None:
        """What the meta store says: the log is on disk up to here."""
        self.context["last_flushed_index"] = index

    def reseal(self, path: str) -> None:
        """Make the checksum of a record right again, for as many bytes as its length says now."""
        data, record = self._at(path)
        length_at = record.start + 17
        length = int.from_bytes(data[length_at : length_at + 4], "little")
        at = self.field(f"{path}.data").start
        checksum = crc32c(bytes(data[at : at + length]))
        data[record.start + 9 : record.start + 17] = checksum.to_bytes(8, "little")
        self.did(f"reseal {path}")

    def reseal_descriptor(self, file: str = "") -> None:
        """Make the checksum of a descriptor right again."""
        data = self.files[file]
        length = SBE_HEADER.size + int.from_bytes(data[17:19], "little")
        data[9:17] = crc32c(bytes(data[17 : 17 + length])).to_bytes(8, "little")
        self.did(f"reseal descriptor{f' of {file}' if file else ''}")

    def stops(self, reason: str, survivors: Sequence[int], end: Any = "any") -> None:
        """The log ends at a fault: damage if the flushed index reaches it, else torn."""
        flushed = self.context.get("last_flushed_index")
        if flushed is not None and flushed > len(survivors):
            self.expect("damaged", reason, survivors, end=None)
        else:
            self.expect("torn", reason, survivors, end=end)


BOOK: Book[ZeebeLog] = Book("zeebe-journal")


def flushed_below_and_at(
    control: Recipe[ZeebeLog],
    group: str,
    *requirements: str,
    below: int | None,
    at: int,
    kind: str = "corrupt",
) -> Callable[[Callable[[ZeebeLog], None]], None]:
    """Two vectors from one fault: flushed before it, and up to it (``…_acknowledged``)."""

    def enter(function: Callable[[ZeebeLog], None]) -> None:
        for flushed, suffix, words in (
            (below, "", f"Flushed up to {below}." if below else "Nothing was flushed."),
            (at, "_acknowledged", f"Flushed up to {at}: acknowledged."),
        ):
            variant = _variant(function, flushed, suffix, words)
            BOOK.damaged(control, group, "ZBJ-035", *requirements, kind=kind)(variant)

    return enter


def _variant(
    function: Callable[[ZeebeLog], None], flushed: int | None, suffix: str, words: str
) -> Callable[[ZeebeLog], None]:
    @functools.wraps(function)
    def variant(log: ZeebeLog) -> None:
        log.flushed(flushed)
        function(log)

    variant.__name__ = function.__name__ + suffix
    variant.__doc__ = f"{function.__doc__} {words}"
    return variant


ENTRY_OF_RAFT = b"\x01\x00\x08\x00"
"""Template and schema in the header of a RaftLogEntry; the term follows at 8."""


def vary_entry(payload: bytes) -> bytes:
    """A payload as fresh variants have it. All terms are higher by the same, if they are small."""
    payload, variation = vary(payload), current()
    if variation is None or payload[2:6] != ENTRY_OF_RAFT or len(payload) < 16:
        return payload
    term = int.from_bytes(payload[8:16], "little")
    higher = term + 1 + variation.seed % 1_000_000
    if term >= 1 << 32:
        return payload
    return payload[:8] + higher.to_bytes(8, "little") + payload[16:]


def segment(
    entries: Sequence[Entry],
    size: int = SEGMENT_SIZE,
    version: str = NEWEST,
    id: int = 1,
    index: int = 1,
) -> bytes:
    """The bytes of one segment, zeros after its records."""
    schema = 2 if version == NEWEST else 1
    data = pack_descriptor(id, index, size, version=version)
    for number, (payload, asqn) in enumerate(entries, index):
        data += pack_record(number, asqn, vary_entry(payload), schema)
    return data.ljust(size, b"\0")


def application(number: int, text: str, term: int = 1) -> Entry:
    """An entry of the application, one position long."""
    return encode_application(term, number, number, text.encode()), number


def wider_block(message: bytes, extra: bytes, version: int = 99) -> bytes:
    """An SBE message as a newer schema might have it: ``extra`` bytes after the root block."""
    length, template, schema, _ = SBE_HEADER.unpack_from(message)
    header = SBE_HEADER.pack(length + len(extra), template, schema, version)
    block_end = SBE_HEADER.size + length
    return header + message[SBE_HEADER.size : block_end] + extra + message[block_end:]


def wider_record(record: bytes, metadata: bytes = b"", data: bytes = b"") -> bytes:
    """A record with more fields in one of its messages or both, and a checksum to match."""
    message = record[21:]
    if data:
        message = wider_block(message, data)
    block = crc32c(message).to_bytes(8, "little") + len(message).to_bytes(4, "little")
    header = record[1:9] + block
    return record[:1] + (wider_block(header, metadata) if metadata else header) + message


def wider_descriptor(
    extra: bytes, size: int = SEGMENT_SIZE, seal: tuple[int, int] = (0, 0)
) -> bytes:
    """The descriptor of a segment as a newer schema might have it."""
    known = pack_descriptor(1, 1, size, seal)
    message = wider_block(known[17:], extra, version=3)
    return known[:9] + crc32c(message).to_bytes(8, "little") + message


INITIAL: Entry = (encode_initial(1), -1)
ALPHA, BRAVO, CHARLIE, DELTA, ECHO = (
    application(number, text)
    for number, text in enumerate(("alpha", "bravo", "charlie", "delta", "echo"), 1)
)
FOUR = (INITIAL, ALPHA, BRAVO, CHARLIE)
SIX = (*FOUR, DELTA, ECHO)
MEMBERS = (Member("active", 123456, b"1"), Member("passive", 123457, b"2"))
