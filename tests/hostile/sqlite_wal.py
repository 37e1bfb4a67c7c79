"""Hostile logs of SQLite."""

from __future__ import annotations

import struct

from reference_impl.sqlite_wal.layout import FRAME_HEADER_SIZE, HEADER_SIZE, Header, frames

NAME = "database-wal"
PAGE_SIZE = 512
SALTS = b"hostile!"
_HEADER = Header("<", PAGE_SIZE, 0, SALTS)


def _log(size: int, db_pages: int, commit: int = 0) -> bytearray:
    """Frames of one page each, with this database size; ``commit`` is the last one's if given."""
    count = max(4, size // (FRAME_HEADER_SIZE + PAGE_SIZE))
    sizes = [db_pages] * (count - 1) + [commit or db_pages]
    images = [
        (1 + number % 5, pages, struct.pack(">Q", number) * (PAGE_SIZE // 8))
        for number, pages in enumerate(sizes)
    ]
    made, _ = frames(images, _HEADER, _HEADER.checksum)
    return bytearray(_HEADER.to_bytes() + made)


def _slots(log: bytearray) -> range:
    return range(HEADER_SIZE, len(log), FRAME_HEADER_SIZE + PAGE_SIZE)


def pages_of_64_kib(size: int) -> bytes:
    """The longest pages; the file ends inside one of them."""
    header = Header(">", 65536, 0, SALTS)
    images = [(1, 1, bytes([number % 256]) * 65536) for number in range(size // 65536 + 1)]
    made, _ = frames(images, header, header.checksum)
    return (header.to_bytes() + made)[:size]


def highest_numbers(size: int) -> bytes:
    """Page numbers and database sizes of 2^32 - 1."""
    count = max(4, size // (FRAME_HEADER_SIZE + PAGE_SIZE))
    images = [(0xFFFFFFFF, 0xFFFFFFFF, struct.pack(">Q", n) * 64) for n in range(count)]
    return _HEADER.to_bytes() + frames(images, _HEADER, _HEADER.checksum)[0]


def many_generations(size: int) -> bytes:
    """Each slot has other salts than the one before."""
    log = bytearray(small_transactions(size))
    for number, at in enumerate(_slots(log)[1:]):
        log[at + 8 : at + 16] = struct.pack(">Q", number)
    return bytes(log)


def generations_of_foreign_salts(size: int) -> bytes:
    """The checksums of all slots follow, and only the salts of the first are right."""
    log = bytearray(small_transactions(size))
    for at in _slots(log)[1:-1]:
        log[at + 8] ^= 1
    return bytes(log)


def padding_after_damage(size: int) -> bytes:
    """The same commit frame in each slot, after a damaged one."""
    count = max(4, size // (FRAME_HEADER_SIZE + PAGE_SIZE))
    images = [(1, 1, bytes(PAGE_SIZE))] * count
    log = bytearray(_HEADER.to_bytes() + frames(images, _HEADER, _HEADER.checksum)[0])
    log[HEADER_SIZE + FRAME_HEADER_SIZE] ^= 1
    return bytes(log)


def small_transactions(size: int) -> bytes:
    """A record for each slot."""
    return bytes(_log(size, 5))


def uncommitted_frames(size: int) -> bytes:
    """Frames of one transaction without a commit."""
    return bytes(_log(size, 0))


def one_large_transaction(size: int) -> bytes:
    """One transaction of all frames."""
    return bytes(_log(size, 0, commit=5))


def every_second_image(size: int) -> bytes:
    """A lost range for every second slot, and a marked record for each of the others."""
    log = _log(size, 5)
    for at in _slots(log)[1::2]:
        log[at + FRAME_HEADER_SIZE] ^= 1
    return bytes(log)


def every_checksum(size: int) -> bytes:
    """All checksums are wrong but the last one, which proves all frames."""
    log = _log(size, 5)
    for at in _slots(log)[:-1]:
        log[at + 16] ^= 1
    return bytes(log)


def reversed_slots(size: int) -> bytes:
    """All slots in reverse order: each follows the slot after it."""
    log = _log(size, 5)
    slot = FRAME_HEADER_SIZE + PAGE_SIZE
    return bytes(log[:HEADER_SIZE]) + b"".join(
        bytes(log[at : at + slot]) for at in _slots(log)[::-1]
    )


def copies_of_one_slot(size: int) -> bytes:
    """Copies of frame 2 in all slots but the first and the last."""
    log = _log(size, 5)
    second = bytes(log[_slots(log)[1] : _slots(log)[2]])
    for at in _slots(log)[2:-1]:
        log[at : at + len(second)] = second
    return bytes(log)


def salts_without_links(size: int) -> bytes:
    """No header, and slots with equal salts of which none follows another."""
    log = _log(size, 5)
    log[:HEADER_SIZE] = bytes(HEADER_SIZE)
    for at in _slots(log):
        log[at + 16 : at + 24] = struct.pack(">Q", at)
    return bytes(log)


LOGS = (
    pages_of_64_kib,
    highest_numbers,
    many_generations,
    generations_of_foreign_salts,
    padding_after_damage,
    small_transactions,
    uncommitted_frames,
    one_large_transaction,
    every_second_image,
    every_checksum,
    reversed_slots,
    copies_of_one_slot,
    salts_without_links,
)
