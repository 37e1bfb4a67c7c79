"""The layout of the Prometheus write-ahead log: names, pages and frames.

Upstream authority: prometheus/prometheus ``tsdb/wlog/wlog.go`` and ``tsdb/wlog/checkpoint.go``.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from crc32c import crc32c

PAGE_SIZE = 32768
HEADER = struct.Struct(">BHI")
HEADER_SIZE = HEADER.size
MAX_DATA_SIZE = PAGE_SIZE - HEADER_SIZE

PADDING, FULL, FIRST, MIDDLE, LAST = range(5)
#: Bits 3 and up of a type byte contain one of these compression flags.
NONE, SNAPPY, ZSTD = range(3)
FLAGS: Mapping[str, int] = {"none": NONE, "snappy": SNAPPY, "zstd": ZSTD}

#: Before Prometheus 2.4, segments began with these bytes (PRW-003).
OLD_MAGIC = b"\x43\xaf\x00\xef"

_NUMBER = re.compile(r"[+-]?[0-9]+", re.ASCII)
CHECKPOINT = "checkpoint."


def number_of(name: str) -> int | None:
    """Return the number in a segment name, or None for any other name (PRW-002)."""
    if not _NUMBER.fullmatch(name) or not -(1 << 63) <= int(name) < 1 << 63:
        return None
    return int(name)


def checkpoint_number(name: str) -> int | None:
    """Return the number in a checkpoint name, or None for any other name (PRW-002)."""
    return number_of(name[len(CHECKPOINT) :]) if name.startswith(CHECKPOINT) else None


def segment_name(number: int) -> str:
    """Return the name that Prometheus gives the segment with this number."""
    return f"{number:08d}"


def segments(folder: Path) -> list[tuple[int, str]]:
    """Return the number and name of each segment in a folder, in reading order (PRW-002).

    If two names have the same number, the name that Prometheus writes comes first.
    """
    numbers = {p.name: number_of(p.name) for p in folder.iterdir() if p.is_file()}
    found = [(number, name) for name, number in numbers.items() if number is not None]
    return sorted(found, key=lambda each: (each[0], each[1] != segment_name(each[0]), each[1]))


def checkpoints(folder: Path) -> list[tuple[int, str]]:
    """Return the number and name of each checkpoint in a folder, newest first (PRW-004)."""
    numbers = {path.name: checkpoint_number(path.name) for path in folder.iterdir()}
    found = [(number, name) for name, number in numbers.items() if number is not None]
    return sorted(found, reverse=True)


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame (PRW-011). If the segment ends too early, ``data`` is shorter than ``length``."""

    at: int
    type_byte: int
    length: int
    checksum: int
    data: memoryview

    @property
    def type(self) -> int:
        """Return the fragment type."""
        return self.type_byte & 7

    @property
    def flags(self) -> int:
        """Return the compression flags, with bit 0 for Snappy and bit 1 for zstd."""
        return self.type_byte >> 3 & 3

    @property
    def end(self) -> int:
        """Return the offset at which the frame ends."""
        return self.at + HEADER_SIZE + self.length

    def is_sound(self) -> bool:
        """Return whether the data is complete and matches its checksum (PRW-013)."""
        return len(self.data) == self.length and crc32c(self.data) == self.checksum

    def resized(self, segment: memoryview, length: int) -> Frame:
        """Return the same frame as if its length were ``length``."""
        start = self.at + HEADER_SIZE
        data = segment[start : start + length]
        return Frame(self.at, self.type_byte, length, self.checksum, data)


def frame_at(segment: memoryview, at: int) -> Frame:
    """Return the frame at an offset, where the segment has at least seven more bytes."""
    type_byte, length, checksum = HEADER.unpack_from(segment, at)
    start = at + HEADER_SIZE
    return Frame(at, type_byte, length, checksum, segment[start : start + length])


def frame(kind: int, flags: int, data: bytes) -> bytes:
    """Encode a frame (PRW-011)."""
    return HEADER.pack(kind | flags << 3, len(data), crc32c(data)) + data
