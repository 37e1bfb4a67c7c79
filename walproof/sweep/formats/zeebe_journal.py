"""Zeebe journals in a sweep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from crc32c import crc32c

from conformance.kaitai.field_map import Field
from walproof.sweep.formats.kind import Edit, Kind, Seal, by_path


def _record(data: bytes, unit: Field, fields: Sequence[Field]) -> Edit:
    at = unit.start
    start = next(f.start for f in fields if f.path == f"{unit.path}.data")
    length = int.from_bytes(data[at + 17 : at + 21], "little")
    checksum = crc32c(data[start : start + length])
    return (at + 9, at + 17, checksum.to_bytes(8, "little"))


def _descriptor(data: bytes, unit: Field, fields: Sequence[Field]) -> Edit:
    length = 8 + int.from_bytes(data[17:19], "little")
    return (9, 17, crc32c(data[17 : 17 + length]).to_bytes(8, "little"))


def _reseal_descriptor(log: Any, path: str, file: str) -> None:
    log.reseal_descriptor(file)


class ZeebeJournal(Kind):
    """See :class:`Kind`."""

    cost = 2.0
    seals = (
        Seal("records[]", _record, by_path, True),
        Seal("descriptor", _descriptor, _reseal_descriptor, True),
    )
    # After a frame of zero a segment was never written, as far as it can tell.
    may_end_anywhere = True


KIND = ZeebeJournal()
