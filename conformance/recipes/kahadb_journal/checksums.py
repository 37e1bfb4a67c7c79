"""The checksums of KahaDB journals, which are optional."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

from conformance.damage.checksums import Unit
from conformance.kaitai.field_map import Field

#: In a batch, the checksum and the records that it covers begin at these offsets.
_CHECKSUM, _RECORDS = 20, 28


def checksum(data: bytes, batch: Field, fields: Sequence[Field]) -> tuple[int, bytes]:
    """Return the checksum of the records of a batch."""
    covered = data[batch.start + _RECORDS : batch.end]
    return batch.start + _CHECKSUM, struct.pack(">q", zlib.adler32(covered))


def is_present(data: bytes, batch: Field) -> bool:
    """Return whether a batch has a checksum."""
    return any(data[batch.start + _CHECKSUM : batch.start + _RECORDS])


UNITS = (Unit("batches[]", checksum, is_present),)
