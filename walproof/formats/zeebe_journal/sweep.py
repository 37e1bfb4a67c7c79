"""Damage Zeebe journals in a sweep."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from crc32c import crc32c

from conformance.kaitai.field_map import Field
from reference_impl.answer import NewRecord
from walproof.sweep.format_sweep import Call, Edit, FormatSweep, Seal, Task, how_many

#: Approximate overhead of a segment with one record, in bytes, to create payloads that just fit.
FRAMING = 57 + 50


def _record(data: bytes, unit: Field, fields: Sequence[Field]) -> Edit:
    at = unit.start
    start = next(f.start for f in fields if f.path == f"{unit.path}.data")
    length = int.from_bytes(data[at + 17 : at + 21], "little")
    checksum = crc32c(data[start : start + length])
    return (at + 9, at + 17, checksum.to_bytes(8, "little"))


def _descriptor(data: bytes, unit: Field, fields: Sequence[Field]) -> Edit:
    length = 8 + int.from_bytes(data[17:19], "little")
    return (9, 17, crc32c(data[17 : 17 + length]).to_bytes(8, "little"))


def _reseal_descriptor(path: str, file: str) -> Call:
    return Call("reseal_descriptor", file=file)


class ZeebeSweep(FormatSweep):
    """See :class:`FormatSweep`."""

    appends_exactly = True
    seals = (
        Seal("records[]", _record, in_folders=True),
        Seal("descriptor", _descriptor, _reseal_descriptor, True),
    )
    # If damage sets the first frame of a segment to zero, the segment looks unused.
    may_end_anywhere = True
    of_the_log = ("name",)
    near = ("max_segment_size", "last_flushed_index")

    def new_records(self, chance: Random, task: Task) -> list[NewRecord]:
        """See :class:`FormatSweep`. Most asqn values increase."""
        records = []
        numbers = [int(record.fields["asqn"]) for record in task.records] if task.appends else []
        asqn = max(numbers, default=0)
        count = len(task.records) if task.appends else 0
        room = int(task.context.get("max_segment_size", 300))
        for number in range(how_many(chance)):
            fields: dict[str, Any] = {}
            payload = self.payload(chance, task)
            if chance.random() < 0.85:
                payload = payload[: max(0, room - FRAMING)]
            if chance.random() < 0.2:
                payload = chance.randbytes(max(0, min(room, 5000) - FRAMING - chance.randrange(12)))
            if chance.random() < 0.7:
                asqn += chance.choice((1,) * 40 + (5, 0, -1, 2**40, 2**63))
                fields["asqn"] = str(asqn)
            if task.appends and chance.random() < 0.05:
                fields["index"] = str(count + 1 + number + chance.choice((0, 0, 1, -1)))
            records.append(NewRecord(payload, fields))
        return records


SWEEP = ZeebeSweep()
