"""Numbers and byte layouts of journal files (SDJ-001 to SDJ-018).

Upstream: systemd ``src/libsystemd/sd-journal/journal-def.h``.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, fields
from typing import Any

SIGNATURE = b"LPKSHHRH"
HEADER_MIN = 208

SEALED, TAIL_ENTRY_BOOT_ID, SEALED_CONTINUOUS = 1, 2, 4  # compatible flags, SDJ-006
XZ, LZ4, KEYED_HASH, ZSTD, COMPACT = 1, 2, 4, 8, 16  # incompatible flags, SDJ-005
INCOMPATIBLE_KNOWN = 0x1F
OFFLINE, ONLINE, ARCHIVED = range(3)  # SDJ-007

OBJECT_XZ, OBJECT_LZ4, OBJECT_ZSTD = 1, 2, 4  # object flags, SDJ-026
OBJECT_COMPRESSED = 7
HEADER_FLAG_OF = {OBJECT_XZ: XZ, OBJECT_LZ4: LZ4, OBJECT_ZSTD: ZSTD}

UNUSED, DATA, FIELD, ENTRY, DATA_HASH_TABLE, FIELD_HASH_TABLE, ENTRY_ARRAY, TAG = range(8)
TYPE_NAMES = (
    "UNUSED",
    "DATA",
    "FIELD",
    "ENTRY",
    "DATA_HASH_TABLE",
    "FIELD_HASH_TABLE",
    "ENTRY_ARRAY",
    "TAG",
)
OBJECT_HEADER = struct.Struct("<BB6xQ")  # type, flags, size
OBJECT_SIZE = OBJECT_HEADER.size
ENTRY_FIXED = struct.Struct("<QQQ16sQ")  # seqnum, realtime, monotonic, boot_id, xor_hash
DATA_FIXED = struct.Struct("<QQQQQQ")
"""hash, next_hash_offset, next_field_offset, entry_offset, entry_array_offset, n_entries"""
FIELD_FIXED = struct.Struct("<QQQ")  # hash, next_hash_offset, head_data_offset
TIME_LIMIT = 1 << 55  # SDJ-015: realtime and monotonic are below this, in microseconds

FIXED_SIZE = {FIELD: 40, ENTRY: 64, ENTRY_ARRAY: 24, TAG: 64}
FIXED_SIZE |= {DATA_HASH_TABLE: 16, FIELD_HASH_TABLE: 16}


def align(offset: int) -> int:
    """The next multiple of 8: where the next object begins (SDJ-010)."""
    return (offset + 7) & ~7


_HEADER = (  # name, offset, struct code; fields exist if header_size reaches their end (SDJ-003)
    ("signature", 0, "8s"),
    ("compatible_flags", 8, "I"),
    ("incompatible_flags", 12, "I"),
    ("state", 16, "B"),
    ("reserved", 17, "7s"),
    ("file_id", 24, "16s"),
    ("machine_id", 40, "16s"),
    ("tail_entry_boot_id", 56, "16s"),
    ("seqnum_id", 72, "16s"),
    ("header_size", 88, "Q"),
    ("arena_size", 96, "Q"),
    ("data_hash_table_offset", 104, "Q"),
    ("data_hash_table_size", 112, "Q"),
    ("field_hash_table_offset", 120, "Q"),
    ("field_hash_table_size", 128, "Q"),
    ("tail_object_offset", 136, "Q"),
    ("n_objects", 144, "Q"),
    ("n_entries", 152, "Q"),
    ("tail_entry_seqnum", 160, "Q"),
    ("head_entry_seqnum", 168, "Q"),
    ("entry_array_offset", 176, "Q"),
    ("head_entry_realtime", 184, "Q"),
    ("tail_entry_realtime", 192, "Q"),
    ("tail_entry_monotonic", 200, "Q"),
    ("n_data", 208, "Q"),
    ("n_fields", 216, "Q"),
    ("n_tags", 224, "Q"),
    ("n_entry_arrays", 232, "Q"),
    ("data_hash_chain_depth", 240, "Q"),
    ("field_hash_chain_depth", 248, "Q"),
    ("tail_entry_array_offset", 256, "I"),
    ("tail_entry_array_n_entries", 260, "I"),
    ("tail_entry_offset", 264, "Q"),
)
HEADER_FIELDS = {name: (at, struct.calcsize(f"<{code}")) for name, at, code in _HEADER}
HEADER_FULL = 272


@dataclass
class Header:
    """The file header. A field that ``header_size`` does not reach reads as 0 (SDJ-003)."""

    signature: bytes = SIGNATURE
    compatible_flags: int = 0
    incompatible_flags: int = 0
    state: int = OFFLINE
    reserved: bytes = bytes(7)
    file_id: bytes = bytes(16)
    machine_id: bytes = bytes(16)
    tail_entry_boot_id: bytes = bytes(16)
    seqnum_id: bytes = bytes(16)
    header_size: int = HEADER_FULL
    arena_size: int = 0
    data_hash_table_offset: int = 0
    data_hash_table_size: int = 0
    field_hash_table_offset: int = 0
    field_hash_table_size: int = 0
    tail_object_offset: int = 0
    n_objects: int = 0
    n_entries: int = 0
    tail_entry_seqnum: int = 0
    head_entry_seqnum: int = 0
    entry_array_offset: int = 0
    head_entry_realtime: int = 0
    tail_entry_realtime: int = 0
    tail_entry_monotonic: int = 0
    n_data: int = 0
    n_fields: int = 0
    n_tags: int = 0
    n_entry_arrays: int = 0
    data_hash_chain_depth: int = 0
    field_hash_chain_depth: int = 0
    tail_entry_array_offset: int = 0
    tail_entry_array_n_entries: int = 0
    tail_entry_offset: int = 0

    def has(self, name: str) -> bool:
        """Whether ``header_size`` covers this field."""
        at, size = HEADER_FIELDS[name]
        return at + size <= self.header_size

    @property
    def compact(self) -> bool:
        """32-bit offsets in entries and arrays, and no item hashes."""
        return bool(self.incompatible_flags & COMPACT)

    @property
    def keyed(self) -> bool:
        """SipHash with ``file_id`` as key, in place of Jenkins' hash."""
        return bool(self.incompatible_flags & KEYED_HASH)

    @property
    def sealed(self) -> bool:
        """Whether there are TAG objects."""
        return bool(self.compatible_flags & SEALED)

    @property
    def data_fixed(self) -> int:
        """Bytes of a DATA object before its payload (SDJ-013)."""
        return 72 if self.compact else 64

    @property
    def item_size(self) -> int:
        """Bytes of an item of an ENTRY (SDJ-015)."""
        return 4 if self.compact else 16

    @property
    def slot_size(self) -> int:
        """Bytes of a slot of an ENTRY_ARRAY (SDJ-017)."""
        return 4 if self.compact else 8

    def to_bytes(self) -> bytes:
        """``header_size`` bytes; everything after the last known field is zero."""
        values = [getattr(self, field.name) for field in fields(self)]
        packed = struct.pack("<" + "".join(code for *_, code in _HEADER), *values)
        return packed[: self.header_size].ljust(self.header_size, b"\0")


def parse_header(data: bytes) -> Header:
    """Read a header from at least 208 bytes."""
    size = int.from_bytes(data[88:96], "little")
    values: dict[str, Any] = {}
    for name, at, code in _HEADER:
        if at + struct.calcsize(f"<{code}") <= min(size, len(data)) or at < HEADER_MIN:
            values[name] = struct.unpack_from(f"<{code}", data, at)[0]
    return Header(**values)
