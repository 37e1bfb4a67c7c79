"""The checksums of Zeebe journals."""

from __future__ import annotations

from collections.abc import Sequence

from crc32c import crc32c

from conformance.damage.checksums import Unit
from conformance.kaitai.field_map import Field
from reference_impl.zeebe_journal.layout import SBE_HEADER


def record_checksum(data: bytes, record: Field, fields: Sequence[Field]) -> tuple[int, bytes]:
    """Return the checksum of a record, over the data length that its metadata now gives."""
    at = record.start
    start = next(field.start for field in fields if field.path == f"{record.path}.data")
    length = int.from_bytes(data[at + 17 : at + 21], "little")
    return at + 9, crc32c(data[start : start + length]).to_bytes(8, "little")


def descriptor_checksum(
    data: bytes, descriptor: Field | None = None, fields: Sequence[Field] = ()
) -> tuple[int, bytes]:
    """Return the checksum of the descriptor at the start of a segment."""
    length = SBE_HEADER.size + int.from_bytes(data[17:19], "little")
    return 9, crc32c(data[17 : 17 + length]).to_bytes(8, "little")


UNITS = (Unit("records[]", record_checksum), Unit("descriptor", descriptor_checksum))
