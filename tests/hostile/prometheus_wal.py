"""Hostile Prometheus segments."""

from __future__ import annotations

from pathlib import Path

from conformance.recipes.zstd_frames import frame_of_one_byte
from reference_impl.answer import NewRecord
from reference_impl.prometheus_wal.layout import (
    FIRST,
    FULL,
    LAST,
    MIDDLE,
    PAGE_SIZE,
    SNAPPY,
    ZSTD,
    frame,
)
from reference_impl.prometheus_wal.writer import Writer

NAME = "00000000"
_ALPHA = frame(FULL, 0, b"alpha")


def _pages(size: int, part: bytes) -> bytes:
    """Return pages full of copies of a frame, followed by a record."""
    page = (part * (PAGE_SIZE // len(part))).ljust(PAGE_SIZE, b"\0")
    return page * max(1, size // PAGE_SIZE) + _ALPHA


def empty_records(size: int) -> bytes:
    """Return a segment with a record for every seven bytes."""
    return _pages(size, frame(FULL, 0, b""))


def unknown_types(size: int) -> bytes:
    """Return a segment with a lost range for every seven bytes."""
    return _pages(size, frame(5, 0, b""))


def orphans(size: int) -> bytes:
    """Return a segment with a lost range for every eight bytes."""
    return _pages(size, frame(LAST, 0, b"x"))


def record_of_small_fragments(size: int) -> bytes:
    """Return a record that consists of a FIRST, many one-byte MIDDLE fragments, and a LAST."""
    middles = frame(MIDDLE, 0, b"x") * (size // 8)
    return frame(FIRST, 0, b"alpha") + middles + frame(LAST, 0, b"bravo")


def flipped_lengths(size: int) -> bytes:
    """Return frames whose lengths are 0 instead of 1, as after flipping the lowest bit."""
    sound = frame(FULL, 0, b"x")
    return _pages(size, sound[:1] + b"\0\0" + sound[3:])


def frames_that_inflate(size: int) -> bytes:
    """Return compressed records that inflate to 16 KiB each, which soon exceeds the budget."""
    return _pages(size, frame(FULL, ZSTD, frame_of_one_byte(97, 16384)))


def frames_that_fail(size: int) -> bytes:
    """Return 128 KiB frames that lack their last byte. Their partial output counts, too."""
    return _pages(size, frame(FULL, ZSTD, frame_of_one_byte(97, 1 << 17)[:-1]))


def blocks_that_inflate(size: int) -> bytes:
    """Return Snappy blocks with the maximum compression ratio."""
    return _pages(size, frame(FULL, SNAPPY, b"\x80\xa8\x01\x00a" + b"\xfe\x01\x00" * 336))


def one_record(size: int) -> bytes:
    """Return a record of as many frames as the segment has pages."""
    return _segment(bytes(size))


def refs_of_one_hash(size: int) -> bytes:
    """Return samples with start times of many series, whose refs all have the same hash in Python.

    The hash of an integer is its remainder modulo 2⁶¹ − 1.
    """
    sample = b"\xfe" + b"\xff" * 7 + b"\x3f" + bytes(10)  # the LEB128 number is 2⁶¹ − 1
    return _segment(b"\x0b" + sample * (size // len(sample)))


def _segment(payload: bytes) -> bytes:
    writer = Writer(Path(NAME), {}, None)
    writer.files([NewRecord(payload)])
    return bytes(writer.segment)


LOGS = [
    empty_records,
    unknown_types,
    orphans,
    record_of_small_fragments,
    flipped_lengths,
    frames_that_inflate,
    frames_that_fail,
    blocks_that_inflate,
    one_record,
    refs_of_one_hash,
]
