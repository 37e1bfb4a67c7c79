"""The checksums of RocksDB and Pebble logs."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.damage.checksums import Unit
from conformance.kaitai.field_map import Field
from reference_impl.leveldb_log.dialects import header_size
from reference_impl.leveldb_log.layout import masked_crc


def checksum(data: bytes, record: Field, fields: Sequence[Field]) -> tuple[int, bytes]:
    """Return the checksum of a physical record. The undamaged log determines its header."""
    at = record.start
    is_sync = any(field.path == f"{record.path}.header.ofs_synced" for field in fields)
    length = int.from_bytes(data[at + 4 : at + 6], "little")
    end = at + header_size(data[at + 6], is_sync) + length
    return at, masked_crc(data[at + 6 : end]).to_bytes(4, "little")


UNITS = (Unit("blocks[].records[]", checksum),)
