"""KahaDB journals in a sweep: a batch has a checksum only where that is switched on."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence

from conformance.kaitai.field_map import Field
from reference_impl.answer import Record
from walproof.sweep.formats.kind import Edit, Kind, Seal, by_path


def _seal(data: bytes, unit: Field, fields: Sequence[Field]) -> Edit:
    at = unit.start
    return (at + 20, at + 28, struct.pack(">q", zlib.adler32(data[at + 28 : unit.end])))


def _has_checksum(data: bytes, batch: Field) -> bool:
    return any(data[batch.start + 20 : batch.start + 28])


class KahaDb(Kind):
    """See :class:`Kind`."""

    seals = (Seal("batches[]", _seal, by_path, is_there=_has_checksum),)
    enters_payloads = True
    pairs_tell = False

    def tells_payloads(self, files: Mapping[str, bytes], records: Sequence[Record]) -> bool:
        """See :class:`Kind`."""
        # A payload that holds a batch may be found in its place: nothing tells them apart.
        return not any(b"WRITE BATCH" in record.payload for record in records) and all(
            any(files[record.file or ""][batch + 20 : batch + 28])
            for record in records
            if (batch := int(record.fields["batch"])) >= 0
        )


KIND = KahaDb()
