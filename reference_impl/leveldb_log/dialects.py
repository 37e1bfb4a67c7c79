"""Tell LevelDB logs from RocksDB and Pebble logs by their first blocks (LDB-043)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reference_impl.leveldb_log.layout import (
    BLOCK_SIZE,
    FIRST,
    FULL,
    HEADER,
    HEADER_SIZE,
    ZERO,
    all_zero,
    foreign_dialect,
    is_sound,
)

RECYCLABLE_HEADER_SIZE = 11
SYNC_HEADER_SIZE = 19
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
#: Pebble closes a log with a trailer that begins with these bytes. The next log number follows
#: them.
CLEAN_CLOSE = bytes(6) + b"\x05"

#: This pattern matches ``000012.log``, and ``000012-001.log``, which Pebble uses after a failover.
#: Zeros pad the numbers to six and three digits. A 64-bit number has at most 20 digits.
_LOG_NAME = re.compile(r"([0-9]{6}|[1-9][0-9]{6,19})(-([0-9]{3}|[1-9][0-9]{3,}))?\.log")

COMPRESSION, TIMESTAMP_SIZES, RECYCLABLE_TIMESTAMP_SIZES = 9, 10, 11
PREDECESSOR, RECYCLABLE_PREDECESSOR = 130, 131


def is_foreign(head: bytes, name: str = "") -> bool:
    """Return whether a log is from RocksDB or Pebble. ``head`` contains its first blocks.

    Bytes of an older log may follow the trailer of a cleanly closed log. Such a log is recognised
    by the log number in its file ``name``.
    """
    close = RECYCLABLE_HEADER_SIZE
    if len(head) >= close and head.startswith(CLEAN_CLOSE):
        number = (int.from_bytes(head[HEADER_SIZE:close], "little") - 1) & 0xFFFFFFFF
        named = log_number(name)
        if all_zero(head[close:]) or (named is not None and named & 0xFFFFFFFF == number):
            return True
    return _leads_to_foreign(head, is_sync=False) or _leads_to_foreign(head, is_sync=True)


def log_number(name: str) -> int | None:
    """Return the 64-bit log number in the file name of a log, or None for any other name."""
    if (named := _LOG_NAME.fullmatch(name)) is None:
        return None
    number = int(named[1])
    return None if number >> 64 else number


def header_size(kind: int, is_sync: bool) -> int:
    """Return the header size of a physical record of type ``kind``, in bytes.

    If ``is_sync`` is true, types 9 to 12 have the meaning that Pebble gives them.
    """
    if is_sync and 9 <= kind <= 12:
        return SYNC_HEADER_SIZE
    if 5 <= kind <= 8 or kind in (RECYCLABLE_TIMESTAMP_SIZES, RECYCLABLE_PREDECESSOR):
        return RECYCLABLE_HEADER_SIZE
    return HEADER_SIZE


def _leads_to_foreign(head: bytes, is_sync: bool) -> bool:
    has_plain = False
    starts_sound = is_sound(head[:BLOCK_SIZE], 0)
    for block, at in _headers(head, is_sync):
        kind = block[at + 6]
        if foreign_dialect(block, at) is not None:
            if not has_plain or kind in (TIMESTAMP_SIZES, PREDECESSOR):
                return True
        elif is_sound(block, at):
            has_data = kind in (FULL, FIRST) and not has_plain
            if has_data and not starts_sound and block.startswith(ZSTD_MAGIC, at + HEADER_SIZE):
                return True
            has_plain = True
    return False


def _headers(head: bytes, is_sync: bool) -> Iterator[tuple[bytes, int]]:
    """Yield the block and the offset of each header, valid or not, by following the lengths."""
    for base in range(0, len(head), BLOCK_SIZE):
        block, at = head[base : base + BLOCK_SIZE], 0
        while len(block) - at >= HEADER_SIZE:
            _, length, kind = HEADER.unpack_from(block, at)
            if kind == ZERO and length == 0:
                break
            yield block, at
            at += header_size(kind, is_sync) + length
