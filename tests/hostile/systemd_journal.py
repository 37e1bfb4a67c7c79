"""Hostile systemd journal files, built object by object as no writer would write them."""

from __future__ import annotations

import lzma
import struct
from collections.abc import Sequence

import zstandard

from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.hashes import jenkins64
from reference_impl.systemd_journal.layout import Header, align

NAME = "system.journal"
BOOT = b"\1" * 16
LONG = 4096
#: An offset at which no object can begin.
NOWHERE = 4


class _File:
    """A compact file that grows object by object."""

    def __init__(self, flags: int = 0) -> None:
        self.header = Header(incompatible_flags=layout.COMPACT | flags, file_id=BOOT)
        self.data = bytearray(layout.HEADER_FULL)
        self.entries = 0

    def put(self, kind: int, body: bytes, flags: int = 0) -> int:
        """Append an object; return its offset."""
        self.data += bytes(align(len(self.data)) - len(self.data))
        at = self.header.tail_object_offset = len(self.data)
        self.data += layout.OBJECT_HEADER.pack(kind, flags, layout.OBJECT_SIZE + len(body)) + body
        self.header.n_objects += 1
        return at

    def field(self, payload: bytes, stored: bytes | None = None, flags: int = 0) -> int:
        """Append a DATA; return its offset. ``stored`` replaces the bytes of the payload."""
        fixed = struct.pack("<7Q", jenkins64(payload), 0, 0, 0, 0, 0, 0)
        return self.put(layout.DATA, fixed + (payload if stored is None else stored), flags)

    def entry(self, items: Sequence[int]) -> int:
        """Append an ENTRY with these items; return its offset."""
        self.entries += 1
        fixed = layout.ENTRY_FIXED.pack(self.entries, 1, 1, BOOT, 0)
        return self.put(layout.ENTRY, fixed + struct.pack(f"<{len(items)}I", *items))

    def done(self, slots: Sequence[int]) -> bytes:
        """Append the main entry array with these slots; return the file."""
        body = bytes(8) + struct.pack(f"<{len(slots)}I", *slots)
        self.header.entry_array_offset = self.put(layout.ENTRY_ARRAY, body)
        self.data += bytes(align(len(self.data)) - len(self.data))
        self.header.arena_size = len(self.data) - layout.HEADER_FULL
        return self.header.to_bytes() + bytes(self.data[layout.HEADER_FULL :])


def one_field_repeated(size: int) -> bytes:
    """Return a file with one entry whose items all refer to one field."""
    file = _File()
    field = file.field(b"A=".ljust(LONG, b"x"))
    return file.done([file.entry([field] * ((size - LONG) // 4))])


def one_field_shared(size: int) -> bytes:
    """Return a file whose entries all share one field of half the file size."""
    file = _File()
    field = file.field(b"A=".ljust(size // 2, b"x"))
    return file.done([file.entry([field]) for _ in range(size // 2 // 76)])


def faults_that_overlap(size: int) -> bytes:
    """Return a file whose items and slots all lead nowhere. Readers find them out of order."""
    file = _File()
    file.entry([NOWHERE] * (size // 8))
    return file.done([NOWHERE] * (size // 8))


def bombs(size: int) -> bytes:
    """Return a file of fields that inflate to the maximum size and only then fail."""
    stored = lzma.compress(bytes(64 << 20), lzma.FORMAT_XZ, lzma.CHECK_NONE, preset=0)[:-12]
    file = _File(layout.XZ)
    for _ in range(max(1, size // (len(stored) + 72))):
        file.field(b"", stored, layout.OBJECT_XZ)
    return file.done([file.entry([NOWHERE])])


def small_entries(size: int) -> bytes:
    """Return a file of minimum-size entries that share one two-byte field."""
    file = _File()
    field = file.field(b"A=")
    return file.done([file.entry([field]) for _ in range(size // 76)])


def many_fields(size: int) -> bytes:
    """Return a file with one entry that has many small fields with different names."""
    file = _File()
    fields = [file.field(b"F%X=" % number) for number in range(size // 84)]
    return file.done([file.entry(fields)])


def _wrong_field(file: _File, payload: bytes, stored_hash: int) -> int:
    """Append a DATA with a wrong hash; return its offset."""
    fixed = struct.pack("<7Q", stored_hash, 0, 0, 0, 0, 0, 0)
    return file.put(layout.DATA, fixed + payload)


def nameless_field_shared(size: int) -> bytes:
    """Return a file whose entries all share a long field without a name and with a wrong hash."""
    file = _File()
    file.field(b"A=")
    field = _wrong_field(file, bytes(size // 2), 1)
    return file.done([file.entry([field]) for _ in range(size // 2 // 76)])


def one_bit_in_each_hash(size: int) -> bytes:
    """Return a file of fields whose hashes each have one flipped bit."""
    file = _File()
    field = file.field(b"A=")
    for number in range(size // 80):
        payload = b"F%X=" % number
        _wrong_field(file, payload, jenkins64(payload) ^ 1)
    return file.done([file.entry([field])])


def items_without_objects(size: int) -> bytes:
    """Return a file of entries with a wrong size. Many items lead to the empty space after them."""
    file = _File()
    field = file.field(b"A=")
    count, empty = size // 2 // 72, size // 2 // 12
    first = layout.align(len(file.data)) + layout.align(64 + 4 * empty) + 72 * count
    entry = file.entry([first + 8 * number for number in range(empty)])
    for _ in range(count):
        at = file.entry([field])
        file.data[at + 8 : at + 16] = struct.pack("<Q", 1 << 40)
    file.data += bytes(first + 8 * empty - len(file.data))
    return file.done([entry])


def bytes_after_a_frame(size: int) -> bytes:
    """Return a file with one entry whose items refer to a short field with a long stored form."""
    file = _File(layout.ZSTD)
    frame = zstandard.ZstdCompressor().compress(b"A=")
    field = file.field(b"A=", frame + bytes(size // 2), layout.OBJECT_ZSTD)
    return file.done([file.entry([field] * (size // 8))])


LOGS = (
    small_entries,
    many_fields,
    one_field_repeated,
    one_field_shared,
    faults_that_overlap,
    bombs,
    nameless_field_shared,
    one_bit_in_each_hash,
    items_without_objects,
    bytes_after_a_frame,
)
