"""The operations that only recipes of LevelDB logs need, and the book of these recipes."""

from __future__ import annotations

import io
import struct
from collections.abc import Sequence

from crc32c import crc32c

from conformance.contents import Contents
from conformance.recipes.recipe import Book, Log
from reference_impl.leveldb_log.layout import BLOCK_SIZE, HEADER_SIZE, masked_crc
from reference_impl.leveldb_log.writer import Writer

FULL, FIRST, MIDDLE, LAST = 1, 2, 3, 4
TYPES_BY_NAME = {"FULL": FULL, "FIRST": FIRST, "MIDDLE": MIDDLE, "LAST": LAST}


class LevelDBLog(Log):
    """A LevelDB log being built."""

    def __init__(self, control: Contents, payloads: Sequence[bytes]) -> None:
        super().__init__(control, payloads, "leveldb-log")

    def write(self, *payloads: bytes) -> None:
        """Write these records after the existing records."""
        out = io.BytesIO()
        writer = Writer(out, len(self.data))
        for payload in payloads:
            writer.append(payload)
        self.data += out.getvalue()
        self.payloads += payloads

    def fill_block_but(self, left: int) -> None:
        """Write one record that leaves ``left`` bytes of the current block."""
        used = len(self.data) % BLOCK_SIZE
        self.write(numbered(BLOCK_SIZE - used - HEADER_SIZE - left))

    def retype(self, path: str, kind: int | str) -> None:
        """Change the type of a physical record, a number or a name, and correct its checksum."""
        self.set(f"{path}.header.type", TYPES_BY_NAME[kind] if isinstance(kind, str) else kind)
        self.reseal(path)


BOOK: Book[LevelDBLog] = Book("leveldb-log", LevelDBLog, ".log")
APPENDING = BOOK.group("appending")
CHECKSUM = BOOK.group("checksum")
DIALECTS = BOOK.group("dialects")
FRAGMENTS = BOOK.group("fragments")
LAYOUT = BOOK.group("layout")
LENGTHS = BOOK.group("lengths")
LIMITS = BOOK.group("limits")
RESYNC = BOOK.group("resync")
TORN_TAIL = BOOK.group("torn-tail")
TRAILER = BOOK.group("trailer")
TYPES = BOOK.group("types")
WRITING = BOOK.group("writing")
ZEROS = BOOK.group("zeros")


def numbered(size: int) -> bytes:
    """Return ``size`` bytes. Every eight bytes contain their offset, so no two parts are equal."""
    return b"".join(b"%07d." % at for at in range(0, size, 8))[:size]


def physical(kind: int, data: bytes) -> bytes:
    """Return a physical record of any type."""
    return struct.pack("<IHB", masked_crc(bytes([kind]) + data), len(data), kind) + data


def foreign(kind: int, extra: bytes, data: bytes) -> bytes:
    """Return a record of RocksDB or Pebble. The checksum also covers the ``extra`` header bytes."""
    covered = bytes([kind]) + extra + data
    return struct.pack("<IHB", masked_crc(covered), len(data), kind) + extra + data


def forge_checksum(kind: int, prefix: bytes, stored: int) -> bytes:
    """Return ``prefix`` and four bytes that give a record the stored (masked) checksum ``stored``.

    A CRC is affine in its input. Each of the 32 bits flips a fixed set of checksum bits, so the
    four bytes are the solution of 32 linear equations.
    """
    rotated = (stored - 0xA282EAD8) & 0xFFFFFFFF
    crc = (rotated << 15 | rotated >> 17) & 0xFFFFFFFF

    def checksum(suffix: int) -> int:
        return crc32c(bytes([kind]) + prefix + suffix.to_bytes(4, "little"))

    base = checksum(0)
    # Each key is the highest bit of a checksum change. Its value is that change with the suffix
    # bits that cause it.
    basis: dict[int, tuple[int, int]] = {}
    for bit in range(32):
        change, bits = checksum(1 << bit) ^ base, 1 << bit
        while change and change.bit_length() in basis:
            other = basis[change.bit_length()]
            change, bits = change ^ other[0], bits ^ other[1]
        basis[change.bit_length()] = (change, bits)
    wanted, suffix = crc ^ base, 0
    while wanted:
        change, bits = basis[wanted.bit_length()]
        wanted, suffix = wanted ^ change, suffix ^ bits
    return prefix + suffix.to_bytes(4, "little")
