"""Hostile SQLite logs."""

from __future__ import annotations

import struct

from reference_impl.sqlite_wal.layout import FRAME_HEADER_SIZE, HEADER_SIZE, Header, frames

NAME = "database-wal"
PAGE_SIZE = 512
SALTS = b"hostile!"
_HEADER = Header("<", PAGE_SIZE, 0, SALTS)


def _log(size: int) -> bytearray:
    """Return a log of one-page transactions."""
    images = [
        (1 + number % 5, 5, struct.pack(">Q", number) * (PAGE_SIZE // 8))
        for number in range(_count(size))
    ]
    made, _ = frames(images, _HEADER, _HEADER.checksum)
    return bytearray(_HEADER.to_bytes() + made)


def _slots(log: bytearray) -> range:
    return range(HEADER_SIZE, len(log), FRAME_HEADER_SIZE + PAGE_SIZE)


def many_generations(size: int) -> bytes:
    """Return a log in which each slot has different salts."""
    log = bytearray(small_transactions(size))
    for number, at in enumerate(_slots(log)[1:]):
        log[at + 8 : at + 16] = struct.pack(">Q", number)
    return bytes(log)


def padding_after_damage(size: int) -> bytes:
    """Return a damaged commit frame, followed by many undamaged copies of it."""
    count = max(4, size // (FRAME_HEADER_SIZE + PAGE_SIZE))
    images = [(1, 1, bytes(PAGE_SIZE))] * count
    log = bytearray(_HEADER.to_bytes() + frames(images, _HEADER, _HEADER.checksum)[0])
    log[HEADER_SIZE + FRAME_HEADER_SIZE] ^= 1
    return bytes(log)


def small_transactions(size: int) -> bytes:
    """Return a log with a record for each slot."""
    return bytes(_log(size))


def salts_without_links(size: int) -> bytes:
    """Return a log without a header. All slots have the same salts, but no checksum matches."""
    log = _log(size)
    log[:HEADER_SIZE] = bytes(HEADER_SIZE)
    for at in _slots(log):
        log[at + 16 : at + 24] = struct.pack(">Q", at)
    return bytes(log)


def deep_tail(size: int) -> bytes:
    """Return four current frames, followed by frames of an older generation."""
    older = Header("<", PAGE_SIZE, 0, b"older!!!")
    images = [(1 + n % 5, 5, struct.pack(">Q", n) * 64) for n in range(max(4, size // 536))]
    made, _ = frames(images, older, older.checksum)
    return bytes(_log(4)) + made[4 * (FRAME_HEADER_SIZE + PAGE_SIZE) :]


def _count(size: int) -> int:
    return max(4, size // (FRAME_HEADER_SIZE + PAGE_SIZE))


LOGS = (
    many_generations,
    padding_after_damage,
    small_transactions,
    salts_without_links,
    deep_tail,
)
