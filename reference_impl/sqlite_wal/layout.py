"""The layout of a SQLite write-ahead log: header, frames and checksum.

Upstream authority: sqlite/sqlite ``src/wal.c``.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO, Literal

HEADER = struct.Struct(">4I8s2I")  # SQW-002
FRAME_HEADER = struct.Struct(">2I8s2I")  # SQW-004
HEADER_SIZE = HEADER.size
FRAME_HEADER_SIZE = FRAME_HEADER.size
SALTS = slice(8, 16)  # This slice of a frame header contains the salts.
COVERED = 8  # The checksum covers this many bytes of a frame header.

MAGIC = 0x377F0682
VERSION = 3007000
PAGE_SIZES = tuple(1 << exponent for exponent in range(9, 17))  # SQW-003
ROLLBACK_JOURNAL = bytes.fromhex("d9d505f920a163d7")
MAX_PAGE = 0xFFFFFFFE  # SQLite's SQLITE_MAX_PAGE_COUNT
NO_SALTS = bytes(8)

_MASK = 0xFFFFFFFF

State = tuple[int, int]
"""The running checksum."""

Order = Literal["<", ">"]
"""The byte order of the words in a checksum, in the notation of ``struct``."""


def advance(state: State, data: bytes, order: Order) -> State:
    """Return the checksum after ``data``, whose length must be a multiple of 8 (SQW-006)."""
    first, second = state
    words = iter(struct.unpack(f"{order}{len(data) // 4}I", data))
    for x, y in zip(words, words, strict=True):
        first = (first + x + second) & _MASK
        second = (second + y + first) & _MASK
    return first, second


def rewind(state: State, data: bytes, order: Order) -> State:
    """Return the checksum before ``data``, computed from the checksum after it (SQW-009)."""
    first, second = state
    words = iter(reversed(struct.unpack(f"{order}{len(data) // 4}I", data)))
    for y, x in zip(words, words, strict=True):
        second = (second - y - first) & _MASK
        first = (first - x - second) & _MASK
    return first, second


def order_of(magic: int) -> Order:
    """Return the byte order that the lowest bit of the magic number selects (SQW-006)."""
    return ">" if magic & 1 else "<"


@dataclass(frozen=True, slots=True)
class Header:
    """A header with a valid checksum."""

    order: Order
    page_size: int
    sequence: int
    salts: bytes
    version: int = VERSION

    @property
    def checksum(self) -> State:
        """Return the checksum of the first 24 bytes, which frame 1 continues (SQW-007)."""
        return advance((0, 0), self._packed((0, 0))[:24], self.order)

    def to_bytes(self) -> bytes:
        """Return the 32 bytes of the header (SQW-002)."""
        return self._packed(self.checksum)

    def _packed(self, checksum: State) -> bytes:
        magic = MAGIC | (self.order == ">")
        return HEADER.pack(
            magic, self.version, self.page_size, self.sequence, self.salts, *checksum
        )


@dataclass(frozen=True, slots=True)
class FrameHeader:
    """The header of a frame as stored."""

    page: int
    db_pages: int
    salts: bytes
    checksum: State

    @classmethod
    def of(cls, data: bytes) -> FrameHeader:
        """Parse the first 24 bytes of a frame."""
        page, db_pages, salts, first, second = FRAME_HEADER.unpack_from(data)
        return cls(page, db_pages, salts, (first, second))

    def has_salts(self, salts: bytes) -> bool:
        """Return whether the salts match and the header is not all zero (SQW-030)."""
        return self.salts == salts and (any(salts) or self.page != 0 or self.db_pages != 0)


class Slots:
    """The slots of a file, numbered from 1.

    A slot is as long as a frame, but need not contain a valid one.
    """

    def __init__(self, file: BinaryIO, size: int, page_size: int) -> None:
        self.file = file
        self.slot_size = FRAME_HEADER_SIZE + page_size
        self._end_at(size)

    def _end_at(self, size: int) -> None:
        #: The length of the file in bytes.
        self.size = size
        #: The number of complete slots.
        self.count = max(0, size - HEADER_SIZE) // self.slot_size
        #: The offset at which the last complete slot ends.
        self.cut = self.at(self.count + 1)

    def at(self, number: int) -> int:
        """Return the offset of a slot (SQW-004)."""
        return HEADER_SIZE + (number - 1) * self.slot_size

    def data(self, number: int) -> bytes:
        """Return a whole slot, with zeros for bytes that a checkpoint has cut off."""
        return self._read(self.at(number), self.slot_size).ljust(self.slot_size, b"\0")

    def header(self, number: int) -> FrameHeader:
        """Return a whole slot's header, with zeros for bytes that a checkpoint has cut off."""
        data = self._read(self.at(number), FRAME_HEADER_SIZE)
        return FrameHeader.of(data.ljust(FRAME_HEADER_SIZE, b"\0"))

    def piece(self) -> bytes:
        """Return the bytes after the last whole slot, but no more than a frame header."""
        return self._read(self.cut, max(0, min(self.size - self.cut, FRAME_HEADER_SIZE)))

    def _read(self, at: int, length: int) -> bytes:
        """Return up to ``length`` bytes at an offset, fewer if the file has become shorter."""
        self.file.seek(at)
        data = self.file.read(length)
        if len(data) < length:
            self._end_at(min(self.size, self.file.seek(0, 2)))
        return data


def covered(slot: bytes) -> bytes:
    """Return the page number, size and image of a slot, which its checksum covers (SQW-008)."""
    return slot[:COVERED] + slot[FRAME_HEADER_SIZE:]


def frames(
    images: Iterable[tuple[int, int, bytes]], header: Header, state: State
) -> tuple[bytes, State]:
    """Encode frames, and return them with the checksum after the last (SQW-004, SQW-008).

    ``images`` are tuples of page number, database size and page image. ``state`` is the checksum
    before the first frame.
    """
    encoded = bytearray()
    for page, db_pages, image in images:
        state = advance(state, struct.pack(">2I", page, db_pages) + image, header.order)
        encoded += FRAME_HEADER.pack(page, db_pages, header.salts, *state) + image
    return bytes(encoded), state
