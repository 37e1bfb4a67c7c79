"""Damage LevelDB logs in a sweep."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from conformance.contents import Contents
from conformance.kaitai.field_map import Field
from reference_impl.answer import Answer, NewRecord, Record
from reference_impl.leveldb_log.layout import BLOCK_SIZE, FIRST, HEADER_SIZE, MIDDLE, masked_crc
from walproof.sweep.format_sweep import Edit, FormatSweep, Seal, Span, Task, how_many


def _seal(data: bytes, unit: Field, fields: Sequence[Field]) -> Edit:
    at = unit.start
    length = int.from_bytes(data[at + 4 : at + 6], "little")
    checksum = masked_crc(data[at + 6 : at + HEADER_SIZE + length])
    return (at, at + 4, checksum.to_bytes(4, "little"))


class LevelDBSweep(FormatSweep):
    """See :class:`FormatSweep`."""

    appends_exactly = True
    seals = (Seal("blocks[].records[]", _seal),)

    def may_join(self, record: Record) -> bool:
        """See :class:`FormatSweep`. Each fragment has its own header."""
        return record.size > HEADER_SIZE + len(record.payload)

    def covers(self, data: bytes, spans: Sequence[Span]) -> bool:
        """See :class:`FormatSweep`.

        Framing means a trailer, zeros, or the headers of an open record without data (LDB-033).
        """
        at = 0
        for start, end in (*spans, (len(data), len(data))):
            if at < start and not _is_framing(data, at, start):
                return False
            at = max(at, end)
        return True

    def new_records(self, chance: Random, task: Task) -> list[NewRecord]:
        """See :class:`FormatSweep`. Some records end near a block boundary."""
        records = []
        at = task.size if task.appends else 0
        for _ in range(how_many(chance)):
            payload = self.payload(chance, task)
            if chance.random() < 0.4:
                left = BLOCK_SIZE - at % BLOCK_SIZE - HEADER_SIZE
                edge = left + chance.choice((0, 0, 0, 1, 2)) * (BLOCK_SIZE - HEADER_SIZE)
                payload = bytes([chance.randrange(256)]) * max(0, edge - chance.randrange(-9, 16))
            at += HEADER_SIZE + len(payload)
            records.append(NewRecord(payload))
        return records

    def may_refuse(self, before: Answer, contents: Contents) -> bool:
        """See :class:`FormatSweep`. A writer may begin a new file after an unfinished write."""
        return before.verdict == "torn" or _ends_in_zeros(contents, before)


SWEEP = LevelDBSweep()


def _ends_in_zeros(contents: Contents, before: Answer) -> bool:
    """Return whether the log ends in preallocated space without records (LDB-017)."""
    assert isinstance(contents, bytes)
    return before.end is not None and before.end < len(contents)


def _is_framing(data: bytes, at: int, end: int) -> bool:
    is_open = False
    while at < end:
        left = BLOCK_SIZE - at % BLOCK_SIZE
        if left < HEADER_SIZE:
            at += left
            continue
        if not any(data[at:end]):
            return True
        header = data[at + 4 : at + HEADER_SIZE]
        # A writer may have added empty MIDDLE fragments to an open record before abandoning it.
        if header != bytes((0, 0, FIRST)) and not (is_open and header == bytes((0, 0, MIDDLE))):
            return False
        is_open = True
        at += HEADER_SIZE
    return True
