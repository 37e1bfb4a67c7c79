"""Damage zmq-raft logs in a sweep. The format has no checksums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from random import Random
from typing import Any

from reference_impl.answer import Answer, NewRecord, Record
from reference_impl.zmq_raft.message_pack import encode
from walproof.sweep.format_sweep import FormatSweep, Task, how_many, some_size

REQUEST, NOBODY = "5bab9dc8aabbcc1234000001", "00" * 12
STATE, CHECKPOINT = 0, 2
#: State values at the limits of each MessagePack encoding.
VALUES: Sequence[Any] = (
    0, 1, -1, 127, 128, -32, -33, 255, 65536, 2**31, 2**53 - 1, 1.5, None, True, "", "a" * 32,
    [], [1, "b"], {"c": 1}, [[]] * 16,
)  # fmt: skip


class ZmqRaftSweep(FormatSweep):
    """See :class:`FormatSweep`."""

    of_the_log = ("kind", "entries", "first_index", "log", "snapshot_file")

    def tells_payloads(self, files: Mapping[str, bytes], records: Sequence[Record]) -> bool:
        """See :class:`FormatSweep`."""
        return False

    def plain(self, task: Task) -> NewRecord:
        """See :class:`FormatSweep`."""
        if _kind(task) == ".pers":
            return NewRecord(encode({_keys(task)[0]: 7}))
        return _entry(task, b"x", 99)

    def new_records(self, chance: Random, task: Task) -> list[NewRecord]:
        """See :class:`FormatSweep`. The records depend on the type of the log."""
        if _kind(task) == ".pers":
            return [NewRecord(encode(_map(chance, task))) for _ in range(how_many(chance))]
        if _kind(task) == ".snap":
            fields = {"index": str(chance.choice((0, 1, 42, 2**40, 2**53))), "term": "3"}
            return [NewRecord(chance.randbytes(some_size(chance)), fields)]
        term = max([int(r.fields.get("term", 1)) for r in task.records], default=1)
        count = len(task.records) if task.appends else 0
        records = []
        for number in range(how_many(chance)):
            term += chance.choice((0,) * 12 + (1, 1, 7, -1))
            size = some_size(chance)
            record = _entry(
                task, chance.randbytes(size), term, CHECKPOINT * (chance.random() < 0.1)
            )
            if chance.random() < 0.06:
                index = count + number + 1 - chance.randrange(-1, 4)
                record = NewRecord(record.payload, {**record.fields, "index": str(index)})
            records.append(record)
        return records

    def may_refuse(self, before: Answer, contents: object) -> bool:
        """See :class:`FormatSweep`. A writer may begin a new file after an unfinished write."""
        return before.verdict == "torn"

    def otherwise(
        self, records: Sequence[NewRecord], before: Answer, task: Task
    ) -> tuple[list[NewRecord], str] | None:
        """See :class:`FormatSweep`. The state may be rewritten together with the first update."""
        if _kind(task) != ".pers" or before.verdict != "torn" or not records:
            return None
        first, *rest = records
        rotated = NewRecord(first.payload, {**first.fields, "rotate": True})
        return [rotated, *rest], "a writer may rotate instead (ZMR-080)"

    def takes_back(self, records: Sequence[NewRecord]) -> bool:
        """See :class:`FormatSweep`.

        Appending an existing index removes that entry and all later ones.
        """
        return any("index" in record.fields for record in records)


SWEEP = ZmqRaftSweep()


def _kind(task: Task) -> str:
    """Return the file extension, which gives the file type; empty for a directory."""
    return PurePath(task.name).suffix


def _entry(task: Task, payload: bytes, term: int, kind: int = STATE) -> NewRecord:
    if task.context.get("entries") == "raw":
        return NewRecord(payload)
    request = NOBODY if kind == CHECKPOINT else REQUEST
    return NewRecord(
        b"\xc0" if kind == CHECKPOINT else payload,
        {"term": str(max(0, term)), "entry_type": kind, "request_id": request},
    )


def _map(chance: Random, task: Task) -> dict[str, Any]:
    keys = _keys(task)
    chosen = chance.sample(keys, min(len(keys), chance.choice((1, 1, 1, 2))))
    # The keys stay in the order in which a writer stores them.
    return {key: chance.choice(VALUES) for key in keys if key in chosen}


def _keys(task: Task) -> list[str]:
    """Return the keys that a writer stores. Writers skip keys that are not configured."""
    return list(task.context.get("initial") or ("foo", "other"))
