"""Numbers and byte layouts in journal files (SDJ-001 to SDJ-018).

Upstream: systemd ``src/libsystemd/sd-journal/journal-def.h``.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, fields

SIGNATURE = b"LPKSHHRH"
HEADER_MIN = 208

SEALED, TAIL_ENTRY_BOOT_ID, SEALED_CONTINUOUS = 1, 2, 4  # compatible flags, SDJ-006
COMPATIBLE_KNOWN = 7
XZ, LZ4, KEYED_HASH, ZSTD, COMPACT = 1, 2, 4, 8, 16  # incompatible flags, SDJ-005
INCOMPATIBLE_KNOWN = 0x1F
OFFLINE, ONLINE, ARCHIVED = range(3)  # SDJ-007

OBJECT_XZ, OBJECT_LZ4, OBJECT_ZSTD = 1, 2, 4  # object flags, SDJ-026
OBJECT_COMPRESSED = 7
HEADER_FLAG_OF = {OBJECT_XZ: XZ, OBJECT_LZ4: LZ4, OBJECT_ZSTD: ZSTD}

UNUSED, DATA, FIELD, ENTRY, DATA_HASH_TABLE, FIELD_HASH_TABLE, ENTRY_ARRAY, TAG = range(8)
TABLES = (DATA_HASH_TABLE, FIELD_HASH_TABLE)
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
# The fields are seqnum, realtime, monotonic, boot_id and xor_hash.
ENTRY_FIXED = struct.Struct("<QQQ16sQ")
# The fields are hash, next_hash_offset, next_field_offset, entry_offset, entry_array_offset and
# n_entries.
DATA_FIXED = struct.Struct("<QQQQQQ")
# The fields are hash, next_hash_offset and head_data_offset.
FIELD_FIXED = struct.Struct("<QQQ")
TIME_LIMIT = 1 << 55  # Every time, in microseconds, must be below this limit (SDJ-015).

FIXED_SIZE = {FIELD: 40, ENTRY: 64, ENTRY_ARRAY: 24, TAG: 64}
FIXED_SIZE |= {DATA_HASH_TABLE: 16, FIELD_HASH_TABLE: 16}


def align(offset: int) -> int:
    """Round an offset up to a multiple of 8, at which the next object begins (SDJ-010)."""
    return (offset + 7) & ~7


# Each row is a name and a struct code. A field exists only if header_size covers it (SDJ-003).
_HEADER = (
    ("signature", "8s"),  # 0
    ("compatible_flags", "I"),
    ("incompatible_flags", "I"),
    ("state", "B"),
    ("reserved", "7s"),
    ("file_id", "16s"),  # 24
    ("machine_id", "16s"),
    ("tail_entry_boot_id", "16s"),
    ("seqnum_id", "16s"),
    ("header_size", "Q"),  # 88
    ("arena_size", "Q"),
    ("data_hash_table_offset", "Q"),
    ("data_hash_table_size", "Q"),
    ("field_hash_table_offset", "Q"),
    ("field_hash_table_size", "Q"),
    ("tail_object_offset", "Q"),  # 136
    ("n_objects", "Q"),
    ("n_entries", "Q"),
    ("tail_entry_seqnum", "Q"),
    ("head_entry_seqnum", "Q"),
    ("entry_array_offset", "Q"),
    ("head_entry_realtime", "Q"),
    ("tail_entry_realtime", "Q"),
    ("tail_entry_monotonic", "Q"),
    ("n_data", "Q"),  # 208
    ("n_fields", "Q"),
    ("n_tags", "Q"),  # 224
    ("n_entry_arrays", "Q"),
    ("data_hash_chain_depth", "Q"),  # 240
    ("field_hash_chain_depth", "Q"),
    ("tail_entry_array_offset", "I"),  # 256
    ("tail_entry_array_n_entries", "I"),
    ("tail_entry_offset", "Q"),  # 264
)
_HEADER_LAYOUT = struct.Struct("<" + "".join(code for _, code in _HEADER))
HEADER_FULL = _HEADER_LAYOUT.size
# Each value is the offset and size of a field. Fields follow one another without gaps (SDJ-002).
HEADER_FIELDS: dict[str, tuple[int, int]] = {}
for _name, _code in _HEADER:
    _at = sum(size for _, size in HEADER_FIELDS.values())
    HEADER_FIELDS[_name] = (_at, struct.calcsize(_code))


@dataclass
class Header:
    """The file header. A field has a meaning only if :meth:`has` returns true (SDJ-003)."""

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
        """Return whether ``header_size`` covers this field."""
        at, size = HEADER_FIELDS[name]
        return at + size <= self.header_size

    @property
    def compact(self) -> bool:
        """Return whether entries and arrays have 32-bit offsets, without hashes in items."""
        return bool(self.incompatible_flags & COMPACT)

    @property
    def keyed(self) -> bool:
        """Return whether hashes are SipHashes with the key ``file_id``, not Jenkins hashes."""
        return bool(self.incompatible_flags & KEYED_HASH)

    @property
    def sealed(self) -> bool:
        """Return whether the file has TAG objects."""
        return bool(self.compatible_flags & SEALED)

    @property
    def data_fixed(self) -> int:
        """Return the number of bytes before a DATA object's payload (SDJ-013)."""
        return 72 if self.compact else 64

    @property
    def item_size(self) -> int:
        """Return the size of an ENTRY's items in bytes (SDJ-015)."""
        return 4 if self.compact else 16

    @property
    def slot_size(self) -> int:
        """Return the size of an ENTRY_ARRAY's slots in bytes (SDJ-017)."""
        return 4 if self.compact else 8

    def to_bytes(self) -> bytes:
        """Encode the known fields, up to ``header_size``."""
        values = [getattr(self, field.name) for field in fields(self)]
        return _HEADER_LAYOUT.pack(*values)[: self.header_size]


def parse_header(data: bytes) -> Header:
    """Parse a header from at least 208 bytes."""
    known = bytes(data[:HEADER_FULL]).ljust(HEADER_FULL, b"\0")
    return Header(*_HEADER_LAYOUT.unpack(known))
