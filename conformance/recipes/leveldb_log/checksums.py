"""The checksums of LevelDB logs."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.damage.checksums import Unit
from conformance.kaitai.field_map import Field
from reference_impl.leveldb_log.layout import HEADER_SIZE, masked_crc


def checksum(data: bytes, record: Field, fields: Sequence[Field]) -> tuple[int, bytes]:
    """Return the checksum of a physical record, for the length that its header now gives."""
    at = record.start
    end = at + HEADER_SIZE + int.from_bytes(data[at + 4 : at + 6], "little")
    return at, masked_crc(data[at + 6 : end]).to_bytes(4, "little")


UNITS = (Unit("blocks[].records[]", checksum),)
