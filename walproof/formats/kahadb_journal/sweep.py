"""Damage KahaDB journals in a sweep. Checksums of batches are optional in this format."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from conformance.contents import Contents
from conformance.kaitai.field_map import Field
from reference_impl.answer import Answer, NewRecord, Record
from reference_impl.kahadb_journal.layout import EOF_RECORD, HEADER, file_id
from walproof.sweep.format_sweep import Edit, FormatSweep, Seal, Task, how_many

#: Bytes of a one-record batch in addition to its payload.
FRAMING = 28 + 5


def _seal(data: bytes, unit: Field, fields: Sequence[Field]) -> Edit:
    at = unit.start
    return (at + 20, at + 28, struct.pack(">q", zlib.adler32(data[at + 28 : unit.end])))


def _has_checksum(data: bytes, batch: Field) -> bool:
    return any(data[batch.start + 20 : batch.start + 28])


class KahaDBSweep(FormatSweep):
    """See :class:`FormatSweep`."""

    seals = (Seal("batches[]", _seal, is_there=_has_checksum),)
    enters_payloads = True
    appends_exactly = True
    pairs_tell = False
    near = ("max_file_length", "write_batch_size")

    def new_records(self, chance: Random, task: Task) -> list[NewRecord]:
        """See :class:`FormatSweep`.

        Some records share a batch, and some contain bytes of a batch header or an EOF record.
        """
        records: list[NewRecord] = []
        batch = 0
        for _ in range(how_many(chance)):
            payload = self.payload(chance, task)
            if chance.random() < 0.3:
                key = chance.choice(("max_file_length", "write_batch_size"))
                room = min(int(task.context.get(key, 400)), 5000)
                payload = b"p" * max(0, room - FRAMING - chance.randrange(-2, 40))
            elif chance.random() < 0.15:
                payload = chance.choice((EOF_RECORD, bytes(5), HEADER, EOF_RECORD * 2, HEADER[:9]))
            fields: dict[str, Any] = {}
            if chance.random() < 0.5:
                batch += chance.randrange(2)
                fields["batch"] = batch
            records.append(NewRecord(payload, fields))
        return records

    def may_refuse(self, before: Answer, contents: Contents) -> bool:
        """See :class:`FormatSweep`. True if a directory has the name of a data file (KDB-024)."""
        if isinstance(contents, bytes):
            return False
        folders = {name.partition("/")[0] for name in contents if "/" in name}
        return any(file_id(name) is not None for name in folders)

    def tells_payloads(self, files: Mapping[str, bytes], records: Sequence[Record]) -> bool:
        """See :class:`FormatSweep`."""
        # After damage, a reader may find a batch inside a payload, which looks like a real batch.
        return not any(b"WRITE BATCH" in record.payload for record in records) and all(
            any(files[record.file or ""][batch + 20 : batch + 28])
            for record in records
            if (batch := int(record.fields["batch"])) >= 0
        )


SWEEP = KahaDBSweep()
