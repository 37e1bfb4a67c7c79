"""The log class of the Zeebe journal recipes, its operations, and the book that collects the
recipes."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from crc32c import crc32c

from conformance.contents import Contents
from conformance.recipes.recipe import Book, Group, Log, Recipe
from conformance.recipes.zeebe_journal.checksums import descriptor_checksum
from reference_impl.answer import NewRecord
from reference_impl.zeebe_journal.layout import SBE_HEADER
from reference_impl.zeebe_journal.raft import Member, encode_application, encode_initial
from reference_impl.zeebe_journal.writer import NEWEST, pack_descriptor, pack_record, write

#: The payload and the asqn of a record.
Entry = tuple[bytes, int]

SEGMENT_SIZE = 512
#: The size of a segment that holds two of the usual records.
SMALL = 270


class ZeebeLog(Log):
    """A Zeebe journal under construction: one segment file, or a folder of segments."""

    def __init__(self, control: Contents, payloads: Sequence[bytes]) -> None:
        super().__init__(control, payloads, "zeebe-journal")
        self.written: list[NewRecord] = []
        # Zeebe is slow to start: it runs on the JVM, and waits for the disk when it opens a
        # journal.
        self.wall_ms = 10_000

    def to_write(self) -> list[NewRecord]:
        """Return the records to write, with their asqns."""
        return self.written

    def segment(self, *entries: Entry, size: int = SEGMENT_SIZE, version: str = NEWEST) -> None:
        """Build a one-file log with these records."""
        self.data = bytearray(segment(entries, size, version))
        self.payloads = [payload for payload, _ in entries]

    def journal(self, *entries: Entry, size: int = SMALL, version: str = NEWEST) -> None:
        """Build a folder with as many segments of ``size`` bytes as the records need."""
        self.written = [NewRecord(one, {"asqn": str(asqn)}) for one, asqn in entries]
        context = {"max_segment_size": size, "descriptor": version}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "journal"
            write(path, self.written, context)
            self.files = {f.name: bytearray(f.read_bytes()) for f in sorted(path.iterdir())}
        self.payloads = [record.payload for record in self.written]

    def flushed(self, index: int | str | None) -> None:
        """Set the flushed index in the context. ``meta`` stands for the index in the `.meta`
        file."""
        self.context["last_flushed_index"] = index

    def reseal_descriptor(self, file: str = "") -> None:
        """Correct the checksum of a descriptor."""
        at, checksum = descriptor_checksum(bytes(self.files[file]))
        self.overwrite(at, checksum, file=file)

    def stops(self, reason: str, survivors: Sequence[int], end: Any = "any") -> None:
        """Expect a fault to end the log: damaged if the fault was flushed, otherwise torn."""
        flushed = self.context.get("last_flushed_index")
        if flushed is not None and flushed > len(survivors):
            self.expect("damaged", reason, survivors, end=None)
        else:
            self.expect("torn", reason, survivors, end=end)


BOOK: Book[ZeebeLog] = Book("zeebe-journal", ZeebeLog, ".log")
APPENDING = BOOK.group("appending")
ASQN = BOOK.group("asqn")
CHECKSUM_GROUP = BOOK.group("checksum")
DESCRIPTOR = BOOK.group("descriptor")
FRAME = BOOK.group("frame")
FUTURE = BOOK.group("future")
HANDOVER = BOOK.group("handover")
HEADER = BOOK.group("header")
INDEX = BOOK.group("index")
LAYOUT = BOOK.group("layout")
LENGTH = BOOK.group("length")
LIMITS = BOOK.group("limits")
META_GROUP = BOOK.group("meta")
NAMES = BOOK.group("names")
PROOF = BOOK.group("proof")
RAFT = BOOK.group("raft")
SEALED = BOOK.group("sealed")
SEGMENTS = BOOK.group("segments")
TAIL = BOOK.group("tail")
WRITING = BOOK.group("writing")


def flushed_below_and_at(
    control: Recipe[ZeebeLog],
    group: Group[ZeebeLog],
    *requirements: str,
    below: int | None,
    at: int,
    kind: str = "corrupt",
) -> Callable[[Callable[[ZeebeLog], None]], None]:
    """Enter two vectors for one fault.

    The first vector has the flushed index ``below``, before the fault. The second vector has the
    flushed index ``at``, at or after the fault, and the suffix ``_acknowledged``.
    """

    def enter(function: Callable[[ZeebeLog], None]) -> None:
        for flushed, suffix, words in (
            (
                below,
                "",
                f"The flushed index is {below}, before the fault."
                if below
                else "No flushed index is given.",
            ),
            (at, "_acknowledged", f"The flushed index is {at}, at or after the fault."),
        ):
            variant = _variant(function, flushed, suffix, words)
            group.damaged(control, "ZBJ-035", *requirements, kind=kind)(variant)

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


def segment(
    entries: Sequence[Entry],
    size: int = SEGMENT_SIZE,
    version: str = NEWEST,
    id: int = 1,
    index: int = 1,
) -> bytes:
    """Return the bytes of one segment, with zeros after its records."""
    schema = 2 if version == NEWEST else 1
    data = pack_descriptor(id, index, size, version=version)
    for number, (payload, asqn) in enumerate(entries, index):
        data += pack_record(number, asqn, payload, schema)
    return data.ljust(size, b"\0")


def application(number: int, text: str, term: int = 1) -> Entry:
    """Return an ApplicationEntry that has one position, together with its asqn."""
    return encode_application(term, number, number, text.encode()), number


def wider_block(message: bytes, extra: bytes, version: int = 99) -> bytes:
    """Return an SBE message of a newer schema version, whose root block ends with ``extra``."""
    length, template, schema, _ = SBE_HEADER.unpack_from(message)
    header = SBE_HEADER.pack(length + len(extra), template, schema, version)
    block_end = SBE_HEADER.size + length
    return header + message[SBE_HEADER.size : block_end] + extra + message[block_end:]


def wider_record(record: bytes, metadata: bytes = b"", data: bytes = b"") -> bytes:
    """Return a record with extra fields in its metadata or data message, and a valid checksum."""
    message = record[21:]
    if data:
        message = wider_block(message, data)
    block = crc32c(message).to_bytes(8, "little") + len(message).to_bytes(4, "little")
    header = record[1:9] + block
    return record[:1] + (wider_block(header, metadata) if metadata else header) + message


def wider_descriptor(
    extra: bytes, size: int = SEGMENT_SIZE, seal: tuple[int, int] = (0, 0)
) -> bytes:
    """Return a descriptor of a newer schema version, whose block ends with ``extra``."""
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
