"""LevelDB logs in a sweep."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence

from conformance.kaitai.field_map import Field
from reference_impl.answer import Event, Record
from reference_impl.leveldb_log.layout import BLOCK_SIZE, FIRST, HEADER_SIZE, masked_crc
from reference_impl.leveldb_log.reader import read_stream
from walproof.sweep.formats.kind import Edit, Kind, Seal, Span, by_path


def _seal(data: bytes, unit: Field, fields: Sequence[Field]) -> Edit:
    at = unit.start
    length = int.from_bytes(data[at + 4 : at + 6], "little")
    checksum = masked_crc(data[at + 6 : at + HEADER_SIZE + length])
    return (at, at + 4, checksum.to_bytes(4, "little"))


class LevelDb(Kind):
    """See :class:`Kind`."""

    cost = 1.0
    seals = (Seal("blocks[].records[]", _seal, by_path),)

    @staticmethod
    def read_in_memory(data: bytes, profile: str) -> Iterator[Event]:
        """See :class:`Kind`."""
        return read_stream(io.BytesIO(data), profile)

    def may_join(self, record: Record) -> bool:
        """See :class:`Kind`. Each fragment has a header of its own."""
        return record.size > HEADER_SIZE + len(record.payload)

    def covers(self, data: bytes, spans: Sequence[Span]) -> bool:
        """See :class:`Kind`.

        Framing is a trailer, zeros, or the header of an empty FIRST that lost nothing (LDB-033).
        """
        at = 0
        for start, end in (*spans, (len(data), len(data))):
            if at < start and not _is_framing(data, at, start):
                return False
            at = max(at, end)
        return True


KIND = LevelDb()


def _is_framing(data: bytes, at: int, end: int) -> bool:
    while at < end:
        left = BLOCK_SIZE - at % BLOCK_SIZE
        if left < HEADER_SIZE:
            at += left
            continue
        if not any(data[at:end]):
            return True
        if data[at + 4 : at + HEADER_SIZE] != bytes((0, 0, FIRST)):
            return False
        at += HEADER_SIZE
    return True
