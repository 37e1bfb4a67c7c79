"""Hostile etcd segments."""

from __future__ import annotations

from crc32c import crc32c

from reference_impl.etcd_wal.layout import CRC, ENTRY, frame, record

NAME = "0000000000000000-0000000000000000.wal"
_HEAD = frame(record(CRC, 0, None))


def small_entries(size: int) -> bytes:
    """Return a log of entries without data."""
    payload = b"\x10\x01\x18\x01"
    crc, frames = 0, []
    for _ in range(size // 24):
        crc = crc32c(payload, crc)
        frames.append(frame(record(ENTRY, crc, payload)))
    return _HEAD + b"".join(frames)


def unknown_types(size: int) -> bytes:
    """Return a log of records with an unknown type, which has a lost range for every 16 bytes."""
    return _HEAD + frame(record(9, 0, None)) * (size // 16)


def frames_in_frames(size: int) -> bytes:
    """Return damage, followed by frames that each claim the rest of the file."""
    count = size // 24
    parts = []
    for number in range(count):
        rest = 24 * (count - number) - 8
        parts.append(
            rest.to_bytes(8, "little") + b"\x08\x02\x10\x01\x1a" + _varint(rest - 11, 6) + b"\1" * 5
        )
    return _HEAD + b"\xff" * 8 + b"".join(parts)


def candidates(size: int) -> bytes:
    """Return damage, followed by small frames that no other frame follows directly."""
    one = frame(record(ENTRY, 0x7FFFFFFF, b"\x10\x01"))
    return _HEAD + b"\xff" * 8 + (one + b"\xff" * 8) * (size // (len(one) + 8))


def inserted_bytes(size: int) -> bytes:
    """Return a log of entries with bytes inserted in front of each."""
    payload = b"\x10\x01\x18\x01"
    crc, frames = 0, []
    for _ in range(size // 32):
        crc = crc32c(payload, crc)
        frames += [b"\xff" * 8, frame(record(ENTRY, crc, payload))]
    return _HEAD + b"".join(frames)


def frames_of_the_rest(size: int) -> bytes:
    """Return entries whose lengths state about the rest of the file.

    The lengths are also a tag and the size of the frame, so that the message in each frame goes on
    with the next frames, and ends with fields of two bytes. Its last checksum is wrong, and the
    record of the entry alone is right.
    """
    tail, low = b"\x10\x00" * (size // 4), 0x2622
    count = (size - len(tail) - len(_HEAD)) // 40
    crc, frames = 0, []
    for number in range(count):
        payload = bytes(22)
        crc = crc32c(payload, crc)
        rest = 40 * (count - number) + len(tail) - 8
        length = low + (rest - low) // 65536 * 65536
        one = b"\x08\x02\x10" + _varint(crc, 5) + b"\x1a\x16" + payload
        frames.append(length.to_bytes(8, "little") + one)
    return _HEAD + b"".join(frames) + tail


def _varint(number: int, size: int) -> bytes:
    """Return a varint that is padded to ``size`` bytes."""
    groups = [number >> 7 * step & 0x7F | 0x80 for step in range(size)]
    groups[-1] &= 0x7F
    return bytes(groups)


LOGS = [
    small_entries,
    unknown_types,
    frames_in_frames,
    candidates,
    inserted_bytes,
    frames_of_the_rest,
]
