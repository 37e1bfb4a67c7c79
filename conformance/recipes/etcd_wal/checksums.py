"""Checksums of etcd's logs. Each checksum continues that of the record before it."""

from __future__ import annotations

from collections.abc import Sequence

from crc32c import crc32c

from conformance.damage.checksums import Unit
from conformance.kaitai.field_map import Field
from reference_impl.etcd_wal.layout import (
    IS_PADDED,
    LENGTH_SIZE,
    length_at,
    read_varint,
    varint,
)
from reference_impl.etcd_wal.segment import Segment


def checksums_from(data: bytes, frame: Field, fields: Sequence[Field]) -> tuple[int, bytes]:
    """Return the frames from ``frame`` on, with the checksums of their records corrected.

    Raises ``ValueError`` if a checksum does not fit into its frame.
    """
    segment = Segment(data, is_last=True)
    seed, at, sealed = _seed(segment, frame, fields), frame.start, b""
    while (reading := segment.message(at)) is not None:
        end = reading.ends[0]
        old = data[at:end]
        if reading.data is not None:
            seed = crc32c(data[slice(*reading.data)], seed)
            old = old if seed == reading.crc else _with_checksum(old, seed)
        sealed += old
        at = end
    return frame.start, sealed


def _seed(segment: Segment, frame: Field, fields: Sequence[Field]) -> int:
    """Return the stored checksum of the frame before this one, or 0 for the first frame of a
    file."""
    name = f"frames[{int(frame.path[len('frames[') : -1]) - 1}]"
    starts = [each.start for each in fields if each.path == name]
    reading = segment.message(starts[0]) if starts else None
    return reading.crc if reading else 0


def _with_checksum(frame: bytes, crc: int) -> bytes:
    """Return a frame of the same size that stores this checksum, in a longer varint if
    necessary."""
    length, new = length_at(frame, 0), bytearray(varint(crc))
    _, start = read_varint(frame, LENGTH_SIZE + 1, len(frame))
    _, end = read_varint(frame, start + 1, len(frame))
    while len(new) < end - start - 1:
        new[-1] |= 0x80
        new.append(0)
    record = frame[LENGTH_SIZE : start + 1] + new + frame[end : LENGTH_SIZE + length.record]
    padding = length.frame - LENGTH_SIZE - len(record)
    if padding < 0:
        raise ValueError("the checksum does not fit into its frame")
    if padding == length.padding:
        return frame[:LENGTH_SIZE] + record + frame[LENGTH_SIZE + length.record :]
    number = len(record) | (IS_PADDED | padding << 56 if padding else 0)
    return number.to_bytes(LENGTH_SIZE, "little") + record + bytes(padding)


def has_checksum(data: bytes, frame: Field) -> bool:
    """Return whether the checksum of this frame covers any data."""
    reading = Segment(data, is_last=True).message(frame.start)
    return reading is not None and reading.data is not None


UNITS = (Unit("frames[]", checksums_from, has_checksum),)
