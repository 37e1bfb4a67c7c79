"""The builder of etcd's write-ahead logs, and the book of their recipes."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from crc32c import crc32c

from conformance.contents import Contents, by_name, read_contents
from conformance.recipes.recipe import Book, Log
from reference_impl.answer import NewRecord
from reference_impl.etcd_wal.layout import (
    CRC,
    LENGTH_SIZE,
    TYPES,
    frame,
    record,
    segment_name,
    varint,
)
from reference_impl.etcd_wal.segment import Segment
from reference_impl.etcd_wal.writer import write

FIRST, SECOND, THIRD = (segment_name(number, index) for number, index in enumerate((0, 4, 7)))
VOTE = 0x8E9E05C52164694D
_KINDS = {name: kind for kind, name in TYPES.items()}


def metadata(data: bytes | None = None) -> NewRecord:
    """Return a metadata record. By default, it contains the ids of a node and a cluster."""
    ids = b"\x08" + varint(VOTE) + b"\x10" + varint(0xCDF818194E3A8C32)
    return NewRecord(ids if data is None else data, {"record_type": "metadata"})


def entry(index: int, data: bytes = b"", term: int = 2, kind: int | None = 0) -> NewRecord:
    """Return an entry. If ``kind`` is None, it has no type field, as in a normal entry of etcd
    3.7."""
    payload = b"" if kind is None else b"\x08" + varint(kind)
    payload += b"\x10" + varint(term) + b"\x18" + varint(index)
    payload += b"\x22" + varint(len(data)) + data if data else b""
    return NewRecord(payload, {"record_type": "entry"})


def state(commit: int, term: int = 2, vote: int = VOTE) -> NewRecord:
    """Return a hard state."""
    payload = b"\x08" + varint(term) + b"\x10" + varint(vote) + b"\x18" + varint(commit)
    return NewRecord(payload, {"record_type": "state"})


def marker(index: int, term: int, more: bytes = b"") -> NewRecord:
    """Return the marker of a snapshot, followed by the bytes of other fields."""
    payload = b"\x08" + varint(index) + b"\x10" + varint(term) + more
    return NewRecord(payload, {"record_type": "snapshot"})


def saves(first: int, last: int, size: int = 0) -> list[NewRecord]:
    """Return one Save for each of these indexes. Each has one entry and a state."""
    found = []
    for index in range(first, last + 1):
        data = b"%d:" % index + bytes(range(97, 97 + 26)) * (size // 26 + 1)
        found += [entry(index, data[: size or 8]), state(index)]
    return found


def chained(
    records: Sequence[tuple[int, bytes | None]], seed: int = 0, padded: bool = True
) -> bytes:
    """Return the chained frames of records that are given by type and data.

    A record with the data None is a checksum record.
    """
    out = b""
    for kind, data in records:
        seed = seed if data is None else crc32c(data, seed)
        out += frame(record(kind, seed, data), padded)
    return out


def typed(records: Sequence[NewRecord]) -> list[tuple[int, bytes | None]]:
    """Return the types and data of records, with a head before them."""
    return [(CRC, None)] + [
        (_KINDS[str(new.fields["record_type"])], new.payload) for new in records
    ]


class _Frame(NamedTuple):
    """A frame of an undamaged file."""

    start: int
    end: int
    kind: int
    crc: int
    data: bytes | None


def _frame_of(text: str, crc: int, data: bytes) -> bytes:
    parts = {"crc": varint(crc), "len": varint(len(data)), "data": data}
    return frame(b"".join(parts.get(word) or bytes.fromhex(word) for word in text.split()))


_WORD = re.compile(r"([a-zA-Z])([0-9]*)(?:\.([0-9]+))?(?::([0-9]+))?")


def _of_word(word: str) -> tuple[int, bytes | None]:
    match = _WORD.fullmatch(word)
    assert match, word
    kind, number, term, size = match[1], int(match[2] or 0), int(match[3] or 2), int(match[4] or 8)
    if kind in "tC":
        return (number, bytes(size)) if kind == "t" else (CRC, None)
    new = {
        "e": lambda: entry(number, b"%d:" % number + b"x" * (size - 2), term),
        "s": lambda: state(number, term),
        "m": lambda: marker(number, term if number else 0),
        "M": lambda: metadata(b"m" * size if match[4] else None),
    }[kind]()
    return _KINDS[str(new.fields["record_type"])], new.payload


def frames_of(words: str, seed: int) -> bytes:
    """Return the frames of ``words``: ``e5.3:600`` is an entry of index 5, term 3 and 600 bytes.

    ``s`` is a state, ``m`` a marker, ``M`` metadata, ``C`` a checksum record and ``t6`` a record of
    type 6. The default term is 2, and the default size is 8. ``~`` stands for eight bytes of 55,
    and ``_`` for 64 zeros.
    """
    out = b""
    for word in words.split():
        if word in _FILLING:
            out += _FILLING[word]
            continue
        kind, data = _of_word(word)
        seed = seed if data is None else crc32c(data, seed)
        out += frame(record(kind, seed, data))
    return out


_FILLING = {"~": b"\x55" * 8, "_": bytes(64)}


class EtcdLog(Log):
    """A log under construction: one segment, or a folder of them."""

    def __init__(self, control: Contents, payloads: Sequence[bytes]) -> None:
        super().__init__(control, payloads, "etcd-wal")
        self.records: list[NewRecord] = []

    def to_write(self) -> list[NewRecord]:
        """Return the records that a writer must write, with their types."""
        return self.records

    def build(self, *records: NewRecord, **context: Any) -> None:
        """Write a log with these records."""
        self.context |= context
        self.records = list(records)
        self.payloads += [new.payload for new in records]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "log"
            write(path, records, context)
            contents = read_contents(path)
        self.files = {name: bytearray(data) for name, data in by_name(contents).items()}

    def build_bytes(self, data: bytes, *records: NewRecord) -> None:
        """Use these bytes as the segment. The records name the payloads that the bytes contain."""
        self.data = bytearray(data)
        self.payloads += [new.payload for new in records]

    def append_records(self, *records: NewRecord) -> None:
        """Add records that the implementation must append."""
        self.to_append += records

    # Table rows call the methods below by name.

    def rewrite(self, number: int, kind: int, data: str, file: str = "") -> None:
        """Replace a frame with a record of this type and data, and correct all later checksums."""
        self._rebuild(number, number + 1, [(kind, _bytes(data))], file)

    def add(self, number: int, kind: int, data: str = "", file: str = "") -> None:
        """Insert a record before a frame, and correct all later checksums."""
        self._rebuild(number, number, [(kind, _bytes(data) or None)], file)

    def _rebuild(
        self, start: int, end: int, new: list[tuple[int, bytes | None]], file: str
    ) -> None:
        frames = self._frames(file)
        records = [(each.kind, each.data) for each in frames]
        records[start:end] = new
        data = chained(records, frames[0].crc)
        self.files[file] = bytearray(data.ljust(len(self.files[file]), b"\0"))

    def _frames(self, file: str) -> list[_Frame]:
        """Return the frames of a file that is undamaged up to its last frame."""
        segment = Segment(bytes(self.files[file]), is_last=True)
        found: list[_Frame] = []
        at = 0
        while (reading := segment.message(at)) is not None:
            end, data = reading.ends[0], reading.data and segment.data[slice(*reading.data)]
            found.append(_Frame(at, end, reading.kind, reading.crc, data))
            at = end
        return found

    def payload(self, data: str) -> bytes:
        """Return bytes, to name a survivor."""
        return _bytes(data)

    def state_of(self, commit: int) -> bytes:
        """Return the payload of a state, to name a survivor."""
        return state(commit).payload

    def follow(self, seed: int | str, words: str, file: str = "") -> None:
        """Write the frames of :func:`frames_of` after the last frame. ``-`` is the seed after this
        frame."""
        last = self._frames(file)[-1]
        self.overwrite(last.end, frames_of(words, last.crc if seed == "-" else int(seed)), file)

    def payload_of(self, word: str) -> bytes:
        """Return the payload of one word of :func:`frames_of`, to name a survivor."""
        return _of_word(word)[1] or b""

    def record(self, number: int, text: str, file: str = "") -> None:
        """Replace the record of a frame with these bytes, with the usual padding.

        ``text`` contains hexadecimal digits, and ``crc``, ``len`` and ``data`` for the parts of the
        old record.
        """
        old = self._frames(file)[number]
        self.files[file][old.start : old.end] = _frame_of(text, old.crc, old.data or b"")

    def add_record(self, number: int, text: str, file: str = "") -> None:
        """Insert a record with these bytes before a frame. ``crc`` stands for the running
        checksum."""
        before = self._frames(file)[number - 1]
        self.files[file][before.end : before.end] = _frame_of(text, before.crc, b"")

    def long_lengths(self, first: int, last: int, end: int) -> None:
        """Let the lengths of frames state that all of them end at the offset ``end``."""
        for each in self._frames("")[first : last + 1]:
            size = end - each.start - LENGTH_SIZE
            self.overwrite(each.start, size.to_bytes(LENGTH_SIZE, "little"))

    def zeros(self, path: str, size: int) -> None:
        """Set the first bytes of a field to zero."""
        at = self.field(path).start
        self.overwrite(at, bytes(size))

    def frame_of(self, kind: int, seed: int, data: str) -> str:
        """Return the frame of a record that continues the checksum ``seed``, as hexadecimal
        digits."""
        return chained([(kind, _bytes(data) or None)], seed).hex()


def _bytes(text: str) -> bytes:
    """Return the bytes of hexadecimal digits. In rows, these begin with 0x, so that they remain
    text."""
    return bytes.fromhex(text.removeprefix("0x"))


def rows(title: str, key: str, table: str) -> str:
    """Return a full table from short rows: a heading, words, and the expected answer after a bar.

    In each row, the words replace ``{}`` in ``title`` and in ``key``, the line with the operations.
    """
    found = ""
    for row in re.split(r"\n(?=\S)", table.strip()):
        heading, _, text = row.partition("\n")
        words, expected = " ".join(text.split()).split(" | ")
        found += f"{heading}\n    {title.format(words)}\n    {key.format(words)}\n"
        found += f"    expect: {expected}\n"
    return found


BOOK: Book[EtcdLog] = Book("etcd-wal", EtcdLog, ".wal")
APPENDING = BOOK.group("appending")
FILES = BOOK.group("files")
GAPS = BOOK.group("gaps")
HEADS = BOOK.group("heads")
LAYOUT = BOOK.group("layout")
LENGTHS = BOOK.group("lengths")
LIMITS = BOOK.group("limits")
PAYLOADS = BOOK.group("payloads")
PROOFS = BOOK.group("proofs")
REFUSING = BOOK.group("refusing")
TAILS = BOOK.group("tails")
WRITING = BOOK.group("writing")
